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
  /// The sources that were asked for, by their names.
  private(set) var used: [String: SourceText] = [:]
  /// The first source whose open document is not as on the disk.
  private(set) var unsaved: String?

  /// - Parameter texts: The open documents, by their paths.
  init(_ base: any ScriptEnvironment, texts: [String: [UInt8]]) {
    self.base = base
    self.texts = texts
  }

  func source(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> SourceText {
    let read = try base.source(at: path, includedFrom: includer)
    // `a/../b.frc` is the open document `b.frc`.
    let name = URL(fileURLWithPath: read.name).standardizedFileURL.path
    let source =
      texts[name] == nil && name == read.name
      ? read : SourceText(name: name, bytes: texts[name] ?? read.bytes, isQuotable: read.isQuotable)
    used[name] = source
    if source.bytes != read.bytes { unsaved = unsaved ?? name }
    return source
  }

  /// Returns the files with other texts.
  func replacing(_ others: [String: [UInt8]]) -> OpenFiles {
    OpenFiles(base, texts: texts.merging(others) { $1 })
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
