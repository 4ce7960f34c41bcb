import PredicateSyntax

extension FetchPredicate {
  /// Returns a predicate that is true if all parts are true.
  ///
  /// Without parts, it is always true.
  ///
  /// A part that is itself a compound predicate stays a separate part.
  public static func and(_ parts: [FetchPredicate]) -> FetchPredicate {
    combine(parts) { .and($0) }
  }

  /// Returns a predicate that is true if at least one part is true.
  ///
  /// Without parts, it is never true.
  public static func or(_ parts: [FetchPredicate]) -> FetchPredicate {
    combine(parts) { .or($0) }
  }

  /// Returns a predicate that is true if the part is false.
  public static func not(_ part: FetchPredicate) -> FetchPredicate {
    FetchPredicate(
      tree: .not(part.tree), arguments: part.arguments, variables: part.variables)
  }

  /// Combines trees.
  ///
  /// The arguments of each part follow those of the parts before it.
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
