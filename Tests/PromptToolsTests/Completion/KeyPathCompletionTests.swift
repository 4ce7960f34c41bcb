import PromptTools
import ScriptWorlds
import Testing

/// The completions after the dots of key paths.
@Suite struct KeyPathCompletionTests {
  private static let library = """
    entity Author { name: String, books: [Book] inverse author }
    entity Book { title: String, pages: Int = 0, author: Author? inverse books }
    let dune = insert Book(title: "Dune")
    """

  private func candidates(_ text: String, atMost limit: Int = .max) throws -> [String] {
    let world = try ScriptWorld(Self.library)
    return Completions(
      in: text, at: text.utf8.count, session: world.session, atMost: limit
    ).candidates
  }

  private static let ofAuthors = ["name", "books"]

  @Test(
    "in every clause a key path goes on with the keys of what it leads to",
    arguments: [
      "fetch Book where author.", "fetch Book sort by author.", "fetch Book section by author.",
      "fetch Book values author.", "fetch Book group by author.",
      "controller b = Book sort by title, author.", "fetch Author where books.author.",
      "fetch Book where title == 'a' AND author.", "fetch Book where (author.",
      "fetch Book where SELF.author.", "fetch Book where title == $dune.author.",
      "update Book where author.", "evaluate author.", "fetch Author where ANY books.author.",
    ])
  func keys(_ text: String) throws {
    let found = try candidates(text)
    #expect(Array(found.prefix(2)) == Self.ofAuthors, "\(found)")
    #expect(try candidates(text + "na") == ["name"])
  }

  @Test("what is prefetched is a relationship")
  func relationships() throws {
    #expect(try candidates("fetch Book prefetch ") == ["author"])
    #expect(try candidates("fetch Book prefetch author.") == ["books"])
    #expect(try candidates("fetch Author prefetch books, books.") == ["author"])
  }

  @Test("behind many objects stand the operators of collections, too")
  func operators() throws {
    let found = try candidates("fetch Author where books.")
    #expect(found.prefix(3) == ["title", "pages", "author"])
    #expect(found.contains("@count") && found.contains("@avg."))
    #expect(try candidates("fetch Author where books.@c") == ["count"])
    #expect(try candidates("fetch Author sort by books.@c") == ["count"])
    #expect(try candidates("fetch Book where author.@c") == [])
  }

  @Test("in strings, behind numbers, and behind what leads nowhere, nothing is offered")
  func nothing() throws {
    for text in [
      "fetch Book where title == \"x author.", "fetch Book where title == 'x author.",
      "fetch Book where title.", "fetch Book where nosuch.", "fetch Book where pages == 1.",
      "fetch Book where $nosuch.", "fetch Nosuch where author.",
    ] {
      #expect(try candidates(text) == [], "\(text)")
    }
  }

  @Test("where there are many objects ANY is offered, and functions to who has begun one")
  func words() throws {
    #expect(try candidates("fetch Author where ").contains("ANY "))
    #expect(try !candidates("fetch Book where ").contains("ANY "))
    #expect(try candidates("fetch Book where upp") == ["uppercase("])
    #expect(try candidates("fetch Book where title == lo").contains("lowercase("))
  }

  @Test("where only one candidate is wanted, no more than two are looked for")
  func limit() throws {
    #expect(try candidates("fetch Book sort by author.", atMost: 2).count == 2)
    #expect(try candidates("fetch Book sort by author.n", atMost: 2) == ["name"])
  }
}
