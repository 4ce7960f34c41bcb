package import FetchedResults
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

  private static let pieceSize = 1 << 20

  /// Copies a database and its log.
  ///
  /// - Parameters:
  ///   - files: The database.
  ///   - folder: The folder of the copy, which has no other files.
  ///   - name: The name of the copy.
  /// - Returns: What the files were like when they were copied.
  /// - Throws: `UnusableFile.busy` if other processes wrote all the time.
  @discardableResult
  static func make(
    of files: DatabaseFiles, in folder: borrowing OpenFolder, named name: String
  ) throws -> DatabaseState {
    let start = ContinuousClock.now
    while true {
      let before = try DatabaseState(files)
      let elapsed = (ContinuousClock.now - start) / .seconds(1)
      if !before.hasJournal || elapsed > journalPatience {
        try copy(files, to: folder, name)
        let after = try DatabaseState(files)
        if before.isSteady(until: after) { return before }
      }
      guard elapsed < patience else { throw UnusableFile.busy }
      Thread.sleep(forTimeInterval: before.hasJournal ? 0.01 : 0.000_5)
    }
  }

  private static func copy(
    _ files: DatabaseFiles, to folder: borrowing OpenFolder, _ name: String
  ) throws {
    for part in DatabaseFiles.Part.allCases {
      let copyName = name + part.rawValue
      guard let source = try files.open(part) else {
        // A log disappears with its last user and a journal with its transaction, also between two
        // checks. A new one may have appeared since; the next check finds it.
        guard part != .database else { throw UnusableFile.noFile }
        try? folder.removeFile(copyName)
        continue
      }
      try contents(of: source.descriptor, to: folder, copyName)
    }
  }

  /// Copies what a file still has into a new file.
  static func contents(
    of source: FileDescriptor, to folder: borrowing OpenFolder, _ name: String
  ) throws(SystemError) {
    let copy = try folder.open(name, .emptying, permissions: 0o600)
    while true {
      let piece = try source.read(upTo: pieceSize)
      if piece.isEmpty { break }
      try copy.descriptor.write(piece)
    }
  }
}

extension SQLiteStore {
  /// Copies a store that other processes may be writing to, with the files of its external data.
  ///
  /// - Parameters:
  ///   - path: The store, which does not change.
  ///   - copy: The path of the copy, beside which nothing belongs to an earlier one.
  package static func copy(_ path: String, to copy: String) throws(StoreError) {
    do {
      let folder = RealPath.folder(of: copy)
      try DatabaseCopy.make(
        of: DatabaseFiles(path), in: OpenFolder(folder),
        named: String(copy.dropFirst(folder.count + 1)))
      try ExternalData(besides: path).copyFiles(to: ExternalData(besides: copy))
    } catch {
      throw StoreError(error, store: path)
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

  init(_ files: DatabaseFiles) throws {
    // The order matters: a log that appears between the two reads is noticed by the next check.
    logHeader = try Self.bytes(of: .log, files, at: 0, count: 32)
    if let file = try files.open(.journal) {
      let start = try file.descriptor.read(upTo: 8, at: 0)
      // SQLite fills the header of a journal with zeros when it keeps the file for later.
      if start.count == 8, start.contains(where: { $0 != 0 }) { journal = File(try file.status()) }
    }
    guard let file = try files.open(.database) else { throw UnusableFile.noFile }
    database = File(try file.status())
    let counter = try file.descriptor.read(upTo: 4, at: 24)
    changeCounter = counter.count == 4 ? counter : []
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
  private static func bytes(
    of part: DatabaseFiles.Part, _ files: DatabaseFiles, at offset: Int, count: Int
  ) throws -> [UInt8]? {
    guard let file = try files.open(part) else { return nil }
    let bytes = try file.descriptor.read(upTo: count, at: offset)
    return bytes.count == count ? bytes : nil
  }
}

/// A database's file and those that SQLite keeps beside it, which are read and never changed.
///
/// A link in the path of the database is followed once, as SQLite follows it: its log is beside the
/// file, and not beside the link. A link in place of a file beside it is refused, because it could
/// lead to any file.
struct DatabaseFiles: Sendable {
  /// One of the files.
  enum Part: String, CaseIterable {
    case database = ""
    case log = "-wal"
    case journal = "-journal"
  }

  private let folder: String
  private let name: String

  /// - Throws: `UnusableFile.noFile` if there is no database.
  init(_ path: String) throws(UnusableFile) {
    guard let real = RealPath.of(path) else { throw .noFile }
    folder = RealPath.folder(of: real)
    name = String(real.dropFirst(folder == "/" ? 1 : folder.count + 1))
  }

  /// Opens one of the files.
  ///
  /// - Returns: Nil if there is no such file.
  /// - Throws: ``UnusableFile`` if it is not a regular file or cannot be read.
  func open(_ part: Part) throws(UnusableFile) -> OpenFile? {
    do throws(SystemError) {
      let file = try OpenFolder(folder).open(name + part.rawValue)
      switch try file.status().kind {
      case .regular: return file
      case .folder: throw .folder
      case .special: throw .invalid
      }
    } catch {
      switch (error, part) {
      case (.missing, _): return nil
      case (.tooManyFiles, _): throw .tooManyFiles
      case (.folder, .database): throw .folder
      // The database has become a link or another file since its real path was found.
      case (.link, .database), (.invalid, .database): throw .notRegular
      case (.link, _): throw .linkBeside(part.rawValue)
      case (.folder, _), (.invalid, _): throw .notRegularBeside(part.rawValue)
      case (_, .database): throw .unreadable
      case (_, .log), (_, .journal): throw .unreadableBeside(part.rawValue)
      }
    }
  }
}

/// Decides how long a connection waits for other processes that have locked the file.
///
/// SQLite calls it on the thread that runs the statement.
final class BusyHandler: Sendable {
  private struct State {
    /// In milliseconds.
    var patience: Int
    var start = ContinuousClock.now
  }

  private let state: Locked<State>

  /// How long SQLite waits before it tries again, in milliseconds.
  private static let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

  init(patience seconds: Double) {
    state = Locked(State(patience: Int(seconds * 1000)))
  }

  /// The longest wait, in milliseconds; 0 to fail at once.
  var patience: Int {
    get { state.withLock { $0.patience } }
    set { state.withLock { $0.patience = newValue } }
  }

  /// Waits a little, if there is time left.
  ///
  /// - Parameter tries: How often the statement was tried before.
  /// - Returns: Whether to try again.
  func wait(after tries: Int) -> Bool {
    let left = state.withLock { state in
      if tries == 0 { state.start = .now }
      return .milliseconds(state.patience) - (ContinuousClock.now - state.start)
    }
    guard left > .zero else { return false }
    let pause = Duration.milliseconds(Self.pauses[min(tries, Self.pauses.count - 1)])
    Thread.sleep(forTimeInterval: min(pause, left) / .seconds(1))
    return true
  }
}
