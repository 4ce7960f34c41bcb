import PseudoTerminal
import Testing

@Suite struct BlockTests {
  @Test("an unfinished statement asks for more, line by line")
  func block() throws {
    let terminal = try probe()

    try terminal.type("fetch {" + Key.enter + "a" + Key.enter + "}" + Key.enter)

    try terminal.wait(forRows: ["frc> fetch {", "...> a", "...> }", "<fetch {|a|}>", "frc>"])
  }

  @Test("an empty line in a block is a line of it")
  func emptyLine() throws {
    let terminal = try probe()

    try terminal.type("{" + Key.enter + Key.enter + "}" + Key.enter)

    try terminal.wait(forRows: ["frc> {", "...>", "...> }", "<{||}>", "frc>"])
  }

  @Test("an empty line at the prompt is an empty statement")
  func nothing() throws {
    let terminal = try probe()

    try terminal.type(Key.enter, showing: ["frc>", "<>", "frc>"])
  }

  @Test("a block is one entry of the history and comes back whole")
  func recalled() throws {
    let terminal = try probe()

    try terminal.type("fetch {" + Key.enter + "日本" + Key.enter + "}" + Key.enter)
    try terminal.wait(forText: "<fetch {|日本|}>")
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type(Key.control("L") + Key.up, showing: ["frc> fetch {", "...> 日本", "...> }"])
    try terminal.type(Key.enter)

    try terminal.wait(forRows: [
      "frc> fetch {", "...> 日本", "...> }", "<fetch {|日本|}>", "frc>",
    ])
  }

  @Test("Up and Down move in a block that came back, and edit its lines")
  func editedInside() throws {
    let terminal = try probe()

    try terminal.type("fetch {" + Key.enter + "日本" + Key.enter + "}" + Key.enter)
    try terminal.wait(forText: "<fetch {|日本|}>")
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type(Key.control("L") + Key.up, showing: ["frc> fetch {", "...> 日本", "...> }"])
    // The cursor moves from column 1 to the first cell of 日, and is placed before it.
    try terminal.type(Key.up + "x" + Key.down + "y" + Key.up + Key.up + "z" + Key.enter)

    try terminal.wait(forText: "<fzetch {|x日本|}y>")
  }

  @Test("a line of the block being typed is edited like any other")
  func editedWhileTyped() throws {
    let terminal = try probe()

    try terminal.type("fetch {" + Key.enter + "b" + Key.up + "日" + Key.alt(Key.enter))
    try terminal.wait(forRows: ["frc> f日", "...> etch {", "...> b"])
    try terminal.type(Key.backspace + Key.delete + Key.down + "}" + Key.enter)

    try terminal.wait(forRows: ["frc> f日tch {", "...> b}", "<f日tch {|b}>", "frc>"])
  }

  @Test("Alt-Enter breaks the line where the cursor is")
  func lineBreak() throws {
    let terminal = try probe()

    try terminal.type("fetch Person" + Key.alt(Key.enter) + "where age > 3" + Key.enter)

    try terminal.wait(forRows: [
      "frc> fetch Person", "...> where age > 3", "<fetch Person|where age > 3>", "frc>",
    ])
  }

  @Test("a paste is one insertion, line ends and tabs included")
  func paste() throws {
    let terminal = try probe()

    try terminal.type("a " + Key.paste("one\n\ttwo {\n}") + " b")
    try terminal.wait(forRows: ["frc> a one", "...>    two {", "...> } b"])
    try terminal.type(Key.enter, showing: "<a one|\ttwo {|} b>".replacingTabs)
  }

  @Test("keys in a paste are text: Ctrl-C, Ctrl-D, Escape and returns do nothing")
  func pastedKeys() throws {
    let terminal = try probe()

    try terminal.type(Key.paste("a\nb\u{1B}[Ac\u{4}d\u{12}e\0f") + Key.enter, showing: "frc> ")
    try terminal.wait(for: "the text") {
      String(decoding: $0.output, as: UTF8.self).contains("<a|b\u{1B}[Ac\u{4}d\u{12}ef>")
    }
  }

  @Test("a long paste comes through whole")
  func longPaste() throws {
    let terminal = try probe()
    let text = (1...2000).map { "行 \($0)" }.joined(separator: "\n")

    try terminal.type(Key.paste(text) + Key.enter)

    let read = "<" + text.split(separator: "\n").joined(separator: "|") + ">"
    try terminal.wait(for: "the text") {
      String(decoding: $0.output, as: UTF8.self).contains(read)
    }
  }
}

extension String {
  /// As a screen shows a text that begins at the left edge.
  fileprivate var replacingTabs: String {
    var result = ""
    for character in self {
      if character == "\t" {
        repeat { result += " " } while result.count % 8 != 0
      } else {
        result.append(character)
      }
    }
    return result
  }
}
