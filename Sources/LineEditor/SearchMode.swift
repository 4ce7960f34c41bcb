/// The search of Ctrl-R, which takes the keys while it lasts.
final class SearchMode {
  private let buffer: LineBuffer
  private let history: LineHistory
  /// The search while it goes on.
  private var search: SearchState?
  /// What was looked for in the search before.
  private var lastPattern: String?

  init(_ buffer: LineBuffer, history: LineHistory) {
    self.buffer = buffer
    self.history = history
  }

  var isActive: Bool { search != nil }

  /// What is shown in the place of the prompt; nil where there is no search.
  var prompt: String? { search?.prompt }

  /// The entries that match; nil where there is no search.
  var preview: [LineView.MenuRow]? { search?.preview(of: history.entries) }

  /// Forgets a search that another line had.
  func forget() { search = nil }

  /// A search going on in the line.
  private struct SearchState {
    var search = HistorySearch()

    /// The line before the search.
    let original: EditedLine

    /// The entries that match, the one in the line first, and older ones;
    /// nothing where there is only the one in the line.
    func preview(of entries: [String]) -> [LineView.MenuRow] {
      let matches = search.matches(in: entries, atMost: 6)
      guard matches.count > 1 else { return [] }
      return matches.enumerated().map { LineView.MenuRow($1, isChosen: $0 == 0) }
    }

    /// What is shown in the place of the prompt.
    var prompt: String {
      "(\(search.hasFailed ? "failed " : "")search '\(search.pattern)') "
    }
  }

  /// Ctrl-R: takes the keys from now on.
  func begin() -> KeyResult {
    // Other sessions may have written meanwhile.
    history.refresh()
    search = SearchState(original: buffer.line)
    return .done
  }

  /// Takes a key while a search goes on.
  ///
  /// - Returns: The key, where it ends the search and has another meaning.
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
    // Up and Down go from match to match.
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

  /// The match, the cursor at the place of the pattern.
  private func found(by state: SearchState) -> EditedLine {
    guard let match = state.search.match else { return state.original }
    let entry = history.entries[match]
    let cut = state.search.place(in: entry) ?? entry.endIndex
    return EditedLine(before: String(entry[..<cut]), after: String(entry[cut...]))
  }
}
