package import FetchedResults
import FetchedResultsSQLite
import Foundation
package import ScriptRuntime
package import ScriptSyntax
import Synchronization

/// Scripts in memory, and stores in a temporary folder, which is removed with the environment.
package final class StoreFiles: ScriptEnvironment {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("frc-stores-" + UUID().uuidString)

  private let scripts: [String: String]
  private let opened = Mutex(0)
  /// The number of times that a store was opened.
  package var openings: Int { opened.withLock(\.self) }

  package init(_ scripts: [String: String] = [:]) { self.scripts = scripts }

  deinit { try? FileManager.default.removeItem(at: folder) }

  package func source(
    at path: String, from includer: String
  ) throws(UnreadableSource) -> SourceText {
    guard let text = scripts[path] else { throw UnreadableSource(reason: "no such file") }
    return SourceText(name: path, text: text)
  }

  package func store(
    at path: String, from includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    opened.withLock { $0 += 1 }
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try SQLiteStore(
      model: model, path: folder.appendingPathComponent(path).path, name: path,
      isReadOnly: isReadOnly, migration: StoreMigration(migration))
  }
}

extension StoreMigration {
  /// Creates the options for opening a file with an older model.
  init(_ migration: ScriptMigration?) {
    guard let migration else {
      self = .none
      return
    }
    self = .inferred(allowsDataLoss: migration.allowsDataLoss)
    didMigrate = migration.didMigrate
  }
}
