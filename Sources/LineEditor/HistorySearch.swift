import Basics

/// A search for the newest entry that contains a given text.
///
/// Case is ignored if the pattern has no capital letter. All other characters match themselves,
/// because `[`, `.` and `*` are common in statements.
struct HistorySearch {
  /// The text that is searched for.
  private(set) var pattern = ""

  /// Whether no entry, or no older one, contains the pattern.
  private(set) var hasFailed = false

  /// The index of the match, if there is one.
  private(set) var match: Int?

  /// The indices of all entries that contain the pattern, the newest first.
  private var found: [Int] = []

  /// Appends to the pattern.
  ///
  /// The match stays if it still contains the pattern.
  mutating func extend(with scalar: Unicode.Scalar, in entries: [String]) {
    let isFirst = pattern.isEmpty
    pattern.unicodeScalars.append(scalar)
    let wanted = SearchPattern(pattern)
    // An entry that contains the longer pattern also contains the shorter one.
    found =
      isFirst
      ? entries.indices.reversed().filter { wanted.isIn(entries[$0]) }
      : found.filter { wanted.isIn(entries[$0]) }
    let next = found.first { $0 <= match ?? .max }
    hasFailed = next == nil
    match = next ?? match
  }

  /// Removes the last character of the pattern and starts again at the newest entry.
  mutating func shorten(in entries: [String]) {
    guard !pattern.isEmpty else { return }
    pattern.removeLast()
    find(in: entries)
  }

  /// Moves to the next older match.
  mutating func goOn() {
    guard !pattern.isEmpty else { return }
    let next = found.first { $0 < match ?? .max }
    hasFailed = next == nil
    match = next ?? match
  }

  /// Moves to the next newer match.
  mutating func goBack() {
    guard let match, !pattern.isEmpty else { return }
    let newer = found.last { $0 > match }
    hasFailed = newer == nil
    self.match = newer ?? match
  }

  /// Returns the match and the next older ones.
  func matches(in entries: [String], atMost count: Int) -> [String] {
    guard let match else { return [] }
    return [entries[match]] + found.lazy.filter { $0 < match }.prefix(count - 1).map { entries[$0] }
  }

  /// Starts with the pattern of an earlier search.
  mutating func begin(with pattern: String, in entries: [String]) {
    self.pattern = pattern
    find(in: entries)
  }

  /// Returns the first place of the pattern in `entry`.
  func place(in entry: String) -> String.Index? {
    let wanted = Array(pattern)
    let ignoresCase = SearchPattern(pattern).ignoresCase
    return entry.indices.first { start in
      entry[start...].starts(with: wanted) { character, other in
        character == other || (ignoresCase && character.lowercased() == String(other))
      }
    }
  }

  private mutating func find(in entries: [String]) {
    let wanted = SearchPattern(pattern)
    found =
      pattern.isEmpty ? [] : entries.indices.reversed().filter { wanted.isIn(entries[$0]) }
    match = found.first
    hasFailed = match == nil && !pattern.isEmpty
  }
}

/// A pattern that is searched for in many texts.
private struct SearchPattern {
  let ignoresCase: Bool
  private let pattern: String
  private let bytes: [UInt8]
  private let isASCII: Bool

  init(_ pattern: String) {
    self.pattern = pattern
    bytes = Array(pattern.utf8)
    isASCII = bytes.allSatisfy { $0 < 0x80 }
    ignoresCase = pattern == pattern.lowercased()
  }

  /// Whether a text contains the pattern.
  ///
  /// Letters with accents are compared as a person sees them, which is slow. A pattern of ASCII
  /// only is compared byte by byte.
  func isIn(_ entry: String) -> Bool {
    guard isASCII else {
      guard entry.utf8.contains(where: { $0 >= 0x80 }) else { return false }
      let text = ignoresCase ? entry.lowercased() : entry
      return text.indices.contains { text[$0...].starts(with: pattern) }
    }
    var entry = entry
    return entry.withUTF8(isIn)
  }

