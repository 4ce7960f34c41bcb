import PredicateSyntax

/// Makes text safe to print on a terminal.
///
/// Scripts, files, stores and file names may contain anything. So control characters are printed as
/// codes such as `\u{1b}`. So are marks that change the direction of text, because they can make a
/// line look like another one.
enum ShownText {
  /// Returns one line.
  ///
  /// A line end in it also counts as a control character.
  static func line(_ text: String) -> String {
    isPlain(text) ? text : text.escapingControls(except: ["\t"])
  }

  /// Returns lines with their line ends.
  static func lines(_ text: String) -> String {
    isPlain(text, except: lineFeed) ? text : text.escapingControls(except: ["\t", "\n"])
  }

  /// Returns lines that contain the program's own colours.
  ///
  /// The text between these is already escaped.
  static func painted(_ text: String) -> String {
    if isPlain(text, except: lineFeed) { return text }
    let parts = text.split(separator: "\u{1B}", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: lines(String(parts.first ?? ""))) { shown, part in
      let sequence = colorSequence(part)
      shown += sequence.map { "\u{1B}" + $0 } ?? "\\u{1b}"
      shown += lines(String(part.dropFirst(sequence?.count ?? 0)))
    }
  }

  /// Returns the sequence at the start of a text, such as `[1;31m`; nil if there is none.
  private static func colorSequence(_ text: Substring) -> Substring? {
    let sequence = text.prefix { $0 != "m" }
    guard sequence.first == "[", sequence.count < 16, text.count > sequence.count,
      sequence.dropFirst().allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ";") })
    else { return nil }
    // Invisible text must not be printed.
    let hides = sequence.dropFirst().split(separator: ";").contains("8")
    return hides ? nil : text[..<text.index(after: sequence.endIndex)]
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// Whether lines of UTF-8 surely have no control character besides their line feeds.
  static func isPlain(_ lines: [UInt8]) -> Bool {
    lines.withUnsafeBufferPointer { isPlain($0, except: lineFeed) }
  }

  /// Whether a text certainly contains no control character, judged by its bytes.
  ///
  /// - Complexity: O(*n*), without reading characters.
  private static func isPlain(_ text: String, except kept: UInt8? = nil) -> Bool {
    var text = text
    return text.withUTF8 { isPlain($0, except: kept) }
  }

  /// - Parameter kept: A control character that may be there, besides the tab.
  private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>, except kept: UInt8?) -> Bool {
    let tab = UInt8(ascii: "\t")
    let kept = kept ?? tab
    // Nearly all bytes are printable ASCII, which one comparison finds.
    for byte in bytes where byte &- 0x20 >= 0x5F {
      switch byte {
      case tab, kept: continue
      // These bytes begin C1 controls and direction marks, but also other characters.
      case 0xC2, 0xD8, 0xE2: return false
      case 0x80...: continue
      default: return false
      }
    }
    return true
  }
}
