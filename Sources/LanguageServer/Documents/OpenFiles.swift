import FetchedResults
import Foundation
import ScriptRuntime
import ScriptSyntax

/// The files of a script, with the text of the open documents in place of what is on the disk.
///
/// Whether a file may be read is still decided by the host's environment, which reads it first.
final class OpenFiles: ScriptEnvironment {
  private let base: any ScriptEnvironment
  private let texts: [String: [UInt8]]
  private let resolved: (String) -> String
  private var realPaths: [String: String] = [:]
  /// The sources that were asked for, by their real paths.
  private(set) var used: [String: SourceText] = [:]
  /// The first source whose open document is not as on the disk.
  private(set) var unsaved: String?

  /// - Parameters:
  ///   - texts: The open documents, by their real paths.
  ///   - resolved: Returns the path of a file without links.
  init(
    _ base: any ScriptEnvironment, texts: [String: [UInt8]],
    resolved: @escaping (String) -> String
  ) {
    self.base = base
    self.texts = texts
    self.resolved = resolved
  }

  /// Returns the real path of a source, by which scripts that reach it through links agree.
  func realPath(of name: String) -> String {
    if let known = realPaths[name] { return known }
    let path = resolved(name)
    realPaths[name] = path
    return path
  }

  func source(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> SourceText {
    let read = try base.source(at: path, includedFrom: includer)
    // `a/../b.frc` is the open document `b.frc`.
    let name = URL(fileURLWithPath: read.name).standardizedFileURL.path
    let open = texts[realPath(of: name)]
    let source =
      open == nil && name == read.name
      ? read : SourceText(name: name, bytes: open ?? read.bytes, isQuotable: read.isQuotable)
    used[realPath(of: name)] = source
    if source.bytes != read.bytes { unsaved = unsaved ?? name }
    return source
  }

  /// Returns the files with other texts, by their real paths.
  func replacing(_ others: [String: [UInt8]]) -> OpenFiles {
    OpenFiles(base, texts: texts.merging(others) { $1 }, resolved: resolved)
  }

  func contents(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> [UInt8] {
    try base.contents(at: path, includedFrom: includer)
  }

  func names(inFolder path: String, includedFrom includer: String) -> [String]? {
    base.names(inFolder: path, includedFrom: includer)
  }

  /// False: a script that is only read does not ask the user.
  var isInterrupted: Bool { false }
}
