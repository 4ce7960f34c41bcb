/// The entries that were typed in this session, in earlier ones, and in those that run at the same
/// time.
///
/// An entry is a whole statement with its line ends. Each entry is kept once, at the place where it
/// was typed last. Entries that begin with a blank are not kept. Not Sendable: it belongs to one
/// reader.
package final class LineHistory {
  /// The entries, oldest first.
  package private(set) var entries: [String] = []

  /// The failure of the last attempt to read or write the file; nil if it succeeded.
  ///
  /// The session continues without the file.
  package private(set) var failure: PromptHistoryFile.Failure?

  /// The largest number of entries.
  package let capacity: Int

  private let file: PromptHistoryFile?
  private var place = PromptHistoryFile.Place()
  /// The entries as a set.
  private var known: Set<String> = []
  /// The last argument of `newest(beginningWith:)`, and the index that it found.
  private var lastAnswer: (text: String, index: Int?)?

  /// Creates a history.
  ///
  /// - Parameters:
  ///   - path: The file that keeps the entries between sessions; nil for a history that ends with
  ///     this session.
  ///   - capacity: The largest number of entries.
  package init(path: String?, capacity: Int = 100_000) {
    self.capacity = max(1, capacity)
    file = path.map(PromptHistoryFile.init(path:))
    guard let file else { return }
    do {
      take(try file.load(capacity: self.capacity, place: &place), isWhole: true)
    } catch {
      failure = error
    }
  }

  /// Adds `text` to the entries and to the file.
  ///
  /// - Returns: Whether it was added. It is not if it repeats the entry before it.
  @discardableResult
  package func add(_ text: String) -> Bool {
    let entry = Self.trimmed(text)
    guard Self.isWorthKeeping(entry) else { return false }
    // If another session has written since, the order in the file is used.
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

  /// Reads the entries that other sessions have written.
  ///
  /// - Complexity: O(1) if they have written nothing.
  package func refresh() {
    guard let file else { return }
    do {
      guard let news = try file.news(since: &place, capacity: capacity) else { return }
      take(news.entries, isWhole: news.isWhole)
    } catch {
      failure = error
    }
  }

  /// Returns the newest entry that continues `text`.
  ///
  /// This is called after each key, so entries that the start of the text has excluded are not
  /// searched again.
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

  /// Appends entries.
  ///
  /// - Parameter isWhole: Whether they replace all others.
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
    newest.reverse()
    // What this session has just written is read from the file once more.
    if entries.suffix(newest.count).elementsEqual(newest) { return }
    let repeated = seen.intersection(known)
    if repeated.count > 1 {
      entries.removeAll { repeated.contains($0) }
    } else if let entry = repeated.first, let place = entries.lastIndex(of: entry) {
      // One that is typed again is near the end as a rule.
      entries.remove(at: place)
    }
    entries += newest
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
  /// Whether the text begins with these bytes and is longer.
  fileprivate func isLonger(than start: UnsafeBufferPointer<UInt8>) -> Bool {
    guard utf8.count > start.count else { return false }
    return utf8.withContiguousStorageIfAvailable { bytes in
      for index in start.indices where bytes[index] != start[index] { return false }
      return true
    } ?? utf8.starts(with: start)
  }
}
