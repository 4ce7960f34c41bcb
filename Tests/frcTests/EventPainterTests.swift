import FetchedResults
import ScriptRuntime
import ScriptSyntax
import Testing

@testable import frc

@Suite struct EventPainterTests {
  /// Returns events whose names and texts are words that have colours.
  private func events() throws -> [Event] {
    let script = ScriptParser.parse(
      SourceText(
        name: "test",
        text: """
          entity Row { title: String, kind: String = "insert" }
          controller delete = Row sort by kind, title section by kind
          fetch delete
          insert 3 Row(title: "insert \\(i)")
          perform { Row/1.title = "move"; Row/2.title = "insert 2"; delete Row/3 }
          Row/1.kind = "update"
          try fetch Row where nothing == 1
          print "insert"
          """))
    try #require(!script.hasErrors)
    var events: [Event] = []
    try Interpreter(environment: FileEnvironment()) { events.append($0) }.run(script)
    return events
  }

  private func painted(_ event: Event, usesColor: Bool = true) -> [String] {
    let painter = EventPainter(usesColor: usesColor)
    return painter.lines(for: event, in: .text)
  }

  @Test("colours change no letter, and without them nothing is added")
  func letters() throws {
    let sequence = /\u{1B}\[[0-9;]*m/

    for event in try events() {
      let plain = event.lines
      #expect(painted(event).map { $0.replacing(sequence, with: "") } == plain)
      #expect(painted(event, usesColor: false) == plain)
      if event.isCallback { #expect(painted(event) != plain) }
    }
  }

  @Test("the word of a change has the colour of its kind, and no other word has")
  func kinds() throws {
    let colors: [FetchedResultsChangeType: String] = [
      .insert: "32", .delete: "31", .move: "33", .update: "34",
    ]
    var seen: Set<FetchedResultsChangeType> = []

    for event in try events() {
      guard let callback = event.callback, callback.object != nil,
        let type = callback.type
      else { continue }
      seen.insert(type)
      let line = try #require(painted(event).first)
      let word = "\u{1B}[\(colors[type] ?? "")m\(type.rawValue)\u{1B}[0m"
      #expect(line.hasPrefix("\u{1B}[2mdelete didChange object \u{1B}[0m" + word + " Row/"))
      #expect(line.count { $0 == "\u{1B}" } == 4)
    }
    #expect(seen == Set(FetchedResultsChangeType.allCases))
  }
}
