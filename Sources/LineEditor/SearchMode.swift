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
        state.search.goOn(in: entries)
      }
    case .character("\u{08}"), .character("\u{7F}"):
      state.search.shorten(in: entries)
    case .character("\u{07}"):
      end()
      buffer.replace(with: state.original)
      return nil
    // Up and Down move from match to match.
    case .character("\u{10}"), .sequence("[A"), .sequence("OA"): state.search.goOn(in: entries)
    case .character("\u{0E}"), .character("\u{13}"), .sequence("[B"), .sequence("OB"):
      state.search.goBack(in: entries)
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
