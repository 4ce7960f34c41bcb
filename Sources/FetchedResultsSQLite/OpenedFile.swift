import FetchedResults
import Foundation
import GRDB
import GRDBSQLite

/// A file that is open and fits its model.
struct OpenedFile {
  let queue: DatabaseQueue
  let layout: StoreLayout
  let identifier: String
  /// The tables of the file's history; nil if it keeps none.
  let history: HistoryTables?
  let functions = SQLStringFunctions()
  let busyWait = BusyWait(patience: Self.patience)

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
      if need == .none { return file }
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
    return try OpenedFile(path, model: model, didOpen: {})
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
    _ functions: SQLStringFunctions, _ busyWait: BusyWait
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
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      if isFolder.boolValue { throw .folder }
      guard isRegular(path) else { throw .notRegular }
      if !FileManager.default.isReadableFile(atPath: path) { throw .unreadable }
      if !FileManager.default.isWritableFile(atPath: path) { throw .unwritable }
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileManager.default.fileExists(atPath: folder) else { throw .noFolder }
    guard FileManager.default.isWritableFile(atPath: folder) else { throw .unwritableFolder }
  }

  private static func byteCount(of path: String) -> Int {
    (attributes(of: path)[.size] as? NSNumber)?.intValue ?? 0
  }

  /// Whether there is a regular file, and not a pipe or a device.
  static func isRegular(_ path: String) -> Bool {
    attributes(of: path)[.type] as? FileAttributeType == .typeRegular
  }

  /// Returns the attributes of the file at a path, after following links.
  private static func attributes(of path: String) -> [FileAttributeKey: Any] {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return (try? FileManager.default.attributesOfItem(atPath: file)) ?? [:]
  }
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
  case damaged(String)
  case noStore
  case busy
  case removed
  case replaced
  case newerLayout(Int64)
  case history
}

/// A copy of a file and its write-ahead log.
///
/// It is removed with its last user, or when the program ends.
final class PrivateCopy {
  let path: String
  /// Which state of the file it is.
  let mark: CopyMark
  private let folder: URL

  init(of path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { throw UnusableFile.noFile }
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-\(UUID().uuidString)")
    self.path = folder.appendingPathComponent("copy.sqlite").path
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    mark = try CopyMark(try DatabaseCopy.make(of: path, at: self.path), copy: self.path)
  }

  /// Removes the copy's name once it is open, so that nothing remains however the program ends.
  func removeName() { try? FileManager.default.removeItem(at: folder) }

  deinit { removeName() }
}
