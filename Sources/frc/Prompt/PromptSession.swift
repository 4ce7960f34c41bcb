import Basics
import FetchedResults
import LineEditor
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// Runs entries one after another, and shows their effects on the console.
final class PromptSession {
  /// The source name of entries in events.
  static let sourceName = "<prompt>"

  let console: PromptConsole
  let settings: SessionSettings
  let history: LineHistory
  let timeline: SessionTimeline
  let environment: FileEnvironment
  /// The entries that `:history` listed last, and the last entry of the history then.
  var listed: (entries: [String], last: String?)?
  /// The text that the next entry begins with.
  var draft: String?
  /// The help topic that was shown last.
  var topic: HelpTopic?
  /// Whether the duration of statements is shown.
  var tellsTime = false
  /// Decides what is shown around the line.
  private(set) lazy var panes = PromptPanes(self)
  /// The correction of the last entry that failed; nil if it is unknown.
  var correction: String?
  /// The crash text that was pasted last.
  var crash = PastedCrash()
  /// The prediction that `:predict` asks for, and the statements that wait for it.
  var prediction = PromptPrediction()
  /// Whether the terminal's background is light.
  var isLight = false
  /// Answers Ctrl-C if a statement takes some time to stop.
  private let interruptHandler: InterruptHandler
  /// The files that this session has written.
  var recorded: Set<String> = []
  /// The controllers for which the note was shown that they have not fetched.
  ///
  /// It is shown once for each.
  private var saidUnfetched: Set<String> = []

  init(console: PromptConsole, settings: SessionSettings, history: LineHistory) {
    self.console = console
    self.settings = settings
    self.history = history
    environment = settings.environment()
    let waiting = WaitingLine(isSpoken: console.isSpoken)
    environment.askForStep = console.askForStep(_:)
    environment.showsProgress = !console.isSpoken
    interruptHandler =
      console.isEditing && !console.isSpoken
      ? InterruptHandler {
        PromptWords.stopping(isFinishing: StopCheck.isFinishing, for: $0)
      } : InterruptHandler(once: "\n\(PromptWords.stoppingInWords)\n")
    let evaluation = settings.evaluation
    timeline = SessionTimeline(
      environment: environment, evaluation: evaluation,
      prepare: settings.nameStore(to:), warn: { console.show($0, in: $1) },
      emit: { [prediction, waiting] event in
        waiting.erase()
        prediction.record(event)
        console.show(event)
      })
    observeInterruptions()
    timeline.onProgress = { waiting.show($0) }
    timeline.onRunning = { waiting.show($0) }
    if let warning = settings.evaluation.localeWarning {
      console.answer(["frc: warning: --locale: \(warning)"])
    }
  }

  /// Shows at once that a statement has stopped.
  private func observeInterruptions() {
    timeline.onStop = { [interruptHandler] done, running in
      interruptHandler.noteStop(PromptWords.undoing(done, of: running))
    }
    timeline.onInterruption = { [unowned self] willBeRestored in
      // What follows is the way back, which tells by itself how far it is.
      interruptHandler.noteEnd()
      console.showInterruption(
        willBeRestored
          ? PromptWords.interrupted(undoing: timeline.interpreter.interruptedTally)
          : PromptWords.interruptedInFile)
    }
  }

  /// The present session, which gives names their meaning.
  var session: Session { timeline.session }

  /// Whether an entry needs no further line.
  ///
  /// A user who does not know how to continue leaves a line empty, and then sees what is missing.
  static func isComplete(_ entry: String) -> Bool {
    if PromptEntry(entry) != nil { return true }
    if ScriptParser.completeness(of: entry) == .complete { return true }
    // A crash text needs no closing brackets.
    if PastedCrash.begins(entry) { return true }
    let lines = entry.split(separator: "\n", omittingEmptySubsequences: false)
    let endsEmpty = lines.count > 1 && lines.last?.allSatisfy(\.isWhitespace) == true
    return endsEmpty && !ScriptParser.isOpen(entry)
  }

  /// Whether the text at the present prompt needs no further line.
  func isWhole(_ entry: String) -> Bool {
    prediction.isHolding ? PromptPrediction.isComplete(entry) : Self.isComplete(entry)
  }

