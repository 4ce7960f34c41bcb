import Foundation
import Platform
import ScriptRuntime
import ScriptSyntax

/// The project around the working folder: its folder, and the settings in its `frc.toml`.
struct Project {
  /// The folder that contains `.frc`: the folder of `frc.toml`, or else the root of the repository,
  /// or else the working folder.
  let folder: String
  let settings: ProjectSettings

  /// The name of the settings file.
  static let fileName = "frc.toml"

  /// Looks for `frc.toml` in a folder and its parents, up to the root of the repository.
  ///
  /// Outside of a repository, only the folder itself is searched.
  init(from start: String = RealPath.workingFolder) throws(ProjectSettings
    .Failure)
  {
    let folders = Self.folders(from: start)
    guard let place = folders.firstIndex(where: { Self.exists($0 + "/" + Self.fileName) }) else {
      folder = folders.last ?? start
      settings = ProjectSettings()
      return
    }
    folder = folders[place]
    // Paths are relative to the working folder.
    let way = String(repeating: "../", count: place)
    let name = way + Self.fileName
    let bytes: [UInt8]
    do throws(UnreadableSource) {
      // In a repository, `frc.toml` may be a link to another file in it.
      let top = Permissions(roots: [RealPath.ofMissing(folders.last ?? folder)])
      let path = folder + "/" + Self.fileName
      let real = RealPath.ofMissing(path)
      guard top.refusal(.reading, of: real) == nil else {
        throw UnreadableSource(reason: "it is a link out of the project, to '\(real)'")
      }
      bytes = try top.contents(of: path)
    } catch {
      throw ProjectSettings.Failure(file: name, line: nil, reason: error.reason)
    }
    settings = try ProjectSettings(String(decoding: bytes, as: UTF8.self), name: name)
      .relative(to: way)
  }

  /// Returns the paths where `frc.toml` is searched, whether or not they exist.
  static func files(from start: String = RealPath.workingFolder) -> [String] {
    folders(from: start).map { $0 + "/" + fileName }
  }

  /// Returns the folder in which the tests of a path may read.
  ///
  /// It is the folder of `frc.toml`, or the root of the repository, or else the named folder or the
  /// folder of the named file.
  ///
  /// A link in a project to a folder outside of it does not make that folder the root, because the
  /// author of the link would decide what is read. The person who runs the tests can name the
  /// folder itself.
  ///
  /// - Returns: A real path.
  static func root(ofTests path: String) -> String {
    let working = RealPath.ofMissing(".")
    let real = RealPath.ofMissing(path)
    let isPiped = path == "-" || FileEnvironment.openDescriptor(path) != nil
    let isFolder = (try? FileStatus(path))?.kind == .folder
    // A link to a file does not change the suite. `FILE:LINE` is in the same folder as `FILE`.
    let own =
      isPiped ? working : isFolder ? real : RealPath.ofMissing(Self.folder(ofFile: path))
    let project = root(around: working)
    if project.isMarked, RealPath.isBelow(project.folder, own) { return project.folder }
    return folder(leftBy: path, project) ?? root(around: own).folder
  }

  /// Returns the folder of the project out of which a link in a path leads; nil if there is none.
  ///
  /// - Parameter working: The project around the working folder.
  private static func folder(
    leftBy path: String, _ working: (folder: String, isMarked: Bool)
  ) -> String? {
    var parent = path.hasPrefix("/") ? "/" : "."
    for part in path.split(separator: "/") {
      let place = parent + "/" + part
      defer { parent = place }
      guard (try? FileStatus(place, followsLinks: false))?.kind == .special,
        (try? FileStatus(place))?.kind == .folder
      else { continue }
      let linking = RealPath.ofMissing(parent)
      let isWorking = working.isMarked && RealPath.isBelow(working.folder, linking)
      let project = isWorking ? working : root(around: linking)
      if project.isMarked, !RealPath.isBelow(project.folder, RealPath.ofMissing(place)) {
        return project.folder
      }
    }
    return nil
  }

  private static func folder(ofFile path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }

  /// - Returns: The folder, and whether a file or folder marks it as that of a project.
  private static func root(around start: String) -> (folder: String, isMarked: Bool) {
    let folders = folders(from: start)
    if let folder = folders.first(where: { exists($0 + "/" + fileName) }) { return (folder, true) }
    let top = folders.last ?? start
    return (top, exists(top + "/.git"))
  }

  /// Returns a folder and its parents up to the root of the repository; only the folder itself
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
