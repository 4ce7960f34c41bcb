import Basics
import Foundation
import GoldenTesting
import Platform
import ScriptRuntime
import ScriptSyntax

/// The results of a project's tests in the runs so far.
///
/// A run adds the results of its tests. It keeps the results of all others.
struct LastRun: Hashable, Sendable {
  /// The result of a test.
  enum Verdict: String, Sendable {
    case passed, failed, skipped, expectedFailure
    /// The run ended before the test did.
    case notRun
  }

  private struct Test: Hashable {
    var verdict: Verdict
    /// The duration in seconds; nil if the test never ended.
    var seconds: Double?
  }

  /// The tests by path.
  private var tests: [String: Test] = [:]

  /// The paths of all known tests.
  var paths: some Sequence<String> { tests.keys }

  /// Whether anything is known of a test.
  func knows(_ path: String) -> Bool { tests[path] != nil }

  /// Whether a test is not known to pass: it failed, it was not run, or it is unknown.
  func isToDo(_ path: String) -> Bool {
    switch tests[path]?.verdict {
    case .failed, .notRun, nil: true
    case .passed, .skipped, .expectedFailure: false
    }
  }

  /// Returns the duration of a test in seconds; nil if it is unknown.
  func seconds(of path: String) -> Double? { tests[path]?.seconds }

  /// Adds the result of a test.
  ///
  /// - Parameter isPart: Whether only some of its blocks were run. These can show that the test
  ///   fails, but not that it passes.
  mutating func note(_ outcome: GoldenOutcome, at path: String, isPart: Bool) {
    let verdict: Verdict =
      switch outcome.verdict {
      case .passed: .passed
      case .failed: .failed
      case .skipped: .skipped
      case .expectedFailure: .expectedFailure
      }
    guard isPart else {
      tests[path] = Test(verdict: verdict, seconds: outcome.duration / .seconds(1))
      return
    }
    if verdict == .failed { tests[path, default: Test(verdict: verdict)].verdict = verdict }
  }

  /// Adds that a test should have run and did not end.
  ///
  /// A test that failed before still counts as failed.
  mutating func noteNotRun(_ path: String) {
    guard tests[path]?.verdict != .failed else { return }
    tests[path, default: Test(verdict: .notRun)].verdict = .notRun
  }

  /// Removes a test.
  mutating func remove(_ path: String) { tests[path] = nil }
}

// MARK: - JSON

extension LastRun {
  private struct File: Decodable {
    let version: Int
    let tests: [String: Entry]

    struct Entry: Decodable {
      let verdict: String
      let seconds: Double?
    }
  }

  /// Parses the text of ``json``; nil if it is something else.
  init?(json: [UInt8]) {
    guard let file = try? JSONDecoder().decode(File.self, from: Data(json)), file.version == 1
    else { return nil }
    for (name, entry) in file.tests {
      let path = name.encodedInRecords
      // A name that an earlier version wrote is newer than the encoded one beside it.
      guard path != name || tests[path] == nil else { continue }
      // A later version may have other verdicts. Such a test is run again.
      let verdict = Verdict(rawValue: entry.verdict) ?? .notRun
      tests[path] = Test(verdict: verdict, seconds: entry.seconds)
    }
  }

  /// The tests as a JSON object with one line for each, sorted by path.
  var json: String {
    let lines = tests.ordered { $0.key < $1.key }.map { path, test in
      var fields = [("verdict", JSON.string(test.verdict.rawValue))]
      if let seconds = test.seconds { fields.append(("seconds", .number("\(seconds)"))) }
      return "\(JSON.string(path)):\(JSON.object(fields))"
    }
    return "{\"version\":1,\"tests\":{\n\(lines.joined(separator: ",\n"))\n}}\n"
  }
}

/// The tests of an earlier run as its JSON report lists them.
///
/// Several reports may be added.
struct RecordedRun: Sendable {
  /// The duration of each script in seconds, by the bytes of its path in the simplest form.
  private var seconds: [[UInt8]: Double] = [:]

  /// Returns the duration of a script in seconds; nil if no report has it.
  func seconds(of path: String) -> Double? { seconds[Array(path.plainPath.utf8)] }

  /// The first of the paths; nil if there are none.
  var anyPath: String? {
    seconds.keys.map { String(decoding: $0, as: UTF8.self) }.inByteOrder().first
  }

