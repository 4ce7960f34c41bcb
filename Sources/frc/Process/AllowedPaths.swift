import Platform

/// The files and folders outside of the scripts' own folders that the command line allows.
struct AllowedPaths: Equatable {
  var reads: [String] = []
  var writes: [String] = []

  /// Returns the permissions for some folders, together with the allowed paths.
  func permissions(below roots: [String]) -> Permissions {
    Permissions(
      roots: roots, reads: reads.map(RealPath.ofMissing),
      writes: writes.map(RealPath.ofMissing))
  }

  /// Returns the permissions of a script that the command line names: for its folder, or for the
  /// working folder if it comes from a pipe.
  func permissions(of script: String?) -> Permissions {
    permissions(below: [script.map(Self.folder(ofScript:)) ?? RealPath.ofMissing(".")])
  }

  private static func folder(ofScript path: String) -> String {
    guard path != "-", FileEnvironment.openDescriptor(path) == nil else {
      return RealPath.ofMissing(".")
    }
    // A link to a script counts as the script that it leads to, also for the folder of its files.
    return RealPath.folder(of: RealPath.ofMissing(path))
  }
}
