package import PredicateSyntax

/// A source and its clauses: `Book where pages > 100 sort by title limit 5`.
package struct RequestSyntax: Equatable, Sendable {
  /// An entity, or a request or controller defined before.
  package var source: Name
  /// Whether `.self` follows an entity.
  ///
  /// It excludes objects of the entities that inherit from it.
  package var isExact = false
  package var clauses: RequestClauses
  package var range: Range<Int>

  package init(source: Name, clauses: RequestClauses, range: Range<Int>) {
    self.source = source
    self.clauses = clauses
    self.range = range
  }

  /// The name in `count(NAME)`, which may also be that of a list; nil if there is more.
  package var nameOfList: Name? { clauses.isEmpty && !isExact ? source : nil }
}

/// The clauses after a source, each at most once, in any order.
package struct RequestClauses: Equatable, Sendable {
  package var predicate: EmbeddedPredicate?
  package var sort: [SortSyntax]?
  /// `section by KEYPATH`.
  package var section: Name?
  package var limit: ExpressionSyntax?
  package var offset: ExpressionSyntax?
  package var batch: ExpressionSyntax?
  package var cache: ExpressionSyntax?
  /// `keep limit`, `track related off`.
  package var controllerOptions: [ControllerOptionSyntax] = []
  /// `prefetch author, tags`: the dotted key paths.
  package var prefetch: [Name]?
  /// `includesPendingChanges off`.
  package var options: [FetchOptionSyntax] = []
  /// `updates turns`, of an observer.
  package var updates: ObserverUpdates?
  /// `values publisher, sum(pages) as total`.
  package var fetchedValues: [FetchedValueSyntax]?
  /// `group by publisher`.
  package var groups: [Name]?
  /// `having total > 100`, with names of the result's columns.
  package var having: EmbeddedPredicate?
  package var isDistinct = false
  /// `returning objectIDs`.
  package var result: RequestResult?

  package init() {}

  package var isEmpty: Bool { self == RequestClauses() }
}

/// A predicate in a script, with the script's own values as its arguments.
package struct EmbeddedPredicate: Equatable, Sendable {
  package var tree: PredicateTree
  /// The values of `OperandTree.Kind.argument(i)`, by index.
  package var arguments: [ExpressionSyntax]
  package var range: Range<Int>
}

/// An option that is on or off: `returnsObjectsAsFaults off`, `keep limit`.
package struct OptionSyntax<Option: Equatable & Sendable>: Equatable, Sendable {
  package var option: Option
  package var isOn: Bool
  /// The range of the option's last word, which is mostly `on` or `off`.
  package var range: Range<Int>
}

/// `returnsObjectsAsFaults off`.
package typealias FetchOptionSyntax = OptionSyntax<FetchOption>

/// `keep limit`, `keep limit off`.
package typealias ControllerOptionSyntax = OptionSyntax<ControllerOption>

/// What an observer follows.
package enum ObserverSyntax: Equatable, Sendable {
  /// `Book sort by title`: the results of a request.
  case results(RequestSyntax)
  /// `history of Book by "App"`: the transactions of the store; empty lists mean all of them.
  case history(of: [Name], by: [ExpressionSyntax])
}

/// When an observer publishes its results; the raw value is the word after `updates`.
package enum ObserverUpdates: String, Hashable, Sendable, CaseIterable {
  case saves
  case turns
}

/// An option of a request; the raw value is the word in a script and the name of NSFetchRequest's
/// property.
package enum FetchOption: String, Hashable, Sendable, CaseIterable {
  case includesPendingChanges
  case returnsObjectsAsFaults
  case shouldRefreshRefetchedObjects
}

/// `lastModified desc`, `title using localizedStandard`.
package struct SortSyntax: Equatable, Sendable {
  /// The dotted key path.
  package var keyPath: Name
  package var isAscending: Bool
  package var selector: Selector

  /// How strings are compared; the raw value is the word after `using`.
  package enum Selector: String, Hashable, Sendable, CaseIterable {
    case binary
    case caseInsensitive
    case localized
    case localizedCaseInsensitive
    case localizedStandard
  }
}

