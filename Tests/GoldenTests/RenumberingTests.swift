import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite("Objects whose numbers another process took")
struct RenumberingTests {
  @Test("the output says which are which now, and variables follow")
  func note() throws {
    let environment = FolderEnvironment()
    var lines: [String] = []
    let sessions = (0..<2).map { _ in
      Interpreter(environment: environment) { event in
        lines += event.lines
      }
    }
    func run(_ index: Int, _ text: String) throws {
      try sessions[index].run(ScriptParser.parse(SourceText(name: "test", text: text)))
    }
    for index in 0..<2 {
      try run(index, "store sqlite \"a.sqlite\"\nentity Book { title: String }\nprint count(Book)")
    }
    try run(0, "let dune = insert Book(title: \"Dune\")\nlet all = [dune]")
    try run(1, "insert Book(title: \"Emma\")\nsave")
    try run(0, "save\nprint dune\nprint dune.title\nprint all\nprint Book/1.title\ncount Book")

    #expect(
      lines == [
        "0", "0", "note: Book/1 is Book/2 now, since another process took its number first",
        "Book/2", "Dune", "[Book/2]", "Emma", "2",
      ])
  }

  /// Runs a script in a session of its own, and returns its output, and breaches of the replay law.
  private func output(of script: String) throws -> [String] {
    var lines: [String] = []
    let session = Interpreter(environment: FolderEnvironment()) { lines += $0.lines }
    session.onBreach = { lines.append("breach: \($0): \($1)") }
    let text = "store sqlite \"a.sqlite\" history\n\(script)"
    try session.run(ScriptParser.parse(SourceText(name: "test", text: text)))
    return lines
  }

  private static let renumbered =
    "note: Book/1 is Book/2 now, since another process took its number first"

  @Test(
    "a child's new object is never taken for the other process's, of whatever entity that is",
    arguments: ["Book", "Novel"])
  func child(entity: String) throws {
    let lines = try output(
      of: """
        entity Book { title: String }
        entity Novel : Book { genre: String? }
        context kid parent main
        perform kid { insert Book(title: "mine") }
        extension "w" { insert \(entity)(title: "theirs"); save }
        save kid
        save
        for b in fetch Book sort by title { print "\\(b) \\(b.title)" }
        """)
    #expect(lines == [Self.renumbered, "Book/2 mine", "\(entity)/1 theirs"])
  }

  /// Statements that read, with what they print after the note.
  private static let readings: [(statement: String, printed: [String])] = [
    ("fetch Book where title == \"theirs\"", ["Book/1 title: \"theirs\", shelf: Shelf/1"]),
    (
      "fetch Book where title == \"theirs\" includesPendingChanges off",
      ["Book/1 title: \"theirs\", shelf: Shelf/1"]
    ),
    ("count Book", ["2"]), ("perform kid { count Book }", ["2"]),
    ("fetch Shelf values best", ["best: Book/1"]),
    ("delete Book where title == \"theirs\"\nfetch Book", ["Book/2 title: \"mine\", shelf: nil"]),
    ("print Shelf/1.best.title", ["theirs"]), ("print Shelf/1.books", ["[Book/1]"]),
    ("print (fetch Shelf)[0].best.title", ["theirs"]),
    (
      "controller books = Book sort by title\nfetch books\nshow books",
      ["section 0 \"\" 2 objects", "  [0, 0] Book/2 \"mine\"", "  [0, 1] Book/1 \"theirs\""]
    ),
  ]

  @Test(
    "a fetch and a relationship lead to the other process's object, before any save or merge",
    arguments: readings)
  func reading(statement: String, printed: [String]) throws {
    let lines = try output(
      of: """
        entity Book { title: String, shelf: Shelf? inverse books }
        entity Shelf { best: Book?; books: [Book] inverse shelf }
        context kid parent main
        insert Book(title: "mine")
        extension "w" {
          let book = insert Book(title: "theirs")
          insert Shelf(best: book, books: [book])
          save
        }
        \(statement)
        """)
    #expect(lines == [Self.renumbered] + printed)
  }

  @Test("a list that is read after the other process saved leads to its object")
  func unreadList() throws {
    let lines = try output(
      of: """
        \(Self.model)
        context other
        perform other {
          let author = (fetch Author)[0]
          insert Book(title: "mine")
          extension "w" { insert Book(title: "theirs", author: Author/1); save }
          print author.books[0].title
          print (fetch Book where title == "mine")[0]
        }
        """)
    #expect(lines == [Self.renumbered, "theirs", "Book/2"])
  }

  @Test("the number of a new object that was undone hides no object of another process")
  func undone() throws {
    let lines = try output(
      of: """
        entity Book { title: String }
        insert Book(title: "mine")
        undo
        extension "w" { insert Book(title: "theirs"); save }
        fetch Book
        """)
    #expect(lines == ["Book/1 title: \"theirs\""])
  }

  /// A new author with a new book, after a saved book.
  private static let unsavedAuthor = """
    entity Author { name: String, books: [Book] inverse author }
    entity Book { title: String, author: Author? inverse books }
    insert Book(title: "first")
    save
    let ada = insert Author(name: "mine")
    insert Book(title: "mine", author: ada)
    """

  /// Another process saves objects under the numbers of both.
  private static let takenByAnother = """
    extension "w" { insert Book(title: "theirs", author: insert Author(name: "theirs")); save }
    """

  @Test(
    "a predicate with a new object never finds the other process's",
    arguments: [
      ("fetch Book where author == $ada", ["Book/3 title: \"mine\", author: Author/2"]),
      ("count Book where author IN {$ada}", ["1"]),
      ("batch update Book where author == $ada { title = \"x\" }", ["batch updated 0 objects"]),
      ("batch delete Book where author == $ada", ["batch deleted 0 objects"]),
      (
        "controller c = Book where author == $ada sort by title; fetch c; print c[0, 0]",
        ["Book/3"]
      ),
    ])
  func predicate(statement: String, answer: [String]) throws {
    let lines = try output(
      of: """
        \(Self.unsavedAuthor)
        \(Self.takenByAnother)
        \(statement)
        save
        fetch Book where title == "theirs"
        """)
    let notes = ["Author/1 is Author/2 now", "Book/2 is Book/3 now"].map {
      "note: \($0), since another process took its number first"
    }
    #expect(lines.sorted() == (notes + answer + [theirs]).sorted())
  }

  private let theirs = "Book/2 title: \"theirs\", author: Author/1"

  private static let request = "request q = Book where author == $ada"
  private static let controller = "controller c = Book where author == $ada sort by title"

  @Test(
    "what was defined or computed before a read that renumbers keeps to the new object",
    arguments: [
      (request, "fetch q", "Book/3 title: \"mine\", author: Author/2"),
      (request, "batch delete q", "batch deleted 0 objects"),
      (request, "batch update q { title = \"x\" }", "batch updated 0 objects"),
      (controller, "fetch c; print c[0, 0]", "Book/3"),
      ("\(controller); fetch c", "let all = fetch Book; print c[0, 0]", "Book/3"),
      (
        "", "fetch Book where author == Author/1 and title != \"\\((fetch Author)[0].name)\"",
        "Book/3 title: \"mine\", author: Author/2"
      ),
      ("", "print [$ada, (fetch Author)[0]]", "[Author/2, Author/1]"),
      ("", "print $ada == (fetch Author)[0]", "false"),
      ("", "expect $ada != (fetch Author)[0]; print $ada", "Author/2"),
      (
        "", "print (insert Book(author: $ada, title: (fetch Author)[0].name)).author", "Author/2"
      ),
    ])
  func earlier(definition: String, statement: String, answer: String) throws {
    let lines = try output(
      of: """
        \(Self.unsavedAuthor)
        \(definition)
        \(Self.takenByAnother)
        \(statement)
        """)
    #expect(lines.filter { !$0.hasPrefix("note: ") } == [answer])
    #expect(lines.count == 3)
  }

  @Test(
    "a loop keeps to new objects that got other numbers in its body",
    arguments: ["[Book/1, Book/2]", "fetch Book sort by title", "books", "books.fetchedObjects"])
  func loop(sequence: String) throws {
    let lines = try output(
      of: """
        entity Book { title: String }
        controller books = Book sort by title
        for title in ["a", "b"] { insert Book(title: title) }
        fetch books
        delegate books none
        for b in \(sequence) {
          extension "w" { insert Book(title: "theirs"); save }
          print count(Book)
          print "\\(b) \\(b.title)"
        }
        """)
    #expect(lines.filter { !$0.hasPrefix("note: ") } == ["3", "Book/3 a", "4", "Book/4 b"])
    #expect(lines.count == 6)
  }

  @Test("a loop in a child context keeps to new objects of its parent")
  func loopInChild() throws {
    let lines = try output(
      of: """
        entity Book { title: String }
        context kid parent main
        controller books = Book sort by title
        for title in ["a", "b"] { insert Book(title: title) }
        fetch books
        delegate books none
        perform kid {
          for b in books.fetchedObjects {
            extension "w" { insert Book(title: "theirs"); save }
            print count(Book)
            print "\\(b) \\(b.title)"
          }
        }
        """)
    #expect(lines.filter { !$0.hasPrefix("note: ") } == ["3", "Book/3 a", "4", "Book/4 b"])
  }

  @Test("a callback that gives objects other numbers by reading breaks no law")
  func callbacks() throws {
    let lines = try output(
      of: """
        entity Book { title: String = "", pages: Int = 0 }
        controller books = Book sort by title
        fetch books
        insert 2 Book()
        extension "w" { insert Book(); save }
        delegate books { didChangeObject { let count = count(Book) } }
        perform { Book/1.pages = 1; Book/2.pages = 1 }
        """)
    #expect(
      lines.filter { !$0.hasPrefix("note: ") }.dropFirst(4) == [
        "books didChange object update Book/1 \"\" [0, 0]",
        "books didChange object insert Book/1 \"\" -> [0, 0]",
        "books didChange object update Book/4 \"\" [0, 1]",
      ])
  }

  @Test("a predicate without new objects asks no context for numbers that others took")
  func predicateOfSavedObjects() throws {
    let lines = try output(
      of: """
        entity Author { name: String, books: [Book] inverse author }
        entity Book { title: String, author: Author? }
        let ada = insert Author(name: "Ada")
        save
        context bg
        perform bg { insert Book(title: "mine") }
        extension "w" { insert Book(title: "theirs"); save }
        count Book where author == $ada
        print "counted"
        save bg
        """)
    #expect(lines == ["0", "counted", Self.renumbered])
  }

  @Test("a batch request names no new object by the other process's number")
  func batch() throws {
    let lines = try output(
      of: """
        entity Book { title: String }
        let mine = insert Book(title: "mine")
        extension "w" { insert Book(title: "theirs"); save }
        batch update Book { title = "x" }
        print mine
        """)
    #expect(lines == [Self.renumbered, "batch updated 1 object: Book/1", "Book/2"])
  }

  @Test("what was done before a read that renumbers is undone and redone")
  func undoneAfterRead() throws {
    let lines = try output(
      of: """
        entity Book { title: String; next: Book? }
        insert Book(title: "first")
        save
        Book/1.title = "edited"
        let mine = insert Book(title: "mine")
        Book/1.next = mine
        extension "w" { insert Book(title: "theirs"); save }
        fetch Book sort by title
        undo
        print Book/1.next
        undo
        undo
        fetch Book sort by title
        redo
        redo
        redo
        fetch Book sort by title
        """)
    #expect(
      lines == [
        "note: Book/2 is Book/3 now, since another process took its number first",
        "Book/1 title: \"edited\", next: Book/3", "Book/3 title: \"mine\", next: nil",
        "Book/2 title: \"theirs\", next: nil", "nil", "Book/1 title: \"first\", next: nil",
        "Book/2 title: \"theirs\", next: nil", "Book/1 title: \"edited\", next: Book/3",
        "Book/3 title: \"mine\", next: nil", "Book/2 title: \"theirs\", next: nil",
      ])
  }

  private static let model = """
    entity Author { name: String; books: [Book] inverse author on delete cascade; star: Book? }
    entity Book { title: String, author: Author? inverse books, tags: [Tag] inverse books }
    entity Tag { label: String; books: [Book] }
    insert Author(name: "A"); insert Tag(label: "t")
    save
    """

  @Test(
    "references to both objects stay apart under every policy by which the save succeeds",
    arguments: [
      ("storeTrump", "theirs", "[Book/1, Book/2]"), ("objectTrump", "mine", "[Book/1, Book/2]"),
      // The saved tag has what the context has.
      ("overwrite", "mine", "[Book/2]"),
    ])
  func references(policy: String, star: String, tagged: String) throws {
    let lines = try output(
      of: """
        \(Self.model)
        set policy \(policy)
        insert Book(title: "mine", author: Author/1, tags: [Tag/1]); Author/1.star = Book/1
        extension "w" {
          insert Book(title: "theirs", author: Author/1, tags: [Tag/1])
          Author/1.star = Book/1
          save
        }
        save
        context fresh
        perform fresh { print Author/1.star.title; print Author/1.books; print Tag/1.books }
        """)
    #expect(lines == [Self.renumbered, star, "[Book/1, Book/2]", tagged])
  }

  @Test("a delete rule applies to the other process's object, although a new one had its number")
  func deletion() throws {
    let lines = try output(
      of: """
        \(Self.model)
        set policy overwrite
        insert Book(title: "mine")
        extension "w" { insert Book(title: "theirs", author: Author/1); save }
        delete Author/1
        save
        extension "w" { for b in fetch Book sort by title { print "\\(b) \\(b.title)" } }
        """)
    #expect(lines == [Self.renumbered, "Book/2 mine"])
  }

  @Test(
    "an object that went before its save is not taken for the other process's object",
    arguments: ["delete draft", "undo"])
  func draft(removal: String) throws {
    let script = """
      \(Self.model)
      set policy objectTrump
      let draft = insert Book(title: "draft", tags: [Tag/1])
      extension "w" { insert Book(title: "theirs", author: Author/1, tags: [Tag/1]); save }
      \(removal)
      """
    let edited = try output(
      of: """
        \(script)
        Tag/1.label = "edited"
        save
        extension "w" { print Book/1.author; print Tag/1.books; print Tag/1.label }
        """)
    let deleted = try output(
      of: """
        \(script)
        delete Author/1
        save
        extension "w" { print count(Author); print count(Book) }
        """)

    #expect(edited == ["Author/1", "[Book/1]", "edited"])
    #expect(deleted == ["0", "0"])
  }

  @Test("a merge brings the other process's object, and its relationships, beside the new one")
  func merge() throws {
    let lines = try output(
      of: """
        \(Self.model)
        set policy overwrite
        insert Book(title: "mine")
        extension "w" { insert Book(title: "theirs", author: Author/1); save }
        merge history into main
        print Author/1.books
        delete Author/1
        save
        extension "w" { for b in fetch Book sort by title { print "\\(b) \\(b.title)" } }
        """)
    #expect(lines == [Self.renumbered, "[Book/1]", "Book/2 mine"])
  }

  @Test("a child follows its parent's new objects, also where it has only read a reference to one")
  func parent() throws {
    let lines = try output(
      of: """
        \(Self.model)
        insert Book(title: "mine", author: Author/1)
        Author/1.star = Book/1
        context kid parent main
        perform kid { print Author/1.star.title }
        extension "w" { insert Book(title: "theirs"); save }
        save
        perform kid { print Author/1.star; Author/1.star.title = "edited"; save }
        save
        for b in fetch Book sort by title { print "\\(b) \\(b.title)" }
        """)
    #expect(lines == ["mine", Self.renumbered, "Book/2", "Book/2 edited", "Book/1 theirs"])
  }

  @Test(
    "a child does not take the other process's object for one that its parent let go unsaved",
    arguments: ["rollback", "reset", "delete Author/1; save"],
    [
      "delete Author/1", "Author/1.name = \"edited\"",
      "insert Book(title: \"new\", author: Author/1)",
    ])
  func lost(removal: String, change: String) throws {
    let lines = try output(
      of: """
        entity Author { name: String, books: [Book] inverse author }
        entity Book { title: String, author: Author? inverse books }
        context kid parent main
        insert Author(name: "draft")
        perform kid { \(change) }
        \(removal)
        extension "w" { insert Author(name: "theirs"); save }
        perform kid { try save }
        save
        for a in fetch Author { print "\\(a) \\(a.name) \\(a.books)" }
        """)
    let refusal = [
      "note: Author/1 is Author/2 now, since another process took its number first",
      "error: NSCocoaErrorDomain 133020: cannot save: "
        + "Author/2 was changed here and deleted in the store",
    ]
    let isDeletion = change.hasPrefix("delete")
    #expect(lines == (isDeletion ? [] : refusal) + ["Author/1 theirs []"])
  }

  @Test("a child's changes of an object count if its parent saved it in the end")
  func keptAfterAll() throws {
    let lines = try output(
      of: """
        entity Book { title: String }
        context kid parent main
        let draft = insert Book(title: "draft")
        perform kid { print Book/1.title }
        undo
        save
        redo
        save
        extension "w" { insert Book(title: "theirs"); save }
        perform kid { Book/1.title = "edited"; save }
        save
        for b in fetch Book sort by title { print "\\(b) \\(b.title)" }
        """)
    #expect(lines == ["draft", "Book/1 edited", "Book/2 theirs"])
  }
}
