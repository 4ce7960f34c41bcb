import FetchedResults
import Foundation
import ScriptSyntax

extension AttributeType {
  /// Parses a value as files write it.
  ///
  /// Booleans are `true`, `false`, `YES`, `NO`, `1` or `0`. Dates are written as in scripts,
  /// without the `@`. Data is base64.
  ///
  /// - Returns: Nil if the text is not a value of the type.
  func value(imported text: String) -> PropertyValue? {
    switch self {
    case .string: .string(text)
    case .boolean: Self.truth(of: text).map(PropertyValue.bool)
    case .integer16, .integer32, .integer64: Int64(text).flatMap { value(from: .int($0)) }
    case .double, .float:
      Double(text).flatMap { $0.isFinite ? value(from: .double($0)) : nil }
    case .decimal: Decimal(wholeText: text).map(PropertyValue.decimal)
    case .date: DateLiteral(text).map { .date(Date($0)) }
    case .uuid: UUID(uuidString: text).map(PropertyValue.uuid)
    case .uri: URL(string: text).map(PropertyValue.uri)
    case .binaryData: Data(base64Encoded: text).map(PropertyValue.data)
    }
  }

  private static func truth(of text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }
}

/// A value in a JSON object for an attribute.
enum ImportedScalar: Decodable {
  case null
  case bool(Bool)
  case int(Int64)
  /// A number, with all its digits if there are not too many.
  case double(Double, exact: Decimal?)
  /// A number that no attribute holds, such as `1e400`, or that is not JSON, such as `01`.
  case noNumber
  case string(String)

  private enum NoKey: CodingKey {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let truth = try? container.decode(Bool.self) {
      self = .bool(truth)
    } else if let number = try? container.decode(Double.self) {
      // The decoder of integers cuts off the decimals of a long number.
      let exact = try? container.decode(Decimal.self)
      let integer = exact.flatMap { Int64($0.description) }
      self = integer.map(Self.int) ?? .double(number, exact: exact)
    } else {
      do {
        self = .string(try container.decode(String.self))
      } catch DecodingError.typeMismatch
        where (try? decoder.unkeyedContainer()) == nil
        && (try? decoder.container(keyedBy: NoKey.self)) == nil
      {
        self = .noNumber
      }
    }
  }

  /// Returns the value converted to an attribute's type; nil if it does not fit.
  func value(of type: AttributeType) -> PropertyValue? {
    switch self {
    case .null: .null
    case .bool(let truth): type.value(from: .bool(truth))
    case .int(let number):
      type == .boolean ? type.value(imported: "\(number)") : type.value(from: .int(number))
    case .double(let number, let exact):
      type.value(
        from: type == .decimal
          ? exact.map(PropertyValue.decimal) ?? .double(number) : .double(number))
    case .noNumber: nil
    case .string(let text): type.value(imported: text)
    }
  }

  /// The value as messages show it.
  var excerpt: String {
    switch self {
    case .null: "null"
    case .bool(let truth): "\(truth)"
    case .int(let number): "\(number)"
    case .double(let number, _): "\(number)"
    case .noNumber: "a number that is out of range or not written as in JSON"
    case .string(let text): "'\(text.prefix(40))'"
    }
  }
}

/// Reads the records of a CSV file (RFC 4180), piece by piece.
///
/// A field in double quotes may contain commas, line ends and doubled double quotes. Empty lines
/// are not records, and a byte order mark, with which spreadsheets begin a file, is no part of one.
struct CSVRecords {
  /// One record, with the number of its first line, counted from 1.
  struct Record: Equatable {
    let line: Int
    let fields: [Field]
    /// Whether its bytes are UTF-8, so that no character was replaced.
    var isText = true
  }

  /// A field's text, and whether it was in quotes.
  struct Field: Equatable {
    let text: String
    let isQuoted: Bool
  }

  private enum Place {
    case fieldStart
    case plain
    case quoted
    /// After a double quote in a quoted field. It is the end of the field, or half of a pair.
    case quote
  }

  private var place = Place.fieldStart
  private var bytes: [UInt8] = []
  private var isQuoted = false
  private var fields: [Field] = []
  private var isText = true
  private var line = 1
  private var start = 1
  private var isAfterReturn = false

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Reads a piece and returns the records that end in it.
  mutating func records(in piece: some Sequence<UInt8>) -> [Record] {
    var records: [Record] = []
    for byte in piece {
      let isReturn = byte == UInt8(ascii: "\r")
      defer { isAfterReturn = isReturn }
      // This is the second half of a line end.
      if byte == UInt8(ascii: "\n"), isAfterReturn {
        if place == .quoted { bytes.append(byte) }
        continue
      }
      let isLineEnd = isReturn || byte == UInt8(ascii: "\n")
      if isLineEnd { line += 1 }
      switch (place, byte) {
      case (.quoted, UInt8(ascii: "\"")): place = .quote
      case (.quoted, _): bytes.append(byte)
      case (.quote, UInt8(ascii: "\"")):
        bytes.append(byte)
        place = .quoted
      case (.fieldStart, UInt8(ascii: "\"")):
        isQuoted = true
        place = .quoted
      case (_, UInt8(ascii: ",")): endField()
      case (_, _) where isLineEnd: endRecord(into: &records)
      default:
        bytes.append(byte)
        place = .plain
        if isAtMark {
          bytes = []
          place = .fieldStart
        }
      }
    }
    return records
  }