  /// Whether a text at the present prompt is one to run again, so that the history keeps it.
  ///
  /// A prediction is not: the statement that waits for it stays the last entry.
  func isEntry(_ entry: String) -> Bool {
    !prediction.isHolding || PromptEntry(entry) != nil
  }

  /// The prompt before the next entry.
  var prompt: String {
    prediction.isHolding ? PromptWords.predictionPrompt : PromptWords.prompt
  }

  /// Runs an entry.
  ///
  /// An entry with a syntax error changes nothing. If a statement fails, the statements before it
  /// have run.
  ///
  /// - Returns: Whether the session continues.
  func take(_ entry: String) -> Bool {
    correction = nil
    if prediction.isHolding, let (lines, command) = PromptPrediction.command(in: entry) {
      return take(command, duringPrediction: lines)
    }
    if let (script, lines) = prediction.takeHeld(predicted: entry) {
      run(script, predicted: lines)
      return true
    }
    if let command = command(entry) { return take(command) }
    run(entry)
    return true
  }

  /// Parses an entry for the prompt itself; nil if it is for the session.
  ///
  /// A name of the session, such as `q`, comes before a word of other programs.
  func command(_ entry: String) -> PromptEntry? {
    guard let command = PromptEntry(entry) else { return nil }
    switch command {
    case .helpHint(topic: nil), .quitHint:
      let word = entry.split(whereSeparator: \.isWhitespace).first.map(String.init)
      return word.map(isKnown) == true ? nil : command
    case .helpHint, .command, .unknown, .question, .shell: return command
    }
  }

  /// Runs an entry's statements.
  ///
  /// - Parameter name: The name of the entry in messages.
  /// - Returns: Whether there was no error.
  @discardableResult
  func run(_ entry: String, named name: String = PromptSession.sourceName) -> Bool {
    let source = SourceText(name: name, text: entry)
    var script = ScriptParser.parse(source, as: .prompt)
    var unknown: String?
    if let name = script.statements.first?.bareName, !isKnown(name) {
      // An unknown word was more probably meant as a statement than as a value.
      let other = ScriptParser.parse(source)
      if other.hasErrors {
        unknown = script.statements.count == 1 ? name : nil
        script = other
      }
    }
    if script.hasErrors {
      if explainCrash(entry, script) { return false }
    } else if !script.statements.isEmpty {
      // A statement ends the paste, and an empty line does not.
      crash = PastedCrash()
    }
    for diagnostic in script.diagnostics {
      console.show(unknown.map { aboutName($0, diagnostic) } ?? diagnostic, in: source)
    }
    if script.hasErrors {
      correction = script.diagnostics.first { $0.severity == .error }?.correction(of: source)
      if let hint = WordHint(script) {
        console.acknowledge(hint.description)
      } else if script.diagnostics.first?.replacement == nil, WordHint.isUnknownWord(script) {
        console.acknowledge(PromptWords.unknownWordHint(isEditing: console.isEditing))
      }
      return false
    }
    if prediction.asks(for: script, in: session), console.isSeen {
      prediction.hold(script)
      console.acknowledge(PromptWords.predictionWay)
      return true
    }
    return run(script) == script.statements.count
  }

  /// Runs statements until one fails.
  ///
  /// - Returns: The number of statements that ran without an error.
  @discardableResult
  func run(_ script: ParsedScript) -> Int {
    for (index, statement) in script.statements.enumerated() {
      let isLast = index == script.statements.count - 1
      guard let (statement, source) = meant(by: statement, in: script.source) else { continue }
      guard run(statement, in: source, isLast: isLast) else { return index }
    }
    return script.statements.count
  }

  /// Whether a name exists in the session.
  private func isKnown(_ name: String) -> Bool {
    NameHint(name, session: session) != nil || session.context(named: name) != nil
  }

  /// Returns an error about a word alone, which may have been meant for a name or for a statement.
  ///
  /// One that says already what was probably meant stays as it is.
  private func aboutName(_ name: String, _ diagnostic: Diagnostic) -> Diagnostic {
    guard diagnostic.message == "unknown statement '\(name)'" else { return diagnostic }
    var diagnostic = diagnostic
    let names =
      session.entities.map(\.name) + session.controllerNames + session.tableNames
      + session.variableNames + session.requests.keys.sorted() + session.contexts.map(\.name)
    diagnostic.message = PromptWords.unknownName(
      name, nearest: nearestName(to: name, among: names))
    return diagnostic
  }

