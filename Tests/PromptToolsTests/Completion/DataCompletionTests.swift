import FetchedResults
import PromptTools
import ScriptRuntime
import ScriptWorlds
import Testing

/// The completions from the data: values, objects, and names similar to the typed word.
@Suite struct DataCompletionTests {
  private static let library = """
    entity Author { name: String, books: [Book] inverse author }
    entity Book { title: String, genre: String?, pages: Int = 0, isRead: Bool = false, author: Author? inverse books }
    insert 3 Book(title: "SF \\(i)", genre: "SF")
    insert 2 Book(title: "Crime \\(i)", genre: "Crime")
    insert Book(title: "It's", genre: "O'Hara \\"x\\"", pages: 7)
    let herbert = insert Author(name: "Frank Herbert")
    save
    insert Book(title: "Unsaved", genre: "SF")
    """

  private func completions(_ text: String, atMost limit: Int = 1000) throws -> Completions {
    let world = try ScriptWorld(Self.library)
    return Completions(in: text, at: text.utf8.count, session: world.session, atMost: limit)
  }

  private func candidates(_ text: String) throws -> [String] { try completions(text).candidates }

  @Test("behind a comparison stand the values of the data, the frequent ones first")
  func values() throws {
    let found = try completions("fetch Book where genre == ")
    #expect(found.candidates.prefix(3) == ["\"SF\"", "\"Crime\"", "\"O'Hara \\\"x\\\"\""])
    #expect(found.details.prefix(3) == ["(4)", "(2)", "(1)"])
    #expect(found.candidates.contains("title"))
  }

  @Test(
    "in a string, those that begin as it does",
    arguments: [
      "fetch Book where genre == \"", "fetch Book where genre != \"", "fetch Book where genre=\"",
      "fetch Book where genre CONTAINS[cd] \"", "fetch Book where genre IN {\"Crime\", \"",
      "fetch Author where ANY books.genre == \"", "fetch Book where author.books.genre == \"",
      "update Book { genre = \"", "insert Book(title: \"x\", genre: \"", "Book/1.genre = \"",
      "fetch Book where SELF.genre == \"", "evaluate genre == \"",
      "perform {\n  fetch Book where genre == \"",
    ])
  func strings(_ text: String) throws {
    #expect(try candidates(text + "S") == ["SF\""], "\(text)")
    #expect(try candidates(text + "s") == ["SF\""], "\(text)")
    #expect(try candidates(text + "rime") == ["Crime\""], "\(text)")
    #expect(try candidates(text).first == "SF\"", "\(text)")
  }

  @Test("a value is written as its quote asks")
  func quotes() throws {
    #expect(try candidates("fetch Book where genre == 'S") == ["SF'"])
    #expect(try candidates("fetch Book where genre == \"O") == ["O'Hara \\\"x\\\"\""])
    #expect(try candidates("fetch Book where genre == 'O") == [])
  }

  @Test("numbers and truth values of the data have no quotes")
  func others() throws {
    #expect(try candidates("fetch Book where pages == ").prefix(2) == ["0", "7"])
    #expect(try candidates("fetch Book where isRead == ").first == "false")
    #expect(try candidates("fetch Book where pages > ").first == "title")
  }

  @Test(
    "where no attribute's value stands, no data is offered",
    arguments: [
      "print \"S", "let x = \"S", "fetch Book where \"S", "fetch Nosuch where genre == \"S",
      "fetch Book where nosuch == \"S", "fetch Book where genre MATCHES \"S",
      "fetch Book where genre == \"\\\\S", "# genre == \"S", "controller x = Book cache \"S",
    ])
  func none(_ text: String) throws { #expect(try candidates(text) == []) }

  @Test("to look at values fires no fault and reads no row")
  func sideEffects() throws {
    let world = try ScriptWorld(Self.library + "\nreset")
    let before = world.session.coordinator.firedFaults
    let text = "fetch Book where genre == \"S"
    let found = Completions(in: text, at: text.utf8.count, session: world.session)
    // Unsaved values are lost together with the context's objects.
    #expect(found.candidates == ["SF\""] && found.details == ["(3)"])
    #expect(world.session.coordinator.firedFaults == before)
  }

  @Test("objects are offered by number, and by what they are shown as")
  func objects() throws {
    let all = try completions("print Book/")
    #expect(all.candidates.prefix(2) == ["1", "2"])
    #expect(all.details.prefix(2) == ["\"SF 1\"", "\"SF 2\""])
    #expect(try candidates("print Book/cri") == ["4", "5"])
    #expect(try candidates("delete Crime") == ["Book/4", "Book/5"])
    #expect(try completions("print Uns").details == ["\"Unsaved\""])
    // A variable that is the object is offered instead of it.
    #expect(try candidates("print herb") == ["herbert"])
  }

  @Test("where nothing begins as the word does, what has its letters is offered")
  func fuzzy() throws {
    #expect(try candidates("fetch Book where ttl") == ["title"])
    #expect(try candidates("fetch Book sort by gnr") == ["genre"])
    #expect(try candidates("fetch Book where title bgw") == ["BEGINSWITH "])
    #expect(try candidates("fetch Bok") == ["Book"])
    #expect(try completions("fetch Book where ttl", atMost: 2).candidates == [])
  }

  @Test("an empty entry is offered what makes sense next")
  func next() throws {
    func first(_ script: String) throws -> String? {
      let world = try ScriptWorld(script)
      return Completions(in: "", at: 0, session: world.session).candidates.first
    }
    #expect(try first("") == "entity Book { title: String }")
    let entity = "entity Book { title: String }\n"
    #expect(try first(entity) == "insert Book(")
    #expect(
      try first(entity + "insert Book(title: \"a\")") == "controller books = Book sort by title")
    let controller = entity + "insert Book(title: \"a\")\ncontroller b = Book sort by title\n"
    #expect(try first(controller) == "fetch b")
    #expect(try first(controller + "fetch b") == "save")
    #expect(try first(controller + "fetch b\nsave") == "show b")
  }

  @Test("of thousands of names some are listed, and their common start is known")
  func many() throws {
    let names = (1...3000).map { "let name\($0) = \($0)" }.joined(separator: "\n")
    let world = try ScriptWorld(names)
    let found = Completions(in: "print n", at: 7, session: world.session, atMost: 100)

    #expect(found.candidates.count == 100 && found.candidates[0] == "name1")
    #expect(found.candidates[..<97] == found.candidates[..<97].sorted()[...])
    #expect(found.candidates.count + found.omitted == 3002)
    #expect(found.omittedStart == "n")
    let rest = Completions(in: "print na", at: 8, session: world.session, atMost: 100)
    #expect(rest.omittedStart == "name")
    #expect(rest.candidates.count + rest.omitted == 3000)
  }
}
