/// A text with placeholders: `attempt to delete row {n} from section {n}`.
///
/// A placeholder matches as few characters as possible, so that matching takes time in proportion
/// to the text.
struct TextTemplate: Sendable {
  /// The text that a placeholder matched.
  struct Gap: Hashable, Sendable {
    let name: String
    let text: Substring
  }

  private enum Part: Sendable {
    case text([UInt8])
    case gap(String)
  }

  /// The placeholders for any text.
  private static let freeNames: Set<String> = ["object", "name", "any"]

  private let parts: [Part]
  /// The names of the placeholders, in order.
  let names: [String]

  /// Creates a template.
  ///
  /// - Parameter pattern: A text in which each name in braces is a placeholder.
  init(_ pattern: String) {
    var parts: [Part] = []
    var text = ""
    var rest = pattern[...]
    while let open = rest.firstIndex(of: "{") {
      guard let close = rest[open...].firstIndex(of: "}"),
        rest[rest.index(after: open)..<close].allSatisfy({ $0.isLetter })
      else {
        text += rest[...open]
        rest = rest[rest.index(after: open)...]
        continue
      }
      text += rest[..<open]
      if !text.isEmpty { parts.append(.text(Array(text.utf8))) }
      text = ""
      parts.append(.gap(String(rest[rest.index(after: open)..<close])))
      rest = rest[rest.index(after: close)...]
    }
    text += rest
    if !text.isEmpty { parts.append(.text(Array(text.utf8))) }
    self.parts = parts
    names = parts.compactMap { part in
      if case .gap(let name) = part { name } else { nil }
    }
  }

  /// Finds the template in a line.
  ///
  /// Text before and after it is ignored.
  ///
  /// - Returns: The matched texts in order, without blanks around them; nil if the line does not
  ///   contain the template's texts in their order.
  /// - Complexity: O(*n* · *m*) for a line of *n* and a template of *m* bytes.
  func match(_ line: String) -> [Gap]? {
    let bytes = Array(line.utf8)
    var gaps: [Gap] = []
    var open: (name: String, start: Int)?
    var place = 0
    func close(_ end: Int) {
      guard let gap = open else { return }
      let text = String(decoding: bytes[gap.start..<end], as: UTF8.self)
      gaps.append(Gap(name: gap.name, text: text.trimmed))
      open = nil
    }
    for part in parts {
      switch part {
      case .gap(let name):
        close(place)
        open = (name, place)
      case .text(let text):
        guard let found = bytes.firstIndex(of: text, from: place) else { return nil }
        close(found)
        place = found + text.count
      }
    }
    close(bytes.count)
    return gaps
  }

  /// Finds the template in a line so that each matched text fits its placeholder.
  ///
  /// A placeholder for any text matches as many characters as possible, because the text of an
  /// object may contain the words around it. Others match as few as possible.
  ///
  /// - Parameter fits: Whether a placeholder of a name can match a text; nil if it can match any.
  /// - Complexity: O(*n*² · *m*) for a line of *n* bytes and *m* placeholders.
  func match(
    _ line: String, fits: ((_ name: String, _ text: Substring) -> Bool)?
  ) -> [Gap]? {
    guard let fits else { return match(line) }
    let bytes = Array(line.utf8)
    var failed: Set<[Int]> = []
    func places(of text: [UInt8], from start: Int) -> [Int] {
      var places: [Int] = []
      var place = start
      while let found = bytes.firstIndex(of: text, from: place) {
        places.append(found)
        place = found + 1
      }
      return places
    }
    /// Matches the parts from one on, whose first text begins at or after a place.
    func rest(_ part: Int, _ place: Int) -> [Gap]? {
      guard part < parts.count else { return [] }
      guard !failed.contains([part, place]) else { return nil }
      switch parts[part] {
      case .text(let text):
        // Only text before the template is skipped.
        for found in part == 0 ? places(of: text, from: place) : [place]
        where bytes[found...].starts(with: text) {
          if let gaps = rest(part + 1, found + text.count) { return gaps }
        }
      case .gap(let name):
        let next = part + 1 < parts.count ? parts[part + 1] : nil
        var ends = [bytes.count]
        if case .text(let text)? = next { ends = places(of: text, from: place) }
        if case .gap? = next { ends = Array(place...bytes.count) }
        for end in Self.freeNames.contains(name) ? ends.reversed() : ends {
          let text = String(decoding: bytes[place..<end], as: UTF8.self).trimmed
          guard fits(name, text), let gaps = rest(part + 1, end) else { continue }
          return [Gap(name: name, text: text)] + gaps
        }
      }
      failed.insert([part, place])
      return nil
    }
    return rest(0, 0)
  }

  /// Finds the template, and reads each matched text as a number.
  ///
  /// - Returns: Nil if a placeholder matched anything else.
  func numbers(in line: String) -> [Int]? {
    guard let gaps = match(line) else { return nil }
    var numbers: [Int] = []
    for (place, gap) in gaps.enumerated() {
      // The last placeholder ends where its number ends.
      let isLast = place == gaps.count - 1
      let text = isLast ? gap.text.prefix { $0.isASCII && ($0.isNumber || $0 == "-") } : gap.text
      // UIKit prints -1 as an unsigned number.
      guard let number = Int(text) ?? UInt64(text).map({ Int(truncatingIfNeeded: $0) }) else {
        return nil
      }
      numbers.append(number)
    }
    return numbers
  }
}

extension [UInt8] {
  /// Returns the first index of a text, starting at an index.
  fileprivate func firstIndex(of text: [UInt8], from start: Int) -> Int? {
    guard let first = text.first, count - start >= text.count else { return nil }
    var place = start
    while place <= count - text.count {
      if self[place] == first, self[place..<place + text.count].elementsEqual(text) {
        return place
      }
      place += 1
    }
    return nil
  }
}

extension StringProtocol {
  /// The text without blanks at both ends.
  var trimmed: Substring {
    var rest = Substring(self)
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
