import Basics
import Foundation
import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// An open document, and what is known of it.
final class Document {
  let uri: String
  /// The path of the file, or the URI of a document that is not a file.
  let path: String
  var version: Int
  var text: DocumentText
  /// The result of the last run; nil if none ended since the last edit.
  var live: LiveResults?
  /// Whether the diagnostics that were sent are those of an older text.
  var isDirty = true
  /// Whether the text has not run yet.
  var needsRun = true
  /// A number that no other text of any document has, also after changes of included files.
  private(set) var generation: Int
  private var known: Analysis?

  init(uri: String, version: Int, text: DocumentText, generation: Int) {
    self.uri = uri
    self.generation = generation
    path = Self.path(of: uri) ?? uri
    self.version = version
    self.text = text
  }

  /// Returns the path that a `file:` URI names; nil for other URIs.
  static func path(of uri: String) -> String? {
    guard let url = URL(string: uri), url.isFileURL else { return nil }
    return url.path(percentEncoded: false)
  }

  /// Returns the URI of a path.
  static func uri(of path: String) -> String {
    path.hasPrefix("/") ? URL(fileURLWithPath: path).absoluteString : path
  }

  /// Forgets what was found out, because this text or an included one changed.
  ///
  /// - Parameter generation: The number of the new text.
  func invalidate(_ generation: Int) {
    known = nil
    live = nil
    isDirty = true
    needsRun = true
    self.generation = generation
  }

  /// Returns what is known of the text, which is found out once for each version.
  func analysis(_ files: () -> OpenFiles) -> Analysis {
    if let known { return known }
    let analysis = Analysis(SourceText(name: path, bytes: text.bytes), files())
    known = analysis
    return analysis
  }

  /// Whether the text may depend on a file.
  func includes(_ path: String) -> Bool { known?.included.contains(path) ?? true }
}

/// What is known of one version of a script without running it.
final class Analysis {
  let source: SourceText
  let checked: CheckedScript
  /// The sources that the script includes.
  let included: Set<String>
  let files: OpenFiles

  init(_ source: SourceText, _ files: OpenFiles) {
    self.source = source
    self.files = files
    checked = CheckedScript(source, environment: files, knowsNames: true)
    included = Set(files.used.keys)
  }

  var script: ParsedScript { checked.script }

  /// The statements of the top level around an offset: from the end of the last complete statement
  /// before it to the end of the one that it is in.
  func entry(at offset: Int) -> Range<Int> {
    let statements = script.statements
    let next = statements.partitioningIndex { $0.range.lowerBound > offset }
    guard next > 0 else {
      return lastStart(from: start(after: 0), to: offset)..<source.bytes.count
    }
    let last = statements[next - 1]
    let end = next < statements.count ? statements[next].range.lowerBound : source.bytes.count
    // A statement goes on up to the end of its line, as in `fetch Book |`.
    let lineEnd = source.range(ofLine: source.line(of: last.range.upperBound)).upperBound
    let gap = source.bytes[min(last.range.upperBound, offset)..<min(offset, lineEnd)]
    if offset <= lineEnd, !gap.contains(UInt8(ascii: ";")) {
      return last.range.lowerBound..<max(lineEnd, last.range.upperBound)
    }
    return lastStart(from: start(after: last.range.upperBound), to: offset)..<max(offset, end)
  }

  /// Returns where the statement begins that an offset is in or after, among statements with errors.
  ///
  /// A statement within brackets belongs to the one around it.
  private func lastStart(from start: Int, to offset: Int) -> Int {
    let starts = script.marks.starts.filter { start < $0 && $0 <= offset }.sorted()
    return starts.last { place in
      !TextParts(source.text(in: start..<place)).parts.contains { $0.role == .openBracket }
    } ?? start
  }

  /// Returns where the text after a statement begins.
  private func start(after end: Int) -> Int {
    var start = end
    while start < source.bytes.count, [0x20, 0x09, UInt8(ascii: ";")].contains(source.bytes[start])
    { start += 1 }
    return start
  }

  /// The variables that are defined before an offset, or there.
  func variables(at offset: Int) -> [LocalVariable] {
    (checked.checker?.variables ?? []).filter {
      $0.source != source.name || $0.range.lowerBound <= offset
    }.map(\.variable)
  }
}
