package import FetchedResults
package import ScriptRuntime

/// A callback as one line of text: in full, as frc prints it, or in the short form that a learner
/// types, such as `move Book/1 [0, 0] -> [0, 2]`.
package struct CallbackLine: Hashable, Sendable {
  /// The controller's name; nil if the line leaves it out.
  package var controller: String?
  package var kind: Kind

  /// The kind of callback, with its arguments.
  package enum Kind: Hashable, Sendable {
    case willChangeContent
    case didChangeContent
    /// A change of an object, which is named by its ID or by its shown text.
    case object(FetchedResultsChangeType, String, old: ResultsIndexPath?, new: ResultsIndexPath?)
    /// A change of a section; the index and the name are nil if the line leaves them out.
    case section(FetchedResultsChangeType, index: Int?, name: String?)
  }

  /// Creates the line of an event; nil if the event is not such a callback.
  package init?(_ event: Event) {
    switch event {
    case .willChangeContent(let name): (controller, kind) = (name, .willChangeContent)
    case .didChangeContent(let name): (controller, kind) = (name, .didChangeContent)
    case .didChangeObject(let name, let type, let object, let old, let new):
      (controller, kind) = (name, .object(type, object.id.description, old: old, new: new))
    case .didChangeSection(let name, let type, let index, let section):
      (controller, kind) = (name, .section(type, index: index, name: section))
    case .snapshot, .difference, .counts, .hook, .notification, .show, .table, .dataSource,
      .exception, .showTable, .request, .value, .rows, .objects, .objectIDs, .dictionaries, .batch,
      .evaluation, .explainedTurn, .explanation, .swift, .cache, .statistics, .history,
      .remoteChange, .statement, .model, .note, .console, .error:
      return nil
    }
  }

  /// Parses a line; nil if it does not describe a callback.
  package init?(_ line: String) {
    if let found = Self.kind(of: LineWords(line)) {
      (controller, kind) = (nil, found)
      return
    }
    var words = LineWords(line)
    guard let name = words.takeWord({ _ in true }), let found = Self.kind(of: words) else {
      return nil
    }
    (controller, kind) = (name, found)
  }

  /// Returns the kind of callback in a line, after the controller's name.
  private static func kind(of line: LineWords) -> Kind? {
    var words = line
    let kind: Kind?
    switch words.takeWord({ _ in true }) {
    case "willChangeContent", "will": kind = .willChangeContent
    case "didChangeContent", "did": kind = .didChangeContent
    case "didChange": kind = change(&words)
    case _?:
      words = line
      kind = change(&words)
    case nil: kind = nil
    }
    return words.isEmpty ? kind : nil
  }

  private static func change(_ words: inout LineWords) -> Kind? {
    var isSection = words.takeWord { $0 == "section" } != nil
    if !isSection { _ = words.takeWord { $0 == "object" } }
    guard let word = words.takeWord({ _ in true }), let type = FetchedResultsChangeType(word: word)
    else { return nil }
    if words.takeWord({ $0 == "section" }) != nil { isSection = true }
    guard !isSection else {
      let index = words.takeNumber()
      return .section(type, index: index, name: words.takeText())
    }
    let shown = words.takeText()
    let object = words.takeWord { $0.contains("/") } ?? shown
    _ = words.takeText()
    let first = words.takePath()
    let hasArrow = words.takeArrow()
    let second = words.takePath()
    guard let object else { return nil }
    switch type {
    case .insert: return .object(type, object, old: nil, new: second ?? first)
    case .delete: return .object(type, object, old: first ?? second, new: nil)
    case .update where second == nil: return .object(type, object, old: first, new: first)
    case .move where second == nil && hasArrow: return .object(type, object, old: nil, new: first)
    case .update, .move: return .object(type, object, old: first, new: second)
    }
  }

  /// Whether a line, which may leave parts out, describes this callback.
  ///
  /// - Parameter shownAs: The text that the object is shown as.
  func isSaid(by line: CallbackLine, shownAs text: String?) -> Bool {
    guard line.controller == nil || line.controller == controller else { return false }
    switch (kind, line.kind) {
    case (.section(let type, let index, let name), .section(let other, let place, let said)):
      return type == other && (place == nil || place == index) && (said == nil || said == name)
        && (place != nil || said != nil)
    case (
      .object(let type, let id, let old, let new), .object(let other, let said, let from, let to)
    ):
      return type == other && (said == id || said == text) && from == old && to == new
    case (.willChangeContent, .willChangeContent), (.didChangeContent, .didChangeContent):
      return true
    case (.willChangeContent, _), (.didChangeContent, _), (.object, _), (.section, _): return false
    }
  }

  /// Whether both lines are about the same object or the same section.
  func isAbout(_ line: CallbackLine, shownAs text: String?) -> Bool {
    guard line.controller == nil || line.controller == controller else { return false }
    switch (kind, line.kind) {
    case (.object(_, let id, _, _), .object(_, let said, _, _)): return said == id || said == text
    case (.section(let type, let index, let name), .section(let other, let place, let said)):
      return said.map { $0 == name } ?? (type == other || place == index)
    case (.willChangeContent, _), (.didChangeContent, _), (.object, _), (.section, _): return false
    }
  }

  /// Whether it is one of the two callbacks around each batch.
  var isFrame: Bool {
    switch kind {
    case .willChangeContent, .didChangeContent: true
    case .object, .section: false
    }
  }
}

