/// A walk through the entries that begin with a certain text.
///
/// After the newest entry is the draft, the line as it was before the
/// walk began.
struct HistoryRecall {
  enum Direction {
    case older
    case newer
  }

  /// What the entries begin with.
  let prefix: String

  /// The line before the walk.
  let draft: String

  /// What is shown now.
  private(set) var shown: String

  /// Where `shown` is; the number of entries for the draft.
  private var index: Int

  /// Starts at the draft.
  init(prefix: String, draft: String, entryCount: Int) {
    self.prefix = prefix
    self.draft = draft
    shown = draft
    index = entryCount
  }

  /// Goes to the next entry that differs from what is shown.
  ///
  /// - Returns: The text there, or nil (and nothing moves) where there is none.
  mutating func step(_ direction: Direction, in entries: [String]) -> String? {
    switch direction {
    case .older:
      guard
        // There may be fewer than there were.
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
