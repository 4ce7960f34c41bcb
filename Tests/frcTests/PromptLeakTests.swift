import Foundation
import Glibc
import PromptTools
import PseudoTerminal
import ScriptRuntime
import ScriptSyntax
import Testing

@testable import frc

/// The prompt leaks nothing, and shows everything.
@Suite struct PromptLeakTests {
  @Test("Ctrl-\\ ends a statement that runs, and no debugger comes")
  func quit() throws {
    let session = try TerminalSession(environment: ["SWIFT_BACKTRACE": nil])

    try session.terminal.type(Key.control("\\") + "repeat 1000000000 { }" + Key.enter)
    try session.terminal.wait(for: "the statement") {
      !$0.isRaw && $0.screen.text.contains("{ }")
    }
    #expect(try session.terminal.exit(afterTyping: Key.control("\\")) == .signal(SIGQUIT))
    #expect(!session.terminal.screen.text.contains("crashed"))
  }

  @Test(
    "the examples of help do what they are to show, also those that read files",
    arguments: [
      ("explain", "  rule "), ("quirk", "insert Book/"), ("import", "insert Book/3 \"Kim\""),
      ("include", "insert Book/"),
    ])
  func examples(_ topic: String, _ shown: String) throws {
    let session = try TerminalSession(columns: 160, rows: 60)

    let answer = try session.answer(to: ":try \(topic)")

    #expect(answer.contains { $0.contains(shown) }, "\(answer)")
    #expect(!answer.contains { $0.contains("error") }, "\(answer)")
  }

  @Test("help fits on a screen of 24 rows with the prompts around it")
  func helpFits() {
    let lines = FlowedText(Help.overview(isEditing: true) + CommandList.overview, width: 80).lines
    #expect(lines.count <= 22, "\(lines.count)")
    for command in PromptCommand.allCases {
      #expect(lines.contains { $0.contains(":\(command.rawValue)") }, "\(command)")
    }
  }

  @Test("the values of help and its functions stay lists of their own in 80 columns")
  func helpOfValues() throws {
    guard case .topic(let topic) = Help.answer(to: "values") else {
      Issue.record("no topic")
      return
    }
    let lines = FlowedText(topic.lines, width: 80).lines
    #expect(lines.contains { $0.hasPrefix(" Functions: uppercase") }, "\(lines)")
  }

  @Test("an error in a line of many columns shows the part around it, in one row")
  func longLine() throws {
    let session = try TerminalSession()
    let long = (1...300).map { "\($0)" }.joined(separator: " + ")

    let answer = try session.answer(to: "print \(long) + nosuch + \(long)")

    let quoted = Array(answer.suffix(2))
    #expect(quoted[0].hasPrefix("…") && quoted[0].hasSuffix("…"), "\(quoted)")
    #expect(quoted[0].count <= 80)
    let caret = try #require(quoted[1].firstIndex(of: "^"))
    let column = quoted[1].distance(from: quoted[1].startIndex, to: caret)
    #expect(quoted[0].dropFirst(column).hasPrefix("nosuch"), "\(quoted)")
  }

  @Test("a pipe that pauses has its whole statements run at once")
  func pipe() throws {
    let terminal = try PseudoTerminal("/bin/bash", arguments: ["--norc", "--noprofile"])
    try terminal.wait(for: "the shell") { !$0.screen.cursorRow.isEmpty }

    let program = PseudoTerminal.builtProgram("frc")
    try terminal.type(
      "(echo 'print 40 + 2'; echo 'repeat 1 {'; read x < /dev/tty; "
        + "echo 'print 50 + 3 }'; echo 'print nosuch') | \(program)\n")
    try terminal.wait(for: "the first answer") { $0.screen.rows.contains("42") }
    #expect(!terminal.screen.rows.contains("53"))
    try terminal.type("\n")

    try terminal.wait(for: "the second answer") { $0.screen.rows.contains("53") }
    // Lines are counted from the start.
    try terminal.wait(forText: "stdin:4:7: error: unknown name 'nosuch'")
  }

  @Test("a script that comes at once runs whole, or not at all")
  func wholePipe() throws {
    let program = PseudoTerminal.builtProgram("frc")
    let terminal = try PseudoTerminal(
      "/bin/bash", arguments: ["-c", "printf 'print 1\\nprint (' | \(program)"])

    #expect(try terminal.waitForExit() == .code(2))
    #expect(!terminal.screen.rows.contains("1"))
  }

  @Test("a table for which nobody waits any more is not made")
  func stoppedTable() throws {
    var events: [Event] = []
    let script = ScriptParser.parse(
      SourceText(
        name: "test",
        text: "entity Book { title: String }\ninsert 1000 Book(title: \"a\")\nfetch Book"))
    try Interpreter(environment: FileEnvironment()) { events.append($0) }.run(script)
    let event = try #require(events.last)
    var asked = 0

    #expect(OutputFormat.table.lines(for: event).count == 1002)
    let lines = OutputFormat.table.lines(for: event) {
      asked += 1
      return asked < 2
    }
    #expect(lines == [])
    #expect(asked < 6)
  }

  @Test("without colours no hint is shown that would look like typed text")
  func plainHint() throws {
    let session = try TerminalSession(environment: ["NO_COLOR": "1"], entering: ["print 12345"])

    try session.terminal.type("print 1" + Key.right)
    try session.terminal.wait(for: "the line") { $0.screen.cursorRow == "frc> print 1" }
    try session.type(Key.enter, untilPrompt: "frc> ")

    #expect(session.terminal.screen.rows.suffix(3) == ["frc> print 1", "1", "frc>"])
  }
}
