import ArgumentParser
import Basics
import FetchedResults
import Foundation
import GoldenTesting
import Lessons
import LineEditor
import LogReplay
import Platform
import ScriptPages
import ScriptRuntime
import ScriptSyntax

/// `frc play FILE -o page.html`, `frc play FOLDER -o site`, `frc play --svg FILE -o card.svg`.
struct PlayCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Write a web page that plays a script, or a picture of a turn.",
    usage: """
      frc play FILE -o PAGE.html
      frc play FOLDER … -o SITE
      frc play --svg FILE -o CARD.svg [--turn N] [--controller NAME]
      """,
    discussion: """
      The page needs no network and no other file. It shows the statements, each controller and \
      table with its rows, the callbacks one by one, and the reason for each.

      For a folder or several files, -o names a folder. frc writes a page for each script, and an \
      index. A Markdown file is played only if it is named itself. The blocks under one heading \
      form a session.

      The page of a lesson asks before each turn, and shows neither its answer nor its hints. \
      --answers shows them.

      A script runs as in frc test: its stores are files in a temporary folder, into which the \
      store of --store is copied. A session ends with the first statement that fails.
      """)

  @Argument(help: .value("path", "Scripts, Markdown files or folders."))
  var paths: [String]

  @Option(
    name: [.short, .long],
    help: .value(
      "path", "The file to write, - for standard output; for several pages, the folder."))
  var output: String

  @Flag(help: "Draw one turn: the results before, the callbacks, the results after.")
  var svg = false

  @Option(
    help: ArgumentHelp(
      """
      With --svg, the statement to draw, counted from 1 as in the page's links; else the last \
      that sends callbacks.
      """, valueName: "n"))
  var turn: Int?

  @Option(
    help: .value(
      "name", "With --svg, the controller to draw; else the first that sends callbacks."))
  var controller: String?

  @Flag(
    help: "For lessons, also show the answers, the hints and the statements that answer them.")
  var answers = false

  @OptionGroup var store: StoreChoice

  @OptionGroup var options: SessionOptions

  @OptionGroup(title: "Limits") var limits: LimitOptions

  func validate() throws {
    guard svg || turn == nil && controller == nil else {
      throw ValidationError("--turn and --controller need --svg")
    }
    if svg, paths.count > 1 { throw ValidationError("--svg takes one script") }
    if paths.isEmpty { throw ValidationError("a script or a folder is needed") }
  }

  func run(writingTo output: Output) throws {
    output.warn(ofLocale: options.locale)
    let player = ScriptPlayer(
      settings: options.settings(for: store.store), showsAnswers: answers || svg,
      limit: SessionLimit(limits),
      output: output)
    if paths.count > 1 || FileStatus.isFolder(paths[0]) {
      guard !svg else { throw ValidationError("--svg takes one script, not a folder") }
      guard self.output != "-" else {
        throw ValidationError("-o -: several pages are written; name a folder for them")
      }
      throw PlaySite(paths, folder: self.output, player: player, output: output).write()
    }
    if let refusal = InputFiles(paths + player.storeFiles).refusal(ofOutput: self.output) {
      throw output.failure("cannot write '\(self.output)': \(refusal.reason)", status: 2)
    }
    let recording: PlayRecording
    do throws(ScriptPlayer.NoRecording) {
      recording = try player.recording(ofFile: paths[0])
    } catch {
      throw ExitCode(InterruptFlag.exitStatus ?? 2)
    }
    let text = svg ? try card(recording) : player.text(of: PlayPage(recording))
    if self.output == "-" { return output.write(document: Array(text.utf8)) }
    do {
      try FileEnvironment.write(Array(text.utf8), to: self.output)
    } catch {
      throw output.failure("cannot write '\(self.output)': \(error.reason)", status: 1)
    }
  }

  private func card(_ recording: PlayRecording) throws -> String {
    let names = recording.controllerNames
    if let controller, !names.contains(controller) {
      let known = names.isEmpty ? "there is none" : "there are \(names.joined(separator: ", "))"
      throw ValidationError("--controller: there is no controller '\(controller)'; \(known)")
    }
    // What is missing, with the controller if one is named.
    let callback = controller.map { "a callback of '\($0)'" } ?? "a callback"
    if let turn {
      let count = recording.steps.count
      guard recording.steps.indices.contains(turn - 1) else {
        throw ValidationError("--turn \(turn): there is no such statement; there are \(count)")
      }
      guard let card = TurnCard(recording, step: turn - 1, controller: controller) else {
        throw ValidationError("--turn \(turn): the statement does not cause \(callback)")
      }
      return card.svg
    }
    for step in recording.steps.indices.reversed() {
      if let card = TurnCard(recording, step: step, controller: controller) { return card.svg }
    }
    throw ValidationError("no statement of '\(paths[0])' causes \(callback)")
  }
}

