package import FetchedResults
import FetchedResultsSQLite
import Foundation
package import ScriptRuntime
package import ScriptSyntax

/// Stores in a temporary folder, which is removed with the environment.
///
/// There are no scripts.
package final class StoreFiles: ScriptEnvironment {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("frc-stores-" + UUID().uuidString)

  package init() {}

  deinit { try? FileManager.default.removeItem(at: folder) }

  package var isInterrupted: Bool { false }

  package func source(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> SourceText {
    throw UnreadableSource(reason: "no such file")
  }

  package func store(
    at path: String, includedFrom includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var wish = StoreMigration.none
    if let migration {
      wish = .inferred(allowsDataLoss: migration.allowsDataLoss)
      wish.didMigrate = migration.didMigrate
    }
    return try SQLiteStore(
      model: model, path: folder.appendingPathComponent(path).path, name: path,
      isReadOnly: isReadOnly, migration: wish)
  }
}
