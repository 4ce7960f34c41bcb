/// Reads the records of a CSV file, as RFC 4180 has them, piece by piece.
///
/// A field between double quotes may hold commas, line ends and, doubled,
/// double quotes. Lines that are empty are not records.
struct CSVRecords {
  /// One record, and the line it begins on, counted from 1.
  struct Record: Equatable {
    let line: Int
    let fields: [Field]
    /// Whether its bytes are UTF-8, so that the fields are what was written.
    var isText = true
  }

  /// A field's text, and whether it was between quotes.
  struct Field: Equatable {
    let text: String
    let isQuoted: Bool
  }

  private enum Place {
    case fieldStart
    case plain
    case quoted
    /// Behind a double quote in a quoted field: the end, or half of a pair.
    case quote
  }

  private var place = Place.fieldStart
  private var bytes: [UInt8] = []
  private var isQuoted = false
  private var fields: [Field] = []
  private var isText = true
  private var line = 1
  private var start = 1
  private var isBehindReturn = false

  /// Takes a piece and returns the records that end in it.
  mutating func records(in piece: some Sequence<UInt8>) -> [Record] {
    var records: [Record] = []
    for byte in piece {
      let isReturn = byte == UInt8(ascii: "\r")
      defer { isBehindReturn = isReturn }
      // The second half of a line end.
      if byte == UInt8(ascii: "\n"), isBehindReturn {
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
      }
    }
    return records
  }

  /// Returns the record that no line end ended.
  mutating func last() -> [Record] {
    var records: [Record] = []
    endRecord(into: &records)
    return records
  }

  /// Whether the file ended within quotes.
  var isOpen: Bool { place == .quoted }

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