  private struct Line: Decodable {
    let event: String
    let file: String?
    let seconds: Double?
    let passed: Int?
    let failed: Int?
    let skipped: Int?
    let expectedFailures: Int?

    /// Whether the line summarizes a run without tests, such as an empty shard.
    var isOfEmptyRun: Bool {
      event == "summary" && [passed, failed, skipped, expectedFailures].allSatisfy { $0 == 0 }
    }
  }

  /// Adds a report.
  ///
  /// Only its lines about tests are used.
  ///
  /// If a run was killed, its last line may be incomplete; it is ignored.
  ///
  /// - Returns: Whether there was such a line, or the run had no tests.
  mutating func add(_ text: String) -> Bool {
    var isReport = false
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let isCut = line.endIndex == text.endIndex
      guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)) else {
        if isCut, isReport { break }
        return false
      }
      isReport = isReport || line.isOfEmptyRun
      guard line.event == "test", let file = line.file else { continue }
      isReport = true
      seconds[Array(file.plainPath.utf8)] = line.seconds
    }
    return isReport
  }
}

extension String {
  /// The path without redundant steps: `./t//a.frc` is `t/a.frc`.
  fileprivate var plainPath: String {
    let parts = split(separator: "/").filter { $0 != "." }
    return (hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}

/// The files that a script uses, as it writes their paths.
struct FileUses: Hashable, Sendable {
  /// The included scripts.
  private(set) var scripts: [String] = []
  /// Models, stores, and imported files.
  private(set) var others: [String] = []
  /// Whether the lists are complete.
  ///
  /// They are not if the script computes a path.
  private(set) var isComplete = true

  init(_ script: ParsedScript) {
    for statement in script.statements { add(statement) }
  }

  private mutating func add(_ statement: Statement) {
    if case .include(let path, _) = statement.kind { add(path, to: \.scripts) }
    if case .model(let path, version: _) = statement.kind { add(path, to: \.others) }
    if case .storeSQLite(let path, _) = statement.kind { add(path, to: \.others) }
    if case .importRows(let path, into: _) = statement.kind { add(path, to: \.others) }
    for inner in statement.inner { add(inner) }
  }

  private mutating func add(_ path: ExpressionSyntax, to list: WritableKeyPath<Self, [String]>) {
    guard let text = path.plainText else {
      isComplete = false
      return
    }
    self[keyPath: list].append(text)
  }
}

extension ExpressionSyntax {
  /// The text of a string; nil if it has interpolations.
  fileprivate var plainText: String? {
    guard case .string(let parts) = kind else { return nil }
    var text = ""
    for part in parts {
      guard case .text(let piece) = part else { return nil }
      text += piece
    }
    return text
  }
}

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
    guard let path = key.removingPercentEncoding else { return false }
    return (try? FileStatus(path.hasPrefix("/") ? path : records.root + path)) != nil
  }
}

extension PreparedTest {
  /// Whether the test came from standard input.
  var isStandardInput: Bool { test.source.name == StandardInput.name }
}

extension CharacterSet {
  /// The characters that are not encoded in names of files in the records.
  fileprivate static let plainInRecords = CharacterSet(
    charactersIn: "\u{20}"..."\u{7E}"
  ).subtracting(CharacterSet(charactersIn: "%"))
}

extension String {
  /// The name of a file, encoded for the records.
  fileprivate var percentEncoded: String {
    // Foundation takes microseconds for each name, and most names are plain.
    let isPlain = utf8.allSatisfy { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "%") }
    guard !isPlain else { return self }
    return addingPercentEncoding(withAllowedCharacters: .plainInRecords) ?? self
  }

  /// A name in the records, encoded if an earlier version wrote it without encoding.
  var encodedInRecords: String {
    guard utf8.contains(UInt8(ascii: "%")) else { return percentEncoded }
    return removingPercentEncoding?.percentEncoded == self ? self : percentEncoded
  }
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
  ///
  /// The name is percent-encoded. Swift's equality treats some names of two files as equal: `é` as
  /// one scalar or two.
  func key(_ file: String) -> String {
    let real = RealPath.ofMissing(file)
    guard real.utf8.starts(with: root.utf8) else { return real.percentEncoded }
    return String(decoding: real.utf8.dropFirst(root.utf8.count), as: UTF8.self).percentEncoded
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
