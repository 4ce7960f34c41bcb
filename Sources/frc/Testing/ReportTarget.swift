import ArgumentParser
import Foundation
import GoldenTesting
import Platform

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
    let file = parts.count == 2 ? String(parts[1]) : ""
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
