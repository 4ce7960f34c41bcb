extension EditLineReader {
  /// A search going on in the line.
  struct SearchState {
    var search = HistorySearch()

    /// The line before the search.
    let original: Line

    /// The entries that match, the one in the line first, and older ones;
    /// nothing where there is only the one in the line.
    func preview(of entries: [String]) -> [LineView.MenuRow] {
      let matches = search.matches(in: entries, atMost: 6)
      guard matches.count > 1 else { return [] }
      return matches.enumerated().map { LineView.MenuRow($1, isChosen: $0 == 0) }
    }

    /// What stands in the place of the prompt.
    var prompt: String {
      "(\(search.hasFailed ? "failed " : "")search '\(search.pattern)') "
    }
  }

  /// Ctrl-R: takes the keys from now on.
  func beginSearch() -> KeyResult {
    search = SearchState(original: line)
    return .done
  }

  /// Takes a key while a search goes on.
  ///
  /// - Returns: The key, where it ends the search and has another meaning.
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
      replaceLine(with: state.original)
      return nil
    case _ where key.value >= 0x20:
      state.search.extend(with: key, in: entries)
    case "\u{1B}":
      // Up and Down go from match to match; Escape alone ends the search, and
      // so do other keys that begin with it, which then do what they always do.
      guard let distance = arrow() else {
        endSearch()
        return isFollowed() ? key : nil
      }
      if distance > 0 { state.search.goOn(in: entries) } else { state.search.goBack(in: entries) }
    case "\u{10}": state.search.goOn(in: entries)
    case "\u{0E}", "\u{13}": state.search.goBack(in: entries)
    default:
      endSearch()
      return key
    }
    search = state
    replaceLine(with: found(by: state))
    return nil
  }

  /// Leaves the search; what it found stays in the line.
  func endSearch() {
    guard let state = search else { return }
    if !state.search.pattern.isEmpty { lastPattern = state.search.pattern }
    search = nil
  }

  /// The match, the cursor at the place of the pattern.
  private func found(by state: SearchState) -> Line {
    guard let match = state.search.match else { return state.original }
    let entry = history.entries[match]
    let cut = state.search.place(in: entry) ?? entry.endIndex
    return Line(before: String(entry[..<cut]), after: String(entry[cut...]))
  }

  /// Reads the rest of Up (1) or Down (-1); all else is given back.
  private func arrow() -> Int? {
    var read: [Unicode.Scalar] = []
    for expected in [Set("[O".unicodeScalars), Set("AB".unicodeScalars)] {
      guard case .scalar(let next) = input.next(within: 50) else { break }
      read.append(next)
      guard expected.contains(next) else { break }
      if read.count == 2 { return next == "A" ? 1 : -1 }
    }
    for scalar in read.reversed() { input.unread(scalar) }
    return nil
  }

  func isFollowed() -> Bool {
    guard case .scalar(let next) = input.next(within: 50) else { return false }
    input.unread(next)
    return true
  }
}
