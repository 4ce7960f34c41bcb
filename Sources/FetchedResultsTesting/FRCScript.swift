import FetchedResults
import FetchedResultsSQLite
import Foundation
import GoldenTesting
import Platform
import ScriptRuntime
import ScriptSyntax

#if canImport(Testing)
public import Testing
#endif

/// A script with its expected output, as one case of a test.
///
/// ```swift
/// @Test(arguments: FRCScript.all(in: "Scripts"))
/// func script(_ script: FRCScript) throws { try script.run() }
/// ```
///
/// A script passes here exactly if `frc test` passes it: both use the same runner. A script that
/// names its stores with `#@ matrix store=sqlite` runs on these.
public struct FRCScript: Sendable, Hashable {
  /// A kind of store that scripts run on.
  public enum Store: String, Sendable, Hashable, CaseIterable {
    /// A store in memory.
    case memory
    /// A SQLite file, which is created for the run and removed after it.
    case sqlite
  }

  /// The path of the script's file.
  public let path: String
  /// The path relative to the folder that was searched.
  public let name: String
  /// Why there is no script, and where it was requested.
  private let problem: Problem?

  private struct Problem: Hashable, Sendable {
    let reason: String
    let place: TestPlace
  }

  /// Creates a script.
  ///
  /// - Parameter path: The path of its file, absolute or relative to the working folder.
  public init(path: String) { self.init(path: path, name: path) }

  private init(path: String, name: String, problem: Problem? = nil) {
    self.path = path
    self.name = name
    self.problem = problem
  }

  /// Returns the scripts in a folder and its subfolders, sorted by path: every file that ends in
  /// `.frc`.
  ///
  /// Hidden files and folders are skipped. If the folder is missing or has no scripts, the result
  /// is one case that fails and names the folder. So a test never passes because it found nothing.
  ///
  /// - Parameters:
  ///   - folder: The path of the folder, relative to the folder of the test's source file.
  ///   - filePath: The test's source file.
  ///   - line: The line at which a missing folder is reported.
  /// - Complexity: O(*n* log *n*) for *n* files in the folder.
  public static func all(
    in folder: String, filePath: String = #filePath, line: Int = #line
  ) -> [FRCScript] {
    let root = URL(fileURLWithPath: filePath).deletingLastPathComponent()
      .appendingPathComponent(folder).standardizedFileURL.path
    func failing(_ reason: String) -> [FRCScript] {
      let place = TestPlace(path: filePath, line: line)
      return [
        FRCScript(path: root, name: folder, problem: Problem(reason: reason, place: place))
      ]
    }
    guard let status = try? FileStatus(root) else {
      return failing("there is no folder '\(root)'; write its path from the test's own folder")
    }
    guard status.kind == .folder else {
      return failing("'\(root)' is a file; name the folder in which it is")
    }
    guard let names = try? scripts(below: root) else {
      return failing("the folder '\(root)' cannot be read")
    }
    guard !names.isEmpty else { return failing("no *.frc file in the folder '\(root)'") }
    return names.inByteOrder()
      .map { FRCScript(path: root + "/" + $0, name: $0) }
  }

  /// Returns the paths of the scripts below a folder, from the folder on; links to folders are not
  /// followed.
  private static func scripts(below folder: String) throws(SystemError) -> [String] {
    var found: [String] = []
    for name in try FolderNames.names(in: folder).compactMap(\.text) where !name.hasPrefix(".") {
      let path = folder + "/" + name
      if (try? FileStatus(path, followsLinks: false))?.kind == .folder {
        // A folder inside that cannot be read has no scripts.
        found += ((try? scripts(below: path)) ?? []).map { name + "/" + $0 }
      } else if name.hasSuffix(".frc") {
        found.append(name)
      }
    }
    return found
  }

