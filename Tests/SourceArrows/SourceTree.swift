package import Foundation

/// The Swift files under a folder.
package struct SourceTree {
  /// A file, with its path relative to the folder and its text.
  package struct File {
    package let path: String
    package let text: String

    /// The modules that the file imports.
    package var imports: Set<String> { SwiftWords(text).imports }
  }

  /// The files, in order of their paths.
  package let files: [File]

  /// Reads all Swift files under a folder.
  ///
  /// - Throws: What Foundation throws for a folder or a file that cannot be read.
  package init(_ folder: URL) throws {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    files = try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
      File(
        path: path,
        text: try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8))
    }
  }

  /// The arrows between the top-level folders, which are the targets in the folder of all sources.
  package var targetArrows: Arrows {
    Arrows(importsOf: files.map { ($0.path.first(0), $0.text) })
  }

  /// The names of the top-level folders.
  package var targets: [String] { Set(files.map { $0.path.first(0) }).sorted() }

  /// Returns the arrows between the folders of one target.
  ///
  /// Files outside of a folder form one part with the name of the target.
  package func folderArrows(of target: String) -> Arrows {
    let files = files.filter { $0.path.hasPrefix(target + "/") }
    return Arrows(
      typesOf: files.map { file in
        let room = file.path.first(1)
        return (room.hasSuffix(".swift") ? target : room, file.text)
      })
  }
}

extension String {
  /// A part of a path.
  fileprivate func first(_ place: Int) -> String {
    String(split(separator: "/")[place])
  }
}
