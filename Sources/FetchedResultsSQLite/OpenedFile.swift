import FetchedResults
import Foundation
import GRDB

/// A file that is open and fits its model.
struct OpenedFile {
  let queue: DatabaseQueue
  let layout: StoreLayout
  let identifier: String
  let functions = SQLStringFunctions()

  /// How long a statement waits for another process's, in seconds.
  static let patience = 5.0

  init(_ path: String, model: ManagedObjectModel) throws {
    try Self.checkPlace(path)
    let isNew = Self.isEmpty(path)
    // A model without a layout leaves no file behind.
    _ = try StoreLayout(model)
    var configuration = Configuration()
    configuration.busyMode = .timeout(Self.patience)
    configuration.prepareDatabase { [functions] in functions.register(with: $0) }
    if isNew {
      configuration.prepareDatabase { database in
        try database.execute(sql: "PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL")
      }
    }
    queue = try DatabaseQueue(path: path, configuration: configuration)
    (layout, identifier) = try queue.writeWithoutTransaction { database in
      // Two processes may find the same empty file: the second waits here, and
      // finds a store.
      // What a process left that ended before it made a store is new still.
      if try StoreSchema(database).columns.isEmpty {
        try database.inTransaction(.immediate) {
          if try StoreSchema(database).columns.isEmpty {
            let creation = StoreCreation(layout: try StoreLayout(model), identifier: UUID())
            try creation.perform(in: database)
          }
          return .commit
        }
      }
      return try Self.read(database, model)
    }
  }

  /// Reads what the file says of itself and holds it against the model.
  private static func read(
    _ database: Database, _ model: ManagedObjectModel
  ) throws -> (StoreLayout, String) {
    let schema = try StoreSchema(database)
    guard schema.isStore,
      let row = try Row.fetchOne(database, sql: "SELECT Z_VERSION, Z_UUID FROM Z_METADATA")
    else { throw UnusableFile.noStore }
    let version: Int = row["Z_VERSION"] ?? 0
    guard version <= SQLiteStore.layoutVersion else { throw UnusableFile.newerLayout(version) }
    let layout = try StoreLayout(model, file: schema)
    try schema.check(layout)
    return (layout, row["Z_UUID"] ?? "")
  }

  private static func checkPlace(_ path: String) throws(UnusableFile) {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      if isFolder.boolValue { throw .folder }
      if !FileManager.default.isReadableFile(atPath: path) { throw .unreadable }
      if !FileManager.default.isWritableFile(atPath: path) { throw .unwritable }
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileManager.default.fileExists(atPath: folder) else { throw .noFolder }
    guard FileManager.default.isWritableFile(atPath: folder) else { throw .unwritableFolder }
  }

  private static func isEmpty(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0 == 0
  }
}

/// A file that is no store for us.
enum UnusableFile: Error, Hashable {
  case noFile
  case folder
  case unreadable
  case unwritable
  case noFolder
  case unwritableFolder
  case noStore
  case busy
  case removed
  case replaced
  case newerLayout(Int)
}

/// A copy of a file and its write-ahead log, which goes with its last user, or
/// with the program.
final class PrivateCopy {
  let path: String
  private let folder: URL

  init(of path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { throw UnusableFile.noFile }
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-\(UUID().uuidString)")
    self.path = folder.appendingPathComponent("copy.sqlite").path
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try DatabaseCopy.make(of: path, at: self.path)
  }

  /// Takes the copy's name away once it is open, so that nothing of it is left
  /// however the program ends.
  func removeName() { try? FileManager.default.removeItem(at: folder) }

  deinit { removeName() }
}
