import ScriptRuntime
import Testing

/// What Tab offers, at the `|` of each text.
@Suite struct CompletionTests {
  static let library = """
    entity Author { name: String }
    entity Book { title: String, publisher: String = "", pages: Int = 0 }
    let dune = insert Book(title: "Dune")
    let words = ["a", "b"]
    request recent = Book where pages > 10 sort by title
    controller books = Book sort by publisher, title section by publisher
    fetch books
    """

  func candidates(_ marked: String) throws -> [String] {
    try completions(marked).candidates
  }

  func completions(_ marked: String) throws -> Completions {
    let world = try ScriptWorld(Self.library)
    let cursor = try #require(marked.firstIndex(of: "|"))
    let text = marked.replacing("|", with: "")
    return Completions(
      in: text, at: marked[..<cursor].utf8.count, session: world.session)
  }

  @Test func look() throws {
    for text in [
      "|", "in|", "insert |", "insert b|", "insert Book(|", "insert Book(title: |", "insert Book(title: \"x\", p|",
      "insert 10 |", "insert 10 Book(title: \"\\(|", "insert 10 Book(title: \"\\(i|", "let x = |", "let x = du|", "let x = i|",
      "dune.|", "du|", "dune.title.|", "print dune.t|", "print books.|", "print books.sections[0].|", "print books[0, 0].|",
      "print books.indexPath(|", "print books.section(forSectionIndexTitle: \"A\", |", "print books.fetchedObjects.|",
      "print books.fetchedObjects.first.|", "print words.|", "print \"a \\(dune.|", "print \"in|", "# in|", "print 1 # in|",
      "update |", "update B|", "update Book |", "update Book where |", "update Book where pages > 1 |", "update Book where pages |",
      "update Book { |", "update Book where pages > 1 { pages = pa|", "update Book { pages = 1, |", "update Book {\n  |",
      "delete |", "delete Book |", "delete Book where t|", "fetch |", "fetch Book |", "fetch Book sort by |", "fetch Book sort by title |",
      "fetch Book sort by title, |", "fetch Book sort by title using |", "fetch Book sort |", "fetch Book s|", "fetch Book limit 3 |", "fetch recent |",
      "fetch Book where title == \"a\" AND |", "fetch Book where (pages > 1 |", "fetch Book where (|", "fetch Book where title |", "fetch Book where title C|",
      "fetch Book where title == $|", "fetch Book where title == \"|", "fetch Book where pages BETWEEN {1, |", "fetch Book where title CONTAINS[c|",
      "controller x = |", "controller x = Book section |", "controller x = Book section by |", "change books |", "change books where |",
      "delegate |", "delegate books |", "show |", "show books.|", "objects |", "count |", "print count(|", "print count(Book |",
      "set |", "set clock |", "store |", "try |", "try in|", "perform |", "perform { |", "perform {\n  insert Book(title: \"a\")\n  |",
      "perform {\n  fetch Book\n    |", "for b in |", "for b in books.fetchedObjects { print b.|", "for |", "for b |", "for s in books.sections { print s.|",
      "let x = insert Author(name: \"\"); print x.|", "perform { let y = dune; y.|", "if true { } |", "if true { }\n|", "if du|", "repeat 3 { |",
      "entity X { a: |", "entity X { a: S|", "entity X { |", "insert Book(title: \"あ\", p|", "print Book/|", "print Book/1.|", "Book/1.|", "delete d|",
      "expect books.fetchedObjects.count == |", "fetch Book where pages > 3; |", "include |", "delete cache |", "inse|rt x", "print $d|", "save|", "save |", "xyz |", "insert Book(title = |",
      "let y = fetch |", "let y = fetch Book w|", "print fetch Book sort by t|", "request r = b|", "delete caches|", "print up|", "repeat |", "fetch Book where NOT |", "fetch Book where title == \"\\(dune.|",
    ] { 
      let c = try completions(text)
      print(text.replacing("\n", with: "⏎"), "   →", c.replacementStart, c.candidates)
    }
  }
}
