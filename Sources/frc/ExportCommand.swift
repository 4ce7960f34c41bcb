import ArgumentParser
import FetchedResults
import Foundation
import GoldenTesting
import LineEditor
import Platform
import ScriptExport
import ScriptRuntime
import ScriptSyntax

/// `frc export SCRIPT… -o FOLDER`.
struct ExportCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a Swift package that runs scripts on Apple's Core Data.",
    discussion: """
      On a Mac, 'swift test' in the package compares what Core Data reports with what frc reports, \
      event by event. The package's README says how to send a difference back. A script with an \
      observer becomes a test for SwiftData instead, which needs macOS 27.

      A script is left out if it uses a feature that Core Data does not have, or that the package \
      cannot compare. frc prints each such script with the line and the reason. The exit status is \
      1 if no script is left, or if one cannot be read, has errors or exceeds a limit.

      Scripts run as in frc test: their stores are files in a temporary folder.
      """)

  @Argument(help: .value("path", "Scripts or folders."))
  var paths: [String]

  @Option(
    name: [.short, .long],
    help: .value(
      "folder", "The folder of the package: a new or empty one, or one that frc export wrote."))
  var output: String

  @Flag(help: "Write into the folder even if it contains other files.")
  var force = false

  @OptionGroup(title: "Limits") var limits: LimitOptions

  @OptionGroup var access: PermissionOptions

  func validate() throws {
    if paths.isEmpty { throw ValidationError("a script or a folder is needed") }
    if output.isEmpty { throw ValidationError("-o: a folder is needed") }
    if output == "-" {
      throw ValidationError("-o -: a package has many files; name a folder for them")
    }
  }

  func run(writingTo output: Output) throws {
    let folder = KitFolder(self.output)
    if let reason = folder.refusal, !force {
      throw output.failure("cannot write to '\(self.output)': \(reason)", status: 1)
    }
    let search = TestSearch(paths, to: "export")
    for message in search.messages { output.writeError(message) }
    var exported: [ExportedScript] = []
    var observers: [ObserverScript] = []
    var leftOut = 0
    var hasFailed = !search.findsAll
    let limit = SessionLimit(limits)
    for script in search.scripts where InterruptFlag.exitStatus == nil {
      switch export(script.path, limit) {
      case .success(.coreData(let script)): exported.append(script)
      case .success(.swiftData(let script)): observers.append(script)
      case .failure(let problem):
        leftOut += 1
        hasFailed = hasFailed || problem.isError
        // What a script printed until a signal came is no reason to leave it out.
        if problem.isError || InterruptFlag.exitStatus == nil {
          output.writeError(problem.description)
        }
      }
    }
    if let status = InterruptFlag.exitStatus { throw ExitCode(status) }
    guard !exported.isEmpty || !observers.isEmpty else {
      throw output.failure("no script could be exported", status: 1)
    }
    do throws(UnwritableFile) {
      try folder.write(ConformanceKit(exported, observers: observers).files)
    } catch {
      throw output.failure("cannot write to '\(self.output)': \(error.reason)", status: 1)
    }
    output.write(
      "exported \(exported.count + observers.count) of "
        + "\(exported.count + observers.count + leftOut) scripts to \(self.output)")
    if hasFailed { throw ExitCode(1) }
  }

  /// The reason why a script is left out, as it is printed.
  private struct Problem: Error {
    let description: String
    /// Whether the script could not be run, which is no choice of its author.
    var isError = true
  }

  private func export(_ path: String, _ limit: SessionLimit) -> Result<Export, Problem> {
    let permissions = access.paths.permissions(ofTests: [path])
    do {
      let test = GoldenTest(source: try permissions.namedScript(at: path))
      limit.begin()
      var evaluation = EvaluationEnvironment()
      evaluation.isCancelled = { SessionLimit.isStopped(by: limit) }
      let environment = FileEnvironment(
        permissions: permissions, storeFolder: ScratchFolder(), limit: limit)
      let exporter = ScriptExporter(
        environment: environment, evaluation: evaluation, limit: limit)
      let exported = try exporter.export(
        ScriptParser.parse(test.source), named: name(of: path),
        hasSeveralSessions: test.sessionStarts.count > 1)
      if let excess = limit.excess { return .failure(Problem(description: "\(path): \(excess)")) }
      return .success(exported)
    } catch let refusal as ExportRefusal {
      if let excess = limit.excess { return .failure(Problem(description: "\(path): \(excess)")) }
      let place = refusal.line.map { ":\($0)" } ?? ""
      return .failure(
        Problem(
          description: "\(path)\(place): left out: \(refusal.reason.rawValue)",
          isError: refusal.reason == .syntaxErrors))
    } catch {
      let reason = (error as? UnreadableSource)?.reason ?? "\(error)"
      return .failure(Problem(description: "frc: error: cannot read '\(path)': \(reason)"))
    }
  }

  /// Returns the folders and the name of a script: from the last folder in the argument on, or all
  /// of a relative path.
  private func name(of script: String) -> String {
    if let names = ScriptFiles.names(of: script, in: paths) { return names.joined(separator: "/") }
    let names = script.pathNames
    return script.hasPrefix("/") ? names.last ?? "script" : names.joined(separator: "/")
  }
}

