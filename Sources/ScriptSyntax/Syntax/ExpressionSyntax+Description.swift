import PredicateSyntax

extension ExpressionSyntax: CustomStringConvertible {
  /// The expression in its normal form, where every operand with an operator is in parentheses.
  package var description: String { kind.description }
}

extension ExpressionSyntax.Kind: CustomStringConvertible {
  package var description: String {
    switch self {
    case .null: "nil"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .real(_, let text): text
    case .string(let parts): "\"" + parts.map(\.description).joined() + "\""
    case .date(let date): date.description
    case .object(let entity, let number): "\(entity)/\(number)"
    case .list(let values): "[\(Self.list(values))]"
    case .range(let low, let high, let isClosed):
      "\(low.operand)\(isClosed ? "..." : "..<")\(high.operand)"
    case .name(let name): name
    case .variable(let name): "$" + name
    case .member(let base, let name): "\(base.operand).\(name.text)"
    case .index(let base, let indices): "\(base.operand)[\(Self.list(indices))]"
    case .call(let name, let arguments): "\(name.text)(\(Self.list(arguments)))"
    case .methodCall(let base, let name, let arguments):
      "\(base.operand).\(name.text)(\(Self.list(arguments)))"
    case .count(let request): "count(\(request))"
    case .insert(let insert): insert.description
    case .fetch(let request): "fetch \(request)"
    case .negation(let operand): "-\(operand.operand)"
    case .not(let operand): "NOT \(operand.operand)"
    case .binary(let left, let sign, let right):
      "\(left.operand) \(sign.rawValue) \(right.operand)"
    }
  }

  private static func list(_ values: [ExpressionSyntax]) -> String {
    values.map { $0.description }.joined(separator: ", ")
  }

  private static func list(_ arguments: [ExpressionSyntax.Argument]) -> String {
    arguments.map { $0.description }.joined(separator: ", ")
  }
}

extension ExpressionSyntax {
  /// The text as an operand of a larger expression.
  fileprivate var operand: String {
    switch kind {
    case .range, .negation, .not, .binary, .fetch, .insert: "(\(description))"
    case .null, .boolean, .integer, .real, .string, .date, .object, .list, .name, .variable,
      .member, .index, .call, .methodCall, .count:
      description
    }
  }
}

extension ExpressionSyntax.StringPart: CustomStringConvertible {
  package var description: String {
    switch self {
    case .text(let text): text.escaped
    case .interpolation(let value): "\\(\(value))"
    }
  }
}

extension String {
  fileprivate var escaped: String {
    unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\" + String(scalar)
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        "\\u{" + String(scalar.value, radix: 16) + "}"
      default: String(scalar)
      }
    }.joined()
  }
}

extension ExpressionSyntax.Argument: CustomStringConvertible {
  package var description: String { (label.map { $0.text + ": " } ?? "") + value.description }
}

extension DateLiteral: CustomStringConvertible {
  /// The date as a script writes it: `@2026-11-21`, with the time and the zone if there are any.
  package var description: String {
    let date = "@\(padded(year, 4))-\(padded(month))-\(padded(day))"
    guard hour != 0 || minute != 0 || second != 0 || offset != 0 else { return date }
    let whole = Int(second)
    let fraction = second == Double(whole) ? "" : "." + "\(second)".drop { $0 != "." }.dropFirst()
    let time = "T\(padded(hour)):\(padded(minute)):\(padded(whole))" + fraction
    guard offset != 0 else { return date + time + "Z" }
    let minutes = abs(offset)
    return date + time + (offset < 0 ? "-" : "+") + padded(minutes / 60) + ":"
      + padded(minutes % 60)
  }

  private func padded(_ number: Int, _ count: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

extension InsertSyntax: CustomStringConvertible {
  package var description: String {
    let values = values.map { "\($0.attribute.text): \($0.value)" }.joined(separator: ", ")
    return "insert " + (count.map { "\($0) " } ?? "") + "\(entity.text)(\(values))"
  }
}
