/// Cuts an array of JSON objects into the objects' texts, piece by piece.
///
/// Only brackets and strings are looked at; whether an object is one is found
/// out by whoever reads its text.
struct JSONRecords {
  /// An object's text, and the line it begins on, counted from 1.
  struct Record: Equatable {
    let line: Int
    let text: [UInt8]
  }

  /// What stands where only objects may, by its line.
  private(set) var strayLine: Int?
  private var text: [UInt8] = []
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// The line that was come to.
  private(set) var line = 1
  private var start = 1
  private var isBegun = false
  private var isEnded = false

  /// Takes a piece and returns the objects that end in it.
  mutating func records(in piece: some Sequence<UInt8>) -> [Record] {
    var records: [Record] = []
    for byte in piece {
      if byte == UInt8(ascii: "\n") { line += 1 }
      if depth == 0 {
        takeBetween(byte)
      } else {
        text.append(byte)
        takeWithin(byte)
        if depth == 0 {
          records.append(Record(line: start, text: text))
          text = []
        }
      }
    }
    return records
  }

  /// Whether the array came to its end.
  var isWhole: Bool { isEnded && depth == 0 && strayLine == nil }

  private mutating func takeBetween(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
    case UInt8(ascii: "[") where !isBegun: isBegun = true
    case UInt8(ascii: "]") where isBegun && !isEnded: isEnded = true
    case UInt8(ascii: ",") where isBegun && !isEnded: break
    case UInt8(ascii: "{") where isBegun && !isEnded:
      start = line
      text = [byte]
      depth = 1
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
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    default: break
    }
  }
}
