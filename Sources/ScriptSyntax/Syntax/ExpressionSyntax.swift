/// An expression of a script outside a predicate.
package struct ExpressionSyntax: Equatable, Sendable {
  package var kind: Kind
  package var range: Range<Int>
  /// The number of levels in the tree, including this one.
  ///
  /// A parser limits it by ``ScriptParser/mostOperators`` and ``ScriptParser/maximumDepth``.
  package let height: Int

  package init(_ kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
    height = kind.height + 1
  }

  package indirect enum Kind: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A number with its text, so that a decimal attribute loses no digit.
    case real(Double, text: String)
    /// The parts of a string. A plain string has one text part or none.
    case string([StringPart])
    case date(DateLiteral)
    /// `Book/3`.
    case object(entity: String, number: Int64)
    case list([ExpressionSyntax])
    /// `1...9`, or `1..<9` if it is not closed.
    case range(ExpressionSyntax, ExpressionSyntax, isClosed: Bool)
    /// A bare name: variable, controller, or an attribute inside `update { }`.
    case name(String)
    /// `$name`, always a variable.
    case variable(String)
    case member(ExpressionSyntax, Name)
    /// `books[0, 1]`, `books.sections[0]`.
    case index(ExpressionSyntax, [ExpressionSyntax])
    /// `uppercase(title)`, `uuid("…")`, `now()`.
    case call(Name, [Argument])
    /// `books.indexPath(forObject: dune)`.
    case methodCall(ExpressionSyntax, Name, [Argument])
    /// `count(Book where pages > 100)`.
    case count(RequestSyntax)
    /// `insert Book(…)` as a value.
    case insert(InsertSyntax)
    /// `fetch Book where …` as a value.
    case fetch(RequestSyntax)
    case negation(ExpressionSyntax)
    case not(ExpressionSyntax)
    case binary(ExpressionSyntax, BinaryOperator, ExpressionSyntax)
  }

  package enum StringPart: Equatable, Sendable {
    case text(String)
    case interpolation(ExpressionSyntax)
  }

  package struct Argument: Equatable, Sendable {
    package var label: Name?
    package var value: ExpressionSyntax
  }

  /// An operator with two operands; the raw value is its normal spelling.
  package enum BinaryOperator: String, Hashable, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "AND"
    case or = "OR"
  }
}

/// A date literal, which is known to exist in the calendar.
package struct DateLiteral: Equatable, Sendable {
  package var year: Int
  package var month: Int
  package var day: Int
  package var hour = 0
  package var minute = 0
  /// Seconds, with fractions.
  package var second = 0.0
  /// The time zone, in minutes east of UTC.
  package var offset = 0

  package init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }
}

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

extension ExpressionSyntax {
  /// Whether the expression or a part of it matches.
  package func contains(where isMatch: (Kind) -> Bool) -> Bool {
    isMatch(kind) || kind.hasPart { $0.contains(where: isMatch) }
  }

  /// Whether the value is a literal, with no name to look up.
  package var isLiteral: Bool {
    switch kind {
    case .null, .boolean, .integer, .real, .date: true
    case .string(let parts):
      parts.allSatisfy { if case .text = $0 { true } else { false } }
    case .object, .list, .range, .name, .variable, .member, .index, .call, .methodCall, .count,
      .insert, .fetch, .negation, .not, .binary:
      false
    }
  }

  /// Whether computing the value may change something.
  ///
  /// An insert does, and so does a controller's first fetch.
  var mayChange: Bool {
    contains {
      switch $0 {
      case .insert, .fetch: true
      case .null, .boolean, .integer, .real, .string, .date, .object, .list, .range, .name,
        .variable, .member, .index, .call, .methodCall, .count, .negation, .not, .binary:
        false
      }
    }
  }

  /// Whether computing the value reads the store.
  ///
  /// A variable with an object, and a controller, read it too. But these exist only after the store
  /// was opened.
  var looksAtObjects: Bool {
    contains {
      switch $0 {
      case .object, .count, .insert, .fetch: true
      case .null, .boolean, .integer, .real, .string, .date, .list, .range, .name, .variable,
        .member, .index, .call, .methodCall, .negation, .not, .binary:
        false
      }
    }
  }
}

extension ExpressionSyntax.Kind {
  /// The number of levels of expressions below.
  var height: Int {
    var height = 0
    _ = hasPart { part in
      height = max(height, part.height)
      return false
    }
    return height
  }

  /// Whether one of the direct parts matches.
  fileprivate func hasPart(where isMatch: (ExpressionSyntax) -> Bool) -> Bool {
    switch self {
    case .null, .boolean, .integer, .real, .date, .object, .name, .variable: false
    case .string(let parts):
      parts.contains { if case .interpolation(let value) = $0 { isMatch(value) } else { false } }
    case .list(let values): values.contains(where: isMatch)
    case .range(let left, let right, isClosed: _), .binary(let left, _, let right):
      isMatch(left) || isMatch(right)
    case .member(let value, _), .negation(let value), .not(let value): isMatch(value)
    case .index(let base, let indices): isMatch(base) || indices.contains(where: isMatch)
    case .call(_, let arguments): arguments.contains { isMatch($0.value) }
    case .methodCall(let base, _, let arguments):
      isMatch(base) || arguments.contains { isMatch($0.value) }
    case .count(let request), .fetch(let request): request.clauses.values.contains(where: isMatch)
    case .insert(let insert): insert.allValues.contains(where: isMatch)
    }
  }
}

extension ExpressionSyntax {
  /// The names in the expression, each with the members that follow it: `author.name`.
  package var keyPaths: [String] {
    if case .name(let name) = kind { return [name] }
    var found: [String] = []
    _ = kind.hasPart { part in
      found += part.keyPaths
      return false
    }
    guard case .member(_, let member) = kind else { return found }
    return found.map { "\($0).\(member.text)" }
  }
}

