import ArgumentParser
import Foundation
import GoldenTesting
import Platform

/// The reports of one run.
///
/// Those in JSON are written while the tests run, the others at the end.
final class RunReports {
  private let targets: [ReportTarget]
  private let output: Output
  private let isDryRun: Bool
  private var streams: [JSONStream] = []
  /// Whether all reports could be written so far.
  private var areWritten = true

  /// Opens the files of JSON reports, and prints which ones cannot be written.
  ///
  /// - Parameter isDryRun: Whether an update writes nothing.
  init(_ targets: [ReportTarget], _ output: Output, isDryRun: Bool = false) {
    self.targets = targets
    self.output = output
    self.isDryRun = isDryRun
    for case .json(let file) in targets {
      do throws(UnwritableFile) {
        output.flush()
        streams.append(JSONStream(file: file, writer: try FileWriter(file)))
      } catch {
        refuse(.init(file: file, reason: error.reason))
      }
    }
  }

  /// A JSON report that is being written.
  private struct JSONStream {
    let file: String
    let writer: FileWriter
  }

  /// Adds a finished test.
  ///
  /// - Parameter updated: The file that was updated with its output.
  func add(_ outcome: GoldenOutcome, updated: String?) {
    guard !streams.isEmpty else { return }
    let report = JSONReport()
    let update = updated.map { [report.line(onUpdated: $0, isDryRun: isDryRun)] } ?? []
    write(update + report.lines(of: outcome) + [report.line(onTest: outcome)])
  }

  /// Adds a test that did not finish.
  func add(unfinished path: String, after duration: Duration, isRunning: Bool) {
    write([JSONReport().line(onUnfinished: path, after: duration, isRunning: isRunning)])
  }

  /// Writes the remaining reports after the run.
  ///
  /// - Returns: Whether all reports could be written.
  func end(_ report: SuiteReport) -> Bool {
    let json = JSONReport()
    write(
      report.strayGoldens.map(json.line(onStrayGolden:))
        + report.unread.map(json.line(onUnread:)) + [json.line(on: report.sums)])
    for target in targets {
      do throws(ReportTarget.Failure) {
        try target.write(report, output)
      } catch {
        refuse(error)
      }
    }
    return areWritten
  }

  /// Writes lines in one call, so that readers of the file always see complete lines.
  private func write(_ lines: [String]) {
    guard !streams.isEmpty else { return }
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    // Both may go to the same terminal or pipe.
    output.flush()
    streams.removeAll { stream in
      do throws(UnwritableFile) {
        try stream.writer.write(bytes)
        return false
      } catch {
        refuse(.init(file: stream.file, reason: error.reason))
        return true
      }
    }
  }

  private func refuse(_ failure: ReportTarget.Failure) {
    output.writeError("frc: error: \(failure.description)")
    areWritten = false
  }
}

/// A report of `frc test`, with its destination.
enum ReportTarget: ExpressibleByArgument, Hashable {
  case junit(String)
  case json(String)
  case markdown(String)
  case tap(String)
  /// Annotations on standard output, and the summary in the file that GitHub Actions names.
  case github

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.count == 2 ? String(parts[1]) : ""
    let file = name == "-" ? "/dev/stdout" : name
    switch (parts.first, file.isEmpty) {
    case ("junit", false): self = .junit(file)
    case ("json", false): self = .json(file)
    case ("markdown", false): self = .markdown(file)
    case ("tap", false): self = .tap(file)
    case ("github", true) where parts.count == 1: self = .github
    default: return nil
    }
  }

  /// Returns the report with its path after a change of folder; `way` leads from the new folder to
  /// the one that the path is relative to.
  func relative(to way: String) -> ReportTarget {
    func moved(_ file: String) -> String { file.hasPrefix("/") ? file : way + file }
    return switch self {
    case .junit(let file): .junit(moved(file))
    case .json(let file): .json(moved(file))
    case .markdown(let file): .markdown(moved(file))
    case .tap(let file): .tap(moved(file))
    case .github: self
    }
  }

  /// The file of the report; nil for standard output.
  var file: String? {
    switch self {
    case .junit(let file), .json(let file), .markdown(let file), .tap(let file): file
    case .github: nil
    }
  }

  /// Returns why the report must not be written; nil if it may.
  func failure(_ permissions: Permissions) -> Failure? {
    guard let file, FileEnvironment.openDescriptor(file) == nil,
      let refusal = permissions.refusal(.writing, of: RealPath.ofMissing(file))
    else { return nil }
    return Failure(file: file, reason: refusal.words)
  }

  /// Writes the report after the printed output.
  ///
  /// A report in JSON is left out, because it is written while the tests run.
  ///
  /// - Throws: ``Failure`` if the file cannot be written.
  func write(_ report: SuiteReport, _ output: Output) throws(Failure) {
    output.flush()
    switch self {
    case .json: break
    case .junit(let file): try write(JUnitReport().text(of: report), to: file)
    case .markdown(let file): try write(MarkdownReport().text(of: report), to: file)
    case .tap(let file): try write(TAPReport().text(of: report), to: file)
    case .github:
      for line in GitHubReport(paths: .current).annotations(of: report) {
        output.write(command: line)
      }
      guard let file = ProcessEnvironment["GITHUB_STEP_SUMMARY"], !file.isEmpty else { return }
      try append(GitHubReport().summary(of: report), to: file)
    }
  }

  /// A report that could not be written.
  struct Failure: Error {
    let file: String
    let reason: String

    var description: String { "cannot write the report '\(file)': \(reason)" }
  }

  private func write(_ text: String, to file: String) throws(Failure) {
    do {
      try FileEnvironment.write(Array(text.utf8), to: file)
    } catch {
      throw Failure(file: file, reason: error.reason)
    }
  }

  /// Appends to a file, because other steps have summaries in the same file.
  private func append(_ text: String, to file: String) throws(Failure) {
    do {
      try FileEnvironment.append(Array(text.utf8), to: file)
    } catch {
      throw Failure(file: file, reason: error.reason)
    }
  }
}

extension WorkspacePaths {
  /// The paths in the workspace that GitHub Actions names, or else in the repository around the
  /// working folder.
  fileprivate static var current: WorkspacePaths {
    let folder = URL(fileURLWithPath: RealPath.workingFolder)
      .resolvingSymlinksInPath().path
    if let named = ProcessEnvironment["GITHUB_WORKSPACE"], !named.isEmpty {
      let workspace = URL(fileURLWithPath: named).resolvingSymlinksInPath().path
      return WorkspacePaths(workspace: workspace, folder: folder)
    }
    var parts = folder.split(separator: "/")
    while !parts.isEmpty {
      let path = "/" + parts.joined(separator: "/")
      if FileStatus.exists(path + "/.git") {
        return WorkspacePaths(workspace: path, folder: folder)
      }
      parts.removeLast()
    }
    return WorkspacePaths()
  }
}

/// Writes the files of an update.
///
/// Nothing else changes files during a test run.
enum FileReplacement {
  /// Replaces a file atomically, and keeps its permissions.
  ///
  /// If the path is a link, the file that it leads to is replaced. Refuses a file that has changed
  /// since it was tested.
  static func perform(
    _ update: GoldenUpdate, _ permissions: Permissions
  ) throws(UnwritableFile) {
    guard let (path, bytes) = update.file else { return }
    let now = try? permissions.contents(of: path, atMost: Permissions.mostScriptBytes)
    guard now == update.original else {
      throw UnwritableFile(reason: "the file has changed meanwhile")
    }
    try permissions.replace(path, with: bytes)
  }
}
