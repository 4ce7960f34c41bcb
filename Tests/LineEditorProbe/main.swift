import Glibc
import LineEditor
import Platform

// A program that reads statements and says what it read, to try the editor in.
// A statement is complete when its braces balance.
//
//   LineEditorProbe [--history FILE] [--capacity N] [--prompt TEXT]
//     [--whole]    every text is complete
//     [--escape]   a text is said by the numbers of its characters
//     [--assist]   with hints, indentation and an editor that adds a word
//     [--moves FILE]  writes a line each time that libedit leaves the cursor outside the text
//   LineEditorProbe --commands
//     lists libedit's commands
//   LineEditorProbe --trials [--command NAME] [--long]
//     runs them, or one of them, outside the editor; see CommandTrials

func option(_ name: String) -> String? {
  guard let index = CommandLine.arguments.firstIndex(of: name) else { return nil }
  return CommandLine.arguments.dropFirst(index + 1).first
}

func isComplete(_ text: String) -> Bool {
  CommandLine.arguments.contains("--whole")
    || text.filter { $0 == "{" }.count <= text.filter { $0 == "}" }.count
}

let words = ["delete ", "fetch ", "insert ", "inspect ", "日本 ", "日曜 "]

let details = ["insert ": "a new object", "inspect ": "見る"]

func complete(_ text: String, _ cursorOffset: Int) -> Completion {
  while CommandLine.arguments.contains("--deaf") {}
  let before = String(decoding: text.utf8.prefix(cursorOffset), as: UTF8.self)
  let word = before.reversed().prefix { !$0.isWhitespace && $0 != "{" }
  let typed = String(word.reversed())
  return Completion(
    replacementStart: cursorOffset - typed.utf8.count,
    candidates: typed == "many"
      ? (1...500).map { Completion.Candidate("many\($0)") }
      : words.filter { $0.hasPrefix(typed) }.map {
        Completion.Candidate($0, detail: details[$0] ?? "")
      })
}

func say(_ text: String) {
  print(text)
  fflush(nil)
}

if CommandLine.arguments.contains("--commands") {
  print(CommandTrials.commands.joined(separator: "\n"))
  exit(0)
}
if CommandLine.arguments.contains("--trials") {
  for command in option("--command").map({ [$0] }) ?? CommandTrials.commands {
    CommandTrials.run(command, withLongText: CommandLine.arguments.contains("--long"))
  }
  print("end of the trials")
  exit(0)
}

let history = LineHistory(
  path: option("--history"), capacity: option("--capacity").flatMap(Int.init) ?? 10_000)
var assistance = LineAssistance(completions: complete)
if !CommandLine.arguments.contains("--plain") {
  assistance.styles.hint = TextStyle("2")
}
if CommandLine.arguments.contains("--assist") {
  // Blocks are indented, and prompts are removed from pasted text, as in a language.
  assistance.indentation = { before in
    let open = before.count { $0 == "{" } - before.count { $0 == "}" }
    return String(repeating: "  ", count: max(0, open))
  }
  assistance.pasted = { $0.replacing("frc> ", with: "") }
  assistance.edit = { $0 == "keep" ? nil : $0 + " edited" }
  assistance.hint = { $0.hasSuffix("fe") ? "tch" : nil }
}
var reports = LineReports()
// In an optimised build, too.
reports.misused = { mistake in
  say("mistake: \(mistake)")
  abort()
}
if let stream = option("--moves").flatMap({ fopen($0, "a") }) {
  reports.moved = { cursor, count in
    fputs("cursor \(cursor) of \(count)\n", stream)
    fflush(stream)
  }
}
var editor = EditLineReader(
  program: "frc", history: history, assistance: assistance, reports: reports)
var reader: any LineReader = editor ?? PlainReader()
if let failure = history.failure { say("\(failure)") }

reading: while true {
  switch reader.readStatement(
    prompt: option("--prompt") ?? "frc> ", continuationPrompt: "...> ", isComplete: isComplete)
  {
  case .text(let text) where CommandLine.arguments.contains("--escape"):
    say("<" + text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: ",") + ">")
  case .text("loop"):
    // A statement that takes long.
    say("looping")
    while !InterruptFlag.isRaised {}
    say("stopped")
  case .text("size"):
    let size = TerminalSize(of: .standardOutput)
    say("\(size?.columns ?? 0) x \(size?.rows ?? 0)")
  case .text(let text):
    // A line end is printed as a word, so that the screen shows what was read.
    say("<\(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "|"))>")
  case .interrupted:
    say("interrupted")
  case .endOfInput:
    say("end")
    break reading
  }
}

// The C library checks all memory of libedit when it is freed.
reader = PlainReader()
editor = nil
