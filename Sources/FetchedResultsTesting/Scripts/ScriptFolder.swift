import FetchedResults
import FetchedResultsSQLite
import Foundation
import ScriptRuntime
import ScriptSyntax

/// Gives a script access to the files beside it, and to stores in a temporary folder.
final class ScriptFolder: ScriptEnvironment {
  let isInterrupted = false
  private let stores = FileManager.default.temporaryDirectory
    .appendingPathComponent("frc-script-\(UUID().uuidString)")

  func newSession() -> any ScriptEnvironment { ScriptFolder() }

  deinit { try? FileManager.default.removeItem(at: stores) }

  func source(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> SourceText {
    let file = Self.place(of: path, includer)
    return try Self.source(at: file.standardizedFileURL.path)
  }

  /// Reads a script.
  static func source(at path: String) throws(UnreadableSource) -> SourceText {
    SourceText(name: path, bytes: try bytes(of: URL(fileURLWithPath: path)))
  }

  func contents(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> [UInt8] {
    try Self.bytes(of: Self.place(of: path, includer))
  }

  func names(inFolder path: String, includedFrom includer: String) -> [String]? {
    let folder = Self.place(of: path, includer).path
    return try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  func store(
    at path: String, includedFrom includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    var wish = StoreMigration.none
    if let migration {
      wish = .inferred(
        allowsDataLoss: migration.allowsDataLoss, versions: migration.versions)
      wish.didMigrate = migration.didMigrate
    }
    return try SQLiteStore(
      model: model, path: try place(ofStore: path, includer, isReadOnly), name: path,
      isReadOnly: isReadOnly, migration: wish)
  }

  func fits(
    of models: [ManagedObjectModel], storeAt path: String, includedFrom includer: String,
    isReadOnly: Bool
  ) -> [Int?] {
    guard let place = try? place(ofStore: path, includer, isReadOnly) else { return [] }
    return SQLiteStore.fits(of: models, path: place, isReadOnly: isReadOnly)
  }

  func sectionCaches(for store: any PersistentStore) -> (any SectionCaches)? {
    FolderSectionCaches(folder: stores.appendingPathComponent("caches"), store: store)
  }

  /// Returns the place of a store.
  ///
  /// A script may write only to temporary stores, and read stores beside it.
  private func place(
    ofStore path: String, _ includer: String, _ isReadOnly: Bool
  ) throws(StoreError) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let own = stores.appendingPathComponent(name).path
    if isReadOnly, !FileManager.default.fileExists(atPath: own) {
      return Self.place(of: path, includer).path
    }
    do {
      try FileManager.default.createDirectory(at: stores, withIntermediateDirectories: true)
    } catch {
      throw .unusable(
        store: path, reason: "no temporary folder can be made; TMPDIR names its place")
    }
    return own
  }

  private static func place(of path: String, _ includer: String) -> URL {
    URL(fileURLWithPath: includer).deletingLastPathComponent().appendingPathComponent(path)
  }

  private static func bytes(of file: URL) throws(UnreadableSource) -> [UInt8] {
    guard let bytes = FileManager.default.contents(atPath: file.path) else {
      throw UnreadableSource(reason: "no such file")
    }
    return Array(bytes)
  }
}
