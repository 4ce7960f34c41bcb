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
