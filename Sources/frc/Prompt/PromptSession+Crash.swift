import LogReplay
import PromptTools
import ScriptSyntax

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
    entry.split(separator: "\n").first.map { CrashAnswer(String($0)) != nil } ?? false
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
    guard let script = answer.script else { return }
    let lines = script.split(separator: "\n").map(String.init)
    topic = HelpTopic(script: lines)
    guard lines.count <= Self.mostLines else {
      return console.acknowledge("# A script of \(lines.count) lines does it again: :try runs it")
    }
    console.acknowledge("# This script does it again; :try runs it:")
    for line in lines { console.acknowledge("#   \(line)") }
  }
}
