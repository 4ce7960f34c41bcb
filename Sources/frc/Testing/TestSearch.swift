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
  }

  /// The scripts in the order of the paths, and those of a folder sorted by path.
  ///
  /// Each file is included once.
  private(set) var scripts: [Found] = []
  /// Golden files without a script.
  private(set) var strayGoldens: [String] = []
  /// The paths that name no test.
  private(set) var failures: [Failure] = []
  /// Files in folders that look like tests and are none, sorted by path.
  private(set) var unread: [UnreadFile] = []
  /// The index of each script, by the bytes of its path in the simplest form.
  ///
  /// Two files may have names that Swift's equality treats as equal: `é` as one scalar or two.
  private var places: [[UInt8]: Int] = [:]
  /// Links to folders, which are not followed, with the folders' real paths.
  private var linkedFolders: [(file: UnreadFile, target: String)] = []
  /// The real paths of the folders that were searched.
  private var searched: [String] = []

  /// Scripts in folders that are not tests.
  private let fixtures: [Glob]
  /// What the command does with scripts, for its messages.
  private let verb: String

  /// Finds scripts.
  ///
  /// - Parameter fixtures: Patterns of scripts, and of folders with scripts, that are left out when
  ///   a folder is searched.
  /// - Parameter verb: What the command does with scripts, for its messages.
  init(_ paths: [String], leavingOut fixtures: [String] = [], to verb: String = "test") {
    self.verb = verb
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
    // The scripts of other linked folders were found by their own paths.
    unread += linkedFolders.filter { link in
      !searched.contains { RealPath.isBelow($0, link.target) }
    }.map(\.file)
    unread.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// Whether every path leads to a test, and every script was found.
  var findsAll: Bool { failures.isEmpty && !unread.contains(where: \.isError) }

  /// The messages about what cannot be read.
  var errors: [String] {
    let unreadable = unread.filter(\.isError).map { Failure(path: $0.path, reason: $0.reason) }
    return (failures + unreadable).map { "frc: error: cannot \(verb) '\($0.path)': \($0.reason)" }
  }

  /// The messages about everything that is left out.
  var messages: [String] {
    errors + unread.filter { !$0.isError }.map(\.warning)
  }

  /// Adds that a script cannot be read.
  ///
  /// It makes the run wrong. Only if the command line names the script, nothing is run.
  mutating func refuse(_ script: Found, _ failure: Failure) {
    guard script.isFound else { return failures.append(failure) }
    unread.append(.unreadable(failure.path, failure.reason))
  }

  private mutating func search(_ path: String) throws(Failure) {
    if path == "-" { return try add(path, line: nil) }
    if let status = try? FileStatus(path) {
      guard status.kind == .folder else { return try add(path, line: nil) }
      return try searchFolder(path)
    }
    guard let colon = path.lastIndex(of: ":"), let line = Int(path[path.index(after: colon)...])
    else { throw missing(path) }
    let file = String(path[..<colon])
    guard let status = try? FileStatus(file) else { throw missing(path) }
    guard status.kind != .folder else { throw Failure(path: path, reason: "it is a folder") }
    try add(file, line: line)
  }

  /// Returns the failure for a path that leads to no file.
  private func missing(_ path: String) -> Failure {
    // The shell replaces a pattern by paths, unless it is quoted or matches none.
    let hint = Glob.isPattern(path) ? "; for a pattern, write --filter '\(path)'" : ""
    return Failure(path: path, reason: "no such file" + hint)
  }

  private mutating func searchFolder(_ path: String) throws(Failure) {
    var folder = path
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    searched.append(RealPath.ofMissing(folder))
    let contents = contents(of: folder)
    unread += contents.unread
    linkedFolders += contents.linkedFolders
    guard !contents.scripts.isEmpty else {
      if contents.unread.contains(where: \.isError) { return }
      let reason =
        contents.fixtureCount > 0
        ? "every *.frc file in this folder is a fixture" : "no *.frc file in this folder"
      throw Failure(path: path, reason: reason)
    }
    for file in Array(contents.scripts).inByteOrder() { try add(file, line: nil, isFound: true) }
    let expected = Set(contents.scripts.map { Array(GoldenTest.goldenPath(of: $0).utf8) })
    strayGoldens += contents.goldens.filter { !expected.contains(Array($0.utf8)) }.inByteOrder()
  }

  /// The files below a folder.
  private struct Contents {
    var scripts: [String] = []
    var goldens: [String] = []
    /// The number of scripts that are fixtures.
    var fixtureCount = 0
    var unread: [UnreadFile] = []
    var linkedFolders: [(file: UnreadFile, target: String)] = []
  }

  /// Returns the files below a folder.
  ///
  /// Hidden files, hidden folders, and fixtures are left out.
  private func contents(of folder: String) -> Contents {
    var contents = Contents()
    var folders = [folder]
    while let folder = folders.popLast() {
      let names: [FolderNames.Name]
      do throws(SystemError) {
        names = try FolderNames.names(in: folder)
      } catch {
        contents.unread.append(.unreadable(folder, "the folder cannot be read"))
        continue
      }
      for name in names where name.bytes.first != UInt8(ascii: ".") {
        guard let text = name.text else {
          if name.mayBeFolder || Self.endings.contains(where: name.shown.hasSuffix) {
            contents.unread.append(
              .unreadable(folder + "/" + name.shown, "its name is not UTF-8; rename it"))
          }
          continue
        }
        let path = folder + "/" + text
        guard let status = try? FileStatus(path, followsLinks: false) else {
          contents.unread.append(.unreadable(path, "it cannot be read"))
          continue
        }
        if status.kind == .folder { folders.append(path) } else { sort(path, status, &contents) }
      }
    }
    return contents
  }

  private static let endings = [".frc", ".golden"]

  /// Adds a file that is no folder to those of its kind.
  private func sort(_ path: String, _ status: FileStatus, _ contents: inout Contents) {
    let isFixture = fixtures.contains { $0.matches(path) }
    let target = status.kind == .regular ? status : try? FileStatus(path)
    let isScript = path.hasSuffix(".frc")
    if isScript, target.map({ $0.kind == .regular }) ?? true {
      // A link that leads nowhere is reported when it is read.
      if isFixture { contents.fixtureCount += 1 } else { contents.scripts.append(path) }
      return
    }
    if path.hasSuffix(".golden") { contents.goldens.append(path) }
    guard !isFixture else { return }
    switch target?.kind {
    case .folder:
      contents.linkedFolders.append(
        (
          .leftOut(path, "it is a link to a folder; name that folder, too"),
          RealPath.ofMissing(path)
        ))
    case .special:
      if isScript { contents.unread.append(.leftOut(path, "it is not a regular file")) }
    case .regular:
      guard path.lowercased().hasSuffix(".frc") else { return }
      contents.unread.append(
        .leftOut(path, "its name ends in '\(path.suffix(4))'; only '.frc' is a script"))
    case nil:
      // A folder that this checkout does not have, such as one of a submodule.
      guard !path.split(separator: "/").suffix(1).joined().contains(".") else { return }
      contents.unread.append(.leftOut(path, "it is a link that leads to no file"))
    }
  }

  private mutating func add(
    _ path: String, line: Int?, isFound: Bool = false
  ) throws(Failure) {
    if path.hasSuffix(".golden") {
      throw Failure(path: path, reason: "it holds expected output; name its script")
    }
    let key = Array((RealPath.of(path) ?? path).utf8)
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

extension UnreadFile {
  /// The message about a file that is left out by a rule.
  var warning: String { "frc: warning: '\(path)' is left out: \(reason)" }

  /// A file that should be a test and cannot be read, which makes the run wrong.
  fileprivate static func unreadable(_ path: String, _ reason: String) -> UnreadFile {
    UnreadFile(path: path, reason: reason, isError: true)
  }

  /// A file that is left out by a rule.
  fileprivate static func leftOut(_ path: String, _ reason: String) -> UnreadFile {
    UnreadFile(path: path, reason: reason, isError: false)
  }
}

/// Reads and processes the scripts of the arguments, on all cores.
enum ScriptFiles {
  /// The result of processing a script, or why it could not be read.
  typealias Outcome<Made> = Result<Made, UnreadableSource>

  /// Reads and processes scripts, and delivers the results in the order of the paths.
  ///
  /// - Parameters:
  ///   - paths: Scripts, folders, and `-`.
  ///   - permissions: The files that may be read.
  ///   - output: Receives a warning for each file that is left out by a rule.
  ///   - work: Called on threads of its own.
  ///   - deliver: Called with each path and its result.
  static func perform<Made: Sendable>(
    _ paths: [String], _ permissions: Permissions, _ output: Output,
    work: @escaping @Sendable (SourceText) -> Made,
    deliver: (String, Outcome<Made>) -> Void
  ) {
    let scripts = scripts(paths) { output.writeError($0.warning) }
    let cores = ProcessInfo.processInfo.activeProcessorCount
    var next = 0
    ParallelWork.performInOrder(scripts.count, threads: cores) { index in
      let script = scripts[index]
      if let reason = script.reason {
        return Outcome<Made>.failure(UnreadableSource(reason: reason))
      }
      do throws(UnreadableSource) {
        let path = script.path
        return .success(
          work(
            script.isNamed
              ? try permissions.namedScript(at: path).refusingMarkdown()
              : try permissions.script(at: path, named: path)))
      } catch {
        return .failure(error)
      }
    } deliver: { outcome in
      deliver(scripts[next].path, outcome)
      next += 1
    }
  }

  private struct Script: Sendable {
    let path: String
    /// Whether the command line names the script itself, and not its folder.
    var isNamed = false
    /// The reason why the path names no script.
    var reason: String?
  }

  /// Returns the scripts of each path, in the order of the paths.
  private static func scripts(
    _ paths: [String], leavingOut: (UnreadFile) -> Void
  ) -> [Script] {
    paths.flatMap { path -> [Script] in
      guard FileStatus.isFolder(path) else { return [Script(path: path, isNamed: true)] }
      let search = TestSearch([path])
      for file in search.unread where !file.isError { leavingOut(file) }
      return search.failures.map { Script(path: $0.path, reason: $0.reason) }
        + search.unread.filter(\.isError).map { Script(path: $0.path, reason: $0.reason) }
        + search.scripts.map { Script(path: $0.path) }
    }
  }
}

extension ScriptFiles {
  /// Returns the folders and the name of a script, from the last folder in the argument on; nil if
  /// the script is in no folder of the arguments.
  static func names(of script: String, in paths: [String]) -> [String]? {
    let argument = paths.first { (path: String) -> Bool in
      script.hasPrefix(path.hasSuffix("/") ? path : path + "/")
    }
    guard let argument else { return nil }
    return Array(script.pathNames.dropFirst(max(0, argument.pathNames.count - 1)))
  }
}

extension String {
  /// The names in a path, without `.` and `..`.
  var pathNames: [String] {
    split(separator: "/").map(String.init).filter { $0 != "." && $0 != ".." }
  }
}

extension AllowedPaths {
  /// Returns the permissions of scripts that belong to suites.
  ///
  /// - Parameter paths: Scripts and folders, as the command line names them.
  func permissions(ofTests paths: [String]) -> Permissions {
    let roots = Set(paths.map { Array(Project.root(ofTests: $0).utf8) })
    return permissions(below: roots.map { String(decoding: $0, as: UTF8.self) }.inByteOrder())
  }
}
