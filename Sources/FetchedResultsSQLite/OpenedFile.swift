import FetchedResults
import Foundation
import GRDB
import GRDBSQLite
import Platform

/// A file that is open and fits its model.
struct OpenedFile {
  let queue: DatabaseQueue
  let layout: StoreLayout
  let identifier: String
  /// The tables of the file's history; nil if it keeps none.
  let history: HistoryTables?
  let functions = SQLStringFunctions()
  let busyWait = BusyHandler(patience: Self.patience)

  /// How long a statement waits for another process's statement, in seconds.
  static let patience = 5.0

  /// Opens a file, and migrates it if it has an older model.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - model: The entities of the objects in it.
  ///   - isReadOnly: Whether the file must stay as it is.
  ///   - migration: What to do if the file does not fit the model.
  ///   - didOpen: Called once SQLite no longer needs the file's name, before the contents are read.
  static func open(
    _ path: String, model: ManagedObjectModel, isReadOnly: Bool, migration: StoreMigration,
    didOpen: () -> Void
  ) throws -> OpenedFile {
    if !isReadOnly, byteCount(of: path) > 0 { try migration.performStages(path, model: model) }
    do {
      let file = try OpenedFile(path, model: model, didOpen: didOpen)
      let need = isReadOnly ? .none : try migration.need(file.queue, model: model)
      if need == .none {
        if !isReadOnly { try migration.updateIndexes(of: file, model) }
        return file
      }
      try file.queue.close()
      do {
        try migration.perform(path, model: model)
      } catch MigrationError.dataLoss(let losses) where need == .must {
        throw MigrationError.dataLoss(losses)
      } catch MigrationError.dataLoss {
        // The file fits the model and is used as it is.
      }
    } catch let misfit as LayoutMisfit {
      guard migration.isInferred else { throw misfit }
      if isReadOnly { throw MigrationError.readOnly(reason: misfit.words) }
      try migration.perform(path, model: model)
    }
    let file = try OpenedFile(path, model: model, didOpen: {})
    try migration.updateIndexes(of: file, model)
    return file
  }

  private init(_ path: String, model: ManagedObjectModel, didOpen: () -> Void) throws {
    try Self.checkPlace(path)
    let byteCount = Self.byteCount(of: path)
    let isNew = byteCount == 0
    // Lay out the model first, so that an error creates no file.
    _ = try StoreLayout(model)
    var configuration = Self.configuration(functions, busyWait)
    if isNew {
      configuration.prepareDatabase { database in
        try database.execute(sql: "PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL")
      }
    }
    // The first read is part of this call, so that the log is open as well.
    queue = try DatabaseQueue(path: path, configuration: configuration)
    didOpen()
    (layout, identifier, history) = try queue.writeWithoutTransaction { database in
      if byteCount <= Self.mostChecked { try Self.check(database) }
      // Two processes may find the same empty file: the second waits here, and then finds a store.
      // A file counts as new if its process ended before it created the store.
      if try StoreSchema(database).columns.isEmpty {
        try database.inTransaction(.immediate) {
          if try StoreSchema(database).columns.isEmpty {
            let creation = StoreCreation(
              layout: try StoreLayout(model), model: model, identifier: UUID())
            try creation.perform(in: database)
          }
          return .commit
        }
      }
      return try Self.read(database, model)
    }
  }

