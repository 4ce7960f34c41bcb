import Glibc

/// A file of history entries, one in a line, which several sessions may use at
/// the same time.
///
/// In an entry `\` is written `\\` and a line end `\n`; all else is plain
/// UTF-8. Each entry is appended on its own under a lock, so no session undoes
/// what another wrote. Lines that are no UTF-8 or hold a NUL are passed over.
package struct HistoryFile: Sendable {
  /// Why a history file could not be used.
  package struct Failure: Error, Equatable, CustomStringConvertible {
    /// The file.
    package let path: String

    /// The system's error number.
    package let code: Int32

    /// The failure in words.
    package var description: String {
      "history is not kept in '\(path)': \(String(cString: strerror(code)))"
    }
  }

  /// Of a longer file only the end is read.
  private static let largestSize = 16 << 20

  /// Where the file is; it is created when the first entry is written.
  package let path: String

  /// Names a file; nothing is opened yet.
  package init(path: String) {
    self.path = path
  }

  /// Reads the entries, oldest first.
  ///
  /// A file with more than `capacity` entries is cut down to the newest.
  ///
  /// - Throws: `Failure` where there is a file and it cannot be read.
  package func load(capacity: Int) throws(Failure) -> [String] {
    let descriptor: Int32
    do {
      descriptor = try openLocked(O_RDWR)
    } catch {
      if error.code == ENOENT { return [] }
      guard error.code == EACCES || error.code == EROFS else { throw error }
      // What may not be written may still be read.
      descriptor = try openLocked(O_RDONLY)
    }
    defer { close(descriptor) }
    let bytes = try contents(of: descriptor)
    let entries = Self.entries(in: bytes)
    guard entries.count > capacity else { return entries }
    let newest = Array(entries.suffix(capacity))
    // Where the folder may not be written, the file just stays long.
    try? replace(descriptor, with: newest)
    return newest
  }

  /// Writes `entry` at the end.
  package func append(_ entry: String) throws(Failure) {
    let descriptor = try openLocked(O_RDWR | O_CREAT | O_APPEND)
    defer { close(descriptor) }
    var bytes = Self.line(for: entry)
    // A session that was killed may have left half a line.
    var last: UInt8 = 0
    let size = lseek(descriptor, 0, SEEK_END)
    if size > 0, pread(descriptor, &last, 1, size - 1) == 1, last != UInt8(ascii: "\n") {
      bytes.insert(UInt8(ascii: "\n"), at: 0)
    }
    try write(bytes, to: descriptor)
  }
}

// MARK: - The format

extension HistoryFile {
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

  private static func entries(in bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard !line.contains(0) else { return nil }
      return String(validating: unescaped(line), as: UTF8.self)
    }
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

extension HistoryFile {
  /// Opens the file and locks it.
  ///
  /// Another session may replace the file between the two, so it is looked
  /// whether the locked one still bears the name.
  private func openLocked(_ flags: Int32) throws(Failure) -> Int32 {
    while true {
      // O_NONBLOCK: a FIFO of this name must not stop the session.
      let descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
      var opened = stat()
      guard fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT == S_IFREG else {
        close(descriptor)
        throw Failure(path: path, code: EINVAL)
      }
      Self.lock(descriptor)
      var named = stat()
      if stat(path, &named) == 0, named.st_dev == opened.st_dev, named.st_ino == opened.st_ino {
        return descriptor
      }
      close(descriptor)
    }
  }

  /// Waits a second at most: better an unlocked append, which is a single
  /// write, than a session that hangs because another one was stopped.
  private static func lock(_ descriptor: Int32) {
    for _ in 0..<200 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { return }
      poll(nil, 0, 5)
    }
  }

  private func contents(of descriptor: Int32) throws(Failure) -> [UInt8] {
    let size = Int(lseek(descriptor, 0, SEEK_END))
    guard size >= 0 else { throw Failure(path: path, code: errno) }
    let start = max(0, size - Self.largestSize)
    var bytes: [UInt8] = []
    while bytes.count < size - start {
      let wanted = size - start - bytes.count
      var count = 0
      var code: Int32 = 0
      bytes += [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
        count = pread(descriptor, buffer.baseAddress, wanted, start + bytes.count)
        code = errno
        filled = max(count, 0)
      }
      if count < 0, code == EINTR { continue }
      if count < 0 { throw Failure(path: path, code: code) }
      if count == 0 { break }
    }
    guard start > 0 else { return bytes }
    // The first line is cut through.
    return Array(bytes.drop { $0 != UInt8(ascii: "\n") })
  }

  /// Puts a new file with `entries` in the place of the locked one.
  private func replace(_ descriptor: Int32, with entries: [String]) throws(Failure) {
    // The name may be a link to the file; the link stays.
    guard let resolved = realpath(path, nil) else { throw Failure(path: path, code: errno) }
    defer { free(resolved) }
    let target = String(cString: resolved)
    let draft = target + ".\(getpid()).new"
    var status = stat()
    fstat(descriptor, &status)
    let new = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard new >= 0 else { throw Failure(path: path, code: errno) }
    defer { close(new) }
    do throws(Failure) {
      fchmod(new, status.st_mode & 0o777)
      try write(entries.flatMap(Self.line(for:)), to: new)
      guard rename(draft, target) == 0 else { throw Failure(path: path, code: errno) }
    } catch {
      unlink(draft)
      throw error
    }
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(path: path, code: errno) }
      rest.removeFirst(count)
    }
  }
}
