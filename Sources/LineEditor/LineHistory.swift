import Platform

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

/// A file of history entries, one per line, which several sessions may use at the same time.
///
/// In an entry, `\` is written as `\\` and a line end as `\n`; all else is plain UTF-8. Each entry
/// is appended on its own under a lock, so no session overwrites another's entries. Lines that are
/// not UTF-8 or contain a NUL are skipped.
package struct PromptHistoryFile: Sendable {
  /// The reason why a history file could not be used.
  package struct Failure: Error, Equatable, CustomStringConvertible {
    /// The path of the file.
    package let path: String

    /// The system's error number.
    package let code: Int32

    /// The failure as a message.
    package var description: String {
      "history is not kept in '\(path)': \(SystemError(code: code).systemWords)"
    }
  }

  /// The largest number of bytes that are read; the newest entries are kept.
  private static let largestSize = 16 << 20
  /// The longest line in bytes.
  ///
  /// Longer lines are skipped and not written, because they would displace all others.
  private static let largestLine = 4 << 20
  /// The number of bytes at the end of a longer file that are searched.
  private static let farthest = 1 << 30

  /// The path of the file, which is created when the first entry is written.
  package let path: String

  /// Stores the path; opens no file yet.
  package init(path: String) {
    self.path = path
  }

  /// A position up to which a session has read the file.
  package struct Place: Equatable, Sendable {
    /// The identity of the file; nil if there was none.
    fileprivate var identity: FileStatus.Identity?
    /// The start of the part that was not read.
    fileprivate var end = 0

    /// Creates the place before all entries.
    package init() {}

    fileprivate init(_ status: FileStatus) {
      identity = status.identity
      end = status.size
    }
  }

  /// Reads what other sessions have written after a place.
  ///
  /// - Parameters:
  ///   - place: The place up to which the file was read; updated by the call.
  ///   - capacity: The largest number of entries.
  /// - Returns: The entries, oldest first, and whether these are all entries of the file; nil if
  ///   nothing was written.
  /// - Throws: `Failure` if the file cannot be read.
  /// - Complexity: O(1) if nothing was written.
  package func news(
    since place: inout Place, capacity: Int
  ) throws(Failure) -> (entries: [String], isWhole: Bool)? {
    guard let status = try? FileStatus(path), status.kind == .regular,
      Place(status) != place
    else { return nil }
    guard status.identity == place.identity, status.size > place.end else {
      return (try load(capacity: capacity, place: &place), true)
    }
    let file = try openLocked(.reading)
    do throws(SystemError) {
      let now = try file.status()
      guard now.identity == place.identity, now.size > place.end else { return nil }
      let bytes = try Self.read(place.end..<now.size, of: file)
      // The last line may still be incomplete if it has no line end.
      guard let last = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
      place.end += last + 1
      let lines = bytes[..<last].split(separator: UInt8(ascii: "\n"))
      return (lines.suffix(capacity).compactMap { Self.entry(in: Array($0)) }, false)
    } catch {
      throw Failure(path: path, code: error.code)
    }
  }

  /// Reads the entries, oldest first.
  ///
  /// A file with more than `capacity` entries is cut down to the newest.
  ///
  /// - Parameters:
  ///   - capacity: The largest number of entries.
  ///   - place: Set to the place up to which the file was read.
  /// - Throws: `Failure` if the file exists and cannot be read.
  package func load(capacity: Int, place: inout Place) throws(Failure) -> [String] {
    let file: OpenFile
    place = Place()
    do {
      file = try openLocked(.readingAndWriting)
    } catch {
      switch SystemError(code: error.code) {
      case .missing: return []
      // A file without write permission may still be readable.
      case .denied, .readOnly: file = try openLocked(.reading)
      default: throw error
      }
    }
    if let status = try? file.status() { place = Place(status) }
    let entries = try newestEntries(of: file, atMost: capacity + 1)
    guard entries.count > capacity else { return entries }
    let newest = Array(entries.suffix(capacity))
    // If the folder is not writable, the file just stays long.
    try? AtomicFile.write(newest.flatMap(Self.line(for:)), to: path, permissions: 0o600)
    if let status = try? FileStatus(path) { place = Place(status) }
    return newest
  }

  /// Appends `entry` to the file.
  package func append(_ entry: String) throws(Failure) {
    var bytes = Self.line(for: entry)
    guard bytes.count <= Self.largestLine else { return }
    let file = try openLocked(.readingAndAppending)
    do throws(SystemError) {
      // A session that was killed may have left an incomplete line.
      let size = try file.status().size
      if size > 0, try file.descriptor.read(upTo: 1, at: size - 1) != [UInt8(ascii: "\n")] {
        bytes.insert(UInt8(ascii: "\n"), at: 0)
      }
      do throws(SystemError) {
        try file.descriptor.write(bytes)
      } catch {
        // On a full disk, only a part of the line may have been written.
        file.shorten(to: size)
        throw error
      }
    } catch {
      throw Failure(path: path, code: error.code)
    }
  }
}