/// Runs scripts and records what they do.
struct ScriptPlayer {
  let settings: SessionSettings
  /// Whether pages of lessons show answers and hints.
  let showsAnswers: Bool
  let limit: SessionLimit
  let output: Output

  /// The file of `--store`, which a page must not replace.
  var storeFiles: [String] { settings.store == "memory" ? [] : [settings.store] }

  /// Why there is no recording of a script.
  enum NoRecording: Error {
    /// It cannot be read, has errors, or exceeds a limit, or the user ended the program.
    case failed
    /// Its first lines say that tests skip it.
    case skipped
  }

  /// Runs a script, and reports errors on standard error.
  func recording(ofFile path: String) throws(NoRecording) -> PlayRecording {
    let permissions = settings.access.permissions(ofTests: [path])
    let file: SourceText
    do throws(UnreadableSource) {
      file = try permissions.namedScript(at: path)
    } catch {
      output.writeError("frc: error: cannot read '\(path)': \(error.reason)")
      throw .failed
    }
    let test = GoldenTest(source: file)
    let script = ScriptParser.parse(test.source)
    if script.hasErrors, file.isQuotable, let answer = CrashAnswer(script) {
      let report = CrashAnswerText(answer, file: path)
      output.writeError("\(path): \(report.message)")
      for line in report.lines { output.writeError(line) }
      throw .failed
    }
    let renderer = DiagnosticRenderer(usesColor: settings.color.appliesTo(.standardError))
    for diagnostic in script.diagnostics {
      output.writeError(painted: renderer.render(diagnostic, in: test.source))
    }
    guard !script.hasErrors else { throw .failed }
    let directives = TestDirectives(script)
    // A lesson has other lines of this form.
    let wrong = script.isLesson ? [] : directives.diagnostics
    for diagnostic in wrong {
      output.writeError(painted: renderer.render(diagnostic, in: test.source))
    }
    guard !wrong.contains(where: { $0.severity == .error }) else { throw .failed }
    if let skip = directives.skip {
      output.writeError("\(path):\(skip.line): skipped: \(skip.text.escapingControls())")
      throw .skipped
    }
    let read = script.isLesson ? LessonReader.read(script.source, named: file.name) : nil
    if let read, read.hasErrors, !showsAnswers {
      for problem in read.problems where problem.severity == .error {
        output.writeError(painted: renderer.render(problem, in: script.source))
      }
      output.writeError(
        "frc: error: '\(path)' is a lesson with errors, so its answers cannot be left out; "
          + "correct it, or add --answers")
      throw .failed
    }
    let lesson = read?.lesson
    let shown = lesson.map { shownText(of: $0, named: file.name) } ?? file
    let skipped = directives.skippedLines(in: script)
    limit.begin()
    var evaluation = settings.evaluation
    evaluation.isCancelled = { [limit] in SessionLimit.isStopped(by: limit) }
    let recorder = PlayRecorder(
      title: lesson?.title ?? Self.name(of: path),
      environment: FileEnvironment(
        permissions: permissions, storeFolder: ScratchFolder(),
        copiedStore: settings.store == "memory" ? nil : settings.store,
        cacheFolder: settings.cacheDir, limit: limit),
      evaluation: evaluation, limit: limit
    ) { interpreter in
      settings.nameStore(to: interpreter)
      if settings.store == "memory", directives.stores == [.sqlite] {
        interpreter.useStore(at: "matrix.sqlite")
      }
      // There is no page of a script that was stopped.
      interpreter.dropsInterrupted = true
      interpreter.revertsInterrupted = false
    }
    var recording = withExtendedLifetime(recorder) {
      let recording = recorder.record(
        lesson == nil ? script : ScriptParser.parse(shown), shownAs: shown,
        sessionStarts: test.sessionStarts, skipping: lesson == nil ? skipped : [])
      endIfAsked()
      return recording
    }
    recording.asks = lesson != nil && !showsAnswers
    if let excess = limit.excess {
      output.writeError("frc: error: '\(path)' \(excess)")
      throw .failed
    }
    guard InterruptFlag.exitStatus == nil else { throw .failed }
    return recording
  }

  /// Returns the text of a page.
  func text(of page: PlayPage) -> String {
    output.flush()
    // The program ends while the page is made, because freeing a half of it takes long.
    let check = StopCheck(
      { InterruptFlag.isRaised }, dropsChanges: true, didStop: { KillTimer.endAtOnce() })
    let text = check.watching { page.html }
    endIfAsked()
    return text
  }

