import GoldenTesting

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
