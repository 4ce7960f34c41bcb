import PredicateSyntax

extension FetchPredicate {
  /// Returns a predicate that holds where all of the parts do; if there are none, always.
  ///
  /// A part that is a compound itself stays one.
  public static func and(_ parts: [FetchPredicate]) -> FetchPredicate {
    combine(parts) { .and($0) }
  }

  /// Returns a predicate that holds where one of the parts does; if there are none, never.
  public static func or(_ parts: [FetchPredicate]) -> FetchPredicate {
    combine(parts) { .or($0) }
  }

  /// Returns a predicate that holds where the part does not.
  public static func not(_ part: FetchPredicate) -> FetchPredicate {
    FetchPredicate(
      tree: .not(part.tree), arguments: part.arguments, variables: part.variables)
  }

  /// Puts trees together; each part's arguments follow those of the parts
  /// before.
  private static func combine(
    _ parts: [FetchPredicate], _ compound: ([PredicateTree]) -> PredicateTree
  ) -> FetchPredicate {
    var trees: [PredicateTree] = []
    var arguments: [PropertyValue] = []
    var variables: [String: PropertyValue] = [:]
    for part in parts {
      let offset = arguments.count
      trees.append(
        part.tree.rewritten { operand in
          guard case .argument(let index) = operand.kind else { return nil }
          return OperandTree(.argument(index + offset), range: operand.range)
        })
      arguments += part.arguments
      variables.merge(part.variables) { _, new in new }
    }
    return FetchPredicate(tree: compound(trees), arguments: arguments, variables: variables)
  }
}
