import LineEditor
import PseudoTerminal
import Testing

@Suite struct SharedHistoryTests {
  @Test("an entry of one session is in the history of another at once")
  func live() throws {
    let folder = try TemporaryFolder()
    let first = try probe(history: folder.file("h"))
    let second = try probe(history: folder.file("h"))

    try first.type("from the first" + Key.enter, showing: "<from the first>")
    // The second one has been waiting at its prompt.
    try second.type(Key.up, showing: ["frc> from the first"])
    try second.type(" and on" + Key.enter, showing: "<from the first and on>")
    try first.type(Key.control("R") + "AND".lowercased())
    try first.wait(for: "the entry") { $0.screen.text.contains("from the first and on") }
  }

  @Test("what others write comes in its order, each entry once")
  func order() throws {
    let folder = try TemporaryFolder()
    let first = LineHistory(path: folder.file("h"))
    let second = LineHistory(path: folder.file("h"))

    for entry in ["a", "b"] { first.add(entry) }
    for entry in ["c", "a"] { second.add(entry) }
    first.refresh()
    second.refresh()

    #expect(first.entries == ["b", "c", "a"])
    #expect(second.entries == ["b", "c", "a"])
    #expect(LineHistory(path: folder.file("h")).entries == ["b", "c", "a"])
    #expect(!first.add("a"))
    #expect(folder.read("h") == "a\nb\nc\na\n")
  }

  @Test("half a line that another session is writing waits for its end")
  func halfLine() throws {
    let folder = try TemporaryFolder()
    try folder.write("one\n".utf8, to: "h")
    let history = LineHistory(path: folder.file("h"))

    try folder.write("one\ntwo\nthr".utf8, to: "h")
    history.refresh()
    #expect(history.entries == ["one", "two"])
    try folder.write("one\ntwo\nthree\n".utf8, to: "h")
    history.refresh()
    #expect(history.entries == ["one", "two", "three"])
  }

  @Test("a file that is cut down, emptied or gone is read again or left alone")
  func replaced() throws {
    let folder = try TemporaryFolder()
    let history = LineHistory(path: folder.file("h"))
    for number in 1...9 { history.add("\(number)") }
    history.refresh()

    _ = LineHistory(path: folder.file("h"), capacity: 2)
    history.refresh()
    #expect(history.entries == ["8", "9"])
    try folder.write([], to: "h")
    history.refresh()
    #expect(history.entries == [])
    history.add("new")
    #expect(LineHistory(path: folder.file("h")).entries == ["new"])
  }

  @Test("the search and the hint find the newest of many entries")
  func many() throws {
    let folder = try TemporaryFolder()
    try folder.write((1...20_000).map { "print \($0)\n" }.joined().utf8, to: "h")
    let terminal = try probe(history: folder.file("h"))

    try terminal.type("print 19", showing: ["frc> print 19999"])
    try terminal.type("5" + Key.backspace + Key.backspace + "5", showing: ["frc> print 15999"])
    try terminal.type(Key.control("U") + Key.control("R") + "T 1777")
    try terminal.wait(for: "no match") { $0.screen.text.contains("failed search 'T 1777'") }
    for _ in 1...6 { try terminal.type(Key.backspace) }
    try terminal.type("t 1777")
    try terminal.wait(for: "the matches") { terminal in
      terminal.screen.rows.prefix(3)
        == ["(search 't 1777') print 17779", "> print 17779", "  print 17778"]
    }
  }
}