/// The folder of an exported package.
struct KitFolder {
  private let path: String

  init(_ path: String) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// The reason why the folder must not be written; nil if it is new, empty, or an earlier package.
  var refusal: String? {
    guard let status = try? FileStatus(path) else { return nil }
    guard status.kind == .folder else { return "it is not a folder" }
    let contents = ((try? FolderNames.names(in: path)) ?? []).map(\.shown)
    if contents.isEmpty || contents.contains(ConformanceKit.marker) { return nil }
    return "the folder is not empty, and frc export did not write it; "
      + "name another one, or write --force"
  }

  /// Writes the files, and removes those of scripts that only an earlier package contained.
  ///
  /// A file that somebody else put among them stays.
  func write(_ files: [ConformanceKit.File]) throws(UnwritableFile) {
    var folders: Set<String> = []
    for file in files {
      let target = "\(path)/\(file.path)"
      let folder = String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)])
      if folders.insert(folder).inserted { try make(folder) }
      try FileEnvironment.write(Array(file.text.utf8), to: target)
    }
    removeScripts(except: Set(files.map { "\(path)/\($0.path)" }))
  }

  private func make(_ folder: String) throws(UnwritableFile) {
    // A link in the path of a folder could lead anywhere.
    guard RealPath.isBelow(RealPath.ofMissing(path), RealPath.ofMissing(folder)) else {
      throw UnwritableFile(reason: "'\(folder)' is a link out of the folder")
    }
    do throws(UnwritableFile) {
      try FileEnvironment.makeFolder(folder)
    } catch {
      throw UnwritableFile(reason: "the folder '\(folder)' cannot be made: \(error.reason)")
    }
  }

  private func removeScripts(except kept: Set<String>) {
    let scripts = ConformanceKit.scriptFolder
    // A link in place of a folder could lead to files of others.
    let names = scripts.split(separator: "/").map(String.init)
    guard let folder = try? OpenFolder(names, below: path) else { return }
    for name in ((try? folder.names()) ?? []).compactMap(\.text)
    where name.hasSuffix(".swift") && !kept.contains("\(path)/\(scripts)/\(name)") {
      guard let file = try? folder.open(name),
        let bytes = try? file.descriptor.readToEnd(atMost: Permissions.mostBytes),
        Self.isScript(String(decoding: bytes, as: UTF8.self), named: String(name.dropLast(6)))
      else { continue }
      try? folder.removeFile(name)
    }
  }

  /// Whether a text is what `frc export` writes for a script: it begins in one of two ways, and its
  /// test has the name of the file.
  private static func isScript(_ text: String, named name: String) -> Bool {
    text.hasPrefix("import Conformance\n\nextension ConformanceTests {\n  // ")
      && text.contains("\n  func test_\(name)() throws { try check(script) }\n}\n")
      || text.hasPrefix("#if canImport(SwiftData)\nimport Foundation\n")
        && text.contains("\nfinal class Observer_\(name): XCTestCase {\n  // ")
  }
}
