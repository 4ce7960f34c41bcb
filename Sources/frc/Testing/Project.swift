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
    var above = [start]
    while let folder = above.last, !Self.exists(folder + "/.git"), folder != "/" {
      above.append(URL(fileURLWithPath: folder).deletingLastPathComponent().path)
    }
    let isInRepository = above.last.map { Self.exists($0 + "/.git") } ?? false
    let folders = isInRepository ? above : [start]
    guard let place = folders.firstIndex(where: { Self.exists($0 + "/" + Self.fileName) }) else {
      folder = isInRepository ? folders.last ?? start : start
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

  private static func exists(_ path: String) -> Bool { (try? FileStatus(path)) != nil }
}
