import FetchedResults
import LineEditor
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// Takes entries one after another and lets the console show what they bring.
final class PromptSession {
  /// What entries are called where an event names its source.
  static let sourceName = "<prompt>"

  let console: PromptConsole
  let settings: SessionSettings
  let history: LineHistory
  let timeline: SessionTimeline
  let environment: FileEnvironment
  /// What the next entry begins with.
  var draft: String?
  /// The topic that was explained last.
  var topic: HelpTopic?
  /// Whether it is told how long statements took.
  var tellsTime = false
  /// What is shown around the line.
  private(set) lazy var companion = PromptCompanion(self)
  /// The last entry that failed, as it would be right; nil if nobody knows.
  var correction: String?
  /// What `:predict` asks, and what it waits with.
  var prediction = PromptPrediction()
  /// Whether the terminal's background is light.
  var isLight = false
  /// Answers Ctrl-C where a statement takes some time to stop.
  private let interruptWatch: InterruptWatch
  /// The files that this session has written.
  var recorded: Set<String> = []
  /// The controllers of which it was said that they have not fetched; said
  /// once of each.
  private var saidUnfetched: Set<String> = []

  init(console: PromptConsole, settings: SessionSettings, history: LineHistory) {
    self.console = console
    self.settings = settings
    self.history = history
    environment = settings.environment()
    let waiting = WaitingLine(isSpoken: console.isSpoken)
    environment.askForStep = console.askForStep(_:)
    environment.showsProgress = !console.isSpoken
    interruptWatch = InterruptWatch(
      answer: console.isEditing && !console.isSpoken
        ? PromptWords.stopping : "\n\(PromptWords.stoppingInWords)\n")
    let evaluation = settings.evaluation
    timeline = SessionTimeline(
      environment: environment, evaluation: evaluation,
      prepare: settings.nameStore(to:), warn: { console.show($0, in: $1) },
      emit: { [prediction, waiting] event in
        waiting.erase()
        prediction.hear(event)
        console.show(event)
      })
    hearInterruptions()
    timeline.hearProgress = { waiting.show($0) }
    timeline.hearRunning = { waiting.show($0) }
    if let warning = settings.evaluation.localeWarning {
      console.answer(["frc: warning: --locale: \(warning)"])
    }
  }

  /// Tells at once that a statement has stopped.
  private func hearInterruptions() {
    timeline.hearInterruption = { [unowned self] willBeRestored in
      console.showInterruption(
        willBeRestored ? PromptWords.interrupted : PromptWords.interruptedInFile)
    }
  }

  /// What names mean now.
  var session: Session { timeline.session }

  /// Whether an entry needs no further line.
  ///
  /// Who does not know how to go on leaves a line empty, and is then told what
  /// is missing.
  static func isComplete(_ entry: String) -> Bool {
    if PromptEntry(entry) != nil { return true }
    if ScriptParser.completeness(of: entry) == .complete { return true }
    let lines = entry.split(separator: "\n", omittingEmptySubsequences: false)
    let endsEmpty = lines.count > 1 && lines.last?.allSatisfy(\.isWhitespace) == true
    return endsEmpty && !ScriptParser.isOpen(entry)
  }

  /// Whether what is typed at the prompt of now needs no further line.
  func isWhole(_ entry: String) -> Bool {
    prediction.isHolding ? PromptPrediction.isComplete(entry) : Self.isComplete(entry)
  }

  /// What is shown before the next entry.
  var prompt: String {
    prediction.isHolding ? PromptWords.predictionPrompt : PromptWords.prompt
  }

  /// Takes an entry.
  ///
  /// One that does not parse changes nothing; the statements before one that
  /// fails have run.
  ///
  /// - Returns: Whether the session goes on.
  func take(_ entry: String) -> Bool {
    correction = nil
    if let script = prediction.takeHeld() {
      run(script, predicted: entry.linesOfText)
      return true
    }
    if let command = PromptEntry(entry) { return take(command) }
    run(entry)
    return true
  }

  /// Runs an entry's statements.
  ///
  /// - Returns: Whether all went well.
  ///
  /// - Parameter name: What the entry is called in messages.
  @discardableResult
  func run(_ entry: String, named name: String = PromptSession.sourceName) -> Bool {
    let source = SourceText(name: name, text: entry)
    var script = ScriptParser.parse(source, as: .prompt)
    if let name = script.statements.first?.bareName, !isKnown(name) {
      // A word that means nothing was more likely meant for a statement than for a value.
      let other = ScriptParser.parse(source)
      if other.hasErrors { script = other }
    }
    for diagnostic in script.diagnostics { console.show(diagnostic, in: source) }
    if script.hasErrors {
      correction = script.diagnostics.first { $0.severity == .error }?.correction(of: source)
      if let hint = WordHint(script) {
        console.acknowledge(hint.description)
      } else if script.diagnostics.first?.replacement == nil, WordHint.isUnknownWord(script) {
        console.acknowledge(PromptWords.unknownWordHint)
      }
      return false
    }
    if prediction.asks(for: script, in: session), console.isSeen {
      prediction.hold(script)
      console.acknowledge(PromptWords.predictionWay)
      return true
    }
    return run(script)
  }

  /// Runs statements until one fails.
  func run(_ script: ParsedScript) -> Bool {
    for (index, statement) in script.statements.enumerated() {
      let isLast = index == script.statements.count - 1
      guard let (statement, source) = meant(by: statement, in: script.source) else { continue }
      guard run(statement, in: source, isLast: isLast) else { return false }
    }
    return true
  }

  /// Whether a name means something in the session.
  private func isKnown(_ name: String) -> Bool {
    NameHint(name, session: session) != nil || session.context(named: name) != nil
  }

  /// Returns the statement that a name alone stands for, such as `show books`, or the statement
  /// itself; nil if it was answered.
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

  /// Ends the session: what is kept for the next one is written.
  func close() {
    timeline.close()
    for problem in timeline.interpreter.close() { console.answer(["frc: warning: \(problem)"]) }
  }

  /// Returns what Tab offers.
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

  /// Returns the only text on which an entry can go on, and where what it replaces
  /// begins; nil where there are several, or none.
  ///
  /// Asked at every key, so it looks at no folder, and ends at the second.
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
  /// - Returns: Whether it went well.
  private func run(_ statement: Statement, in source: SourceText, isLast: Bool) -> Bool {
    let before = session.tally
    let start = ContinuousClock.now
    defer { if tellsTime { console.acknowledge(PromptWords.duration(.now - start)) } }
    console.beginOutput()
    interruptWatch.note(isRunning: true)
    defer { interruptWatch.note(isRunning: false) }
    do {
      try timeline.run(statement, in: source)
      console.endOutput()
    } catch {
      console.endOutput()
      if error.kind == .interrupted {
        // That it stopped has been said, and so has what stays in a file.
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
    // What to do next is said when nothing else is to follow.
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
