import FetchedResults
import PredicateSyntax
import ScriptSyntax

extension PredicateMisfit {
  /// Returns the warning, at the comparison's place.
  func diagnostic(in syntax: EmbeddedPredicate, on entity: EntityDescription) -> Diagnostic {
    let range = comparison.range.range
    // SQL compares a single value, and asks for no collection.
    let exception = isOneValueInFile ? ", except in a store's file" : ""
    let error = isError ? ", and an error for a value that is not nil\(exception)" : ""
    let advice = MisfitAdvice(syntax: syntax, entity: entity).text(for: self)
    return Diagnostic(
      severity: .warning,
      message: "\(truth.words)\(error): " + reason.words(in: syntax)
        + (advice.map { "; \($0)" } ?? ""),
      range: range.isEmpty ? syntax.range : range)
  }
}

extension PredicateMisfit {
  /// Whether a store in a file compares one value as if there were no ANY or NONE.
  private var isOneValueInFile: Bool {
    if case .modifierNeedsCollection = reason { comparison.modifier != .all } else { false }
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
      "\(syntax.name(of: left)) is \(leftKind.name), "
        + "but \(syntax.name(of: right)) is \(rightKind.name)"
    case .noMember(let value, let kind, of: let list):
      "\(syntax.name(of: value)) is \(kind.name), "
        + "but \(syntax.name(of: list)) does not contain one"
    case .needsString(let operand, let kind):
      "expected a string, but \(syntax.name(of: operand)) is \(kind.name)"
    case .needsCollection(let operand, let kind):
      "expected a collection or a string, but \(syntax.name(of: operand)) is \(kind.name)"
    case .modifierNeedsCollection(let operand, let kind):
      "ANY and ALL take a collection, but \(syntax.name(of: operand)) is \(kind.name)"
    }
  }
}

extension EmbeddedPredicate {
  /// Returns an expression as messages show it: in quotes, unless it is a literal.
  fileprivate func name(of operand: OperandTree) -> String {
    operand.isLiteral ? text(of: operand) : "'\(text(of: operand))'"
  }
}

extension PredicateKind {
  /// The name of the kind of value.
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