  /// How every connection to a store works.
  static func configuration(
    _ functions: SQLStringFunctions, _ busyWait: BusyHandler
  ) -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .callback { busyWait.wait(after: $0) }
    configuration.prepareDatabase { functions.register(with: $0) }
    configuration.prepareDatabase { letStop($0) }
    return configuration
  }

  /// Lets a check on the calling thread stop a statement, like an interruption.
  private static func letStop(_ database: Database) {
    sqlite3_progress_handler(
      database.sqliteConnection, 1_000, { _ in StopCheck.isWanted(after: 256) ? 1 : 0 }, nil)
  }

  /// Reads the file's tables and metadata, and compares them with the model.
  private static func read(
    _ database: Database, _ model: ManagedObjectModel
  ) throws -> (StoreLayout, String, HistoryTables?) {
    // Other processes may write between the statements: the tables of a history, or a migration,
    // which only a write-ahead log keeps from beginning while the file is open.
    try database.beginTransaction(.deferred)
    defer { try? database.rollback() }
    let schema = try StoreSchema(database)
    guard schema.isStore,
      let row = try Row.fetchOne(database, sql: "SELECT Z_VERSION, Z_UUID FROM Z_METADATA")
    else { throw UnusableFile.noStore }
    guard let version = Int64.fromDatabaseValue(row[0]) else {
      throw UnreadableRow(table: "Z_METADATA", number: 1, column: "Z_VERSION")
    }
    guard version <= SQLiteStore.layoutVersion else { throw UnusableFile.newerLayout(version) }
    let layout = try StoreLayout(model, file: schema)
    try schema.check(layout)
    guard case .string(let identifier) = (row[1] as DatabaseValue).storage else {
      throw UnreadableRow(table: "Z_METADATA", number: 1, column: "Z_UUID")
    }
    return (layout, identifier, try HistoryTables(schema))
  }

  /// The largest file, in bytes, that is checked completely before use.
  ///
  /// Such a check takes 30 milliseconds at most. Damage in a larger file is found when it is read.
  private static let mostChecked = 2 << 20

  /// Lets SQLite look for damage.
  ///
  /// - Throws: `UnusableFile.damaged` with the first that it finds.
  private static func check(_ database: Database) throws {
    for pragma in ["integrity_check", "quick_check"] {
      do {
        let finding = try String.fetchOne(database, sql: "PRAGMA \(pragma)(1)")
        if let finding, finding != "ok" { throw UnusableFile.damaged(finding.inOneLine) }
        return
      } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        // An index needs a collation or function that only Core Data has. The quick check skips
        // indexes.
        continue
      }
    }
  }

  private static func checkPlace(_ path: String) throws(UnusableFile) {
    if let status = try? FileStatus(path) {
      switch status.kind {
      case .regular: break
      case .folder: throw .folder
      case .special: throw .notRegular
      }
      if !FileStatus.isAllowed(.reading, of: path) { throw .unreadable }
      if !FileStatus.isAllowed(.readingAndWriting, of: path) { throw .unwritable }
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileStatus.exists(folder) else { throw .noFolder }
    guard FileStatus.isAllowed(.readingAndWriting, of: folder) else { throw .unwritableFolder }
  }

  private static func byteCount(of path: String) -> Int { (try? FileStatus(path))?.size ?? 0 }
}

extension String {
  /// The text with blanks in place of line ends.
  fileprivate var inOneLine: String {
    split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}

/// The reason why a file cannot be used as a store.
enum UnusableFile: Error, Hashable {
  case noFile
  case folder
  case unreadable
  case unwritable
  case noFolder
  case unwritableFolder
  case notRegular
  /// A file beside it, with this ending, is a link.
  case linkBeside(String)
  case notRegularBeside(String)
  case unreadableBeside(String)
  /// The process has no descriptor left.
  case tooManyFiles
  /// A copy of it has no folder.
  case noTemporaryFolder(SystemError)
  case damaged(String)
  case noStore
  case busy
  case removed
  case replaced
  case newerLayout(Int64)
  case history
  /// The model has two owners of one table.
  case sameTable(String, entity: String, other: String)
}

extension TemporaryFolder {
  /// Makes a folder for a copy of a store.
  ///
  /// The system's error alone, such as that there is no such file, would be read as the store's.
  static func forCopy() throws(UnusableFile) -> TemporaryFolder {
    do throws(SystemError) {
      return try TemporaryFolder()
    } catch {
      throw error == .tooManyFiles ? .tooManyFiles : .noTemporaryFolder(error)
    }
  }
}

/// A copy of a file and its write-ahead log.
///
/// It is removed with its last user, or when the program ends.
final class PrivateCopy {
  let path: String
  /// Which state of the file it is.
  let mark: CopyMark
  private let folder: TemporaryFolder

  /// - Throws: ``UnusableFile``, or ``SystemError`` if the copy cannot be made.
  init(of path: String) throws {
    let files = try DatabaseFiles(path)
    let name = "copy.sqlite"
    folder = try TemporaryFolder.forCopy()
    self.path = folder.path(of: name)
    let open = try folder.opened()
    let state = try DatabaseCopy.make(of: files, in: open, named: name)
    if let log = try? open.open(name + DatabaseFiles.Part.log.rawValue) {
      mark = CopyMark(state, log: try LogFrames(log.descriptor, after: nil).end)
    } else {
      mark = CopyMark(state, log: nil)
    }
  }

  /// Removes the copy's name once it is open, so that nothing remains however the program ends.
  func removeName() { folder.remove() }
}
