/// Converts the paths of a run to paths in a workspace, such as the root of a repository.
package struct WorkspacePaths: Hashable, Sendable {
  /// The parts of the absolute path of the workspace; nil to leave paths as they
  /// are.
  private let workspace: [Substring]?
  private let folder: [Substring]

  /// Creates paths that stay as they are.
  package init() {
    workspace = nil
    folder = []
  }

  /// - Parameters:
  ///   - workspace: The absolute path of the workspace.
  ///   - folder: The absolute path of the folder in which the run was started.
  package init(workspace: String, folder: String) {
    self.workspace = Self.parts(of: workspace[...], from: [])
    self.folder = Self.parts(of: folder[...], from: [])
  }

  /// Returns the path in the workspace; an absolute path for a file outside of it.
  package func path(of path: String) -> String {
    guard let workspace else { return path.hasPrefix("./") ? String(path.dropFirst(2)) : path }
    let parts = Self.parts(of: path[...], from: path.hasPrefix("/") ? [] : folder)
    guard parts.starts(with: workspace) else { return "/" + parts.joined(separator: "/") }
    return parts.dropFirst(workspace.count).joined(separator: "/")
  }

  private static func parts(of path: Substring, from start: [Substring]) -> [Substring] {
    path.split(separator: "/").reduce(into: start) { parts, part in
      switch part {
      case ".": break
      case "..": _ = parts.popLast()
      default: parts.append(part)
      }
    }
  }
}
