import FetchedResults

/// A predicate of the format language, like Foundation's on Apple systems.
///
/// Foundation on Linux has a class with this name that has no formats. A file that imports only
/// `CoreData` uses this one.
open class NSPredicate: NSObject, @unchecked Sendable {
  let engine: FetchPredicate

  /// Creates a predicate from a format and the values of its placeholders.
  public convenience init(format: String, argumentArray: [Any]?) {
    do {
      self.init(
        engine: try FetchPredicate(
          format: format, argumentArray: (argumentArray ?? []).map { PropertyValue(given: $0) }))
    } catch {
      preconditionFailure("Unable to parse the format string \"\(format)\": \(error)")
    }
  }

  /// Creates a predicate from a format and the values of its placeholders.
  public convenience init(format: String, _ arguments: (any CVarArg)...) {
    self.init(format: format, argumentArray: arguments)
  }

  /// Creates a predicate that is always true or always false.
  public convenience init(value: Bool) { self.init(engine: FetchPredicate(value: value)) }

  init(engine: FetchPredicate) {
    self.engine = engine
    super.init()
  }

  /// The predicate in the normal form of the format language.
  open var predicateFormat: String { engine.predicateFormat }

  open override var description: String { predicateFormat }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPredicate)?.engine == engine
  }

  open override var hash: Int { predicateFormat.hashValue }
}

/// Predicates combined by AND, OR and NOT.
public final class NSCompoundPredicate: NSPredicate, @unchecked Sendable {
  /// Creates the conjunction of predicates.
  public convenience init(andPredicateWithSubpredicates parts: [NSPredicate]) {
    self.init(engine: .and(parts.map(\.engine)))
  }

  /// Creates the disjunction of predicates.
  public convenience init(orPredicateWithSubpredicates parts: [NSPredicate]) {
    self.init(engine: .or(parts.map(\.engine)))
  }

  /// Creates the negation of a predicate.
  public convenience init(notPredicateWithSubpredicate part: NSPredicate) {
    self.init(engine: .not(part.engine))
  }
}
