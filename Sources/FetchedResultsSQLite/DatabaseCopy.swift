import Foundation
import Platform

/// Copies a database that other processes may be writing to, so that the copy is one consistent
/// state.
///
/// Nothing is locked, because a lock would change the files that SQLite keeps beside the database.
/// The log is copied after the database. A checkpoint may write into the database meanwhile, but
/// its changes are in the log as well, unless the log has restarted. The log's header shows whether
/// it has.
enum DatabaseCopy {
  /// How long to retry while another process writes all the time, in seconds.
  static let patience = 5.0
  /// The age in seconds from which a journal is taken for one of a process that has ended.
  ///
  /// SQLite then rolls back its transaction in the copy.
  static let journalPatience = 1.0

  /// Copies a database and its log.
  ///
  /// - Returns: What the files were like when they were copied.
  /// - Throws: `UnusableFile.busy` if other processes wrote all the time.
  @discardableResult
  static func make(of path: String, at target: String) throws -> DatabaseState {
    let start = ContinuousClock.now
    while true {
      let before = try DatabaseState(path)
      let elapsed = (ContinuousClock.now - start) / .seconds(1)
      if !before.hasJournal || elapsed > journalPatience {
        try copy(path, to: target)
        let after = try DatabaseState(path)
        if before.isSteady(until: after) { return before }
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
        // A log disappears with its last user and a journal with its transaction, also between two
        // checks. A new one may have appeared since; the next check finds it.
        let code = (error as? CocoaError)?.code
        guard !suffix.isEmpty, code == .fileReadNoSuchFile || code == .fileNoSuchFile else {
          throw error
        }
      }
    }
  }
}

/// The facts that show whether a database was written to.
struct DatabaseState {
  /// A file and when it was written.
  struct File: Equatable {
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

  let database: File
  /// The number in the database's header that each transaction without a log increases.
  let changeCounter: [UInt8]
  /// The header of the log, which changes whenever the log restarts; nil if the log is empty.
  let logHeader: [UInt8]?
  /// The journal of a transaction that is running or was never finished.
  private var journal: File?

  var hasJournal: Bool { journal != nil }

  init(_ path: String) throws {
    // The order matters: a log that appears between the two reads is noticed by the next check.
    logHeader = try Self.bytes(of: path + "-wal", at: 0, count: 32)
    if let start = try Self.bytes(of: path + "-journal", at: 0, count: 8),
      // SQLite fills the header of a journal with zeros when it keeps the file for later.
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

  /// Whether a copy made between this check and another is one consistent state.
  func isSteady(until other: DatabaseState) -> Bool {
    guard database.identity == other.database.identity, journal == other.journal,
      logHeader == other.logHeader
    else { return false }
    // If there is a log, everything that is written into the database meanwhile is also in the log.
    return logHeader != nil
      || (database == other.database && changeCounter == other.changeCounter)
  }

  /// Returns the bytes of a file at an offset.
  ///
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
