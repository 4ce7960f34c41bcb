import Basics
import Testing

@testable import frc

/// The form in which a terminal, or the reader of a job's log, receives a text.
@Suite("Shown texts")
struct ShownTextTests {
  @Test("a line keeps what can be printed, and tabs")
  func line() {
    for text in ["", "a\tb", "日本語 é ½ „x“ — …", "👩‍💻"] { #expect(ShownText.line(text) == text) }
    #expect(ShownText.line("a\u{1B}[2Jb") == #"a\u{1b}[2Jb"#)
    #expect(ShownText.line("\u{0}\u{7F}\u{9B}\r\n") == #"\u{0}\u{7f}\u{9b}\u{d}\u{a}"#)
    #expect(
      ShownText.line("\u{61C}\u{200E}\u{202E}\u{2066}") == #"\u{61c}\u{200e}\u{202e}\u{2066}"#)
  }

  @Test("lines keep their ends")
  func lines() { #expect(ShownText.lines("a\nb\r\n") == "a\nb" + #"\u{d}"# + "\n") }

  @Test("painted lines keep colours, and nothing else that a terminal obeys")
  func painted() {
    let colored = "\u{1B}[1;31merror:\u{1B}[0m x\n\u{1B}[2my\u{1B}[0m"
    #expect(ShownText.painted(colored) == colored)
    #expect(ShownText.painted("\u{1B}[2J\u{1B}]0;t\u{7}") == #"\u{1b}[2J\u{1b}]0;t\u{7}"#)
    #expect(ShownText.painted("\u{1B}[8mx") == #"\u{1b}[8mx"#)
    #expect(ShownText.painted("a\u{1B}") == #"a\u{1b}"#)
    #expect(ShownText.painted("\u{1B}[31") == #"\u{1b}[31"#)
  }

  private let commands = WorkflowCommands(isRead: true)

  @Test("a command within a line is broken where somebody reads commands")
  func innerCommands() {
    #expect(commands.withoutInnerCommands("a ##[add-mask]e") == #"a #\u0023[add-mask]e"#)
    #expect(commands.withoutInnerCommands("## [x] # ##") == "## [x] # ##")
    #expect(WorkflowCommands(isRead: false).withoutInnerCommands("##[x]") == "##[x]")
  }

  @Test("a line that could be a command is quoted, by another word each time")
  func quotation() throws {
    let text = "  | x\n \u{FEFF}\t::add-mask::e\n"
    let quoted = commands.quoted(text)
    let match = try #require(try /^::stop-commands::([0-9a-f]+)\n/.firstMatch(in: quoted))
    #expect(match.1.count > 16)
    #expect(quoted == "::stop-commands::\(match.1)\n\(text)::\(match.1)::\n")
    #expect(commands.quoted(text) != quoted)
    #expect(commands.quoted("a::b\n1 | ::x\n") == "a::b\n1 | ::x\n")
    #expect(WorkflowCommands(isRead: false).quoted(text) == text)
  }

  @Test("standard error has no commands at all")
  func errors() {
    #expect(commands.withoutCommands("a\n::error::x") == "a\n" + #"\u003A:error::x"#)
  }
}