  /// Returns the statement that a name alone stands for, such as `show books`, or else the
  /// statement itself; nil if the entry was answered.
  private func meant(
    by statement: Statement, in source: SourceText
  ) -> (Statement, SourceText)? {
    guard let name = statement.bareName, session.variable(name) == nil,
      let hint = NameHint(name, session: session)
    else { return (statement, source) }
    guard let text = hint.statement else {
      console.acknowledge(hint.description)
      return nil
    }
    let source = SourceText(name: source.name, text: text)
    return ScriptParser.parse(source, as: .prompt).statements.first.map { ($0, source) }
  }

  /// Ends the session, and writes what is kept for the next one.
  func close() {
    timeline.close()
    for problem in timeline.interpreter.close() { console.answer(["frc: warning: \(problem)"]) }
  }

  /// Returns the completions for Tab.
  func completions(in text: String, at offset: Int) -> Completion {
    let commands = PromptEntry.completion(in: text, at: offset) {
      FileEnvironment.names(inFolder: $0)
    }
    if let commands { return commands }
    let found = Completions(in: text, at: offset, session: session, environment: environment)
    return Completion(
      replacementStart: found.replacementStart,
      candidates: found.candidates.enumerated().map { index, text in
        Completion.Candidate(text, detail: found.detail(at: index))
      },
      omitted: found.omitted, omittedStart: found.omittedStart)
  }

  /// Returns the only completion of an entry, and where the replaced text begins; nil if there are
  /// several or none.
  ///
  /// This is called at every key, so it reads no folder, and stops at the second completion.
  func onlyCompletion(of text: String) -> (start: Int, text: String)? {
    let offset = text.utf8.count
    if let commands = PromptEntry.completion(in: text, at: offset) {
      guard commands.candidates.count == 1 else { return nil }
      return commands.candidates.first.map { (commands.replacementStart, $0.text) }
    }
    let found = Completions(in: text, at: offset, session: session, atMost: 2)
    guard found.candidates.count == 1 else { return nil }
    return found.candidates.first.map { (found.replacementStart, $0) }
  }

  /// Runs a statement.
  ///
  /// - Returns: Whether there was no error.
  private func run(_ statement: Statement, in source: SourceText, isLast: Bool) -> Bool {
    let before = session.tally
    let start = ContinuousClock.now
    defer { if tellsTime { console.acknowledge(PromptWords.duration(.now - start)) } }
    console.beginOutput()
    interruptHandler.noteStart()
    let result = Result { () throws(ScriptError) in try timeline.run(statement, in: source) }
    console.endOutput()
    if interruptHandler.noteEnd() { console.eraseRow() }
    if case .failure(let error) = result {
      if error.kind == .interrupted {
        // The user already knows that it stopped, and what stays in a file.
        if !timeline.wasRestored, timeline.canGoBack {
          console.showInterruption(PromptWords.notRestored)
        }
      } else {
        console.show(error.diagnostic, in: error.source)
        if error.source == source {
          correction = error.diagnostic.correction(of: source, from: statement.range.lowerBound)
        }
      }
      acknowledge(Acknowledgement.all(ofFailureAfter: before, session: session))
      return false
    }
    if console.isCutOff { console.showInterruption(PromptWords.cutOff) }
    // Advice on what to do next is shown only after the last statement.
    let found = Acknowledgement.all(of: statement, before: before, session: session)
    acknowledge(isLast ? found : found.filter { !$0.isAdvice })
    return true
  }

  private func acknowledge(_ acknowledgements: [Acknowledgement]) {
    for acknowledgement in acknowledgements {
      if case .controller(let name) = acknowledgement { saidUnfetched.remove(name) }
      if case .unfetched(let name) = acknowledgement, !saidUnfetched.insert(name).inserted {
        continue
      }
      console.acknowledge(acknowledgement.description)
    }
  }
}
