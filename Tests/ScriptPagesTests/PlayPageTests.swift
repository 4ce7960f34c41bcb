import FetchedResults
import Foundation
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

@testable import ScriptPages

@Suite("pages and pictures of what a script did")
struct PlayPageTests {
  private func recording(_ text: String, title: String = "test.frc") -> PlayRecording {
    let source = SourceText(name: title, text: text)
    return PlayRecorder(
      title: title, environment: ScriptFiles(), evaluation: EvaluationEnvironment(),
      prepare: { _ in }
    ).record(ScriptParser.parse(source), shownAs: source)
  }

  private let books = """
    # Books by title.

    entity Book { title: String, publisher: String }
    controller books = Book sort by publisher, title section by publisher
    fetch books
    perform {
      insert Book(title: "Dune", publisher: "Ace")
      insert Book(title: "Emma", publisher: "Penguin")
    }
    Book/1.publisher = "Penguin"
    """

  @Test("each statement has its events, its reasons and what the lists became")
  func recorded() throws {
    let recording = recording(books)

    #expect(recording.summary == "Books by title.")
    #expect(recording.steps.map(\.lines) == [3...3, 4...4, 5...5, 6...9, 10...10])
    let move = try #require(recording.steps.last)
    #expect(move.frames.count == 4)
    #expect(move.explanations.map(\.rule).contains(.changedSection))
    let change = try #require(move.frames.last?.change.lists.first?.change)
    #expect(
      change.edits == [
        .keep(0), .delete(1), .insert([.section("Penguin")]), .keep(1), .delete(1), .keep(1),
      ])
  }

  @Test(
    "a row of a sub-entity shows the attribute of its own entity",
    arguments: [
      "controller animals = Animal sort by age; fetch animals",
      "observer animals = Animal sort by age",
    ])
  func subentity(list: String) {
    let recording = recording(
      """
      entity Animal { age: Int = 0 }
      entity Dog : Animal { name: String }
      \(list)
      insert Dog(name: "Rex")
      save
      """)
    let lists = recording.steps.flatMap(\.frames).flatMap { $0.change.lists }
    let texts = lists.compactMap(\.change).flatMap(\.texts).map { $0.text.text }
    #expect(texts.contains("Rex"))
  }

  @Test("an observer's list changes with its publication, and its parts are in the picture")
  func observer() throws {
    let recording = recording(
      """
      entity Book { title: String, publisher: String }
      observer books = Book sort by title section by publisher
      insert Book(title: "Dune", publisher: "Ace")
      save
      change books where publisher == "Tor"
      """)

    let insert = recording.steps[2]
    #expect(insert.frames.isEmpty)
    #expect(insert.explanations.map(\.rule) == [.unsaved])
    let save = recording.steps[3]
    #expect(
      save.frames.map(\.event.form.name) == ["results", "didChangeSection", "didChangeObject"])
    #expect(save.explanations.map(\.rule) == [.saved, .sectionFilled, .created])
    let change = try #require(save.frames.first?.change.lists.first?.change)
    #expect(
      change.edits == [.keep(0), .insert([.section("Ace"), .row(RowKey(number: 1))]), .keep(0)])
    let svg = try #require(TurnCard(recording, step: 3)?.svg)
    for text in ["results 0 -&gt; 1", "section insert 0", "insert Book/1"] {
      #expect(svg.contains(text), "\(text)")
    }
    #expect(recording.steps[4].frames.map(\.event.form.name) == ["results", "replaced"])
    #expect(PlayPage(recording).html.contains("results"))
  }

  @Test("a page whose text is dropped is not made to its end")
  func stopped() {
    let page = PlayPage(recording(books + "\ninsert 2000 Book(title: \"<b>\", publisher: \"Tor\")"))
    let whole = page.html
    let asked = Locked(0)
    let check = StopCheck(
      {
        asked.withLock { $0 += 1 }
        return false
      }, dropsChanges: true)

    #expect(check.watching { page.html } == whole)
    #expect(asked.withLock { $0 } > 100)
    #expect(whole.contains(#"\u003cb>"#))
    let stopped = StopCheck({ true }, dropsChanges: true).watching { page.html }
    #expect(stopped.utf8.count < whole.utf8.count / 2)
    #expect(StopCheck { true }.watching { page.html } == whole)
  }

  @Test("a statement that fails is the last, and is told")
  func failure() throws {
    let recording = recording("print 1\nprint nothing\nprint 2")

    #expect(recording.steps.count == 2)
    guard case .error = try #require(recording.steps.last?.frames.last?.event) else {
      Issue.record("no error")
      return
    }
  }

  @Test("no text ends the element that it stands in")
  func hostile() {
    let page = PlayPage(
      recording(
        "entity B { t: String }\ncontroller c = B sort by t\nfetch c\n"
          + "insert B(t: \"</script><!--\\u{202e}\")",
        title: "</title>\"'.frc")
    ).html

    #expect(page.components(separatedBy: "</script>").count == 3)
    #expect(!page.contains("<!--\u{202e}"))
    #expect(!page.unicodeScalars.contains("\u{202e}"))
    #expect(page.contains("<title>&lt;/title&gt;&quot;&#39;.frc</title>"))
  }

  @Test("a page is small")
  func size() {
    #expect(PlayPage(recording("print 1")).html.utf8.count < 200_000)
  }

  @Test("a picture has the results before and after, and the callbacks")
  func card() throws {
    let recording = recording(books)

    let svg = try #require(TurnCard(recording, step: 4)?.svg)

    #expect(svg.hasPrefix("<svg xmlns="))
    let texts = [
      "callbacks of books", "didChange object move Book/1", "didChange section delete 0", "[1, 0]",
      "Emma",
    ]
    for text in texts {
      #expect(svg.contains(text), "\(text)")
    }
    #expect(TurnCard(recording, step: 2) == nil)
    #expect(TurnCard(recording, step: 4, controller: "other") == nil)
  }

  /// Returns the texts of a picture in one of its columns, from the top down.
  private func texts(of svg: String, x: String) -> [String] {
    svg.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("<text"), line.contains("x=\"\(x)\"") else { return nil }
      return line.split(separator: ">").last?.split(separator: "<").first.map(String.init)
    }
  }

  @Test("a picture of many rows shows those around the first that changes, before and after")
  func window() throws {
    let world = """
      entity Book { title: String, pages: Int }
      controller books = Book sort by pages
      for page in 1...30 { insert Book(title: "title \\(page)", pages: page * 10) }
      fetch books

      """
    let insert = recording(world + "insert Book(title: \"new\", pages: 265)")
    var svg = try #require(TurnCard(insert, step: 4)?.svg)

    #expect(texts(of: svg, x: "28") == ["… 15 more"])
    #expect(texts(of: svg, x: "104") == (16...30).map { "title \($0)" })
    #expect(texts(of: svg, x: "736") == ["… 16 more"])
    let after = (17...26).map { "title \($0)" } + ["new"] + (27...30).map { "title \($0)" }
    #expect(texts(of: svg, x: "812") == after)

    // Between the two, there are rows above and below.
    let update = recording(world + "Book/18.title = \"new\"")
    svg = try #require(TurnCard(update, step: 4)?.svg)
    for x in ["28", "736"] { #expect(texts(of: svg, x: x) == ["… 9 more", "… 7 more"]) }
    #expect(texts(of: svg, x: "812")[8] == "new")

    // At the top, it is as it was.
    let delete = recording(world + "delete Book/2")
    svg = try #require(TurnCard(delete, step: 4)?.svg)
    #expect(texts(of: svg, x: "28") == ["… 15 more"])
    #expect(texts(of: svg, x: "104") == (1...15).map { "title \($0)" })
  }

  @Test("a picture says how many lines of a long statement are not shown")
  func longStatement() throws {
    let inserts = (1...10).map { "  insert Book(title: \"\($0)\", publisher: \"Ace\")" }
    let world = books.split(separator: "\n").prefix(4).joined(separator: "\n")
    let turn = (["perform {"] + inserts + ["}"]).joined(separator: "\n")
    let recording = recording(world + "\n" + turn)

    let svg = try #require(TurnCard(recording, step: recording.steps.count - 1)?.svg)

    let lines = texts(of: svg, x: "20").prefix(8)
    #expect(lines.first == "perform {")
    #expect(lines.last == "… 5 more")
  }

  @Test("wide letters end at the edge of their column, and others are drawn as before")
  func wideLetters() throws {
    let world = """
      entity Book { title: String }
      controller books = Book sort by title
      fetch books

      """
    func card(_ title: String) throws -> String {
      try #require(
        TurnCard(recording(world + "insert Book(title: \"\(title)\")"), step: 3)?.svg)
    }
    let wide = try card(String(repeating: "M", count: 24))
    #expect(wide.contains("<svg x=\"812\" y=\"84\" width=\"128\" height=\"24\">"))
    #expect(wide.contains(">" + String(repeating: "M", count: 17) + "…</text>\n</svg>"))
    // A Chinese character has two columns.
    let chinese = try card(String(repeating: "書", count: 24))
    #expect(chinese.contains(">" + String(repeating: "書", count: 8) + "…</text>"))
    #expect(!(try card("Dune").contains("<svg x=")))
  }
}
