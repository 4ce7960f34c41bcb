/// What was typed in this session and in those before.
///
/// An entry is a whole statement, its line ends included. Entries that begin
/// with a blank are not kept, nor is one that repeats the entry before it.
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

  /// Creates a history.
  ///
  /// - Parameters:
  ///   - path: The file that keeps the entries from session to session; nil
  ///     for a history that ends with this one.
  ///   - capacity: The largest number of entries.
  package init(path: String?, capacity: Int = 10_000) {
    self.capacity = max(1, capacity)
    file = path.map(HistoryFile.init(path:))
    guard let file else { return }
    do {
      entries = Self.kept(try file.load(capacity: self.capacity), self.capacity)
    } catch {
      failure = error
    }
  }

  /// Adds `text`, here and in the file.
  ///
  /// - Returns: Whether it was kept.
  @discardableResult
  package func add(_ text: String) -> Bool {
    let entry = Self.trimmed(text)
    guard Self.isWorthKeeping(entry), entry != entries.last else { return false }
    entries.append(entry)
    if entries.count > capacity { entries.removeFirst(entries.count - capacity) }
    do {
      try file?.append(entry)
    } catch {
      failure = error
    }
    return true
  }

  /// Returns the newest entry that goes on where `text` ends.
  func newest(beginningWith text: String) -> String? {
    // By its bytes, for this is asked at each key, of every entry.
    entries.last {
      $0.utf8.count > text.utf8.count && $0.utf8.starts(with: text.utf8) && $0.hasPrefix(text)
    }
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

  private static func kept(_ loaded: [String], _ capacity: Int) -> [String] {
    var entries: [String] = []
    for entry in loaded where isWorthKeeping(entry) && entry != entries.last {
      entries.append(entry)
    }
    return entries.suffix(capacity)
  }
}
