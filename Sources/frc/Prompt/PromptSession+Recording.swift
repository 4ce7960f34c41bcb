import FetchedResults
import Foundation
import GoldenTesting
import Platform
import PromptTools
import ScriptPages
import ScriptRuntime
import ScriptSyntax

extension PromptSession {
  /// Writes the session as a script, and runs the script to compare its output.
  func record(_ argument: String?) {
    guard let argument else { return usage(.record) }
    let words = argument.split(whereSeparator: \.isWhitespace)
    let keepsFailures = words.count > 1 && words.last == "try"
    // Blanks in the name of a file count.
    let name =
      keepsFailures ? argument.dropLast("try".count).trimmingCharacters(in: .whitespaces) : argument
    if let mistake = PromptWords.noFileToRecord(name) { return console.answer([mistake]) }
    guard timeline.position > 0 else { return console.answer([PromptWords.nothing(to: "record")]) }
    let path = name.expandingHome
    guard recorded.contains(path) || !FileStatus.exists(path) else {
      return console.answer(["'\(path)' is there already, and this session has not written it"])
    }
    let failures = timeline.points[..<timeline.position].count { $0.failure != nil }
    var script = recording(keepsFailures: keepsFailures, at: path)
    // What it includes is found beside it, so it has to be there when it runs.
    guard write(script.text, to: path) else { return }
    var outcome = tested(script, at: path)
    var keepsThem = keepsFailures
    if !keepsFailures, failures > 0, !outcome.passed {
      // A statement that failed may have changed something before it failed.
      let whole = recording(keepsFailures: true, at: path)
      let other = tested(whole, at: path)
      if other.passed {
        (script, outcome, keepsThem) = (whole, other, true)
        guard write(script.text, to: path) else { return }
      }
    }
    console.acknowledge(
      "# \(path): \(Self.count(script.statementCount, "statement"))"
        + Self.remark(on: failures, kept: keepsThem, asAsked: keepsThem == keepsFailures))
    if let failure = outcome.causes.first ?? outcome.failures.first {
      let place = "line \(failure.lines.lowerBound) of '\(path)'"
      let isOutput = if case .output = failure.kind { true } else { false }
      let words =
        isOutput
        ? "\(place) prints something else when it runs again, so frc test fails there"
        : "\(place): \(failure)"
      console.answer([words + emptyStore])
    }
  }

  /// Writes a script or a page, and returns whether that succeeded.
  func write(_ text: String, to path: String) -> Bool {
    do {
      try FileEnvironment.replace(path, with: Array(text.utf8))
    } catch {
      console.answer(["cannot write '\(path)': \(error.reason)"])
      return false
    }
    recorded.insert(path)
    return true
  }

  private func recording(keepsFailures: Bool, at path: String) -> SessionScript {
    SessionScript(
      timeline.points[..<timeline.position], printing: timeline.outputs(),
      keepsFailures: keepsFailures, path: path, locale: settings.locale, store: settings.store)
  }

  /// The comment that a session with a store in a file may run differently next time.
  private var emptyStore: String {
    timeline.session.openedFile.map { name in
      "; a test begins with an empty '\(name)', whatever this session found in it"
    } ?? ""
  }

  /// Runs the script as `frc test` does: with the permissions of its own folder.
  private func tested(_ script: SessionScript, at path: String) -> GoldenOutcome {
    let permissions = settings.access.permissions(ofTests: [path])
    return GoldenRunner(
      environment: FileEnvironment(permissions: permissions, storeFolder: ScratchFolder())
    )
    .run(GoldenTest(source: SourceText(name: path, text: script.text)))
  }

