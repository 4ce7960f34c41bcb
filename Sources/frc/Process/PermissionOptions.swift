import ArgumentParser
import Platform

/// Options for what scripts may use outside of their own folder.
struct PermissionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Let scripts read this file or folder outside of their own folder.", valueName: "path"))
  var allowRead: [String] = []

  @Option(
    help: ArgumentHelp(
      "Let scripts write this file or folder outside of their own folder.", valueName: "path"))
  var allowWrite: [String] = []

  func validate() throws {
    if allowRead.contains("") { throw ValidationError("--allow-read: a path is needed") }
    if allowWrite.contains("") { throw ValidationError("--allow-write: a path is needed") }
  }

  /// The allowed paths.
  var paths: AllowedPaths { AllowedPaths(reads: allowRead, writes: allowWrite) }
}
