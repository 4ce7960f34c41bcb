import FetchedResults
import PredicateSyntax
import ScriptSyntax

extension PredicateMisfit {
  /// The warning, at the comparison's place.
  func diagnostic(in syntax: EmbeddedPredicate) -> Diagnostic {
    let range = comparison.range.range
    return Diagnostic(
      severity: .warning, message: "\(truth.words): " + reason.words(in: syntax),
      range: range.isEmpty ? syntax.range : range)
  }
}

extension PredicateMisfit.Truth {
  fileprivate var words: String {
    switch self {
    case .never: "never true"
    case .always: "always true"
    case .forNil: "true only where both sides are nil"
    case .exceptForNil: "false only where both sides are nil"
    case .ofEmptyCollections: "true only of an empty collection"
    }
  }
}

extension PredicateMisfit.Reason {
  fileprivate func words(in syntax: EmbeddedPredicate) -> String {
    switch self {
    case .kinds(let left, let leftKind, let right, let rightKind):
      "\(name(of: left, in: syntax)) is \(leftKind.name), "
        + "but \(name(of: right, in: syntax)) is \(rightKind.name)"
    case .noMember(let value, let kind, of: let list):
      "\(name(of: value, in: syntax)) is \(kind.name), "
        + "but \(name(of: list, in: syntax)) holds none"
    case .needsString(let operand, let kind):
      "expected a string, but \(name(of: operand, in: syntax)) is \(kind.name)"
    case .needsCollection(let operand, let kind):
      "expected a collection or a string, but \(name(of: operand, in: syntax)) is \(kind.name)"
    case .modifierNeedsCollection(let operand, let kind):
      "ANY and ALL take a collection, but \(name(of: operand, in: syntax)) is \(kind.name)"
    }
  }

  /// An expression as it is named: in quotes, unless it is a literal.
  private func name(of operand: OperandTree, in syntax: EmbeddedPredicate) -> String {
    let text = syntax.text(of: operand)
    return operand.isLiteral ? text : "'\(text)'"
  }
}

extension PredicateKind {
  /// What a value of the kind is called.
  fileprivate var name: String {
    switch self {
    case .unknown: "a value"
    case .number: "a number"
    case .boolean: "a Boolean"
    case .string: "a string"
    case .date: "a date"
    case .uuid: "a UUID"
    case .uri: "a URI"
    case .data: "data"
    case .object: "an object"
    case .list: "a list"
    }
  }
}
