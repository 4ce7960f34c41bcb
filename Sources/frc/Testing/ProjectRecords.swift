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

  /// Changes a file in the folder, and creates the folder if necessary.
  ///
  /// Runs that end at the same time do this one after the other, so that none of their results is
  /// lost. The file is replaced atomically, so that it can be read at any time.
  ///
  /// - Parameter change: Returns the new contents for the present ones. Both are nil if there is no
  ///   file.
  func change(
    _ name: String, _ change: (_ old: [UInt8]?) -> [UInt8]?
  ) throws(UnwritableFile) {
    try makeFolder()
    let lock = try FileEnvironment.lock(folder)
    defer { withExtendedLifetime(lock) {} }
    let real = RealPath.ofMissing(path(of: name))
    guard permissions.refusal(.writing, of: real) == nil else {
      throw UnwritableFile(reason: "a link leads out of '\(folder)', to '\(real)'")
    }
    guard let bytes = change(read(name)) else {
      try? OpenFolder.removeFile(at: path(of: name))
      return
    }
    try FileEnvironment.replace(path(of: name), with: bytes)
  }

  private func makeFolder() throws(UnwritableFile) {
    let real = RealPath.ofMissing(folder)
    guard permissions.refusal(.writing, of: real) == nil else {
      throw UnwritableFile(reason: "'\(folder)' is a link out of the project, to '\(real)'")
    }
    do throws(SystemError) {
      try NewFolder.make(folder)
    } catch {
      throw UnwritableFile(
        reason: error == .exists
          ? "'\(folder)' is not a folder" : "'\(folder)' cannot be created: \(error.words)")
    }
    // The folder is private to this machine and does not belong in the repository.
    if !FileStatus.exists(path(of: ".gitignore")) {
      try? permissions.replace(path(of: ".gitignore"), with: Array("*\n".utf8))
    }
  }
}
