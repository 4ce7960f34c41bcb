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
  /// The path without links.
  let realPath: String
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

  init(
    uri: String, version: Int, text: DocumentText, generation: Int,
    realPath: (String) -> String
  ) {
    self.uri = uri
    self.generation = generation
    path = Self.path(of: uri) ?? uri
    self.realPath = realPath(path)
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

  /// The text of the script, or of each session of a Markdown file, with its offset.
  ///
  /// In a session, blanks are in place of everything that is not its script.
  var scripts: [(start: Int, text: String)] {
    guard GoldenTest.isMarkdown(path) else { return [(0, text.text)] }
    let test = GoldenTest(source: SourceText(name: path, bytes: text.bytes))
    return Analysis.sessions(of: test).map { ($0.lowerBound, test.source.text(in: $0)) }
  }

  /// Whether the text may depend on a file with a real path.
  func includes(_ path: String) -> Bool { known?.included.contains(path) ?? true }

  /// Whether the text includes a file that could not be read, whose real path is unknown.
  var lacksFile: Bool { known?.files.lacksFile ?? false }
}

/// What is known of one version of a script without running it.
///
/// A Markdown file has a script in its blocks. Each of its sessions has names of its own.
final class Analysis {
  /// The script: of a Markdown file, blanks are in place of everything else.
  let source: SourceText
  /// The whole text.
  let file: SourceText
  let checked: CheckedScript
  /// The real paths of the sources that the script includes.
  let included: Set<String>
  let files: OpenFiles
  /// Where the session begins in the file; 0 for a script.
  let start: Int
  /// The bytes of the sessions of a Markdown file, in order; empty for a script.
  private let sessions: [Range<Int>]
  /// What is known of the sessions that were asked for, by their starts.
  private var knownSessions: [Int: Analysis] = [:]
  /// The script, or each session of a Markdown file.
  let parts: [Part]
  /// The problems of the script, also those in included files.
  let findings: [Finding]
  /// The lines of a Markdown file that are its script; nil for a script.
  private let scriptLines: Set<Int>?

  /// A script that is read by itself: an open bracket has no effect on the others.
  struct Part {
    /// Where the script begins in the file.
    let start: Int
    let script: ParsedScript
    /// The problems of the script, with their places in the file.
    let findings: [Finding]
  }

  init(_ file: SourceText, _ files: OpenFiles) {
    let test = GoldenTest(source: file)
    self.file = file
    self.files = files
    start = 0
    source = test.source
    scriptLines = test.scriptLines
    let isScript = test.scriptLines == nil
    let sessions = isScript ? [] : Self.sessions(of: test)
    self.sessions = sessions
    let checked = CheckedScript(test.source, environment: files, knowsNames: isScript)
    self.checked = checked
    // The names of one session are unknown in the next one.
    parts = isScript ? [Self.part(checked)] : Self.parts(of: test.source, in: sessions, files)
    findings = parts.flatMap(\.findings)
    included = Set(files.used.keys)
  }

  /// A session of a Markdown file.
  ///
  /// - Parameters:
  ///   - source: The session, with blanks in place of what is before it.
  ///   - start: Where it begins in the file.
  private init(
    session source: SourceText, from start: Int, in file: SourceText, _ files: OpenFiles
  ) {
    self.file = file
    self.files = files
    self.start = start
    self.source = source
    (sessions, scriptLines) = ([], nil)
    checked = CheckedScript(source, environment: files, knowsNames: true)
    parts = [Self.part(checked)]
    findings = checked.findings
    included = Set(files.used.keys)
  }

  /// Returns the bytes of each session of a Markdown file that contains a script.
  fileprivate static func sessions(of test: GoldenTest) -> [Range<Int>] {
    let source = test.source
    let starts = [1] + test.sessionStarts
    let ends = test.sessionStarts + [source.lineCount + 1]
    return zip(starts, ends).compactMap { first, end -> Range<Int>? in
      guard (first..<max(first, end)).contains(where: { test.scriptLines?.contains($0) ?? false })
      else { return nil }
      let start = source.range(ofLine: first).lowerBound
      let end = end > source.lineCount ? source.bytes.count : source.range(ofLine: end).lowerBound
      return start..<end
    }
  }

  private static func part(_ checked: CheckedScript) -> Part {
    Part(start: 0, script: checked.script, findings: checked.findings)
  }

  /// Checks the sessions of a Markdown file.
  ///
  /// Each is checked without the text before it, and its problems are moved to their places in the
  /// file. With that text, *n* sessions would take *n*² steps.
  private static func parts(
    of source: SourceText, in sessions: [Range<Int>], _ files: OpenFiles
  ) -> [Part] {
    sessions.map { session in
      let start = session.lowerBound
      let text = SourceText(name: source.name, bytes: Array(source.bytes[session]))
      // The names are looked up also after a syntax error, so that all included files are known.
      let checked = CheckedScript(
        text, firstLine: source.line(of: start), environment: files, knowsNames: true)
      let findings = checked.findings.map { finding in
        guard finding.source.name == source.name else { return finding }
        var diagnostic = finding.diagnostic
        let range = diagnostic.range
        diagnostic.range = (range.lowerBound + start)..<(range.upperBound + start)
        return Finding(diagnostic, in: source)
      }
      return Part(start: start, script: checked.script, findings: findings)
    }
  }

