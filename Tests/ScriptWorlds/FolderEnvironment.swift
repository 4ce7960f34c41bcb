package import FetchedResults
import FetchedResultsSQLite
import Foundation
package import ScriptRuntime
package import ScriptSyntax

/// Gives a script access to the files beside it, and to stores in a temporary folder.
package final class FolderEnvironment: ScriptEnvironment {
  /// Whether the stores are as Core Data writes them, without a description of their model.
  private let isOfCoreData: Bool
  private let stores = FileManager.default.temporaryDirectory
    .appendingPathComponent("frc-golden-\(UUID().uuidString)")

  /// Whether section caches are files beside the stores.
  private let keepsCaches: Bool

  package init(isOfCoreData: Bool = false, keepsCaches: Bool = true) {
    self.isOfCoreData = isOfCoreData
    self.keepsCaches = keepsCaches
  }

  package func newSession() -> any ScriptEnvironment {
    FolderEnvironment(isOfCoreData: isOfCoreData, keepsCaches: keepsCaches)
  }

  deinit { try? FileManager.default.removeItem(at: stores) }

  package func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText
  {
    let file = place(of: path, includer)
    return SourceText(name: file.path, bytes: try bytes(of: file))
  }

  package func contents(at path: String, from includer: String) throws(UnreadableSource) -> [UInt8]
  {
    try bytes(of: place(of: path, includer))
  }

  package func names(inFolder path: String, from includer: String) -> [String]? {
    try? FileManager.default.contentsOfDirectory(atPath: place(of: path, includer).path).sorted()
  }

  package func store(
    at path: String, from includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    try? FileManager.default.createDirectory(at: stores, withIntermediateDirectories: true)
    let file = stores.appendingPathComponent(path)
    if isOfCoreData {
      if !isReadOnly, !FileManager.default.fileExists(atPath: file.path) {
        _ = try SQLiteStore(model: model, path: file.path, name: path)
      }
      hideModel(in: file)
    }
    return try SQLiteStore(
      model: model, path: file.path, name: path, isReadOnly: isReadOnly,
      migration: StoreMigration(migration))
  }

  /// Renames the entry that describes the model, unless somebody has the file open.
  private func hideModel(in file: URL) {
    guard !FileManager.default.fileExists(atPath: file.path + "-wal"),
      var bytes = FileManager.default.contents(atPath: file.path),
      let place = bytes.range(of: Data("FRCModel".utf8))
    else { return }
    bytes.replaceSubrange(place, with: Data("XRCModel".utf8))
    try? bytes.write(to: file)
  }

  package func sectionCaches(for store: any PersistentStore) -> (any SectionCaches)? {
    guard keepsCaches else { return nil }
    return FolderSectionCaches(folder: stores.appendingPathComponent("caches"), store: store)
  }

  private func place(of path: String, _ includer: String) -> URL {
    URL(fileURLWithPath: includer).deletingLastPathComponent().appendingPathComponent(path)
  }

  private func bytes(of file: URL) throws(UnreadableSource) -> [UInt8] {
    guard let bytes = FileManager.default.contents(atPath: file.path) else {
      throw UnreadableSource(reason: "no such file")
    }
    return Array(bytes)
  }
}
