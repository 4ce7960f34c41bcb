import Foundation
import Platform

/// Reads the folders in which Xcode keeps a model.
enum ModelFolder {
  static let versionSuffix = ".xcdatamodel"

  /// Returns the names of the versions in a folder, in order; empty if the folder has no versions.
  static func versions(in url: URL) -> [String] {
    (names(in: url) ?? []).filter { $0.hasSuffix(versionSuffix) }
      .map { String($0.dropLast(versionSuffix.count)) }
      .sorted()
  }

  /// Returns the names in a folder; nil if it is not a folder that can be read.
  private static func names(in url: URL) -> [String]? {
    (try? FolderNames.names(in: url.path))?.compactMap(\.text)
  }

  /// Returns the requested version, or else the current one.
  static func version(
    _ wanted: String?, of versions: [String], in url: URL
  ) throws(XcodeModelError) -> String {
    if let wanted {
      guard versions.contains(wanted) else {
        throw .unknownVersion(wanted, path: url.path, versions: versions)
      }
      return wanted
    }
    let list = url.appendingPathComponent(".xccurrentversion")
    if let bytes = try? bytes(of: list), let name = ModelFile.currentVersion(of: bytes),
      versions.contains(name)
    {
      return name
    }
    guard versions.count == 1 else {
      throw .noCurrentVersion(path: url.path, versions: versions)
    }
    return versions[0]
  }

  /// Returns the bytes of a model's `contents`.
  static func contents(of url: URL) throws(XcodeModelError) -> [UInt8] {
    guard let names = names(in: url) else { return try bytes(of: url) }
    if !names.contains("contents"),
      names.contains(where: { $0 == "elements" || $0.hasSuffix(".mom") || $0.hasSuffix(".omo") })
    {
      throw .invalid(path: url.path, .binaryModel)
    }
    return try bytes(of: url.appendingPathComponent("contents"))
  }

  /// Reads a regular file, because reading another kind could block forever.
  private static func bytes(of url: URL) throws(XcodeModelError) -> [UInt8] {
    do throws(SystemError) {
      return try OpenFile.contents(of: url.path)
    } catch {
      throw .unreadable(
        path: url.path, reason: error == .invalid ? "it is not a regular file" : error.words)
    }
  }
}