  private func isIn(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first else { return true }
    guard text.count >= bytes.count else { return false }
    for start in 0...(text.count - bytes.count) where folded(text[start]) == first {
      var length = 1
      while length < bytes.count, folded(text[start + length]) == bytes[length] { length += 1 }
      if length == bytes.count { return true }
    }
    return false
  }

  /// Returns a letter in the pattern's case.
  private func folded(_ byte: UInt8) -> UInt8 {
    ignoresCase && 0x41...0x5A ~= byte ? byte | 0x20 : byte
  }
}

/// Up, Down and the keys that show older and newer entries.
final class HistoryKeys {
  private let buffer: LineBuffer
  private let history: LineHistory
  private let completion: CompletionMode
  /// The walk whose entry Up and Down show now.
  private var recall: HistoryRecall?

  init(_ buffer: LineBuffer, history: LineHistory, completion: CompletionMode) {
    self.buffer = buffer
    self.history = history
    self.completion = completion
  }

  /// Starts another line.
  func begin() { recall = nil }

  /// Moves up a row in a text of several rows; otherwise shows an older entry.
  func moveUp() -> KeyResult {
    if completion.isChoosing { return completion.choose(-1) }
    let line = buffer.line
    var rows = line.before.lines
    guard rows.count > 1 else { return recallEntry(.older) }
    let column = DisplayWidth.width(of: rows.removeLast())
    let target = (rows.last ?? "").prefix(ofDisplayWidth: column)
    rows[rows.count - 1] = target
    let distance =
      line.before.unicodeScalars.count - rows.joined(separator: "\n").unicodeScalars.count
    buffer.moveCursor(by: -distance)
    return .done
  }

  /// Moves down a row in a text of several rows; otherwise shows a newer entry.
  func moveDown() -> KeyResult {
    if completion.isChoosing { return completion.choose(1) }
    let line = buffer.line
    let rows = line.after.lines
    guard rows.count > 1 else { return recallEntry(.newer) }
    let column = DisplayWidth.width(of: line.before.lines.last ?? "")
    let target = rows[1].prefix(ofDisplayWidth: column)
    buffer.moveCursor(by: rows[0].unicodeScalars.count + 1 + target.unicodeScalars.count)
    return .done
  }

  /// Shows the next entry that begins with the text that was before the cursor.
  func recallEntry(_ direction: HistoryRecall.Direction) -> KeyResult {
    let line = buffer.line
    let text = line.text
    if recall?.shown != text {
      // Other sessions may have added entries in the meantime.
      history.refresh()
      recall = HistoryRecall(
        prefix: line.before, draft: text, entryCount: history.entries.count)
    }
    guard let entry = recall?.step(direction, in: history.entries) else { return .refused }
    buffer.replace(with: EditedLine(before: entry, after: ""))
    return .done
  }
}

extension String {
  /// The text cut at its line ends.
  fileprivate var lines: [String] {
    split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the characters from the start that fit into `width` columns.
  fileprivate func prefix(ofDisplayWidth width: Int) -> String {
    var rest = width
    return String(
      prefix { character in
        rest -= DisplayWidth.width(of: character)
        return rest >= 0
      })
  }
}

/// A walk through the entries that begin with a given text.
///
/// After the newest entry comes the draft: the line as it was before the walk.
struct HistoryRecall {
  enum Direction {
    case older
    case newer
  }

  /// The text that the entries begin with.
  let prefix: String

  /// The line before the walk.
  let draft: String

  /// The text that is shown now.
  private(set) var shown: String

  /// The index of `shown` in the entries; for the draft, the number of entries.
  private var index: Int

  /// Starts at the draft.
  init(prefix: String, draft: String, entryCount: Int) {
    self.prefix = prefix
    self.draft = draft
    shown = draft
    index = entryCount
  }