  /// Returns what is known of the session that an offset is in; nil if it is not in a script.
  func session(at offset: Int) -> Analysis? {
    guard let scriptLines else { return self }
    guard scriptLines.contains(file.line(of: offset)),
      let range = sessions.last(where: { $0.lowerBound <= offset })
    else { return nil }
    return knownSession(range)
  }

  /// The parts with an `include`, each of which has names of its own: sessions of a Markdown file,
  /// or the script.
  var includingParts: [Analysis] {
    guard scriptLines != nil else { return [self] }
    return sessions.filter { source.text(in: $0).contains("include") }.map { knownSession($0) }
  }

  private func knownSession(_ range: Range<Int>) -> Analysis {
    if let known = knownSessions[range.lowerBound] { return known }
    // Offsets are those of the file, so blanks are in place of what is before the session.
    let blanks = source.bytes[..<range.lowerBound].map { $0 == 0x0A ? $0 : 0x20 }
    // A session does not depend on what other sessions include.
    let session = Analysis(
      session: SourceText(name: source.name, bytes: blanks + source.bytes[range]),
      from: range.lowerBound, in: file, files.replacing([:]))
    knownSessions[range.lowerBound] = session
    return session
  }

  var script: ParsedScript { checked.script }

  /// Returns what is known of those scripts that include one of some files, also through others.
  ///
  /// The files are named by their real paths.
  ///
  /// Only scripts that name such a file are checked.
  static func including(
    _ files: Set<String>, among scripts: [SourceText], _ environment: (String) -> OpenFiles
  ) -> [Analysis] {
    func lastPart(_ path: String) -> String {
      path.split(separator: "/").last.map(String.init) ?? path
    }
    var names = Set(files.map(lastPart))
    var rest = scripts.map { (source: $0, text: String(decoding: $0.bytes, as: UTF8.self)) }
      .filter { script in
        // A project may have thousands of Markdown files without a script.
        script.text.contains(bytesOf: "include")
          && (!GoldenTest.isMarkdown(script.source.name) || script.text.contains(bytesOf: "frc"))
      }
    var found: [SourceText] = []
    while true {
      let next = rest.filter { script in names.contains { script.text.contains($0) } }
      guard !next.isEmpty else { break }
      rest.removeAll { script in next.contains { $0.source.name == script.source.name } }
      found += next.map(\.source)
      names = Set(next.map { lastPart($0.source.name) })
    }
    return found.sorted { $0.name < $1.name }
      .flatMap { Analysis($0, environment($0.name)).includingParts }
      .filter { !$0.included.isDisjoint(with: files) }
  }

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

  /// Returns where the statement begins that an offset is in or after, among statements with
  /// errors.
  ///
  /// A statement within brackets belongs to the one around it.
  private func lastStart(from start: Int, to offset: Int) -> Int {
    let starts = script.marks.starts.filter { start < $0 && $0 <= offset }.sorted()
    return starts.last { place in
      !TextParts(source.text(in: start..<place), as: .file).parts
        .contains { $0.role == .openBracket }
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
  /// Whether a source could not be read.
  private(set) var lacksFile = false

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

  func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
    let read: SourceText
    do throws(UnreadableSource) {
      read = try base.source(at: path, from: includer)
    } catch {
      lacksFile = true
      throw error
    }
    // `a/../b.frc` is the open document `b.frc`.
    let name = URL(fileURLWithPath: read.name).standardizedFileURL.path
    let open = texts[realPath(of: name)]
    let source =
      open == nil && name == read.name
      ? read : SourceText(name: name, bytes: open ?? read.bytes, isQuotable: read.isQuotable)
    used[realPath(of: name)] = source
    if !source.hasLines(of: read) { unsaved = unsaved ?? name }
    return source
  }

  /// Returns the files with other texts, by their real paths.
  func replacing(_ others: [String: [UInt8]]) -> OpenFiles {
    OpenFiles(base, texts: texts.merging(others) { $1 }, resolved: resolved)
  }

  func contents(at path: String, from includer: String) throws(UnreadableSource) -> [UInt8] {
    try base.contents(at: path, from: includer)
  }

  func names(inFolder path: String, from includer: String) -> [String]? {
    base.names(inFolder: path, from: includer)
  }

  /// False: a script that is only read does not ask the user.
  var isInterrupted: Bool { false }
}

extension SourceText {
  /// Whether the lines are those of a file.
  ///
  /// An editor may hide a file's byte order mark and its carriage returns, which no run depends on.
  func hasLines(of file: SourceText) -> Bool {
    bytes == file.bytes
      || lineCount == file.lineCount
        && (1...lineCount).allSatisfy { line in
          bytes[range(ofLine: line)] == file.bytes[file.range(ofLine: line)]
        }
  }
}

/// What a run in the background found out about a version of a document.
struct LiveResults {
  let outcome: GoldenOutcome
  /// What the script with an `explain` after each block printed.
  let explanations: [GoldenRun.Block]

