import Foundation
import Platform
import ScriptRuntime
import ScriptSyntax

/// The project that the program works in: its folder, and the settings of its
/// `frc.toml`.
struct Project {
  /// Where `.frc` is: the folder of `frc.toml`, else the top of the repository,
  /// else the working folder.
  let folder: String
  let settings: ProjectSettings

  /// The name of the file with the settings.
  static let fileName = "frc.toml"

  /// Looks for `frc.toml` in a folder and in those above it, up to the top of the
  /// repository.
  ///
  /// Outside of a repository only the folder itself counts.
  init(from start: String = FileManager.default.currentDirectoryPath) throws(ProjectSettings
    .Failure)
  {
    let folders = Self.folders(from: start)
    guard let place = folders.firstIndex(where: { Self.exists($0 + "/" + Self.fileName) }) else {
      folder = folders.last ?? start
      settings = ProjectSettings()
      return
    }
    folder = folders[place]
    // A test is called as one would name it from the working folder.
    let way = String(repeating: "../", count: place)
    let name = way + Self.fileName
    let bytes: [UInt8]
    do {
      bytes = try FileEnvironment.read(folder + "/" + Self.fileName).bytes
    } catch {
      throw ProjectSettings.Failure(file: name, line: nil, reason: error.reason)
    }
    settings = try ProjectSettings(String(decoding: bytes, as: UTF8.self), name: name)
      .relative(to: way)
  }

  /// The files that are looked for, whether they are there or not.
  static func files(from start: String = FileManager.default.currentDirectoryPath) -> [String] {
    folders(from: start).map { $0 + "/" + fileName }
  }

  /// A folder and those above it up to the top of the repository; only itself
  /// outside of one.
  private static func folders(from start: String) -> [String] {
    var folders = [start]
    while let folder = folders.last {
      if exists(folder + "/.git") { return folders }
      if folder == "/" { break }
      folders.append(URL(fileURLWithPath: folder).deletingLastPathComponent().path)
    }
    return [start]
  }

  private static func exists(_ path: String) -> Bool { (try? FileStatus(path)) != nil }
}