  /// Returns the last record, if the file does not end with a line end.
  mutating func last() -> [Record] {
    var records: [Record] = []
    endRecord(into: &records)
    return records
  }

  /// Whether the file ended inside quotes.
  var isOpen: Bool { place == .quoted }

  /// Whether nothing but a byte order mark was read.
  private var isAtMark: Bool {
    bytes.count == 3 && line == 1 && fields.isEmpty && !isQuoted && bytes == Self.mark
  }

  private mutating func endField() {
    let text = String(validating: bytes, as: UTF8.self)
    isText = isText && text != nil
    fields.append(
      Field(text: text ?? String(decoding: bytes, as: UTF8.self), isQuoted: isQuoted))
    bytes = []
    isQuoted = false
    place = .fieldStart
  }

  private mutating func endRecord(into records: inout [Record]) {
    let isEmpty = fields.isEmpty && bytes.isEmpty && !isQuoted
    if !isEmpty {
      endField()
      records.append(Record(line: start, fields: fields, isText: isText))
    }
    fields = []
    isText = true
    start = line
  }
}

/// Divides an array of JSON objects into the objects' texts, piece by piece.
///
/// It looks only at brackets and strings. The reader of a text finds out whether it is an object.
struct JSONRecords {
  /// The text of one element of the array, with the number of its first line, counted from 1.
  struct Record: Equatable {
    let line: Int
    let text: [UInt8]
  }

  /// Returns the keys of an object without objects in it, as they are written, with quotes.
  static func keys(of record: Record) -> [ArraySlice<UInt8>] {
    var keys: [ArraySlice<UInt8>] = []
    var start: Int?
    var last: ArraySlice<UInt8> = []
    var isEscaped = false
    for (index, byte) in record.text.enumerated() {
      if isEscaped {
        isEscaped = false
      } else if let first = start {
        if byte == UInt8(ascii: "\\") { isEscaped = true }
        if byte == UInt8(ascii: "\"") {
          last = record.text[first...index]
          start = nil
        }
      } else if byte == UInt8(ascii: "\"") {
        start = index
      } else if byte == UInt8(ascii: ":") {
        keys.append(last)
      }
    }
    return keys
  }

  /// The reason why the elements are incomplete or missing.
  enum Problem: Equatable {
    case noArray
    case arrayDoesNotEnd
    case somethingFollows
  }

  /// The number of the first line with text outside the array.
  private var strayLine: Int?
  private var text: [UInt8] = []
  private var depth = 0
  /// Whether the current element is neither an object nor an array.
  private var isScalar = false
  private var isInString = false
  private var isEscaped = false
  /// The current line.
  private var line = 1
  private var start = 1
  private var isBegun = false
  private var isEnded = false
  /// The number of bytes of the byte order mark that were read.
  private var markLength = 0

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Reads a piece and returns the elements that end in it.
  mutating func records(in piece: some Sequence<UInt8>) -> [Record] {
    var records: [Record] = []
    for byte in piece {
      if byte == UInt8(ascii: "\n") { line += 1 }
      if isScalar && !isInString && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]")) {
        isScalar = false
        endElement(&records)
      }
      if depth == 0 && !isScalar {
        takeBetween(byte)
        continue
      }
      text.append(byte)
      takeWithin(byte)
      if depth == 0 && !isScalar { endElement(&records) }
    }
    return records
  }

  /// The problem of the file as far as it was read, with its line; nil once the array is complete.
  var problem: (problem: Problem, line: Int)? {
    if let strayLine { return (isBegun ? .somethingFollows : .noArray, strayLine) }
    if !isBegun { return (.noArray, line) }
    return isEnded ? nil : (.arrayDoesNotEnd, line)
  }

  /// Whether the file does not begin with an array.
  var isNoArray: Bool { strayLine != nil && !isBegun }

  private mutating func endElement(_ records: inout [Record]) {
    records.append(Record(line: start, text: text))
    text = []
  }

  private mutating func takeBetween(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
    case UInt8(ascii: "[") where !isBegun && !isNoArray: isBegun = true
    case UInt8(ascii: "]") where isBegun && !isEnded: isEnded = true
    case UInt8(ascii: ",") where isBegun && !isEnded: break
    case _ where isBegun && !isEnded:
      start = line
      text = [byte]
      isScalar = byte != UInt8(ascii: "{") && byte != UInt8(ascii: "[")
      takeWithin(byte)
    case _ where !isBegun && markLength < 3 && byte == Self.mark[markLength]: markLength += 1
    default: strayLine = strayLine ?? line
    }
  }

  private mutating func takeWithin(_ byte: UInt8) {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
      return
    }
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{") where !isScalar, UInt8(ascii: "[") where !isScalar: depth += 1
    case UInt8(ascii: "}") where !isScalar, UInt8(ascii: "]") where !isScalar: depth -= 1
    default: break
    }
  }
}

/// A row of a file that was not imported, with the reason.
struct BadRow: Error, Hashable {
  let line: Int
  let reason: String

  /// The number of rows that an error names.
  ///
  /// It counts the others.
  static var shown: Int { 20 }

  /// Returns one message about all skipped rows.
  static func message(_ rows: [BadRow], file: String, imported: Int) -> String {
    let shown = rows.prefix(Self.shown).map { "line \($0.line): \($0.reason)" }
    let others = rows.count - Self.shown
    return "\(rows.count) of \(rows.count + imported) rows of '\(file)' were left out: "
      + (shown + (others > 0 ? ["and \(others) more"] : [])).joined(separator: "; ")
  }
}
