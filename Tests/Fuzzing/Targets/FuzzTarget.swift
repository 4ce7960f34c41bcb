import FetchedResults
import LineEditor
import Platform
import PredicateSyntax
import ScriptSyntax

/// A part of the program that reads untrusted bytes, and must not crash whatever they are.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// Words, signs and numbers of a script, and the parser of statements.
  case script
  /// The formatter. Its result is formatted, and has the same meaning.
  case format
  /// A predicate's format string, and its normal form.
  case predicate
  /// The contents of an Xcode model.
  case model
  /// The file of a section cache.
  case cache
  /// Characters as a terminal sends them.
  case keys
  /// A script that runs as a test, with predictions as learners hand them in.
  case test
  /// Rows of CSV or JSON that are imported.
  case rows
  /// A log of an app, and the script that repeats its mistake.
  case log
  /// A lesson, which is checked.
  case lesson
  /// What is typed in a lesson.
  case answer
  /// A learner's progress.
  case progress
  /// The history of the prompt.
  case history

  /// Reads bytes; traps if a law is broken.
  package func read(_ bytes: [UInt8]) {
    switch self {
    case .script: readScript(bytes)
    case .format: format(bytes)
    case .predicate: readPredicate(bytes)
    case .model: readModel(bytes)
    case .cache: readCache(bytes)
    case .keys: readKeys(bytes)
    case .test: runTest(bytes)
    case .rows: importRows(bytes)
    case .log: readLog(bytes)
    case .lesson: checkLesson(bytes)
    case .answer: answer(bytes)
    case .progress: readProgress(bytes)
    case .history: readHistory(bytes)
    }
  }

  private func readScript(_ bytes: [UInt8]) {
    let source = SourceText(name: "fuzz.frc", bytes: bytes)
    let script = ScriptParser.parse(source)
    _ = DiagnosticRenderer().render(script.diagnostics, in: source)
    let text = String(decoding: bytes, as: UTF8.self)
    _ = ScriptParser.completeness(of: text)
  }

  private func format(_ bytes: [UInt8]) {
    let script = ScriptParser.parse(SourceText(name: "fuzz.frc", bytes: bytes))
    guard script.diagnostics.allSatisfy({ $0.severity != .error }) else { return }
    let formatted = ScriptFormatter.format(script)
    let again = ScriptParser.parse(SourceText(name: "fuzz.frc", bytes: formatted))
    precondition(
      again.diagnostics.allSatisfy { $0.severity != .error }, "a formatted script has errors")
    precondition(
      again.statements.count == script.statements.count, "a formatted script says something else")
    precondition(ScriptFormatter.format(again) == formatted, "formatting twice changes a script")
  }

  private func readPredicate(_ bytes: [UInt8]) {
    _ = try? PredicateParser.parseEmbedded(in: bytes, from: 0)
    guard let tree = try? PredicateParser.parse(format: String(decoding: bytes, as: UTF8.self))
    else { return }
    let normal = tree.description
    guard let again = try? PredicateParser.parse(format: normal) else {
      preconditionFailure("a normal form does not parse: \(normal)")
    }
    precondition(again.description == normal, "a normal form has another: \(normal)")
  }

  private func readModel(_ bytes: [UInt8]) {
    _ = try? ModelFile(contents: bytes)
    _ = ModelFile.currentVersion(of: bytes)
  }

  private func readCache(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { raw in
      guard let file = try? SectionCacheCodec.decode(raw) else { return }
      precondition(SectionCacheCodec.encode(file) == bytes, "a cache is written otherwise")
    }
    // Most random bytes have a wrong checksum, after which nothing is read.
    let righted = SectionCacheCodec.withChecksum(bytes)
    righted.withUnsafeBytes { raw in _ = try? SectionCacheCodec.decode(raw) }
  }

  private func readKeys(_ bytes: [UInt8]) {
    // A pipe can hold only this many bytes at once.
    guard let pipe = try? FilledPipe(bytes.prefix(4096)) else { return }
    let input = TerminalInput(pipe.descriptor)
    var count = 0
    while case .scalar = input.next(bulk: count % 2 == 0) { count += 1 }
    precondition(count <= bytes.count, "more characters than bytes")
  }
}
