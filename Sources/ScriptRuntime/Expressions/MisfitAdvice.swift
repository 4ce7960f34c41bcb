import FetchedResults
import PredicateSyntax
import ScriptSyntax

/// Advice on what to write instead of a comparison between values of different kinds.
struct MisfitAdvice {
  let syntax: EmbeddedPredicate
  let entity: EntityDescription

  /// Returns the advice as a clause; nil if the intention is unclear.
  func text(for misfit: PredicateMisfit) -> String? {
    switch misfit.reason {
    case .kinds(let left, let leftKind, let right, let rightKind):
      advice(for: right, comparedWith: left, leftKind)
        ?? advice(for: left, comparedWith: right, rightKind)
    case .noMember(_, let kind, of: let list): elementAdvice(list, kind)
    case .needsString(let operand, .number) where operand.isLiteral:
      "write \(syntax.text(of: operand).quoted)"
    case .needsString(_, .number): "compare a number with ==, < or >"
    case .needsString, .needsCollection: "compare it with =="
    case .modifierNeedsCollection: "leave ANY or ALL out"
    }
  }

  /// Returns how to write one side as a value of the other side's kind.
  private func advice(
    for operand: OperandTree, comparedWith other: OperandTree, _ kind: PredicateKind
  ) -> String? {
    let code = syntax.text(of: operand)
    let text: String? = if case .string(let text) = operand.kind { text } else { nil }
    switch kind {
    case .number:
      return text.flatMap(Double.init) == nil ? nil : "write \(text ?? code) without quotes"
    case .boolean: return text == nil ? nil : "write true or false without quotes"
    case .string:
      if case .string = operand.kind { return nil }
      return operand.isLiteral && Double(code) != nil ? "write \(code.quoted)" : nil
    case .date:
      let isDate = (text ?? "").wholeMatch(of: #/\d{4}-\d{2}-\d{2}/#) != nil
      if isDate, let text { return "write @\(text)" }
      if let match = code.wholeMatch(of: #/\(?(\d{4}) - (\d{1,2})\)? - (\d{1,2})/#) {
        let (_, year, month, day) = match.output
        return "write @\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(day))"
      }
      return operand.isLiteral || text != nil ? "write a date such as @2026-01-31" : nil
    case .uuid: return text == nil ? nil : "write uuid(\(code))"
    case .object: return text == nil ? nil : objectAdvice(other, code)
    case .unknown, .uri, .data, .list: return nil
    }
  }

  private static func twoDigits(_ number: Substring) -> String {
    number.count == 1 ? "0\(number)" : String(number)
  }

  /// An object is compared through one of its attributes.
  private func objectAdvice(_ operand: OperandTree, _ code: String) -> String? {
    guard case .key(let name, nil) = operand.kind,
      let destination = entity.destination(ofRelationship: name),
      let attribute = destination.shownAttribute(besides: nil)
    else { return nil }
    return "write \(name).\(attribute) == \(code)"
  }

  private func elementAdvice(_ list: OperandTree, _ kind: PredicateKind) -> String? {
    guard case .aggregate(let elements) = list.kind, let first = elements.first else { return nil }
    switch (kind, first.kind) {
    case (.string, .integer), (.string, .real):
      return "put quotes around each element, such as {\(syntax.text(of: first).quoted)}"
    case (.number, .string(let text)) where Double(text) != nil:
      return "leave the quotes out, such as {\(text)}"
    default: return nil
    }
  }
}