  private var script: ParsedScript { outcome.prepared.script }

  /// Returns the script with an `explain` after each block, which explains its callbacks; nil if
  /// the lines of the script are not its expected output.
  static func explained(_ test: GoldenTest) -> GoldenTest? {
    guard test.golden == nil, !GoldenTest.isMarkdown(test.file.name) else { return nil }
    let script = ScriptParser.parse(test.source)
    guard !script.hasErrors else { return nil }
    var bytes: [UInt8] = []
    var copied = 0
    for group in script.groups {
      let end = group.expected.last?.range.upperBound ?? group.expectedOffset
      bytes += test.source.bytes[copied..<end]
      if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
      bytes += Array("explain\n".utf8)
      copied = end
    }
    bytes += test.source.bytes[copied...]
    return GoldenTest(source: SourceText(name: test.source.name, bytes: bytes))
  }

  /// What a block's callbacks report.
  struct BlockCallbacks {
    let group: StatementGroup
    /// The kinds of changes, each once, in order.
    let kinds: [String]
    let count: Int

    /// `2 callbacks: insert, move`.
    var words: String {
      "\(count) \(count == 1 ? "callback" : "callbacks"): \(kinds.joined(separator: ", "))"
    }
  }

  /// The callbacks of each block that reports a change.
  var callbacks: [BlockCallbacks] {
    zip(script.groups, outcome.blocks).compactMap { group, block in
      let changes = block.output.compactMap(\.reportedChange)
      guard !changes.isEmpty else { return nil }
      var kinds: [String] = []
      for change in changes where !kinds.contains(change) { kinds.append(change) }
      return BlockCallbacks(group: group, kinds: kinds, count: changes.count)
    }
  }

  /// The output that can be accepted, block by block, as `frc review` asks for it.
  var proposals: [GoldenUpdate.Proposal] { GoldenUpdate(outcome).accepted }

  /// Returns the text of the script with accepted output; nil if nothing changes, or if the
  /// expected output is in another file.
  ///
  /// - Parameter choose: Returns the new expected lines of a block; nil leaves it unchanged.
  func accepted(_ choose: (GoldenUpdate.Proposal) -> [String]?) -> [UInt8]? {
    guard outcome.prepared.test.golden == nil else { return nil }
    return GoldenUpdate(outcome, choosing: choose).file?.bytes
  }

  /// Returns why the callback of an expected line was sent, as Markdown; nil if no rule is known.
  ///
  /// - Parameter page: The address of Rules.md, for a link; nil if it is not installed.
  func rule(ofExpectedLine line: Int, in script: ParsedScript, page: String?) -> String? {
    guard let (rules, name) = explanation(ofExpectedLine: line) else { return nil }
    let link =
      name.map { name in
        "\n\n" + (page.map { "[Rules.md: \(name)](\($0)#\(name))" } ?? "Rules.md: \(name)")
      } ?? ""
    return "```\n" + rules.joined(separator: "\n") + "\n```" + link
  }

  private func explanation(ofExpectedLine line: Int) -> (lines: [String], rule: String?)? {
    let found = script.groups.enumerated().lazy.compactMap { index, group in
      group.expected.firstIndex { $0.line == line }.map { (index, $0) }
    }.first
    guard let (block, place) = found, outcome.blocks.indices.contains(block),
      explanations.indices.contains(2 * block + 1)
    else { return nil }
    let output = outcome.blocks[block].output
    let expected = script.groups[block].expected[place].text
    // A line with a pattern is the one at the same place.
    let wanted =
      output.contains(expected) ? expected : place < output.count ? output[place] : expected
    let explanation = explanations[2 * block + 1].output
    guard let heading = explanation.firstIndex(of: wanted) else { return nil }
    let rest = explanation[(heading + 1)...].prefix { $0.hasPrefix(" ") }
    guard !rest.isEmpty else { return nil }
    let rule = rest.first { $0.hasPrefix("  rule ") }.map { line in
      String(line.dropFirst("  rule ".count).prefix { $0 != ":" })
    }
    return ([wanted] + rest, rule)
  }

  /// Returns the explanation of a block that contains a line.
  func explanation(ofBlockAt line: Int) -> [String]? {
    guard
      let block = script.groups.firstIndex(where: { group in
        (group.lines.lowerBound...(group.expected.last?.line ?? group.lines.upperBound))
          .contains(line)
      }), explanations.indices.contains(2 * block + 1)
    else { return nil }
    return explanations[2 * block + 1].output
  }
}

extension String {
  /// The kind of change that an output line reports: `move` for `books didChange object move …`, and
  /// `section insert` for a section; nil for other lines.
  fileprivate var reportedChange: String? {
    let words = split(separator: " ", maxSplits: 4)
    guard words.count > 3, words[1] == "didChange" else { return nil }
    return words[2] == "section" ? "section \(words[3])" : String(words[3])
  }
}
