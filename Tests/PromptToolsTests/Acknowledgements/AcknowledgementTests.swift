import PromptTools
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite struct AcknowledgementTests {
  private static let book = "entity Book { title: String, publisher: String = \"Ace\" }\n"
  private static let books = book + "controller books = Book sort by title\n"

  private func acknowledgements(_ script: String) throws -> [String] {
    try ScriptWorld().acknowledgements(of: script)
  }

  // MARK: Objects

  @Test("an insert tells the object's name, several tell how many")
  func inserts() throws {
    #expect(try acknowledgements(Self.book + "insert Book(title: \"A\")") == ["# Book/1"])
    #expect(
      try acknowledgements(Self.book + "insert 12 Book(title: \"A\")") == ["# 12 inserted"])
    #expect(
      try acknowledgements(Self.book + "let dune = insert Book(title: \"A\")")
        == ["# dune is Book/1"])
  }

  @Test("a plain variable is not acknowledged")
  func variables() throws {
    #expect(try acknowledgements("let n = 3") == [])
  }

  @Test("update and delete tell how many matched")
  func matches() throws {
    let three = Self.book + "insert 3 Book(title: \"A\")\n"

    #expect(try acknowledgements(three + "update Book { title = \"B\" }") == ["# 3 updated"])
    #expect(try acknowledgements(three + "delete Book") == ["# 3 deleted"])
    #expect(
      try acknowledgements(three + "delete Book where title == 'C'") == ["# nothing matched"])
  }

  @Test("a block tells the sum of what it did")
  func blocks() throws {
    let script =
      Self.book + """
        perform {
          insert 2 Book(title: "A")
          repeat 2 { Book/1.title = "B" }
          delete Book/2
        }
        """

    #expect(try acknowledgements(script) == ["# 2 inserted, 2 updated, 1 deleted"])
  }

  @Test("a change of one object is acknowledged where no callback shows it")
  func singleChanges() throws {
    let one = Self.books + "insert Book(title: \"A\")\n"

    #expect(
      try acknowledgements(one + "Book/1.title = \"B\"")
        == [
          "# 1 updated", "# books does not follow changes yet: fetch it first with 'fetch books'",
        ])
    #expect(try acknowledgements(one + "fetch books\nBook/1.title = \"B\"") == [])
    #expect(try acknowledgements(one + "fetch books\ndelete Book/1") == [])
  }

  @Test("save and rollback tell of how many objects, or of none")
  func saving() throws {
    let three = Self.book + "insert 3 Book(title: \"A\")\n"

    #expect(try acknowledgements(three + "save") == ["# saved 3 objects"])
    #expect(try acknowledgements(three + "save\nsave") == ["# nothing to save"])
    #expect(try acknowledgements(three + "rollback") == ["# rolled back 3 objects"])
    #expect(try acknowledgements("rollback") == ["# nothing to roll back"])
    #expect(
      try acknowledgements(three + "delete Book/1\nBook/2.title = \"B\"\nsave")
        == ["# saved 2 objects"])
  }

  // MARK: Definitions

  @Test("an entity tells its attributes")
  func entities() throws {
    #expect(try acknowledgements(Self.book) == ["# entity Book: title, publisher"])
  }

  @Test("a controller tells that it must fetch, and then what it has")
  func controllers() throws {
    #expect(try acknowledgements(Self.books) == ["# fetch books to get its results"])
    #expect(
      try acknowledgements(Self.books + "insert 2 Book(title: \"A\")\nfetch books")
        == ["# books: 2 objects"])
    let sections =
      Self.book + """
        controller shelf = Book sort by publisher section by publisher
        insert Book(title: "A")
        insert Book(title: "B", publisher: "Tor")
        fetch shelf
        """
    #expect(try acknowledgements(sections) == ["# shelf: 2 sections, 2 objects"])
  }

  @Test("a fetch that prints its rows is not acknowledged")
  func adHocFetches() throws {
    #expect(try acknowledgements(Self.books + "fetch books\nfetch Book") == [])
    #expect(try acknowledgements(Self.books + "request all = Book\nfetch all") == [])
  }

  @Test("a changed request says from when it counts")
  func changedRequests() throws {
    #expect(
      try acknowledgements(Self.books + "change books limit 3")
        == ["# fetch books to get its results"])
    #expect(
      try acknowledgements(Self.books + "fetch books\nchange books limit 3")
        == ["# it takes effect with the next 'fetch books'"])
  }

  @Test("a controller that loses its delegate says that it tracks nothing")
  func delegates() throws {
    #expect(
      try acknowledgements(Self.books + "delegate books none")
        == ["# without a delegate books tracks no changes"])
    #expect(try acknowledgements(Self.books + "delegate books didChange") == [])
  }

  // MARK: Unheard changes

  @Test("a change that a controller misses since it has not fetched is told")
  func unfetched() throws {
    #expect(
      try acknowledgements(Self.books + "insert Book(title: \"A\")")
        == ["# Book/1", "# books does not follow changes yet: fetch it first with 'fetch books'"])
  }

  @Test("not so where it could not hear anyway, or has nothing to hear")
  func nothingToHear() throws {
    let silent = Self.books + "delegate books none\ninsert Book(title: \"A\")"
    #expect(try acknowledgements(silent) == ["# Book/1"])
    let other = Self.books + "entity Author { name: String }\ninsert Author(name: \"A\")"
    #expect(try acknowledgements(other) == ["# Author/1"])
    #expect(try acknowledgements(Self.books + "print 1") == [])
  }

  @Test("not so where another controller reported it")
  func heardElsewhere() throws {
    let two = Self.books + "fetch books\ncontroller later = Book sort by title\n"
    #expect(try acknowledgements(two + "insert Book(title: \"A\")") == ["# Book/1"])
  }

  // MARK: Names

  @Test("a name typed alone stands for the statement that prints it")
  func names() throws {
    let world = try ScriptWorld(
      Self.books + """
        let n = 1
        request all = Book
        controller shelf = Book sort by title
        fetch shelf
        """)
    func statement(_ entry: String) -> String? {
      NameHint(entry, session: world.session)?.statement
    }

    #expect(statement("n") == "print n")
    #expect(statement(" Book ") == "fetch Book")
    #expect(statement("all") == "fetch all")
    #expect(statement("shelf") == "show shelf")
    #expect(statement("books") == nil)
    #expect(
      NameHint("books", session: world.session)?.description == "# fetch books to get its results")
    #expect(NameHint("nothing", session: world.session) == nil)
    #expect(NameHint("", session: world.session) == nil)
  }

  // MARK: Changes without an acknowledgement

  @Test(
    "what prints by itself, or changes nothing, is not acknowledged",
    arguments: [
      "print 1", "count Book", "show books", "objects Book", "caches", "set locale ja",
      "store memory", "process", "expect true", "delete caches", "perform { }", "try print 1",
    ])
  func silence(_ statement: String) throws {
    #expect(try acknowledgements(Self.books + "fetch books\n" + statement) == [])
  }

  @Test("a statement that fails is acknowledged as far as it went")
  func failures() throws {
    let world = try ScriptWorld(Self.book)
    let before = world.session.tally
    let script = ScriptParser.parse(
      SourceText(
        name: "test", text: "perform { insert 2 Book(title: \"A\")\nexpect false }"))
    let interpreter = world.interpreter
    #expect(throws: ScriptError.self) { try interpreter.run(script) }

    let found = Acknowledgement.all(ofFailureAfter: before, session: world.session)

    #expect(found.map(\.description) == ["# 2 inserted"])
  }
}
