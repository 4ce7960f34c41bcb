import FetchedResults
import FetchedResultsSQLite
import Foundation
import Platform
import ScriptRuntime
import ScriptSyntax

/// Gives a script access to the files beside it, and to stores in a temporary folder.
final class ScriptFolder: ScriptEnvironment {
  let isInterrupted = false
  /// The folder of temporary stores, which is made when the first one is.
  private var stores: TemporaryFolder?

  func newSession() -> any ScriptEnvironment { ScriptFolder() }

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
    return (try? FolderNames.names(in: folder))?.compactMap(\.text).sorted()
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
    guard let folder = try? storeFolder() else { return nil }
    return FolderSectionCaches(
      folder: URL(fileURLWithPath: folder.path(of: "caches")), store: store)
  }

  private func storeFolder() throws(SystemError) -> TemporaryFolder {
    if let stores { return stores }
    let folder = try TemporaryFolder(prefix: "frc-script")
    stores = folder
    return folder
  }

  /// Returns the place of a store.
  ///
  /// A script may write only to temporary stores, and read stores beside it.
  private func place(
    ofStore path: String, _ includer: String, _ isReadOnly: Bool
  ) throws(StoreError) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let own = stores?.path(of: name)
    if isReadOnly, own.flatMap({ try? FileStatus($0) }) == nil {
      return Self.place(of: path, includer).path
    }
    do throws(SystemError) {
      return try storeFolder().path(of: name)
    } catch {
      throw .unusable(
        store: path, reason: "no temporary folder can be made; TMPDIR names its place")
    }
  }

  private static func place(of path: String, _ includer: String) -> URL {
    URL(fileURLWithPath: includer).deletingLastPathComponent().appendingPathComponent(path)
  }

  private static func bytes(of file: URL) throws(UnreadableSource) -> [UInt8] {
    do throws(SystemError) {
      return try OpenFile.contents(of: file.path)
    } catch {
      throw UnreadableSource(reason: error == .invalid ? "it is not a regular file" : error.words)
    }
  }
}