  /// Runs the script and compares its output with the expected output.
  ///
  /// In a test of Swift Testing, each failure is recorded at its own line of the script. Elsewhere,
  /// such as in XCTest, the failures are thrown together.
  ///
  /// - Parameters:
  ///   - stores: The stores to use if the script does not name any.
  ///   - locale: The locale of localized sorts, such as `de`.
  /// - Throws: ``ScriptFailure``, outside of Swift Testing only. Its description has the file and
  ///   the line of each failure.
  public func run(on stores: [Store] = [.memory], locale: String = "en") throws(ScriptFailure) {
    try report(findings(on: stores, locale: locale))
  }

  private func report(_ findings: [Finding]) throws(ScriptFailure) {
    guard !findings.isEmpty else { return }
    guard TestPlace.isInTest else {
      throw ScriptFailure(description: findings.map(\.words).joined(separator: "\n"))
    }
    for finding in findings { finding.place.record(finding.words) }
  }

  /// A failure of the script: its place and its message, which also contains the place.
  private struct Finding {
    let place: TestPlace
    let words: String
  }

  private func findings(on stores: [Store], locale: String) -> [Finding] {
    if let problem {
      let words = "\(problem.place.path):\(problem.place.line): \(problem.reason)"
      return [Finding(place: problem.place, words: words)]
    }
    let test: GoldenTest
    do {
      test = try golden()
    } catch {
      let words = "\(path):1: cannot read the script: \(error.reason)"
      return [Finding(place: TestPlace(path: path, line: 1), words: words)]
    }
    let runner = GoldenRunner(
      environment: ScriptFolder(), locale: locale, stores: stores.map(\.testStore))
    let outcome = runner.run(test)
    guard !outcome.passed else { return [] }
    let text = OutcomeText()
    return outcome.failures.map { failure in
      Finding(
        place: TestPlace(path: failure.file, line: failure.lines.lowerBound),
        words: text.lines(of: failure, in: outcome).joined(separator: "\n"))
    }
  }

  /// Returns the script with the golden file beside it, if there is one.
  private func golden() throws(UnreadableSource) -> GoldenTest {
    let goldenPath = GoldenTest.goldenPath(of: path)
    let hasGolden = (try? FileStatus(goldenPath)) != nil
    return GoldenTest(
      source: try ScriptFolder.source(at: path),
      golden: hasGolden ? try ScriptFolder.source(at: goldenPath) : nil)
  }
}

extension FRCScript: CustomStringConvertible {
  /// The path relative to the folder that was searched.
  public var description: String { name }
}

#if canImport(Testing)
extension FRCScript: CustomTestStringConvertible {
  /// The path relative to the folder that was searched.
  public var testDescription: String { name }
}
#endif

/// The failures of a script, each with its file and its line.
public struct ScriptFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The failures as `frc test` prints them, each with its `file:line`.
  public let description: String
}

extension FRCScript.Store {
  fileprivate var testStore: TestStore {
    switch self {
    case .memory: .memory
    case .sqlite: .sqlite
    }
  }
}

/// Gives a script access to the files beside it, and to stores in a temporary folder.
final class ScriptFolder: ScriptEnvironment {
  /// The folder of temporary stores, which is made when the first one is.
  private var stores: TemporaryFolder?

  func newSession() -> any ScriptEnvironment { ScriptFolder() }

  func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
    let file = Self.place(of: path, includer)
    return try Self.source(at: file.standardizedFileURL.path)
  }

  /// Reads a script.
  static func source(at path: String) throws(UnreadableSource) -> SourceText {
    SourceText(name: path, bytes: try bytes(of: URL(fileURLWithPath: path)))
  }

  func contents(at path: String, from includer: String) throws(UnreadableSource) -> [UInt8] {
    try Self.bytes(of: Self.place(of: path, includer))
  }

  func names(inFolder path: String, from includer: String) -> [String]? {
    let folder = Self.place(of: path, includer).path
    return (try? FolderNames.names(in: folder))?.compactMap(\.text).sorted()
  }

  func store(
    at path: String, from includer: String, isReadOnly: Bool,
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
    of models: [ManagedObjectModel], storeAt path: String, from includer: String,
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
