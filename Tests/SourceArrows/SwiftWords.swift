/// The words of a Swift file, without comments and strings.
struct SwiftWords {
  /// The names of types that the file declares at the top level.
  private(set) var declaredTypes: Set<String> = []

  /// The modules that the file imports.
  private(set) var imports: Set<String> = []

  /// Every word that begins with a capital letter, like the name of a type.
  private(set) var capitalized: Set<String> = []

  /// Reads a file's text.
  ///
  /// - Complexity: O(*n*) in the text.
  init(_ text: String) {
    var previous = ""
    var depth = 0
    for word in Self.words(of: text) {
      switch word {
      case "{": depth += 1
      case "}": depth -= 1
      default:
        if Self.declarations.contains(previous), word.first?.isUppercase == true {
          // A nested type is written with the name of the outer type elsewhere, and often has a
          // common name such as `Kind`.
          if depth == 0 { declaredTypes.insert(word) }
        } else if previous == "import" {
          imports.insert(word)
        } else if word.first?.isUppercase == true {
          capitalized.insert(word)
        }
      }
      previous = word
    }
  }

  private static let declarations: Set = [
    "actor", "class", "enum", "protocol", "struct", "typealias",
  ]

  /// Cuts a text into words and braces.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    let bytes = Array(text.utf8)
    var index = 0
    func end() {
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
      word.removeAll(keepingCapacity: true)
    }
    let slash = UInt8(ascii: "/")
    let star = UInt8(ascii: "*")
    func isPair(_ first: UInt8, _ second: UInt8) -> Bool {
      bytes[index] == first && index + 1 < bytes.count && bytes[index + 1] == second
    }
    while index < bytes.count {
      let byte = bytes[index]
      if byte.isInWord {
        word.append(byte)
        index += 1
        continue
      }
      end()
      if isPair(slash, slash) {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      } else if isPair(slash, star) {
        while index < bytes.count, !isPair(star, slash) { index += 1 }
        index += 2
      } else if byte == UInt8(ascii: "\"") {
        index = endOfString(in: bytes, at: index)
      } else {
        if byte == UInt8(ascii: "{") { words.append("{") }
        if byte == UInt8(ascii: "}") { words.append("}") }
        index += 1
      }
    }
    end()
    return words
  }

  /// Returns the place after a string, including its interpolations.
  private static func endOfString(in bytes: [UInt8], at start: Int) -> Int {
    let quote = UInt8(ascii: "\"")
    func isLongQuote(at place: Int) -> Bool {
      place + 2 < bytes.count && bytes[place] == quote && bytes[place + 1] == quote
        && bytes[place + 2] == quote
    }
    let isLong = isLongQuote(at: start)
    var index = start + (isLong ? 3 : 1)
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\") {
        index += 1
        guard index < bytes.count, bytes[index] == UInt8(ascii: "(") else {
          index += 1
          continue
        }
        var depth = 0
        repeat {
          if bytes[index] == UInt8(ascii: "(") { depth += 1 }
          if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
          if bytes[index] == quote { index = endOfString(in: bytes, at: index) - 1 }
          index += 1
        } while index < bytes.count && depth > 0
      } else if isLong ? isLongQuote(at: index) : bytes[index] == quote {
        return index + (isLong ? 3 : 1)
      } else if !isLong, bytes[index] == UInt8(ascii: "\n") {
        // The string does not continue here, so the quotation mark was part of something else.
        return index
      } else {
        index += 1
      }
    }
    return bytes.count
  }
}

extension UInt8 {
  fileprivate var isInWord: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: self >= 0x80
    }
  }
}
