import FetchedResults
import FetchedResultsSQLite
import Foundation
import GoldenTesting
import RepositoryFiles
import ScriptRuntime
import ScriptSyntax

/// The goldens and examples of the repository.
enum ScriptFolder {
  /// Returns a script.
  ///
  /// Its source has the full path, so that the script finds included files.
  static func script(at path: String) throws -> ParsedScript {
    let file = RepositoryFiles.url(path)
    let source = SourceText(name: file.path, bytes: Array(try Data(contentsOf: file)))
    return ScriptParser.parse(GoldenTest(source: source).source)
  }
}

/// Gives a script access to the files beside it, and to temporary stores.
final class ScriptFiles: ScriptEnvironment {
  private let stores = FileManager.default.temporaryDirectory
    .appendingPathComponent("frc-export-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: stores) }

  func newSession() -> any ScriptEnvironment { ScriptFiles() }

  func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
    SourceText(
      name: place(of: path, includer).path, bytes: try contents(at: path, from: includer))
  }

  func contents(at path: String, from includer: String) throws(UnreadableSource) -> [UInt8] {
    guard let bytes = FileManager.default.contents(atPath: place(of: path, includer).path) else {
      throw UnreadableSource(reason: "no such file")
    }
    return Array(bytes)
  }

  func names(inFolder path: String, from includer: String) -> [String]? {
    try? FileManager.default.contentsOfDirectory(atPath: place(of: path, includer).path).sorted()
  }

  func store(
    at path: String, from includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    var wish = StoreMigration.none
    if let migration {
      wish = .inferred(allowsDataLoss: migration.allowsDataLoss)
      wish.didMigrate = migration.didMigrate
    }
    try? FileManager.default.createDirectory(at: stores, withIntermediateDirectories: true)
    return try SQLiteStore(
      model: model, path: stores.appendingPathComponent(path).path, name: path,
      isReadOnly: isReadOnly, migration: wish)
  }

  private func place(of path: String, _ includer: String) -> URL {
    URL(fileURLWithPath: includer).deletingLastPathComponent().appendingPathComponent(path)
  }
}
