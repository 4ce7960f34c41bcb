import CLibrary

/// Resolves paths to their actual location.
package enum RealPath {
  /// Returns the absolute path of a file with all links resolved; nil if the file does not exist.
  package static func of(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns where a file is, or where it would be created.
  ///
  /// A missing part is appended to the real path of the last existing folder.
  ///
  /// A link to nothing counts as a missing file. The folder of this process in `/proc` is returned
  /// as `/proc/self`.
  package static func ofMissing(_ path: String) -> String {
    var rest: [Substring] = []
    var head = path[...]
    while true {
      if let real = of(head.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : String(head)) {
        return joined(real, rest.reversed())
      }
      guard let slash = head.lastIndex(of: "/") else {
        rest.append(head)
        head = ""
        // Even the working folder may no longer exist.
        return joined(of(path.hasPrefix("/") ? "/" : ".") ?? "", rest.reversed())
      }
      rest.append(head[head.index(after: slash)...])
      head = head[..<slash]
    }
  }

  /// The working folder; `.` if it no longer exists.
  package static var workingFolder: String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }

  private static func joined(_ folder: String, _ parts: [Substring]) -> String {
    var names = folder.split(separator: "/")
    for part in parts {
      switch part {
      case "", ".": break
      case "..": _ = names.popLast()
      default: names.append(part)
      }
    }
    // The process's number in this folder differs in each run.
    if names.starts(with: ["proc", "\(getpid())"]) { names[1] = "self" }
    return "/" + names.joined(separator: "/")
  }

  /// Returns the folder of a file with this real path.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// Whether a real path is a folder or is inside it.
  package static func isBelow(_ folder: String, _ path: String) -> Bool {
    guard path.utf8.starts(with: folder.utf8) else { return false }
    let rest = path.utf8.dropFirst(folder.utf8.count)
    return rest.isEmpty || folder == "/" || rest.first == UInt8(ascii: "/")
  }
}
