import ArgumentParser
import Platform

/// What scripts may use outside of their own folder.
struct PermissionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Let scripts read this file or folder outside of their own.", valueName: "path"))
  var allowRead: [String] = []

  @Option(
    help: ArgumentHelp(
      "Let this file or folder outside of the scripts' own be written.", valueName: "path"))
  var allowWrite: [String] = []

  func validate() throws {
    if allowRead.contains("") { throw ValidationError("--allow-read: a path is needed") }
    if allowWrite.contains("") { throw ValidationError("--allow-write: a path is needed") }
  }

  /// What may be used below some folders, and besides.
  func permissions(below roots: [String]) -> Permissions {
    Permissions(
      roots: roots, reads: allowRead.map(RealPath.ofMissing),
      writes: allowWrite.map(RealPath.ofMissing))
  }

  /// What a script may use that the command line names: its folder, or the working folder if it
  /// comes from a pipe.
  func permissions(of script: String?) -> Permissions {
    permissions(below: [script.map(Self.folder(ofScript:)) ?? RealPath.ofMissing(".")])
  }

  private static func folder(ofScript path: String) -> String {
    guard path != "-", FileEnvironment.openDescriptor(path) == nil else {
      return RealPath.ofMissing(".")
    }
    // A link to a script stands for it, also where it looks for its files.
    return RealPath.folder(of: RealPath.ofMissing(path))
  }
}
