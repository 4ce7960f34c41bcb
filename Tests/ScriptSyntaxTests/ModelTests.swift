import ScriptSyntax
import Testing

@Suite("Entities")
struct ModelTests {
  @Test("properties stand on lines, or behind commas")
  func properties() {
    let script = """
      entity Author { name: String, books: [Book] inverse author on delete nullify }
      entity Book {
        title: String    # a comment
        publisher: String = "unknown"
        pages: Int = 0; price: Double?

        lastModified: Date? = @2026-01-01
        author: Author? inverse books
        transient initial: String = uppercase(substring(title, 0, 1))
        display title
      }
      abstract entity Thing { }
      entity Manga : Book { volume: Int }
      """
    #expect(
      shapes(script) == [
        "entity Author { name: String, books: [Book] inverse author on delete nullify }",
        "entity Book { title: String, publisher: String = \"unknown\", pages: Int = 0, "
          + "price: Double?, lastModified: Date? = @2026-01-01, author: Author? inverse books, "
          + "transient initial: String = uppercase(substring(title, 0, 1)), display title }",
        "abstract entity Thing {  }",
        "entity Manga : Book { volume: Int }",
      ])
  }

  @Test("display and transient are attributes too")
  func names() {
    #expect(
      shapes(
        "entity Book { display: String, transient: Bool, inverse: Int, on: Int\ndisplay display }")
        == [
          "entity Book { display: String, transient: Bool, inverse: Int, on: Int, display display }"
        ])
  }

  @Test("each faulty property is reported, and the others are read")
  func faults() {
    let script = """
      entity Book {
        title: string
        pages Int
        price: Double = = 3
        fine: Int
        books: [book]
        author: Author on delete casade
        year = 3
        other: Int Int
        last: Bool = YES = NO
        display a
        display b
      }
      save
      """
    #expect(
      heads(script) == [
        "2:10 unknown type 'string'; did you mean 'String'?",
        "3:9 expected ':', found 'Int'",
        "4:19 expected a value, found '='",
        "6:11 an entity's name begins with a capital letter, 'book' does not; did you mean 'Book'?",
        "7:28 unknown delete rule 'casade'; did you mean 'cascade'?",
        "8:8 unexpected '=' after 'year'; use ': TYPE ='",
        "9:14 unexpected 'Int'",
        "10:20 unexpected '=' in an expression; use '=='",
        "12:3 'display' given twice",
      ])
    #expect(parse(script).statements.last?.shape == "save")
  }

  @Test("an entity's name begins with a capital letter")
  func lowerCase() {
    #expect(
      messages("insert book(title: \"x\")") == """
        test.frc:1:8: error: an entity's name begins with a capital letter, 'book' does not; \
        did you mean 'Book'?
        insert book(title: "x")
               ^~~~
        """)
    #expect(heads("entity book { }").count == 1)
  }

  @Test("a forgotten brace is missed where the next statement begins")
  func unclosed() {
    #expect(
      messages("entity Book {\n  title: String\ninsert Book(title: \"x\")\nsav\n") == """
        test.frc:1:13: error: missing '}' for this '{'
        entity Book {
                    ^
        test.frc:4:1: error: unknown statement 'sav'; did you mean 'save'?
        sav
        ^~~
        """)
  }
}
