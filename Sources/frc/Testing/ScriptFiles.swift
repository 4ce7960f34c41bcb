import Foundation
import GoldenTesting
import Platform
import ScriptRuntime
import ScriptSyntax

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
              ? try permissions.namedScript(at: path)
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

extension AllowedPaths {
  /// Returns the permissions of scripts that belong to suites.
  ///
  /// - Parameter paths: Scripts and folders, as the command line names them.
  func permissions(ofTests paths: [String]) -> Permissions {
    permissions(below: Set(paths.map(Project.root)).sorted())
  }
}