  private static func remark(on failures: Int, kept: Bool, asAsked: Bool) -> String {
    guard failures > 0 else { return "" }
    let number = failures == 1 ? "one that failed is" : "\(failures) that failed are"
    guard kept else { return "; \(number) left out" }
    return "; \(number) kept with try"
      + (asAsked ? "" : ", for what they did before they failed is needed later")
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

extension PromptSession {
  /// Returns the statements in force as a script, without their output.
  private func script(at path: String) -> ParsedScript {
    let script = SessionScript(
      timeline.points[..<timeline.position], printing: nil, keepsFailures: true, path: path,
      locale: settings.locale, store: settings.store)
    return ScriptParser.parse(SourceText(name: path, text: script.text))
  }

  /// Runs the session's statements again in another session.
  ///
  /// For each it shows the statement, its effects, and then the controllers that it concerned. A
  /// key continues.
  func play() {
    guard timeline.position > 0 else { return console.answer([PromptWords.nothing(to: "play")]) }
    let script = script(at: Self.sourceName)
    var concerned: [String] = []
    let interpreter = Interpreter(
      environment: environment.asTest(), evaluation: settings.evaluation
    ) { [console] event in
      if let name = event.batchController, !concerned.contains(name) { concerned.append(name) }
      console.show(event)
    }
    interpreter.keepReasons()
    interpreter.prepare(for: script)
    var waits = true
    for (index, statement) in script.statements.enumerated() {
      if waits {
        waits = console.ask(PromptWords.played(index + 1, of: script.statements.count))
      }
      console.echo(script.source.text(in: statement.range))
      concerned = []
      do throws(ScriptError) {
        try interpreter.run(statement, in: script.source)
      } catch {
        console.show(error.diagnostic, in: error.source)
        if error.kind == .interrupted { return }
      }
      for name in concerned {
        let show = ScriptParser.parse(SourceText(name: Self.sourceName, text: "show \(name)"))
        try? interpreter.run(show)
      }
    }
  }

  /// Writes the session as a page that plays it.
  func share(_ argument: String?) {
    guard let path = argument?.expandingHome else { return usage(.share) }
    guard timeline.position > 0 else { return console.answer([PromptWords.nothing(to: "play")]) }
    guard recorded.contains(path) || !FileStatus.exists(path) else {
      return console.answer(["'\(path)' is there already, and this session has not written it"])
    }
    // The names of files count from the page's folder, which is known once the page is there.
    guard FileStatus.exists(path) || write("", to: path) else { return }
    let script = script(at: path)
    let recorder = PlayRecorder(
      title: "A session of frc", environment: environment.asTest(),
      evaluation: settings.evaluation, prepare: { _ in })
    let page = PlayPage(recorder.record(script, shownAs: script.source))
    guard write(page.html, to: path) else { return }
    let count = script.statements.count
    console.acknowledge("# \(path): \(count) \(count == 1 ? "statement" : "statements")")
  }
}

extension Event {
  /// The controller whose batch ends with the event; nil for other events.
  fileprivate var batchController: String? {
    callback.flatMap { $0.endsBatch ? $0.controller : nil }
  }
}

/// A session as a script: its statements with their output, and the settings that it read from its
/// environment.
struct SessionScript {
  private(set) var text = "# Recorded at the prompt of frc.\n"
  private(set) var statementCount = 0

  /// - Parameters:
  ///   - points: The statements in force.
  ///   - outputs: The output of each statement, to be written under it; nil elements for lost
  ///     output. Nil for statements alone.
  ///   - keepsFailures: Whether failed statements are kept, after `try`.
  ///   - path: The path of the script. Files are named relative to it.
  ///   - locale: The locale at the start.
  ///   - store: The store at the start, as on the command line.
  init(
    _ points: ArraySlice<SessionTimeline.Point>, printing outputs: [[String]?]?,
    keepsFailures: Bool, path: String, locale: String, store: String
  ) {
    if locale != "en" { text += "set locale \(locale.quoted)\n" }
    if store != "memory" { text += "store sqlite \(store.quoted)\n" }
    let folder = FilePlace.folder(of: FilePlace.whole(path))
    let results = UsedResults(points)
    for (index, point) in points.enumerated() where keepsFailures || point.failure == nil {
      statementCount += 1
      if let instant = point.inputs.instant { text += "set clock @\(instant.utcDescription)\n" }
      let statement = WrittenStatement(point, from: folder).text
      var following = ""
      defer { text += following }
      if let number = point.result, results.numbers.contains(number) {
        let lines = results.text(of: number, in: point, statement: statement)
        text += lines.printing
        following = lines.following
      } else {
        text += (point.failure == nil ? "" : "try ") + statement + "\n"
      }
      guard let outputs else { continue }
      let printed = outputs[index]
      if printed == nil { text += "# It printed too much to be kept.\n" }
      var output = printed ?? []
      if let failure = point.failure { output += "error: \(failure)".linesOfText }
      for line in output {
        // A carriage return at the end would belong to the line end.
        let line = line.hasSuffix("\r") ? String(line.dropLast()) : line
        text += line.isEmpty ? "#>\n" : "#> \(ExpectedOutput.escaped(line))\n"
      }
    }
  }
}

/// A statement as it is written in a file, where line ends count.
struct WrittenStatement {
  let text: String

  init(_ point: SessionTimeline.Point, from folder: String) {
    let typed = Self.renamed(point, from: folder)
    let lines = [typed, Self.joined(typed, keepsLines: true)]
    text = lines.first(where: Self.stands) ?? Self.joined(typed)
  }

  /// Returns the text with its file names changed to be relative to a folder.
  private static func renamed(_ point: SessionTimeline.Point, from folder: String) -> String {
    let text = point.text
    let base = FilePlace.folder(of: FilePlace.whole(point.source.name))
    guard base != folder else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var offset = 0
    var word = ""
    for part in TextParts(text).parts {
      if part.role == .string, ["include", "import", "model"].contains(word) {
        let inner =
          (part.range.lowerBound + 1)..<max(part.range.lowerBound + 1, part.range.upperBound - 1)
        let name = String(decoding: bytes[inner], as: UTF8.self)
        // A computed name is not changed. Neither is a store's name, because a test keeps its
        // stores in a temporary folder.
        if !name.contains("\\") {
          result += bytes[offset..<inner.lowerBound]
          result += Array(FilePlace.name(of: FilePlace.whole(name, in: base), from: folder).utf8)
          offset = inner.upperBound
        }
      }
      word = part.text
    }
    return String(decoding: result + bytes[offset...], as: UTF8.self)
  }

  /// Whether a file can contain the text unchanged.
  private static func stands(_ text: String) -> Bool {
    let script = ScriptParser.parse(SourceText(name: "", text: text))
    return !script.hasErrors && script.statements.count == 1
  }

  /// Returns the text without line ends, or without those in strings alone.
  ///
  /// In strings they become escapes. Others may end a statement of a block.
  private static func joined(_ text: String, keepsLines: Bool = false) -> String {
    let gap: (ArraySlice<UInt8>) -> [UInt8] = { keepsLines ? Array($0) : Self.gap($0) }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var offset = 0
    for part in TextParts(text).parts {
      result += gap(bytes[offset..<part.range.lowerBound])
      let piece = bytes[part.range]
      switch part.role {
      case .string: for byte in piece { result += byte == 0x0A ? Array("\\n".utf8) : [byte] }
      case .comment: result += keepsLines ? piece : []
      case .word, .entity, .name, .variable, .object, .number, .date, .sign, .bracket,
        .strayBracket, .openBracket, .unknown:
        result += piece
      }
      offset = part.range.upperBound
    }
    result += gap(bytes[offset...])
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the text between two parts on one line; a `\` at the end of a line is removed.
  private static func gap(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard bytes.contains(0x0A) else { return Array(bytes) }
    return bytes.map { $0 == 0x0A || $0 == 0x5C ? 0x20 : $0 }
  }
}

/// The saved results of statements that later statements use as `_` or `_3`.
///
/// A script saves no results by itself, so there these statements define variables.
struct UsedResults {
  /// The numbers of the results.
  private(set) var numbers: Set<Int> = []
  /// The numbers of the results that are used as `_`.
  private var latest: Set<Int> = []

  init(_ points: ArraySlice<SessionTimeline.Point>) {
    var last: Int?
    for point in points {
      for name in Self.names(in: point.text) {
        if name == "_", let last {
          numbers.insert(last)
          latest.insert(last)
        } else if let number = Int(name.dropFirst()) {
          numbers.insert(number)
        }
      }
      last = point.result ?? last
    }
  }

  /// Returns the words of a text that could name a result.
  ///
  /// This may include words in a string. Then a variable is defined that nothing uses.
  private static func names(in text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.filter { word in
      word.first == "_" && word.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }.map(String.init)
  }

  /// Returns the lines that print a result, and those that follow its output.
  ///
  /// They also define a variable. For a fetch, that is done last: the first of two fetches prints
  /// what the second one does not, such as the output of `awakeFromFetch`.
  func text(
    of number: Int, in point: SessionTimeline.Point, statement: String
  ) -> (printing: String, following: String) {
    let name = "_\(number)"
    let isValue = point.tried.bareValue != nil
    // What has a result did not fail, so a variable's definition needs no `try`.
    let length = point.tried.range.lowerBound - point.statement.range.lowerBound
    let value = Substring(statement.utf8.dropFirst(length + (isValue ? "print ".utf8.count : 0)))
    let definition =
      "let \(name) = \(value)\n" + (latest.contains(number) ? "let _ = \(name)\n" : "")
    return isValue ? (definition + "print \(name)\n", "") : (statement + "\n", definition)
  }
}

/// Conversions of file paths.
enum FilePlace {
  /// Returns the absolute path.
  static func whole(_ path: String, in folder: String? = nil) -> String {
    let start = folder ?? RealPath.workingFolder + "/"
    let url = URL(fileURLWithPath: path.hasPrefix("/") ? path : start + path)
    return url.standardizedFileURL.path
  }

  /// Returns the folder of a file, with a slash at the end.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// Returns the path of a file relative to a folder.
  ///
  /// If the file is not in the folder, returns the absolute path.
  static func name(of path: String, from folder: String) -> String {
    path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
  }
}
