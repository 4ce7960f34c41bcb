extension AllowedPaths {
  /// Returns the permissions of scripts that belong to suites.
  ///
  /// - Parameter paths: Scripts and folders, as the command line names them.
  func permissions(ofTests paths: [String]) -> Permissions {
    permissions(below: Set(paths.map(Project.root)).sorted())
  }
}
