import FetchedResults
import FetchedResultsSQLite
import Foundation
import ScriptRuntime
import ScriptSyntax

/// Gives a golden access to the files beside it.
final class FolderEnvironment: ScriptEnvironment {
  /// Whether the stores are as Core Data writes them, without a description of their model.
  private let isOfCoreData: Bool
  private let stores = FileManager.default.temporaryDirectory
    .appendingPathComponent("frc-golden-\(UUID().uuidString)")

  init(isOfCoreData: Bool = false) { self.isOfCoreData = isOfCoreData }

  func newSession() -> any ScriptEnvironment { FolderEnvironment(isOfCoreData: isOfCoreData) }

  deinit { try? FileManager.default.removeItem(at: stores) }

  func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
    let file = place(of: path, includer)
    return SourceText(name: file.path, bytes: try bytes(of: file))
  }

  func contents(at path: String, from includer: String) throws(UnreadableSource) -> [UInt8] {
    try bytes(of: place(of: path, includer))
  }

  func names(inFolder path: String, from includer: String) -> [String]? {
    try? FileManager.default.contentsOfDirectory(atPath: place(of: path, includer).path).sorted()
  }

  func store(
    at path: String, from includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    try? FileManager.default.createDirectory(at: stores, withIntermediateDirectories: true)
    var wish = StoreMigration.none
    if let migration {
      wish = .inferred(allowsDataLoss: migration.allowsDataLoss)
      wish.didMigrate = migration.didMigrate
    }
    let file = stores.appendingPathComponent(path)
    if isOfCoreData {
      if !isReadOnly, !FileManager.default.fileExists(atPath: file.path) {
        _ = try SQLiteStore(model: model, path: file.path, name: path)
      }
      hideModel(in: file)
    }
    return try SQLiteStore(
      model: model, path: file.path, name: path, isReadOnly: isReadOnly, migration: wish)
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

  func sectionCaches(for store: any PersistentStore) -> (any SectionCaches)? {
    FolderSectionCaches(folder: stores.appendingPathComponent("caches"), store: store)
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