  /// Moves to the next entry that differs from the shown one.
  ///
  /// - Returns: The entry; nil if there is none, and then nothing changes.
  mutating func step(_ direction: Direction, in entries: [String]) -> String? {
    switch direction {
    case .older:
      guard
        // There may be fewer entries than before.
        let found = entries[..<min(index, entries.count)].lastIndex(where: {
          $0.hasPrefix(prefix) && $0 != shown
        })
      else { return nil }
      index = found
      shown = entries[found]
    case .newer:
      guard index < entries.count else { return nil }
      let found = entries[(index + 1)...].firstIndex { $0.hasPrefix(prefix) && $0 != shown }
      index = found ?? entries.count
      shown = found.map { entries[$0] } ?? draft
    }
    return shown
  }
}

/// The search of Ctrl-R, which takes all keys until it ends.
final class SearchMode {
  private let buffer: LineBuffer
  private let history: LineHistory
  /// The present search; nil if there is none.
  private var search: SearchState?
  /// The pattern of the previous search.
  private var lastPattern: String?

  init(_ buffer: LineBuffer, history: LineHistory) {
    self.buffer = buffer
    self.history = history
  }

  var isActive: Bool { search != nil }

  /// The text that replaces the prompt; nil if there is no search.
  var prompt: String? { search?.prompt }

  /// The matching entries; nil if there is no search.
  var preview: [LineView.MenuRow]? { search?.preview(of: history.entries) }

  /// Forgets the search of another line.
  func forget() { search = nil }

  /// A search in progress.
  private struct SearchState {
    var search = HistorySearch()

    /// The line before the search.
    let original: EditedLine

    /// Returns the matching entries: the one in the line, then older ones.
    ///
    /// Returns none if there is only the one in the line.
    func preview(of entries: [String]) -> [LineView.MenuRow] {
      let matches = search.matches(in: entries, atMost: 6)
      guard matches.count > 1 else { return [] }
      return matches.enumerated().map { LineView.MenuRow($1, isChosen: $0 == 0) }
    }

    /// The text that replaces the prompt.
    var prompt: String {
      "(\(search.hasFailed ? "failed " : "")search '\(search.pattern)') "
    }
  }

  /// Starts the search; from now on it takes the keys.
  func begin() -> KeyResult {
    // Other sessions may have added entries in the meantime.
    history.refresh()
    search = SearchState(original: buffer.line)
    return .done
  }

  /// Handles a key during a search.
  ///
  /// - Returns: The key, if it ends the search and has another meaning.
  func key(_ key: TerminalKey) -> TerminalKey? {
    guard var state = search else { return key }
    let entries = history.entries
    switch key {
    case .character("\u{12}"):
      if state.search.pattern.isEmpty, let lastPattern {
        state.search.begin(with: lastPattern, in: entries)
      } else {
        state.search.goOn()
      }
    case .character("\u{08}"), .character("\u{7F}"):
      state.search.shorten(in: entries)
    case .character("\u{07}"):
      end()
      buffer.replace(with: state.original)
      return nil
    // Up and Down move from match to match.
    case .character("\u{10}"), .sequence("[A"), .sequence("OA"): state.search.goOn()
    case .character("\u{0E}"), .character("\u{13}"), .sequence("[B"), .sequence("OB"):
      state.search.goBack()
    case .character(let typed) where typed.value >= 0x20:
      state.search.extend(with: typed, in: entries)
    case .escape:
      end()
      return nil
    case .character, .alt, .sequence, .report, .paste:
      end()
      return key
    }
    search = state
    buffer.replace(with: found(by: state))
    return nil
  }

  /// Leaves the search; what it found stays in the line.
  func end() {
    guard let state = search else { return }
    if !state.search.pattern.isEmpty { lastPattern = state.search.pattern }
    search = nil
  }

  /// Returns the match, with the cursor at the pattern.
  private func found(by state: SearchState) -> EditedLine {
    guard let match = state.search.match else { return state.original }
    let entry = history.entries[match]
    let cut = state.search.place(in: entry) ?? entry.endIndex
    return EditedLine(before: String(entry[..<cut]), after: String(entry[cut...]))
  }
}
