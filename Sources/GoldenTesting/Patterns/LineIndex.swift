import FetchedResults

/// Finds the few lines that a pattern may match, by groups of three bytes that both contain.
struct LineIndex {
  let lines: [String]
  /// The lines with their end marks.
  private var wholeLines: [[UInt8]] = []
  private var placesOfGrams: [UInt32: [Int]] = [:]
  private var placesOfLines: [ScalarString: [Int]] = [:]

  /// The mark before the first byte of a line and after the last.
  static let end: UInt8 = 0

  /// - Complexity: O(*n*) in the length of the lines.
  init(_ lines: [String]) {
    self.lines = lines
    for (place, line) in lines.enumerated() {
      placesOfLines[ScalarString(line), default: []].append(place)
      let whole = [Self.end] + Array(line.utf8) + [Self.end]
      wholeLines.append(whole)
      Self.forEachGram(of: whole) { gram in
        if placesOfGrams[gram]?.last != place { placesOfGrams[gram, default: []].append(place) }
      }
    }
  }

  /// Returns the places of lines that are equal to `line`.
  func places(of line: String) -> [Int] { placesOfLines[ScalarString(line)] ?? [] }

  /// Returns the places of all lines that contain some texts, and perhaps of others.
  func places(ofLinesWith texts: [[UInt8]]) -> [Int] {
    var best: (places: [Int], text: [UInt8])?
    for text in texts {
      Self.forEachGram(of: text) { gram in
        let places = placesOfGrams[gram] ?? []
        if places.count < best?.places.count ?? .max { best = (places, text) }
      }
    }
    guard let best else { return Array(lines.indices) }
    return best.places.filter { Self.contains(wholeLines[$0], best.text) }
  }

  private static func contains(_ line: [UInt8], _ text: [UInt8]) -> Bool {
    guard text.count <= line.count else { return false }
    return (0...line.count - text.count).contains { start in
      text.indices.allSatisfy { line[start + $0] == text[$0] }
    }
  }

  private static func forEachGram(of bytes: [UInt8], _ body: (UInt32) -> Void) {
    var gram: UInt32 = 0
    for (index, byte) in bytes.enumerated() {
      gram = (gram << 8 | UInt32(byte)) & 0xFF_FFFF
      if index >= 2 { body(gram) }
    }
  }
}
