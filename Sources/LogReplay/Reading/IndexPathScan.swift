import FetchedResults

/// An index path in a line of text.
struct FoundPath: Hashable {
  let path: ResultsIndexPath
  /// The text before it, starting at the previous index path or at the start of the line.
  let lead: Substring
  /// The text after it.
  let rest: Substring
}

/// Finds index paths in the usual formats: `[0, 3]`, `{length = 2, path = 0 - 3}`, `(0, 3)`.
enum IndexPathScan {
  /// Returns the index paths of a line, in order.
  ///
  /// - Complexity: O(*n*) for *n* characters.
  static func paths(in line: Substring) -> [FoundPath] {
    var found: [FoundPath] = []
    var lead = line.startIndex
    var place = line.startIndex
    while place < line.endIndex {
      if let (path, end) = path(in: line, at: place) {
        found.append(FoundPath(path: path, lead: line[lead..<place], rest: line[end...]))
        lead = end
        place = end
      } else {
        place = line.index(after: place)
      }
    }
    return found
  }

  private static let ends: [Character: Character] = ["[": "]", "(": ")", "{": "}"]

  /// Reads one index path: two numbers in brackets, or `path = 0 - 3`.
  private static func path(
    in line: Substring, at start: Substring.Index
  ) -> (ResultsIndexPath, Substring.Index)? {
    if let end = ends[line[start]] {
      var rest = line[line.index(after: start)...]
      guard let section = number(&rest), skip(",", &rest), let row = number(&rest) else {
        return nil
      }
      skipBlanks(&rest)
      guard rest.first == end else { return nil }
      return (
        ResultsIndexPath(section: section, row: row), rest.index(after: rest.startIndex)
      )
    }
    let marker = "path = "
    guard line[start] == "p", line[start...].hasPrefix(marker) else { return nil }
    var rest = line[start...].dropFirst(marker.count)
    guard let section = number(&rest), skip("-", &rest), let row = number(&rest) else {
      return nil
    }
    return (ResultsIndexPath(section: section, row: row), rest.startIndex)
  }

  private static func skipBlanks(_ rest: inout Substring) {
    while rest.first == " " { rest.removeFirst() }
  }

  private static func skip(_ sign: Character, _ rest: inout Substring) -> Bool {
    skipBlanks(&rest)
    guard rest.first == sign else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads a number, which may follow `section: ` or another word.
  private static func number(_ rest: inout Substring) -> Int? {
    skipBlanks(&rest)
    let label = rest.prefix { $0.isLetter }
    if !label.isEmpty {
      rest = rest.dropFirst(label.count)
      guard rest.first == ":" || rest.first == "=" else { return nil }
      rest.removeFirst()
      skipBlanks(&rest)
    }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    // Longer numbers are sizes or dates.
    guard !digits.isEmpty, digits.count < 10 else { return nil }
    rest = rest.dropFirst(digits.count)
    return Int(digits)
  }
}
