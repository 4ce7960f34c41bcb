import Foundation

/// The folder `.frc` of a project, where the program keeps what it knows of it.
struct ProjectRecords {
  private let folder: String

  init(_ project: Project) { folder = project.folder + "/.frc" }

  /// Where a file of the folder is.
  func path(of name: String) -> String { folder + "/" + name }

  /// Replaces a file of the folder at once; makes the folder if need be.
  func write(_ bytes: [UInt8], to name: String) throws(UnwritableFile) {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false)
      // The folder is nobody else's business, and in no repository.
      try FileEnvironment.replace(path(of: ".gitignore"), with: Array("*\n".utf8))
    } catch {
      // It is there already; if not, writing says why.
    }
    try FileEnvironment.replace(path(of: name), with: bytes)
  }
}
