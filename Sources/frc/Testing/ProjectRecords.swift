import Foundation
import Platform
import ScriptRuntime

/// The folder `.frc` of a project, where the program keeps what it knows of it.
struct ProjectRecords {
  private let folder: String
  /// What is in the folder alone: it may have come with the project, and be a link to another.
  private let permissions: Permissions

  init(_ project: Project) {
    folder = project.folder + "/.frc"
    permissions = Permissions(roots: [RealPath.ofMissing(project.folder) + "/.frc"])
  }

  /// Where a file of the folder is.
  private func path(of name: String) -> String { folder + "/" + name }

  /// Returns what a file of the folder holds; nil if there is none that may be read.
  func read(_ name: String) -> [UInt8]? { try? permissions.contents(of: path(of: name)) }

  /// Replaces a file of the folder at once; makes the folder if need be.
  func write(_ bytes: [UInt8], to name: String) throws(UnwritableFile) {
    // If the folder is not there now, writing says why.
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    // The folder is nobody else's business, and in no repository.
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
