package import Foundation

/// The files of this repository, and those that lie beside it.
package enum RepositoryFiles {
  /// The folder of the repository.
  package static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder beside the repository with models, stores and cases of others, which may be missing.
  package static let shared = root.deletingLastPathComponent().appendingPathComponent("shared")

  /// Returns a file or a folder of the repository.
  package static func url(_ path: String) -> URL { root.appendingPathComponent(path) }

  package static func text(_ path: String) throws -> String {
    try String(contentsOf: url(path), encoding: .utf8)
  }

  /// The paths of all examples and goldens, sorted.
  package static let scripts = ["Examples", "Tests/GoldenTests/Goldens"].flatMap { folder in
    paths(in: folder).filter { $0.hasSuffix(".frc") }.sorted()
  }

  /// The paths of all pages for readers, sorted.
  ///
  /// Other packages in hidden build folders have pages of their own, which are skipped.
  package static let pages: [String] = {
    var found = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    found += ["Documentation", "Editors", "Examples", "Sources"].flatMap { paths(in: $0) }
    return found.filter { $0.hasSuffix(".md") && !$0.contains("/.") }.sorted()
  }()

  /// Returns the paths of everything below a folder.
  package static func paths(in folder: String) -> [String] {
    let found = FileManager.default.enumerator(atPath: url(folder).path)?.allObjects ?? []
    return found.compactMap { $0 as? String }.map { folder + "/" + $0 }
  }
}

/// Collected cases of predicates, if they are available beside the repository.
package enum SharedCases {
  package static let file: URL? = {
    let file = RepositoryFiles.shared.appendingPathComponent("cases/predicates.json")
    return FileManager.default.fileExists(atPath: file.path) ? file : nil
  }()

  /// Returns the cases of a list.
  package static func entries(_ list: String) throws -> [[String: Any]] {
    let json = try file.map { try JSONSerialization.jsonObject(with: Data(contentsOf: $0)) }
    guard let entries = (json as? [String: Any])?[list] as? [[String: Any]] else {
      throw CocoaError(.fileReadCorruptFile)
    }
    return entries
  }
}
