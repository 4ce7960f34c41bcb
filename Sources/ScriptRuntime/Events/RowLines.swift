import Basics
import FetchedResults
import PredicateSyntax

/// The lines of shown objects as UTF-8, each with its line end.
///
/// A list may have a million rows. Appending bytes is several times as fast as making a text of
/// each row.
struct RowLines {
  private(set) var bytes: [UInt8] = []
  /// The entity of the last object, and its name with a slash.
  private var last: (entity: EntityDescription, name: [UInt8])?

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func append(line: String) {
    bytes.append(contentsOf: line.utf8)
    bytes.append(Self.lineFeed)
  }

  /// Appends the line of a row.
  ///
  /// - Parameter start: What comes before the row's number.
  mutating func append(_ object: ShownObject, row: Int, after start: [UInt8]) {
    bytes += start
    append(Int64(row))
    bytes.append(UInt8(ascii: "]"))
    bytes.append(Self.space)
    append(nameOf: object.id.entity)
    append(object.id.number)
    if let display = object.display {
      bytes.append(Self.space)
      append(display)
    }
    bytes.append(Self.lineFeed)
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let space = UInt8(ascii: " ")
  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  private mutating func append(nameOf entity: EntityDescription) {
    if let last, last.entity === entity {
      bytes += last.name
      return
    }
    // A model that was imported may have any name.
    let name = Array((entity.name.escapingControls(except: ["\t"]) + "/").utf8)
    last = (entity, name)
    bytes += name
  }

  private mutating func append(_ number: Int64) {
    guard number >= 0 else {
      bytes.append(contentsOf: String(number).utf8)
      return
    }
    var divisor: Int64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    var rest = number
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor))
      rest %= divisor
      divisor /= 10
    }
  }

  /// Appends a value as ``ShownObject/description`` shows it.
  private mutating func append(_ display: PropertyValue) {
    switch display {
    case .null: bytes.append(contentsOf: "nil".utf8)
    case .int(let number):
      bytes.append(Self.quote)
      append(number)
      bytes.append(Self.quote)
    case .string(var text):
      // Most texts have nothing to escape.
      if text.withUTF8({ Self.isPlain($0) }) {
        bytes.append(Self.quote)
        text.withUTF8 { bytes.append(contentsOf: $0) }
        bytes.append(Self.quote)
      } else {
        bytes.append(contentsOf: text.quoted.utf8)
      }
    case .bool, .double, .date, .decimal, .uuid, .uri, .data, .object, .list:
      bytes.append(contentsOf: display.description.quoted.utf8)
    }
  }

  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    for byte in text where byte < 0x20 || byte >= 0x7F || byte == quote || byte == backslash {
      return false
    }
    return true
  }
}
