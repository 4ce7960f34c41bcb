import Foundation
import Platform

/// Copies a database to which other processes may be writing, so that the copy
/// is one state of it.
///
/// Nothing is locked, for that would change what SQLite keeps beside the file.
/// The log is copied after the database. What a checkpoint writes into the
/// database meanwhile is in the log as well, as long as the log does not begin
/// again; its header tells whether it did.
enum DatabaseCopy {
  /// How long to try beside a process that writes all the time, in seconds.
  private static let patience = 5.0
  /// After how many seconds a journal counts as one that a process left behind.
  ///
  /// SQLite undoes its transaction in the copy.
  private static let journalPatience = 1.0

  /// Copies a database and its log.
  ///
  /// - Throws: `UnusableFile.busy` if there was no quiet moment.
  static func make(of path: String, at target: String) throws {
    let start = ContinuousClock.now
    while true {
      let before = try State(path)
      let elapsed = (ContinuousClock.now - start) / .seconds(1)
      if !before.hasJournal || elapsed > journalPatience {
        try copy(path, to: target)
        let after = try State(path)
        if before.isSteady(until: after) { return }
      }
      guard elapsed < patience else { throw UnusableFile.busy }
      Thread.sleep(forTimeInterval: before.hasJournal ? 0.01 : 0.000_5)
    }
  }

  private static func copy(_ path: String, to target: String) throws {
    let files = FileManager.default
    for suffix in ["", "-wal", "-journal"] {
      if files.fileExists(atPath: target + suffix) {
        try files.removeItem(atPath: target + suffix)
      }
      do {
        try files.copyItem(atPath: path + suffix, toPath: target + suffix)
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target + suffix)
      } catch {
        // A log goes with its last user, and a journal with its transaction, also between two looks
        // at it. Another one may have come since; the next look tells.
        let code = (error as? CocoaError)?.code
        guard !suffix.isEmpty, code == .fileReadNoSuchFile || code == .fileNoSuchFile else {
          throw error
        }
      }
    }
  }
}

/// What tells whether a database was written to.
private struct State {
  /// A file and when it was written.
  private struct File: Equatable {
    let identity: FileStatus.Identity
    let size: Int
    let modified: FileStatus.Time
    let changed: FileStatus.Time

    init(_ status: FileStatus) {
      identity = status.identity
      size = status.size
      modified = status.modified
      changed = status.changed
    }
  }

  private let database: File
  /// The number in the database's header that each transaction counts up which
  /// needs no log.
  private let changeCounter: [UInt8]
  /// The header of the log, another one whenever the log begins again; nil if nothing is in the
  /// log.
  private let logHeader: [UInt8]?
  /// The journal of a transaction under way, or of one that was never ended.
  private var journal: File?

  var hasJournal: Bool { journal != nil }

  init(_ path: String) throws {
    // In this order: a log that begins between two looks is noticed later.
    logHeader = try Self.bytes(of: path + "-wal", at: 0, count: 32)
    if let start = try Self.bytes(of: path + "-journal", at: 0, count: 8),
      // The header of a journal that is kept for later is filled with zeros.
      start.contains(where: { $0 != 0 }), let status = try? FileStatus(path + "-journal")
    {
      journal = File(status)
    }
    do {
      let status = try FileStatus(path)
      guard status.kind == .regular else { throw UnusableFile.notRegular }
      database = File(status)
      changeCounter = try Self.bytes(of: path, at: 24, count: 4) ?? []
    } catch let error as UnusableFile {
      throw error
    } catch {
      throw error as? SystemError == .missing ? UnusableFile.noFile : UnusableFile.unreadable
    }
  }

  /// Whether what was copied after this look and before another is one state.
  func isSteady(until other: State) -> Bool {
    guard database.identity == other.database.identity, journal == other.journal,
      logHeader == other.logHeader
    else { return false }
    // What is written into the database beside a log comes from the log.
    return logHeader != nil
      || (database == other.database && changeCounter == other.changeCounter)
  }

  /// - Returns: Nil if there is no file, or it is shorter.
  private static func bytes(of path: String, at offset: Int, count: Int) throws -> [UInt8]? {
    do throws(SystemError) {
      let file = try OpenFile(path, .reading, waits: false)
      guard try file.status().kind == .regular else { throw .invalid }
      let bytes = try file.descriptor.read(upTo: count, at: offset)
      return bytes.count == count ? bytes : nil
    } catch {
      if error == .missing { return nil }
      throw error
    }
  }
}