  /// Ends the program if the user has asked for that, without freeing what a long run has recorded.
  private func endIfAsked() {
    guard InterruptFlag.exitStatus != nil else { return }
    output.flush()
    KillTimer.endAtOnce()
  }

  private static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Returns the lines of a lesson that the page shows and plays.
  private func shownText(of lesson: Lesson, named name: String) -> SourceText {
    guard !showsAnswers else { return lesson.script.source }
    let lines = LessonHandout(lesson).lines
    return SourceText(name: name, text: lines.joined(separator: "\n") + "\n")
  }
}

/// Writes a page for each script, and a list of them.
struct PlaySite {
  private let paths: [String]
  private let folder: String
  private let player: ScriptPlayer
  private let output: Output

  init(_ paths: [String], folder: String, player: ScriptPlayer, output: Output) {
    self.paths = paths
    self.folder = folder
    self.player = player
    self.output = output
  }

  /// Writes the site.
  ///
  /// - Returns: 1 if a script could not be played or a file not written. All other pages are
  ///   written nevertheless.
  func write() -> ExitCode {
    let search = TestSearch(paths, to: "play")
    for message in search.messages { output.writeError(message) }
    // A list of nothing is of no use.
    if search.scripts.isEmpty { return ExitCode(1) }
    var succeeded = search.findsAll
    // Without the folder, no page can be written.
    guard make(folder) else { return ExitCode(1) }
    let inputs = InputFiles(search.scripts.map(\.path) + player.storeFiles)
    var entries: [PlayIndex.Entry] = []
    // Names that Swift's equality treats as equal may be two files.
    var taken: Set<[UInt8]> = [Array("index.html".utf8)]
    for script in search.scripts where InterruptFlag.exitStatus == nil {
      let recording: PlayRecording
      do throws(ScriptPlayer.NoRecording) {
        recording = try player.recording(ofFile: script.path)
      } catch {
        if error != .skipped { succeeded = false }
        continue
      }
      let parts =
        ScriptFiles.names(of: script.path, in: paths)
        ?? [script.path.pathNames.last ?? "script"]
      let address = Self.address(parts, &taken)
      let page = PlayPage(
        recording,
        indexPath: String(repeating: "../", count: parts.count - 1) + "index.html")
      guard write(player.text(of: page), to: address, besides: inputs) else {
        succeeded = false
        continue
      }
      entries.append(
        PlayIndex.Entry(
          title: recording.title, summary: recording.summary,
          address: address.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? address,
          group: parts.dropLast().joined(separator: "/")))
    }
    if let status = InterruptFlag.exitStatus { return ExitCode(status) }
    let index = PlayIndex(title: "Scripts to play", entries: Self.grouped(entries))
    return write(index.html, to: "index.html", besides: inputs) && succeeded
      ? .success : ExitCode(1)
  }

  private static func address(_ parts: [String], _ taken: inout Set<[UInt8]>) -> String {
    let path = parts.joined(separator: "/")
    let ending = [".frc", ".md", ".markdown"].first(where: path.hasSuffix) ?? ""
    let stem = String(path.dropLast(ending.count))
    var address = stem + ".html"
    var number = 1
    while !taken.insert(Array(address.utf8)).inserted {
      number += 1
      address = "\(stem)-\(number).html"
    }
    return address
  }

  /// Returns the entries by group, in the order of each group's first entry.
  ///
  /// Entries without a group come first.
  private static func grouped(_ entries: [PlayIndex.Entry]) -> [PlayIndex.Entry] {
    var groups = [""]
    for entry in entries where !groups.contains(entry.group) { groups.append(entry.group) }
    return groups.flatMap { group in entries.filter { $0.group == group } }
  }

  private func write(_ text: String, to address: String, besides inputs: InputFiles) -> Bool {
    let file = URL(fileURLWithPath: folder).appendingPathComponent(address)
    guard make(file.deletingLastPathComponent().path) else { return false }
    do throws(UnwritableFile) {
      if let refusal = inputs.refusal(ofOutput: file.path) { throw refusal }
      try FileEnvironment.write(Array(text.utf8), to: file.path)
    } catch {
      output.writeError("frc: error: cannot write '\(file.path)': \(error.reason)")
      return false
    }
    return true
  }

  private func make(_ folder: String) -> Bool {
    do throws(UnwritableFile) {
      try FileEnvironment.makeFolder(folder)
      return true
    } catch {
      output.writeError("frc: error: cannot make the folder '\(folder)': \(error.reason)")
      return false
    }
  }
}
