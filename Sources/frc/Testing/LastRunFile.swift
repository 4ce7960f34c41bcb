import Foundation
import GoldenTesting
import Platform
import ScriptRuntime
import ScriptSyntax

/// The file `.frc/last.json` in the project's folder, with the last result of each test.
struct LastRunFile {
  private static let name = "last.json"

  private let records: ProjectRecords

  init(_ project: Project) { records = ProjectRecords(project) }

  /// Returns the name of a test.
  func key(_ file: String) -> String { records.key(file) }

  /// Returns the contents of the file; nil if there is no file, or if it is damaged.
  func read() -> LastRun? {
    records.read(Self.name).flatMap { LastRun(json: $0) }
  }

  /// Adds the results of a run.
  ///
  /// Results that other runs add at the same time are kept.
  ///
  /// - Parameters:
  ///   - tests: All tests of the run.
  ///   - result: Their results.
  func add(_ tests: [PreparedTest], _ result: TestRun.Result) throws(UnwritableFile) {
    try records.change(Self.name) { old in
      var run = old.flatMap { LastRun(json: $0) } ?? LastRun()
      add(tests, result, to: &run)
      return Array(run.json.utf8)
    }
  }

  private func add(_ tests: [PreparedTest], _ result: TestRun.Result, to run: inout LastRun) {
    var touched: Set<String> = []
    var outcomes = result.report.outcomes[...]
    for (index, test) in tests.enumerated() {
      let outcome = result.ended.contains(index) ? outcomes.popFirst() : nil
      // Standard input is not a file that could be run again.
      guard !test.isStandardInput else { continue }
      let key = key(test.test.source.name)
      touched.insert(key)
      let isPart = test.test.lines != nil
      if let outcome {
        run.note(outcome, at: key, isPart: isPart)
      } else if !isPart {
        run.noteNotRun(key)
      }
    }
    for path in Array(run.paths) where !touched.contains(path) && !exists(path) {
      run.remove(path)
    }
  }

  private func exists(_ key: String) -> Bool {
    (try? FileStatus(key.hasPrefix("/") ? key : records.root + key)) != nil
  }
}

extension PreparedTest {
  /// Whether the test came from standard input.
  var isStandardInput: Bool { test.source.name == StandardInput.name }
}

/// The folder `.frc` of a project, where the program keeps its data about the project.
struct ProjectRecords {
  private let folder: String
  /// The real path of the project's folder, with a `/` at its end.
  let root: String
  /// Permissions for only this folder.
  ///
  /// It may have come with the project, and be a link to another folder.
  private let permissions: Permissions

  init(_ project: Project) {
    folder = project.folder + "/.frc"
    let real = RealPath.of(project.folder) ?? project.folder
    root = real.hasSuffix("/") ? real : real + "/"
    permissions = Permissions(roots: [RealPath.ofMissing(project.folder) + "/.frc"])
  }

  /// Returns the name of a file in the records: its real path, relative to the project's folder if
  /// it is inside, so that a project may be moved.
  func key(_ file: String) -> String {
    let real = RealPath.ofMissing(file)
    return real.hasPrefix(root) ? String(real.dropFirst(root.count)) : real
  }

  /// Returns the path of a file in the folder.
  private func path(of name: String) -> String { folder + "/" + name }

  /// Returns the contents of a file in the folder; nil if no such file can be read.
  func read(_ name: String) -> [UInt8]? { try? permissions.contents(of: path(of: name)) }

  /// Changes a file in the folder, and creates the folder if necessary.
  ///
  /// Runs that end at the same time do this one after the other, so that none of their results is
  /// lost. The file is replaced atomically, so that it can be read at any time.
  ///
  /// - Parameter change: Returns the new contents for the present ones. Both are nil if there is no
  ///   file.
  func change(
    _ name: String, _ change: (_ old: [UInt8]?) -> [UInt8]?
  ) throws(UnwritableFile) {
    try makeFolder()
    let lock = try FileEnvironment.lock(folder)
    defer { withExtendedLifetime(lock) {} }
    let real = RealPath.ofMissing(path(of: name))
    guard permissions.refusal(.writing, of: real) == nil else {
      throw UnwritableFile(reason: "a link leads out of '\(folder)', to '\(real)'")
    }
    guard let bytes = change(read(name)) else {
      try? OpenFolder.removeFile(at: path(of: name))
      return
    }
    try FileEnvironment.replace(path(of: name), with: bytes)
  }

  private func makeFolder() throws(UnwritableFile) {
    let real = RealPath.ofMissing(folder)
    guard permissions.refusal(.writing, of: real) == nil else {
      throw UnwritableFile(reason: "'\(folder)' is a link out of the project, to '\(real)'")
    }
    do throws(SystemError) {
      try NewFolder.make(folder)
    } catch {
      throw UnwritableFile(
        reason: error == .exists
          ? "'\(folder)' is not a folder" : "'\(folder)' cannot be created: \(error.words)")
    }
    // The folder is private to this machine and does not belong in the repository.
    if !FileStatus.exists(path(of: ".gitignore")) {
      try? permissions.replace(path(of: ".gitignore"), with: Array("*\n".utf8))
    }
  }
}
