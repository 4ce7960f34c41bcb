package import PredicateSyntax

/// A condition on objects, in the NSPredicate format language.
public struct FetchPredicate: Sendable {
  package let tree: PredicateTree
  package let arguments: [Value]
  package let variables: [String: Value]

  package init(tree: PredicateTree, arguments: [Value] = [], variables: [String: Value] = [:]) {
    self.tree = tree
    self.arguments = arguments
    self.variables = variables
  }

  /// The predicate in the normal form of the format language.
  public var predicateFormat: String { "" }

  /// Resolves the keys against an entity once, for any number of objects.
  ///
  /// - Throws: ``PredicateError`` where a key is none of the entity's.
  package func compile(
    for entity: EntityDescription, environment: EvaluationEnvironment
  ) throws(PredicateError) -> CompiledPredicate {
    CompiledPredicate()
  }
}
