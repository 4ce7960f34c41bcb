import FetchedResults
import LineEditor
import ScriptRuntime
import ScriptSyntax

/// Takes entries one after another and lets the console show what they bring.
final class PromptSession {
  /// What entries are called where an event names its source.
  static let sourceName = "<prompt>"

  private let console: PromptConsole
  private let interpreter: Interpreter
  /// The controllers of which it was said that they have not fetched; said
  /// once of each.
  private var saidUnfetched: Set<String> = []

  init(console: PromptConsole, options: SessionOptions) {
    self.console = console
    let environment = options.environment
    environment.askForStep = console.askForStep(_:)
    interpreter = Interpreter(
      environment: environment, evaluation: options.evaluation, emit: console.show(_:))
    options.nameStore(to: interpreter)
    interpreter.keepReasons()
    interpreter.hearWarning = { console.show($0, in: $1) }
  }

  /// Whether an entry needs no further line.
  ///
  /// Who does not know how to go on leaves a line empty, and is then told what
  /// is missing.
  static func isComplete(_ entry: String) -> Bool {
    if PromptCommand(entry) != nil { return true }
    if ScriptParser.completeness(of: entry) == .complete { return true }
    let lines = entry.split(separator: "\n", omittingEmptySubsequences: false)
    let endsEmpty = lines.count > 1 && lines.last?.allSatisfy(\.isWhitespace) == true
    return endsEmpty && !ScriptParser.isOpen(entry)
  }

  /// Takes an entry.
  ///
  /// One that does not parse changes nothing; the statements before one that
  /// fails have run.
  ///
  /// - Returns: Whether the session goes on.
  func take(_ entry: String) -> Bool {
    if let command = PromptCommand(entry) { return take(command) }
    let source = SourceText(name: Self.sourceName, text: entry)
    let script = ScriptParser.parse(source, as: .prompt)
    if script.hasErrors, console.isSeen, let hint = NameHint(entry, session: interpreter.session) {
      console.acknowledge(hint.description)
      return true
    }
    for diagnostic in script.diagnostics { console.show(diagnostic, in: source) }
    guard !script.hasErrors else { return true }
    for (index, statement) in script.statements.enumerated() {
      let isLast = index == script.statements.count - 1
      guard run(statement, in: source, isLast: isLast) else { break }
    }
    return true
  }

  /// Ends the session: what is kept for the next one is written.
  func close() {
    for problem in interpreter.close() { console.answer(["frc: warning: \(problem)"]) }
  }

  /// Returns what Tab offers.
  func completions(in text: String, at offset: Int) -> Completion {
    if let completion = PromptCommand.completion(in: text, at: offset) { return completion }
    let found = Completions(in: text, at: offset, session: interpreter.session)
    return Completion(
      replacementStart: found.replacementStart, candidates: found.candidates)
  }

  /// Runs a statement.
  ///
  /// - Returns: Whether it went well.
  private func run(_ statement: Statement, in source: SourceText, isLast: Bool) -> Bool {
    let session = interpreter.session
    let before = session.tally
    do {
      try interpreter.run(statement, in: source)
    } catch {
      if error.kind == .interrupted {
        console.showInterruption(ofWork: true)
      } else {
        console.show(error.diagnostic, in: error.source)
      }
      acknowledge(Acknowledgement.all(ofFailureAfter: before, session: session))
      return false
    }
    if console.isCutOff { console.showInterruption(ofWork: false) }
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

  /// Answers a command.
  ///
  /// - Returns: Whether the session goes on.
  private func take(_ command: PromptCommand) -> Bool {
    switch command {
    case .quit: return false
    case .help(nil): console.answer(Help.overview)
    case .help(let topic?): console.answer(Self.page(on: topic))
    case .unknown(let name, let nearest):
      console.answer([PromptWords.unknownCommand(name, nearest: nearest)])
    case .helpHint(let topic): console.answer([PromptWords.helpHint(topic)])
    case .quitHint: console.answer([PromptWords.quitHint])
    }
    return true
  }

  private static func page(on topic: String) -> [String] {
    switch Help.answer(to: topic) {
    case .topic(let topic): topic.page
    case .toCome(let word): [PromptWords.toCome(word)]
    case .unknown(let word, let nearest): [PromptWords.unknownTopic(word, nearest: nearest)]
    }
  }
}
