import Basics
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
    case .ofNil: "true only of nil"
    case .ofEmptyCollections: "true only of an empty collection"
    case .exceptForEmptyCollections: "false only of an empty collection"
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

extension EmbeddedPredicate {
  /// Warnings about forms that Apple's parser refuses, or that mean something else than they seem
  /// to.
  var refusalWarnings: [Diagnostic] {
    tree.refusals.map { refusal in
      let range = refusal.range.range
      return Diagnostic(
        severity: .warning, message: refusal.reason.words,
        range: range.isEmpty ? self.range : range)
    }
  }
}

extension PredicateRefusal.Reason {
  fileprivate var words: String {
    switch self {
    case .notIn: "Apple's parser refuses 'x NOT IN y'; write 'NOT x IN y'"
    case .key(let name):
      "Apple's parser refuses the key '\(name)', which is not ASCII; use %K in an app"
    case .sqlPattern(let pattern):
      "'%' has no special meaning in LIKE; '*' matches any text and '?' one character: "
        + "write LIKE \(pattern.replacing("%", with: "*").quoted)"
    }
  }
}

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
    return found.ordered { $0.range.lowerBound < $1.range.lowerBound }
      .filter { seen.insert($0.text).inserted }
  }
}
