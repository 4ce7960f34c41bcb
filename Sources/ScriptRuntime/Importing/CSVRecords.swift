/// Reads the records of a CSV file (RFC 4180), piece by piece.
///
/// A field in double quotes may contain commas, line ends and doubled double quotes. Empty lines
/// are not records.
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
