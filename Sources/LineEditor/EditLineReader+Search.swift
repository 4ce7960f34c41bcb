import CLibEdit

extension EditLineReader {
  /// A search going on in the line.
  struct SearchState {
    var search = HistorySearch()

    /// The line before the search.
    let original: Line
  }

  /// Ctrl-R: takes the keys from now on.
  func beginSearch() -> KeyResult {
    search = SearchState(original: line)
    showSearch()
    return .refresh
  }

  /// Takes a key while a search goes on.
  ///
  /// - Returns: A key for libedit, or nil if the next is to be waited for.
  func searchKey(_ key: Unicode.Scalar) -> Unicode.Scalar? {
    guard var state = search else { return key }
    let entries = history.entries
    switch key {
    case "\u{12}":
      if state.search.pattern.isEmpty, let lastPattern {
        state.search.begin(with: lastPattern, in: entries)
      } else {
        state.search.goOn(in: entries)
      }
    case "\u{08}", "\u{7F}":
      state.search.shorten(in: entries)
    case "\u{07}":
      endSearch()
      return showing { [self] in replaceLine(with: state.original) }
    case _ where key.value >= 0x20:
      state.search.extend(with: key, in: entries)
    default:
      // Ends the search and does what it does outside of one; Escape does no
      // more than that, unless it begins the sequence of a key.
      endSearch()
      if key != "\u{1B}" || isFollowed() { input.unread(key) }
      return showing {}
    }
    search = state
    return showing { [self] in showSearch() }
  }

  /// Leaves the search; what it found stays in the line.
  func endSearch() {
    guard let state = search else { return }
    if !state.search.pattern.isEmpty { lastPattern = state.search.pattern }
    search = nil
    showPrompt(promptText)
  }

  /// Shows the match, and in the prompt the pattern.
  private func showSearch() {
    guard let state = search else { return }
    let failed = state.search.hasFailed ? "failed " : ""
    showPrompt("(\(failed)search '\(state.search.pattern)') ")
    guard let match = state.search.match else { return replaceLine(with: state.original) }
    let entry = history.entries[match]
    let cut = state.search.place(in: entry)?.lowerBound ?? entry.endIndex
    replaceLine(with: Line(before: String(entry[..<cut]), after: String(entry[cut...])))
  }

  private func showing(_ change: @escaping () -> Void) -> Unicode.Scalar {
    atKey {
      change()
      return .refresh
    }
  }

  private func isFollowed() -> Bool {
    guard case .scalar(let next) = input.next(within: 50) else { return false }
    input.unread(next)
    return true
  }
}
