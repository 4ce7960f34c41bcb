import CLibrary

/// Where paths really lead.
package enum RealPath {
  /// Returns the absolute path of a file without links; nil where nothing is.
  package static func of(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
