import PredicateSyntax

/// What of a text may be printed: everything but what a terminal would obey.
///
/// Scripts, files, stores and names of files are anybody's. So control characters are printed as
/// their codes, `\u{1b}`, and so are the marks that change the direction of a text, by which a
/// line can look like another one.
enum ShownText {
  /// One line: a line end in it is a control character, too.
  static func line(_ text: String) -> String {
    isPlain(text, except: []) ? text : text.escapingControls(except: ["\t"])
  }

  /// Lines, with their line ends.
  static func lines(_ text: String) -> String {
    isPlain(text, except: [lineFeed]) ? text : text.escapingControls(except: ["\t", "\n"])
  }

  /// Lines in which the program's own colours are; whoever puts them in has escaped what is
  /// between them.
  static func painted(_ text: String) -> String {
    if isPlain(text, except: [lineFeed]) { return text }
    let parts = text.split(separator: "\u{1B}", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: lines(String(parts.first ?? ""))) { shown, part in
      let sequence = colorSequence(part)
      shown += sequence.map { "\u{1B}" + $0 } ?? "\\u{1b}"
      shown += lines(String(part.dropFirst(sequence?.count ?? 0)))
    }
  }

  /// `[1;31m` at the start of a text.
  private static func colorSequence(_ text: Substring) -> Substring? {
    let sequence = text.prefix { $0 != "m" }
    guard sequence.first == "[", sequence.count < 16, text.count > sequence.count,
      sequence.dropFirst().allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ";") })
    else { return nil }
    // Nothing may be printed that is not seen.
    let hides = sequence.dropFirst().split(separator: ";").contains("8")
    return hides ? nil : text[..<text.index(after: sequence.endIndex)]
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// Whether a text surely has no control character, by its bytes alone.
  ///
  /// - Complexity: O(*n*), without a look at characters.
  private static func isPlain(_ text: String, except kept: [UInt8]) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case 0x20..<0x7F, UInt8(ascii: "\t"): true
      // The first bytes of C1 and of the marks of direction; other texts have them, too.
      case 0xC2, 0xD8, 0xE2: false
      case 0x80...: true
      default: kept.contains(byte)
      }
    }
  }
}
