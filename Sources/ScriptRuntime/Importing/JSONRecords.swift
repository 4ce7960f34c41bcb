/// Cuts an array of JSON objects into the objects' texts, piece by piece.
///
/// Only brackets and strings are looked at; whether a text is an object is found
/// out by whoever reads it.
struct JSONRecords {
  /// The text of one of the array's elements, and the line it begins on, counted
  /// from 1.
  struct Record: Equatable {
    let line: Int
    let text: [UInt8]
  }

  /// Why the elements are not all that the file has, or it has none.
  enum Problem: Equatable {
    case noArray
    case arrayDoesNotEnd
    case somethingFollows
  }

  /// What is outside of the array, by its line.
  private var strayLine: Int?
  private var text: [UInt8] = []
  private var depth = 0
  /// Whether the element under way is neither an object nor an array.
  private var isScalar = false
  private var isInString = false
  private var isEscaped = false
  /// The line that was come to.
  private var line = 1
  private var start = 1
  private var isBegun = false
  private var isEnded = false
  /// How much of the mark of its encoding the file began with.
  private var markLength = 0

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Takes a piece and returns the elements that end in it.
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

  /// What is wrong with the file as far as it was read, and its line; nil once
  /// the array came to its end.
  var problem: (problem: Problem, line: Int)? {
    if let strayLine { return (isBegun ? .somethingFollows : .noArray, strayLine) }
    if !isBegun { return (.noArray, line) }
    return isEnded ? nil : (.arrayDoesNotEnd, line)
  }

  /// Whether the file begins with something else than an array.
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
