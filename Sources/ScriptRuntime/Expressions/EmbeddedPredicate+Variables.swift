import PredicateSyntax
import ScriptSyntax

extension EmbeddedPredicate {
  /// The `$` variables that the script has to provide, each once, at its first place.
  ///
  /// Those that a SUBQUERY or an assignment defines are left out.
  var variables: [Name] {
    var found: [Name] = []
    var own: Set<String> = []
    _ = tree.rewritten { operand -> OperandTree? in
      switch operand.kind {
      case .variable(let name), .variableKeyPath(let name, _):
        found.append(Name(name, range: operand.range.range))
      case .subquery(_, let name, _), .assignment(let name, _):
        own.insert(name)
      case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey, .key,
        .collectionOperator, .argument, .argumentKeyPath, .negation, .arithmetic, .setOperation,
        .index, .function, .call, .cast, .ternary:
        break
      }
      return nil
    }
    var seen = own
    return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
      .filter { seen.insert($0.text).inserted }
  }
}
