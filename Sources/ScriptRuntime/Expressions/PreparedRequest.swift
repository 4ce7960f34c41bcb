import FetchedResults
import ScriptSyntax

/// A request in an expression that is evaluated many times.
final class PreparedRequest {
  let syntax: RequestSyntax
  let predicate: PreparedPredicate?
  /// Whether there are clauses besides the predicate.
  let hasOtherClauses: Bool

  init(_ syntax: RequestSyntax, _ variables: VariableTable) {
    self.syntax = syntax
    predicate = syntax.clauses.predicate.map { PreparedPredicate($0, variables) }
    var others = syntax.clauses
    others.predicate = nil
    hasOtherClauses = !others.isEmpty
  }
}

/// A predicate with prepared arguments.
final class PreparedPredicate {
  let syntax: EmbeddedPredicate
  let arguments: [PreparedExpression]
  /// The `$` variables that the script has to provide.
  let variables: [Name]
  /// Warnings about forms that Apple's parser refuses.
  let refusals: [Diagnostic]
  /// The last predicate that was checked without a warning, with its entity.
  private var checked: (predicate: FetchPredicate, entity: EntityDescription)?

  init(_ syntax: EmbeddedPredicate, _ variables: VariableTable) {
    self.syntax = syntax
    arguments = syntax.arguments.map { PreparedExpression($0, variables) }
    self.variables = syntax.variables
    refusals = syntax.refusalWarnings
  }

  /// Records that a predicate was checked without a warning.
  func noteFit(_ predicate: FetchPredicate, _ entity: EntityDescription) {
    checked = (predicate, entity)
  }

  /// Whether a predicate has the same entity and the same kinds of values as the one that was
  /// checked last.
  func isKnownToFit(_ predicate: FetchPredicate, _ entity: EntityDescription) -> Bool {
    guard let checked, checked.entity === entity else { return false }
    let before = checked.predicate
    return predicate.arguments.count == before.arguments.count
      && zip(predicate.arguments, before.arguments).allSatisfy { $0.isLike($1) }
      && predicate.variables.allSatisfy { name, value in
        before.variables[name].map(value.isLike) ?? false
      }
  }
}

extension PropertyValue {
  /// Whether a predicate treats a value like another one, because both have the same kind.
  ///
  /// A text may be a pattern and a list may contain anything, so these must be equal.
  fileprivate func isLike(_ other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.int, .int), (.double, .double), (.date, .date), (.decimal, .decimal), (.uuid, .uuid):
      true
    case (.object(let a), .object(let b)): a.entity === b.entity
    default: self == other
    }
  }
}