extension RequestClauses {
  /// The values in the clauses, including those of the predicate.
  package var values: [ExpressionSyntax] {
    (predicate?.arguments ?? []) + (having?.arguments ?? [])
      + [limit, offset, batch, cache].compactMap(\.self)
  }
}

extension InsertSyntax {
  /// The values of the attributes, and the count.
  var allValues: [ExpressionSyntax] { [count].compactMap(\.self) + values.map(\.value) }
}

/// A variable that a part of a script defines, with the origin of its value.
package struct LocalVariable: Equatable, Sendable {
  package var name: String
  package var origin: Origin

  package init(_ name: String, _ origin: Origin) {
    self.name = name
    self.origin = origin
  }

  /// The origin of a variable's value.
  package enum Origin: Equatable, Sendable {
    /// `let x = VALUE`.
    case value(ExpressionSyntax)
    /// `for x in VALUES`.
    case element(of: ExpressionSyntax)
    /// An object of a controller's results.
    case object(ofController: String)
    /// An object of an entity.
    case entityObject(String)
    case string
    /// An index path.
    case list
    case number
  }
}

extension LocalVariable {
  /// The counter of `insert 10 Book(…)`.
  package static let insertedNumber = LocalVariable("i", .number)
}

extension CallbackSyntax {
  /// Returns the variables in a callback of a controller's delegate.
  package func locals(ofController controller: String) -> [LocalVariable] {
    callback.locals(ofController: controller, parameter: parameter?.text)
  }
}

extension CallbackSyntax.Callback {
  /// Returns the variables in such a callback; `parameter` is the name that the script chose.
  func locals(ofController controller: String, parameter: String?) -> [LocalVariable] {
    let type = LocalVariable("type", .string)
    switch self {
    case .willChangeContent, .didChangeContent: return []
    case .didChangeObject:
      return [
        type, LocalVariable("object", .object(ofController: controller)),
        LocalVariable("indexPath", .list),
        LocalVariable("newIndexPath", .list),
      ]
    case .didChangeSection:
      return [
        type, LocalVariable("index", .number),
        LocalVariable("name", .string),
      ]
    case .sectionIndexTitle: return parameter.map { [LocalVariable($0, .string)] } ?? []
    }
  }
}

extension DateLiteral {
  /// Parses a date as scripts write it, without the `@`; nil if the text is not a valid date.
  package init?(_ text: String) {
    var reader = DateReader(bytes: Array(text.utf8)[...])
    guard let date = reader.read(), date.isOfCalendar else { return nil }
    self = date
  }
}

/// Parses the text of a date, without checking its numbers.
struct DateReader {
  var bytes: ArraySlice<UInt8>

  mutating func read() -> DateLiteral? {
    guard let year = number(digits: 4), take("-"), let month = number(digits: 2), take("-"),
      let day = number(digits: 2)
    else { return nil }
    var date = DateLiteral(year: year, month: month, day: day)
    guard take("T") else { return bytes.isEmpty ? date : nil }
    guard let hour = number(digits: 2), take(":"), let minute = number(digits: 2) else {
      return nil
    }
    date.hour = hour
    date.minute = minute
    if take(":") {
      guard let second = readSecond() else { return nil }
      date.second = second
    }
    guard let offset = readOffset() else { return nil }
    date.offset = offset
    return bytes.isEmpty ? date : nil
  }

  private mutating func readSecond() -> Double? {
    guard let whole = number(digits: 2) else { return nil }
    guard take(".") else { return Double(whole) }
    let digits = bytes.prefix(while: Byte.isDigit)
    guard !digits.isEmpty else { return nil }
    bytes = bytes.dropFirst(digits.count)
    return Double("\(whole)." + String(decoding: digits, as: UTF8.self))
  }

  /// Parses the time zone, in minutes east of UTC; 0 if there is none.
  private mutating func readOffset() -> Int? {
    if bytes.isEmpty || take("Z") { return 0 }
    let sign = take("-") ? -1 : 1
    guard sign == -1 || take("+"), let hours = number(digits: 2) else { return nil }
    _ = take(":")
    guard let minutes = bytes.isEmpty ? 0 : number(digits: 2), minutes < 60, hours < 24 else {
      return nil
    }
    return sign * (hours * 60 + minutes)
  }

  private mutating func number(digits count: Int) -> Int? {
    let digits = bytes.prefix(count)
    guard digits.count == count, digits.allSatisfy(Byte.isDigit) else { return nil }
    bytes = bytes.dropFirst(count)
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard let first = bytes.first, UInt32(first) == scalar.value else { return false }
    bytes = bytes.dropFirst()
    return true
  }
}

extension DateLiteral {
  /// Whether the day and the time exist, and the year is one from 1 to 9999 also in UTC, where
  /// dates are printed.
  var isOfCalendar: Bool {
    guard year >= 1, 1...12 ~= month, day >= 1, day <= daysInMonth else { return false }
    // Foundation's calendars go from 4 to 15 October.
    if (year, month) == (1582, 10), 5...14 ~= day { return false }
    guard hour < 24, minute < 60, second < 60 else { return false }
    let minuteOfDay = hour * 60 + minute - offset
    if (year, month, day) == (1, 1, 1) { return minuteOfDay >= 0 }
    return (year, month, day) != (9999, 12, 31) || minuteOfDay < 24 * 60
  }

  /// The days by the Julian calendar before 15 October 1582, as Foundation reads and prints dates.
  private var daysInMonth: Int {
    switch month {
    case 2 where year < 1582: year % 4 == 0 ? 29 : 28
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