// MARK: - The format

extension PromptHistoryFile {
  private static func line(for entry: String) -> [UInt8] {
    var line: [UInt8] = []
    for byte in entry.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): line += [byte, byte]
      case UInt8(ascii: "\n"): line += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      default: line.append(byte)
      }
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private static func entry(in line: [UInt8]) -> String? {
    guard !line.isEmpty, !line.contains(0) else { return nil }
    guard line.contains(UInt8(ascii: "\\")) else { return String(validating: line, as: UTF8.self) }
    return String(validating: unescaped(line[...]), as: UTF8.self)
  }

  private static func unescaped(_ line: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(line.count)
    var rest = line
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let next = rest.first else {
        result.append(byte)
        continue
      }
      switch next {
      case UInt8(ascii: "n"): result.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "\\"): result.append(next)
      default: result += [byte, next]
      }
      rest.removeFirst()
    }
    return result
  }
}

// MARK: - The file system

extension PromptHistoryFile {
  /// Opens the file and locks it.
  ///
  /// Another session may replace the file between the two steps. So the file is opened again until
  /// the locked file is the one at this path.
  private func openLocked(_ access: OpenFile.Access) throws(Failure) -> OpenFile {
    do throws(SystemError) {
      while true {
        // A FIFO at this path must not block the session.
        let file = try OpenFile(path, access, waits: false, permissions: 0o600)
        let opened = try file.status()
        guard opened.kind == .regular else { throw .invalid }
        Self.lock(file)
        if let named = try? FileStatus(path), named.identity == opened.identity { return file }
      }
    } catch {
      throw Failure(path: path, code: error.code)
    }
  }

  /// Waits at most a second for the lock.
  ///
  /// An append without a lock is a single write, which is better than a session that hangs because
  /// another one was stopped.
  private static func lock(_ file: borrowing OpenFile) {
    for _ in 0..<200 where file.tryLock() == false {
      _ = FileDescriptor.wait(for: [], milliseconds: 5)
    }
  }

  /// Reads a part of the file, or less if the file became shorter.
  private static func read(
    _ range: Range<Int>, of file: borrowing OpenFile
  ) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < range.count {
      let piece = try file.descriptor.read(
        upTo: range.count - bytes.count, at: range.lowerBound + bytes.count)
      if piece.isEmpty { break }
      bytes += piece
    }
    return bytes
  }

  /// Reads the newest entries, oldest first.
  private func newestEntries(
    of file: borrowing OpenFile, atMost count: Int
  ) throws(Failure) -> [String] {
    var lines = NewestLines(longest: Self.largestLine, room: Self.largestSize)
    do throws(SystemError) {
      let size = try file.status().size
      var place = size
      while place > max(0, size - Self.farthest), lines.entries.count < count,
        !lines.isFull
      {
        let start = max(0, place - 1 << 16)
        let piece = try Self.read(start..<place, of: file)
        place = start
        lines.add(before: piece, atMost: count, Self.entry)
      }
      if place == 0 { lines.end(atMost: count, Self.entry) }
    } catch {
      throw Failure(path: path, code: error.code)
    }
    return lines.entries.reversed()
  }
}

/// The lines of a file that is read from its end.
private struct NewestLines {
  let longest: Int
  /// The number of bytes that entries may still take.
  private var room: Int
  /// Whether there was no room for another entry.
  private(set) var isFull = false
  /// The entries, newest first.
  private(set) var entries: [String] = []
  /// The end of a line whose start has not been read yet.
  private var tail: [UInt8] = []
  private var isTooLong = false

  init(longest: Int, room: Int) {
    self.longest = longest
    self.room = room
  }

  /// Adds the bytes before those that were read until now.
  mutating func add(
    before piece: [UInt8], atMost count: Int, _ entry: ([UInt8]) -> String?
  ) {
    var rest = piece[...]
    while let end = rest.lastIndex(of: UInt8(ascii: "\n")) {
      extend(with: rest[(end + 1)...])
      self.end(atMost: count, entry)
      rest = rest[..<end]
    }
    extend(with: rest)
  }

  /// Ends the line that begins with the last added bytes.
  mutating func end(atMost count: Int, _ entry: ([UInt8]) -> String?) {
    isFull = isFull || tail.count > room
    if !isTooLong, !isFull, entries.count < count, let text = entry(tail) {
      entries.append(text)
      room -= tail.count
    }
    tail = []
    isTooLong = false
  }

  private mutating func extend(with start: ArraySlice<UInt8>) {
    guard !isTooLong else { return }
    tail = start + tail
    guard tail.count > longest else { return }
    isTooLong = true
    tail = []
  }
}
