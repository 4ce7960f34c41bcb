import Foundation
import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// Scripts that arguments name, read and worked on by all cores.
enum ScriptFiles {
  /// What was made of each script, or why it could not be read.
  typealias Outcome<Made> = Result<Made, UnreadableSource>

  /// Reads scripts, does something with each, and hands over what was made of
  /// them in the order of the paths.
  ///
  /// - Parameters:
  ///   - paths: Scripts, folders, and `-`.
  ///   - permissions: What may be read.
  ///   - work: Called on threads of its own.
  ///   - deliver: Called with each path and what was made of it.
  static func perform<Made: Sendable>(
    _ paths: [String], _ permissions: Permissions,
    work: @escaping @Sendable (SourceText) -> Made,
    deliver: (String, Outcome<Made>) -> Void
  ) {
    let scripts = scripts(paths)
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
    /// Whether the command line names it, and not the folder in which it is.
    var isNamed = false
    /// Why the path names no script.
    var reason: String?
  }

  /// The scripts of each path, each in its place.
  private static func scripts(_ paths: [String]) -> [Script] {
    paths.flatMap { path -> [Script] in
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
        isFolder.boolValue
      else { return [Script(path: path, isNamed: true)] }
      let search = TestSearch([path])
      return search.failures.map { Script(path: $0.path, reason: $0.reason) }
        + search.scripts.map { Script(path: $0.path) }
    }
  }
}
