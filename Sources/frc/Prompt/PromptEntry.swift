import Basics
import Foundation
import LineEditor
import LogReplay
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// An entry for the prompt itself, not for the session.
enum PromptEntry: Equatable {
  case command(PromptCommand, argument: String?)
  case unknown(String, nearest: String?)
  /// `help` without a colon, as in other programs.
  case helpHint(topic: String?)
  /// `exit` without a colon, as in other programs.
  case quitHint
  /// `books?`: asks what a name or a word means, and where it is defined.
  case question(String)
  /// `!ls`: runs a shell command.
  case shell(String)

  /// Parses an entry; nil if it is for the session.
  init?(_ entry: String) {
    let words = entry.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let first = words.first, !entry.contains(where: \.isNewline) else { return nil }
    let whole = entry.drop { $0.isWhitespace }
    if whole.first == "!" {
      self = .shell(String(whole.dropFirst()))
      return
    }
    if words.count == 1, first.count > 1, first.last == "?", Self.isAskable(first.dropLast()) {
      self = .question(String(first.dropLast()))
      return
    }
    let rest = words.dropFirst().joined(separator: " ")
    let argument = rest.isEmpty ? nil : rest
    if first.hasPrefix(":") {
      let typed = whole.dropFirst(first.count).trimmingCharacters(in: .whitespaces)
      let isWhole = Self.countsBlanks(PromptCommand.named(first.dropFirst().lowercased()))
      self = Self.command(
        String(first.dropFirst()), isWhole && !typed.isEmpty ? typed : argument)
      return
    }
    switch first.lowercased() {
    case "help", "?", "help()", ".help":
      self = .helpHint(topic: argument.flatMap(Self.topic))
    case "exit", "quit", "q", "exit()", "quit()", ".exit", ".quit", "\\q", "logout", "bye":
      guard argument == nil else { return nil }
      self = .quitHint
    default: return nil
    }
  }

  /// Whether blanks count in the argument of a command: in the strings of a statement, and in the
  /// name of a file.
  private static func countsBlanks(_ command: PromptCommand?) -> Bool {
    switch command {
    case .would, .load, .record, .share: true
    case .help, .keys, .history, .edit, .rerun, .more, .page, .all, .theme, .undo, .redo, .goto,
      .timeline, .try, .play, .pane, .predict, .mode, .timer, .clear, .quit, nil:
      false
    }
  }

  /// Whether a text is a name, a key path, a variable, a command or an object such as `Book/1`,
  /// about which one may ask.
  private static func isAskable(_ text: Substring) -> Bool {
    guard let first = text.first, first.isLetter || "_$:".contains(first) else { return false }
    // `:?` is a command.
    guard text != ":" else { return false }
    return ObjectReference(text) != nil
      || text.dropFirst().allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
  }

  /// Returns the topic that a word names; nil if there is none.
  private static func topic(_ word: String) -> String? {
    if case .topic = Help.answer(to: word) { word } else { nil }
  }

  private static func command(_ word: String, _ argument: String?) -> PromptEntry {
    let name = word.lowercased()
    if let command = PromptCommand.named(name) { return .command(command, argument: argument) }
    let names = PromptCommand.allCases.map(\.rawValue)
    // A topic's name most probably means the topic.
    if case .topic(let found) = Help.answer(to: name) {
      return .unknown(word, nearest: "help \(found.name)")
    }
    return .unknown(word, nearest: nearestName(to: name, among: names))
  }
}

extension PromptEntry {
  /// Returns the completions in a command; nil if the text is not a command.
  ///
  /// - Parameters:
  ///   - text: The entry.
  ///   - offset: The cursor's position, in UTF-8 bytes.
  ///   - files: Lists a folder; nil if there is none.
  static func completion(
    in text: String, at offset: Int, files: (String) -> [String]? = { _ in nil }
  ) -> Completion? {
    let before = String(decoding: Array(text.utf8.prefix(offset)), as: UTF8.self)
    guard before.hasPrefix(":") else { return nil }
    let words = before.dropFirst().split(separator: " ", omittingEmptySubsequences: false)
    let typed = String(words.last ?? "")
    var start = before.utf8.count - typed.utf8.count
    var choices: [Completion.Candidate] = []
    switch words.count {
    case 1:
      choices = PromptCommand.allCases.map { command in
        Completion.Candidate(
          command.rawValue + (command.isWhole ? "" : " "), detail: command.summary)
      }
    case 2:
      let command = PromptCommand.named(words[0].lowercased())
      if command == .load || command == .record {
        let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
        start += folder.utf8.count
        choices = Self.files(in: folder, files)
        return Completion(
          replacementStart: start,
          candidates: choices.filter { $0.text.hasPrefix(typed.dropFirst(folder.count)) })
      }
      choices = Self.arguments(of: command)
    default:
      if words[0] == "record", words.count == 3 {
        choices = [Completion.Candidate("try", detail: "keeps statements that failed")]
      }
    }
    return Completion(
      replacementStart: start,
      candidates: choices.filter { $0.text.hasPrefix(typed.lowercased()) })
  }