/// `publisher`, `sum(pages) as total`.
package struct FetchedValueSyntax: Equatable, Sendable {
  package var function: Function?
  /// The dotted key path.
  package var keyPath: Name
  /// The name after `as`.
  package var alias: Name?

  package enum Function: String, Hashable, Sendable, CaseIterable {
    case count, sum, min, max, average
  }
}

/// What a request returns; the raw value is the word after `returning`.
package enum RequestResult: String, Hashable, Sendable, CaseIterable {
  case objectIDs
  case count
  /// A batch request returns only that it succeeded.
  case statusOnly
}

extension RequestSyntax: CustomStringConvertible {
  /// The source and its clauses in a fixed order.
  ///
  /// A predicate's arguments appear as `%@`.
  package var description: String {
    ([source.text + (isExact ? ".self" : "")] + clauses.texts).joined(separator: " ")
  }
}

extension RequestClauses {
  fileprivate var texts: [String] {
    var texts: [String] = []
    if let predicate { texts.append("where \(predicate.tree)") }
    if let sort {
      texts.append("sort by " + sort.map(\.description).joined(separator: ", "))
    }
    if let section { texts.append("section by \(section.text)") }
    if let limit { texts.append("limit \(limit)") }
    if let offset { texts.append("offset \(offset)") }
    if let batch { texts.append("batch \(batch)") }
    if let cache { texts.append("cache \(cache)") }
    texts += controllerOptions.map { $0.option.rawValue + ($0.isOn ? "" : " off") }
    if let prefetch { texts.append("prefetch " + prefetch.map(\.text).joined(separator: ", ")) }
    texts += options.map { "\($0.option.rawValue) \($0.isOn ? "on" : "off")" }
    if let fetchedValues {
      texts.append("values " + fetchedValues.map(\.description).joined(separator: ", "))
    }
    if let groups { texts.append("group by " + groups.map(\.text).joined(separator: ", ")) }
    if let having { texts.append("having \(having.tree)") }
    if isDistinct { texts.append("distinct") }
    if let result { texts.append("returning \(result.rawValue)") }
    if let updates { texts.append("updates \(updates.rawValue)") }
    return texts
  }
}

extension SortSyntax: CustomStringConvertible {
  /// `title`, `lastModified desc`, `title using localized`.
  package var description: String {
    keyPath.text + (isAscending ? "" : " desc")
      + (selector == .binary ? "" : " using \(selector.rawValue)")
  }
}

extension FetchedValueSyntax: CustomStringConvertible {
  /// `publisher`, `sum(pages) as total`.
  package var description: String {
    (function.map { "\($0.rawValue)(\(keyPath.text))" } ?? keyPath.text)
      + (alias.map { " as \($0.text)" } ?? "")
  }
}

/// A batch request: `batch update Book where pages > 100 { genre = "long" } returning count`.
package struct BatchSyntax: Equatable, Sendable {
  package var action: Action
  package var result: RequestResult

  package init(_ action: Action, returning result: RequestResult) {
    self.action = action
    self.result = result
  }

  /// The change to the store.
  package enum Action: Equatable, Sendable {
    /// One or more rows of the same entity.
    case insert([InsertSyntax])
    case update(RequestSyntax, [AttributeAssignment])
    case delete(RequestSyntax)
  }

  /// The kind of statement.
  var kind: StatementKind {
    switch action {
    case .insert: .batchInsert
    case .update: .batchUpdate
    case .delete: .batchDelete
    }
  }

  /// The parts of the statement.
  var parts: [StatementPart] {
    switch action {
    case .insert(let inserts): inserts.map { .insert($0) }
    case .update(let request, let values): [.update(request, values)]
    case .delete(let request): [.request(request)]
    }
  }
}
