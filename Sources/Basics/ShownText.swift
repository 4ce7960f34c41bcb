/// Makes text safe to print on a terminal.
///
/// Scripts, files, stores and file names may contain anything. So control characters are printed as
/// codes such as `\u{1b}`. So are marks that change the direction of text, because they can make a
/// line look like another one.
package enum ShownText {
  /// Returns one line.
  ///
  /// A line end in it also counts as a control character.
  package static func line(_ text: String) -> String {
    text.escapingControls(except: tab)
  }

  /// Returns lines with their line ends.
  package static func lines(_ text: String) -> String {
    text.escapingControls(except: tabAndLineFeed)
  }

  /// Returns lines that contain the program's own colours.
  ///
  /// The text between these is already escaped.
  package static func painted(_ text: String) -> String {
    if text.isPlain(except: tabAndLineFeed) { return text }
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

  /// Whether lines of UTF-8 surely have no control character besides their line feeds and tabs.
  ///
  /// - Complexity: O(*n*) in the bytes.
  package static func isPlain(_ lines: [UInt8]) -> Bool {
    lines.withUnsafeBufferPointer { $0.isPlain(except: tabAndLineFeed) }
  }

  private static let tab: [Unicode.Scalar] = ["\t"]
  private static let tabAndLineFeed: [Unicode.Scalar] = ["\t", "\n"]
}

extension Unicode.Scalar {
  /// Whether a terminal reacts to the character instead of showing it.
  ///
  /// These are the control characters of C0 and C1, DEL, line and paragraph separators, and marks
  /// that change the text direction.
  package var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// Returns the text with control characters as codes such as `\u{9b}`.
  ///
  /// - Parameter kept: Control characters that stay.
  /// - Complexity: O(*n*) in the length of the text.
  package func escapingControls(except kept: [Unicode.Scalar] = []) -> String {
    if isPlain(except: kept) { return self }
    guard unicodeScalars.contains(where: { $0.isControl && !kept.contains($0) }) else {
      return self
    }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isControl, !kept.contains(scalar) {
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Whether the text's bytes alone show that it has no control character.
  ///
  /// - Complexity: O(*n*) in the bytes, without reading characters.
  package func isPlain(except kept: [Unicode.Scalar] = []) -> Bool {
    var text = self
    return text.withUTF8 { $0.isPlain(except: kept) }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether bytes of UTF-8 surely have no control character, judged without reading characters.
  fileprivate func isPlain(except kept: [Unicode.Scalar]) -> Bool {
    // Nearly all bytes are printable ASCII, which one comparison finds.
    for byte in self where byte &- 0x20 >= 0x5F {
      switch byte {
      // These bytes begin C1 controls and direction marks, but also other characters.
      case 0xC2, 0xD8, 0xE2: return false
      case 0x80...: continue
      default: if !kept.contains(Unicode.Scalar(byte)) { return false }
      }
    }
    return true
  }
}

extension [UInt8] {
  /// Appends a text as UTF-8.
  ///
  /// The standard library's own way is slow in targets that are compiled without optimisation,
  /// because there it appends any sequence, element by element.
  package mutating func append(utf8 text: String) { append(contentsOf: text.utf8) }
}