  private static func arguments(of command: PromptCommand?) -> [Completion.Candidate] {
    switch command {
    case .help, .try:
      Help.topics.sorted { $0.name < $1.name }
        .map { Completion.Candidate($0.name, detail: $0.lines[0]) }
    case .mode:
      OutputFormat.allCases.map { Completion.Candidate($0.rawValue, detail: $0.summary) }
    case .theme:
      PromptTheme.Name.allCases.map { Completion.Candidate($0.rawValue, detail: $0.summary) }
    case .timer, .predict, .all: ["on", "off"]
    case .pane: ["off"]
    case .would, .keys, .history, .load, .edit, .rerun, .more, .page, .undo, .redo, .goto,
      .timeline, .record, .play, .share,
      .clear, .quit,
      nil:
      []
    }
  }

  private static func files(
    in folder: String, _ files: (String) -> [String]?
  ) -> [Completion.Candidate] {
    (files(folder.isEmpty ? "." : folder) ?? []).filter { !$0.hasPrefix(".") }.compactMap { name in
      if files(folder + name) != nil { return Completion.Candidate(name + "/", detail: "folder") }
      return name.hasSuffix(".frc") ? Completion.Candidate(name, detail: "script") : nil
    }
  }
}

/// The part of a pasted text to insert.
///
/// From a copied session, this is what was typed; from a script, the expected output is left out.
struct PastedText {
  let text: String

  init(_ pasted: String) {
    let prompts = [PromptWords.prompt, PromptWords.continuationPrompt]
    let lines = pasted.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let isTranscript = lines.contains { $0.hasPrefix(PromptWords.prompt) }
    var kept: [String] = []
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("#>") || line.hasPrefix("#?") { continue }
      guard isTranscript else {
        kept.append(line)
        continue
      }
      if let prompt = prompts.first(where: line.hasPrefix) {
        kept.append(String(line.dropFirst(prompt.count)))
      } else if prompts.contains(line + " ") {
        kept.append("")
      } else if index == 0, Self.isStatement(line) {
        // A selection with the mouse often begins after the prompt.
        kept.append(line)
      }
    }
    // This removes the prompt after the last answer.
    while isTranscript, kept.last?.allSatisfy(\.isWhitespace) == true { kept.removeLast() }
    text = kept.joined(separator: "\n")
  }

  private static func isStatement(_ line: String) -> Bool {
    let word = line.prefix { $0.isLetter }
    return ScriptParser.statementWords.contains(String(word))
  }
}

/// A crash text that was pasted at the prompt.
///
/// Some terminals do not mark a paste. The text then comes line by line, as if it were typed fast.
struct PastedCrash {
  private var text = ""
  private var shown: [String] = []
  private var end: ContinuousClock.Instant?

  /// How long a line may take that belongs to a paste: a second, and some time for each character.
  private static func time(of line: String) -> Duration {
    .milliseconds(1_000 + 10 * line.utf8.count)
  }

  /// How much of a text is read again with each line.
  private static let mostBytes = 64_000

  /// Whether the first line of an entry is surely crash text.
  static func begins(_ entry: String) -> Bool {
    entry.linesOfText.first { !$0.isEmpty }.map { CrashAnswer($0) != nil } ?? false
  }

  /// Whether an entry with a syntax error is the next line of the same paste.
  func continues(with entry: String) -> Bool {
    guard let end, text.utf8.count + entry.utf8.count < Self.mostBytes,
      ContinuousClock.now - end < Self.time(of: entry)
    else { return false }
    return CrashAnswer.continues(text, with: entry)
  }

  /// Adds a line, and returns the answer if it is another one now.
  mutating func add(_ entry: String) -> CrashAnswer? {
    text += "\n" + entry
    guard let answer = CrashAnswer(text), answer.lines != shown else { return nil }
    shown = answer.lines
    return answer
  }

  /// Begins a paste.
  mutating func begin(_ entry: String, _ answer: CrashAnswer) {
    text = entry
    shown = answer.lines
  }

  /// Notes that the answer was shown.
  mutating func noteEnd() { end = .now }
}

extension PromptSession {
  /// The longest script that is shown with the answer.
  private static let mostLines = 24

  /// Answers a crash text that was pasted instead of statements.
  ///
  /// - Returns: Whether the entry is such a text, or a line of one.
  func explainCrash(_ entry: String, _ script: ParsedScript) -> Bool {
    if crash.continues(with: entry) {
      if let answer = crash.add(entry) { explain(answer) }
    } else {
      guard let answer = CrashAnswer(script) else { return false }
      crash.begin(entry, answer)
      explain(answer)
    }
    crash.noteEnd()
    return true
  }

  /// Shows what a crash text means, and offers the script that does it again.
  func explain(_ answer: CrashAnswer) {
    for line in answer.linesWithLesson { console.acknowledge("# \(line)") }
    let lines = (answer.script ?? "").split(separator: "\n").map(String.init)
    // Also without a script: else `:try` would run that of an earlier text.
    topic = HelpTopic(script: lines)
    guard !lines.isEmpty else { return }
    guard lines.count <= Self.mostLines else {
      return console.acknowledge("# A script of \(lines.count) lines does it again: :try runs it")
    }
    console.acknowledge("# This script does it again; :try runs it:")
    for line in lines { console.acknowledge("#   \(line)") }
  }
}
