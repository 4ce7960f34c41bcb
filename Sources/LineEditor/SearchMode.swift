/// The search of Ctrl-R, which takes the keys while it lasts.
final class SearchMode {
  private let buffer: LineBuffer
  private let input: TerminalInput
  private let history: LineHistory
  /// The search while it goes on.
  private var search: SearchState?
  /// What was looked for in the search before.
  private var lastPattern: String?

  init(_ buffer: LineBuffer, input: TerminalInput, history: LineHistory) {
    self.buffer = buffer
    self.input = input
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
    search = SearchState(original: buffer.line)
    return .done
  }

  /// Takes a key while a search goes on.
  ///
  /// - Returns: The key, where it ends the search and has another meaning.
  func key(_ key: Unicode.Scalar) -> Unicode.Scalar? {
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
      end()
      buffer.replace(with: state.original)
      return nil
    case _ where key.value >= 0x20:
      state.search.extend(with: key, in: entries)
    case "\u{1B}":
      // Up and Down go from match to match; Escape alone ends the search, and
      // so do other keys that begin with it, which then do what they always do.
      guard let distance = arrow() else {
        end()
        return input.isFollowed() ? key : nil
      }
      if distance > 0 { state.search.goOn(in: entries) } else { state.search.goBack(in: entries) }
    case "\u{10}": state.search.goOn(in: entries)
    case "\u{0E}", "\u{13}": state.search.goBack(in: entries)
    default:
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
}
