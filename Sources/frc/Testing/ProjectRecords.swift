import Foundation
import Platform
import ScriptRuntime

/// The folder `.frc` of a project, where the program keeps its data about the project.
struct ProjectRecords {
  private let folder: String
  /// Permissions for only this folder.
  ///
  /// It may have come with the project, and be a link to another folder.
  private let permissions: Permissions

  init(_ project: Project) {
    folder = project.folder + "/.frc"
    permissions = Permissions(roots: [RealPath.ofMissing(project.folder) + "/.frc"])
  }

  /// Returns the path of a file in the folder.
  private func path(of name: String) -> String { folder + "/" + name }

  /// Returns the contents of a file in the folder; nil if no such file can be read.
  func read(_ name: String) -> [UInt8]? { try? permissions.contents(of: path(of: name)) }

  /// Replaces a file in the folder atomically, and creates the folder if necessary.
  func write(_ bytes: [UInt8], to name: String) throws(UnwritableFile) {
    // If the folder does not exist now, writing gives the error.
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    // The folder is private to this machine and does not belong in the repository.
    if !FileManager.default.fileExists(atPath: path(of: ".gitignore")) {
      try? permissions.replace(path(of: ".gitignore"), with: Array("*\n".utf8))
    }
    let real = RealPath.ofMissing(path(of: name))
    guard permissions.refusal(.writing, of: real) == nil else {
      throw UnwritableFile(reason: "a link leads out of '\(folder)', to '\(real)'")
    }
    try FileEnvironment.replace(path(of: name), with: bytes)
  }

  /// Removes a file of the folder, if it is there.
  func remove(_ name: String) {
    guard permissions.refusal(.writing, of: RealPath.ofMissing(folder)) == nil else { return }
    try? FileManager.default.removeItem(atPath: path(of: name))
  }
}
