import Foundation
import GoldenTesting
import Platform
import ScriptRuntime
import ScriptSyntax

/// Finds the scripts that the paths of `frc test` name.
struct TestSearch {
  /// A script, and the selected lines; nil for the whole script.
  struct Found: Hashable {
    let path: String
    var lines: Set<Int>?
    /// Whether it was found in a folder, and not named itself.
    var isFound = false
  }

  /// A path that names no test, with the reason.
  struct Failure: Error {
    let path: String
    let reason: String

    var description: String { "cannot test '\(path)': \(reason)" }
  }

  /// The scripts in the order of the paths, and those of a folder sorted by path.
  ///
  /// Each file is included once.
  private(set) var scripts: [Found] = []
  /// Golden files without a script.
  private(set) var strayGoldens: [String] = []
  private(set) var failures: [Failure] = []
  /// The index of each script, by its path in the simplest form.
  private var places: [String: Int] = [:]

  /// Scripts in folders that are not tests.
  private let fixtures: [Glob]

  /// Finds scripts.
  ///
  /// - Parameter fixtures: Patterns of scripts, and of folders with scripts, that are left out when
  ///   a folder is searched.
  init(_ paths: [String], leavingOut fixtures: [String] = []) {
    self.fixtures = fixtures.flatMap { pattern in
      let pattern = pattern.hasSuffix("/") ? String(pattern.dropLast()) : pattern
      return [Glob(pattern), Glob(pattern + "/**")]
    }
    for path in paths {
      do {
        try search(path)
      } catch {
        failures.append(error)
      }
    }
  }

  private mutating func search(_ path: String) throws(Failure) {
    if path == "-" { return try add(path, line: nil) }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder.boolValue else { return try add(path, line: nil) }
      return try searchFolder(path)
    }
    guard let colon = path.lastIndex(of: ":"), let line = Int(path[path.index(after: colon)...])
    else { throw Failure(path: path, reason: "no such file") }
    let file = String(path[..<colon])
    guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) else {
      throw Failure(path: path, reason: "no such file")
    }
    guard !isFolder.boolValue else { throw Failure(path: path, reason: "it is a folder") }
    try add(file, line: line)
  }

  private mutating func searchFolder(_ path: String) throws(Failure) {
    var folder = path
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    var found: Set<String> = []
    var goldens: [String] = []
    var unreadable: [Failure] = []
    var fixtureCount = 0
    for file in Self.files(in: folder, &unreadable) {
      let whole = folder + "/" + file
      if file.hasSuffix(".frc"), Self.mayBeScript(whole) {
        if fixtures.contains(where: { $0.matches(whole) }) {
          fixtureCount += 1
        } else {
          found.insert(whole)
        }
      }
      if file.hasSuffix(".golden") { goldens.append(folder + "/" + file) }
    }
    failures += unreadable
    guard !found.isEmpty else {
      if !unreadable.isEmpty { return }
      let reason =
        fixtureCount > 0
        ? "every *.frc file in this folder is a fixture" : "no *.frc file in this folder"
      throw Failure(path: path, reason: reason)
    }
    for file in Self.sorted(found) { try add(file, line: nil, isFound: true) }
    let expected = Set(found.map(GoldenTest.goldenPath))
    strayGoldens += Self.sorted(goldens.filter { !expected.contains($0) })
  }

  /// Returns the files below a folder, by their paths in it.
  ///
  /// Hidden files, hidden folders, and links to folders are left out.
  ///
  /// - Parameter failures: Receives each folder that cannot be read.
  private static func files(in folder: String, _ failures: inout [Failure]) -> [String] {
    var files: [String] = []
    var folders = [""]
    while let inner = folders.popLast() {
      let path = inner.isEmpty ? folder : folder + "/" + inner
      let names: [String]
      do {
        names = try FileManager.default.contentsOfDirectory(atPath: path)
      } catch {
        failures.append(Failure(path: path, reason: "the folder cannot be read"))
        continue
      }
      for name in names where !name.hasPrefix(".") {
        let file = inner.isEmpty ? name : inner + "/" + name
        guard let status = try? FileStatus(folder + "/" + file, followsLinks: false) else {
          failures.append(Failure(path: folder + "/" + file, reason: "it cannot be read"))
          continue
        }
        if status.kind == .folder { folders.append(file) } else { files.append(file) }
      }
    }
    failures.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    return files
  }

  /// Whether a path leads to a regular file, or to nothing, which is then reported.
  private static func mayBeScript(_ path: String) -> Bool {
    guard let status = try? FileStatus(path) else { return true }
    return status.kind == .regular
  }

  private mutating func add(
    _ path: String, line: Int?, isFound: Bool = false
  ) throws(Failure) {
    if path.hasSuffix(".golden") {
      throw Failure(path: path, reason: "it holds expected output; name the script beside it")
    }
    let key = RealPath.of(path) ?? path
    if let place = places[key] {
      if let line, scripts[place].lines != nil {
        scripts[place].lines?.insert(line)
      } else {
        scripts[place].lines = nil
      }
      return
    }
    places[key] = scripts.count
    scripts.append(Found(path: path, lines: line.map { [$0] }, isFound: isFound))
  }

  private static func sorted(_ paths: some Sequence<String>) -> [String] {
    paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

extension TestSearch.Found {
  /// Reads the test.
  ///
  /// - Parameter isNamed: Whether the command line names it. If so, it may be a pipe.
  func read(
    _ permissions: Permissions, isNamed: Bool
  ) -> Result<PreparedTest, TestSearch.Failure> {
    do {
      return .success(try prepared(permissions, isNamed))
    } catch {
      return .failure(error)
    }
  }

  private func prepared(
    _ permissions: Permissions, _ isNamed: Bool
  ) throws(TestSearch.Failure) -> PreparedTest {
    if path == "-" { return try standardInput() }
    let goldenPath = GoldenTest.goldenPath(of: path)
    let golden =
      (try? FileStatus(goldenPath, followsLinks: false)) == nil
      ? nil : try source(goldenPath, permissions)
    let source = try source(path, permissions, isNamed: isNamed)
    let test = PreparedTest(GoldenTest(source: source, golden: golden, lines: lines))
    if GoldenTest.isMarkdown(path), test.script.statements.isEmpty {
      throw TestSearch.Failure(path: path, reason: "there is no statement in an frc code block")
    }
    if golden != nil, let line = lines?.min() {
      throw failure(
        on: line, "its output is in '\(goldenPath)' as a whole, not under its statements")
    }
    if let line = test.unknownLines.first {
      throw failure(on: line, "no top-level statement on line \(line)")
    }
    return test
  }

  private func standardInput() throws(TestSearch.Failure) -> PreparedTest {
    do {
      return PreparedTest(GoldenTest(source: try StandardInput.read()))
    } catch {
      throw TestSearch.Failure(path: path, reason: error.reason)
    }
  }

  private func source(
    _ path: String, _ permissions: Permissions, isNamed: Bool = false
  ) throws(TestSearch.Failure) -> SourceText {
    do throws(UnreadableSource) {
      return isNamed
        ? try permissions.namedScript(at: path) : try permissions.script(at: path, named: path)
    } catch {
      throw TestSearch.Failure(path: path, reason: error.reason)
    }
  }

  private func failure(on line: Int, _ reason: String) -> TestSearch.Failure {
    TestSearch.Failure(path: "\(path):\(line)", reason: reason)
  }
}
