import GoldenTesting

/// Writes what an update makes of files: the one place where a test changes
/// anything.
enum FileReplacement {
  /// Replaces a file at once, the one that a link leads to, with its rights; not one that has
  /// changed since it was tested.
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