extension FetchedResultsChangeType {
  fileprivate init?(word: String) {
    let word = word.lowercased()
    let stem = word.hasSuffix("ed") ? String(word.dropLast(word == "moved" ? 1 : 2)) : word
    self.init(rawValue: stem == "updat" || stem == "delet" ? stem + "e" : stem)
  }
}

/// A parser for the parts of a typed line.
private struct LineWords {
  private var rest: Substring

  init(_ line: String) { rest = line[...] }

  var isEmpty: Bool { rest.allSatisfy(\.isWhitespace) }

  private mutating func skipBlanks() {
    rest = rest.drop { $0.isWhitespace || $0 == "," || $0 == ":" }
  }

  /// Reads a word whose characters `fits` accepts: letters, digits, `_` and `/`.
  mutating func takeWord(_ fits: (String) -> Bool) -> String? {
    skipBlanks()
    let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "/" }
    guard !word.isEmpty, word.first?.isNumber == false, fits(String(word)) else { return nil }
    rest = rest.dropFirst(word.count)
    return String(word)
  }

  mutating func takeNumber() -> Int? {
    skipBlanks()
    let digits = rest.prefix { $0.isNumber }
    guard let number = Int(digits) else { return nil }
    rest = rest.dropFirst(digits.count)
    return number
  }

  /// Reads a quoted text.
  mutating func takeText() -> String? {
    skipBlanks()
    guard rest.first == "\"" else { return nil }
    var text = ""
    var index = rest.index(after: rest.startIndex)
    while index < rest.endIndex, rest[index] != "\"" {
      if rest[index] == "\\", rest.index(after: index) < rest.endIndex {
        index = rest.index(after: index)
      }
      text.append(rest[index])
      index = rest.index(after: index)
    }
    guard index < rest.endIndex else { return nil }
    rest = rest[rest.index(after: index)...]
    return text
  }

  mutating func takeArrow() -> Bool {
    skipBlanks()
    for arrow in ["->", "→", "=>"] where rest.hasPrefix(arrow) {
      rest = rest.dropFirst(arrow.count)
      return true
    }
    return false
  }

  /// Reads an index path such as `[0, 1]`, and the arrow before it.
  mutating func takePath() -> ResultsIndexPath? {
    skipBlanks()
    let start = rest
    if rest.first == "[" {
      rest = rest.dropFirst()
      if let section = takeNumber(), let row = takeNumber() {
        skipBlanks()
        if rest.first == "]" {
          rest = rest.dropFirst()
          return ResultsIndexPath(section: section, row: row)
        }
      }
    }
    rest = start
    return nil
  }
}
