import Platform

/// Files and folders outside of scripts' own, which the command line allows.
struct AllowedPaths: Equatable {
  var reads: [String] = []
  var writes: [String] = []

  /// What may be used below some folders, and besides.
  func permissions(below roots: [String]) -> Permissions {
    Permissions(
      roots: roots, reads: reads.map(RealPath.ofMissing),
      writes: writes.map(RealPath.ofMissing))
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
    // A link to a script counts as the script that it leads to, also for the folder of its files.
    return RealPath.folder(of: RealPath.ofMissing(path))
  }
}
