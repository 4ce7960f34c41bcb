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
