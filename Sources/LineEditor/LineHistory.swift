/// What was typed in this session, in those before, and in those that run beside it.
///
/// An entry is a whole statement, its line ends included. Each entry is kept once, at the place
/// where it was typed last. Entries that begin with a blank are not kept.
/// Not Sendable: it belongs to one reader.
package final class LineHistory {
  /// The entries, oldest first.
  package private(set) var entries: [String] = []

  /// Why the file could not be read or written last time, if it could not.
  ///
  /// The session goes on without it.
  package private(set) var failure: HistoryFile.Failure?

  /// The largest number of entries.
  package let capacity: Int

  private let file: HistoryFile?
  private var place = HistoryFile.Place()
  /// The entries, without their order.
  private var known: Set<String> = []
  /// What `newest(beginningWith:)` was asked last, and where the answer was.
  private var lastAnswer: (text: String, index: Int?)?

  /// Creates a history.
  ///
  /// - Parameters:
  ///   - path: The file that keeps the entries from session to session; nil
  ///     for a history that ends with this one.
  ///   - capacity: The largest number of entries.
  package init(path: String?, capacity: Int = 100_000) {
    self.capacity = max(1, capacity)
    file = path.map(HistoryFile.init(path:))
    guard let file else { return }
    do {
      take(try file.load(capacity: self.capacity, place: &place), isWhole: true)
    } catch {
      failure = error
    }
  }

  /// Adds `text`, here and in the file.
  ///
  /// - Returns: Whether it was kept; not if it repeats the entry before it.
  @discardableResult
  package func add(_ text: String) -> Bool {
    let entry = Self.trimmed(text)
    guard Self.isWorthKeeping(entry) else { return false }
    // Where another session has written since, the order in the file counts.
    refresh()
    guard entry != entries.last else { return false }
    take([entry], isWhole: false)
    do {
      try file?.append(entry)
    } catch {
      failure = error
    }
    return true
  }

  /// Takes what other sessions have written.
  ///
  /// - Complexity: O(1) where they have written nothing.
  package func refresh() {
    guard let file else { return }
    do {
      guard let news = try file.news(since: &place, capacity: capacity) else { return }
      take(news.entries, isWhole: news.isWhole)
    } catch {
      failure = error
    }
  }

  /// Returns the newest entry that goes on where `text` ends.
  ///
  /// Asked at each key, so what the start of the text has ruled out is not looked at again.
  func newest(beginningWith text: String) -> String? {
    var end = entries.count
    if let last = lastAnswer, text.utf8.starts(with: last.text.utf8) {
      guard let index = last.index else { return nil }
      end = index + 1
    }
    var start = text
    let found = start.withUTF8 { start in
      entries[..<end].lastIndex { $0.isLonger(than: start) && $0.hasPrefix(text) }
    }
    lastAnswer = (text, found)
    return found.map { entries[$0] }
  }

  /// Puts entries at the end.
  ///
  /// - Parameter isWhole: Whether there are no others.
  private func take(_ news: [String], isWhole: Bool) {
    lastAnswer = nil
    if isWhole {
      entries = []
      known = []
    }
    var seen: Set<String> = []
    var newest: [String] = []
    for entry in news.reversed() where Self.isWorthKeeping(entry) && seen.insert(entry).inserted {
      newest.append(entry)
    }
    if !known.isDisjoint(with: seen) { entries.removeAll { seen.contains($0) } }
    entries += newest.reversed()
    known.formUnion(seen)
    guard entries.count > capacity else { return }
    let surplus = entries.count - capacity
    known.subtract(entries.prefix(surplus))
    entries.removeFirst(surplus)
  }

  private static func trimmed(_ text: String) -> String {
    var text = Substring(text)
    while let last = text.last, last.isNewline { text.removeLast() }
    return String(text)
  }

  private static func isWorthKeeping(_ entry: String) -> Bool {
    guard let first = entry.first, !first.isWhitespace else { return false }
    return !entry.utf8.contains(0)
  }
}

extension String {
  /// Whether these bytes are the start of this text, and not all of it.
  fileprivate func isLonger(than start: UnsafeBufferPointer<UInt8>) -> Bool {
    guard utf8.count > start.count else { return false }
    return utf8.withContiguousStorageIfAvailable { bytes in
      for index in start.indices where bytes[index] != start[index] { return false }
      return true
    } ?? utf8.starts(with: start)
  }
}
