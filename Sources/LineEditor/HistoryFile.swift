import Platform

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
      "history is not kept in '\(path)': \(SystemError(code: code).systemWords)"
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
    let file: OpenFile
    do {
      file = try openLocked(.readingAndWriting)
    } catch {
      switch SystemError(code: error.code) {
      case .missing: return []
      // What may not be written may still be read.
      case .denied, .readOnly: file = try openLocked(.reading)
      default: throw error
      }
    }
    let entries = Self.entries(in: try contents(of: file))
    guard entries.count > capacity else { return entries }
    let newest = Array(entries.suffix(capacity))
    // Where the folder may not be written, the file just stays long.
    try? AtomicFile.write(newest.flatMap(Self.line(for:)), to: path, permissions: 0o600)
    return newest
  }

  /// Writes `entry` at the end.
  package func append(_ entry: String) throws(Failure) {
    let file = try openLocked(.readingAndAppending)
    var bytes = Self.line(for: entry)
    do throws(SystemError) {
      // A session that was killed may have left half a line.
      let size = try file.status().size
      if size > 0, try file.descriptor.read(upTo: 1, at: size - 1) != [UInt8(ascii: "\n")] {
        bytes.insert(UInt8(ascii: "\n"), at: 0)
      }
      do throws(SystemError) {
        try file.descriptor.write(bytes)
      } catch {
        // A disk that is full takes a part of a line.
        file.shorten(to: size)
        throw error
      }
    } catch {
      throw Failure(path: path, code: error.code)
    }
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
  /// Another session may replace the file between the two. So the file is opened
  /// again until the locked one is the one that has the name.
  private func openLocked(_ access: OpenFile.Access) throws(Failure) -> OpenFile {
    do throws(SystemError) {
      while true {
        // A FIFO of this name must not stop the session.
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

  /// Waits a second at most: better an unlocked append, which is a single
  /// write, than a session that hangs because another one was stopped.
  private static func lock(_ file: borrowing OpenFile) {
    for _ in 0..<200 where file.tryLock() == false {
      _ = FileDescriptor.wait(for: [], milliseconds: 5)
    }
  }

  private func contents(of file: borrowing OpenFile) throws(Failure) -> [UInt8] {
    do throws(SystemError) {
      let size = try file.status().size
      let start = max(0, size - Self.largestSize)
      var bytes: [UInt8] = []
      while bytes.count < size - start {
        let piece = try file.descriptor.read(
          upTo: size - start - bytes.count, at: start + bytes.count)
        if piece.isEmpty { break }
        bytes += piece
      }
      guard start > 0 else { return bytes }
      // The first line is cut through.
      return Array(bytes.drop { $0 != UInt8(ascii: "\n") })
    } catch {
      throw Failure(path: path, code: error.code)
    }
  }
}
