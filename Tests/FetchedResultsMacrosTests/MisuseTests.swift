import Testing

/// Wrong use of a macro is reported at its place, with a fix.
@Suite("Misuse of the macros")
struct MisuseTests {
  /// A wrong property, the message at its place, and the property after the fix.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let message: String
    var fixed: String?

    init(_ property: String, _ message: String, fixed: String? = nil) {
      testDescription = property
      self.message = message
      self.fixed = fixed
    }
  }

  static let cases: [Case] = [
    Case(
      "let title: String", "let: a managed property must be a 'var'", fixed: "var title: String"),
    Case(
      "var title",
      "title: 'title' needs a type; write 'var title: String', or a literal as its initial value"),
    Case(
      "var created = Date()",
      "created: 'created' needs a type; write 'var created: Date', or a literal as its initial "
        + "value"),
    Case(
      "var a = 1, b = 2",
      "a = 1, b = 2: a managed property needs a declaration of its own; write one 'var' for each"),
    Case(
      "var (a, b): (Int, Int)",
      "(a, b): (Int, Int): a managed property has one name, not a pattern"),
    Case(
      "lazy var title: String = compute()",
      "lazy: a managed property cannot be 'lazy'; its value is in the managed object",
      fixed: "var title: String = compute()"),
    Case(
      "weak var author: Author?",
      "weak: a managed property cannot be 'weak'; its value is in the managed object",
      fixed: "var author: Author?"),
    Case(
      "var pages: Int = 0 { didSet { update() } }",
      "{ didSet { update() } }: a managed property cannot have observers; use a controller's "
        + "delegate, or the hooks of the entity", fixed: "var pages: Int = 0"),
    Case(
      "var title: String!", "String!: write an optional, or a type without '!'",
      fixed: "var title: String?"),
    Case("var count: UInt64", "UInt64: UInt64 cannot be stored; use Int64"),
    Case("var letter: Character?", "Character?: Character cannot be stored; use String"),
    Case(
      "var names: [String: Int]",
      "[String: Int]: a dictionary cannot be stored; use an optional, or a relationship to objects "
        + "that hold the parts"),
    Case(
      "var pair: (Int, Int)",
      "(Int, Int): a tuple cannot be stored; use an optional, or a relationship to objects that "
        + "hold the parts"),
    Case(
      "var tags: [String]",
      "[String]: a list of String cannot be stored; use a relationship to objects that hold the "
        + "parts"),
    Case(
      "var genre: Genre",
      "genre: 'genre' needs an initial value, which is read where the store holds none of Genre; "
        + "give one, write 'Genre?', or mark a relationship with @Relationship"),
    Case(
      "@Relationship var author: Author",
      "Author: a to-one relationship is optional in Swift; write 'isOptional: false' in "
        + "@Relationship where a save must have an object",
      fixed: "@Relationship var author: Author?"),
    Case(
      "@Relationship var title: String?",
      "String?: a relationship leads to objects, not to a String"),
    Case("@Relationship var pages = 0", "pages: a relationship leads to objects, not to a Int"),
    Case(
      "@Relationship var author: Author? = .unknown",
      ".unknown: a relationship starts with nil; set it on an object"),
    Case(
      "var books: [Book]?", "[Book]?: a to-many relationship is never nil, but empty",
      fixed: "var books: [Book]"),
    Case(
      "var books: Set<Book> = [first]",
      "[first]: a relationship starts empty; add objects to it later"),
    Case(
      "@Attribute(.unique) var books: Set<Book>",
      "@Attribute(.unique): a list is a relationship; use @Relationship"),
    Case(
      "var managedObject: Int?",
      "managedObject: @Managed declares 'managedObject' itself; choose another name"),
    Case("var a = 1; var a = 2", "a = 2: 'a' is declared twice"),
  ]

  @Test("of properties", arguments: Self.cases)
  func property(_ test: Case) {
    let text = { (property: String) in "@Managed final class Thing {\n  \(property)\n}" }
    let result = Expanding(text(test.testDescription))
    #expect(result.messages == [test.message])
    #expect(result.fixed == test.fixed.map(text))
  }

  @Test(
    "of classes",
    arguments: [
      ("@Managed struct Book {}", "@Managed: @Managed can be applied to a class only", nil),
      ("@Managed actor Book {}", "@Managed: @Managed can be applied to a class only", nil),
      (
        "@Managed class Book {}",
        "class: a @Managed class must be final; an entity that inherits from this one has a class "
          + "with @Managed(superentity: Book.self)", "@Managed final class Book {}"
      ),
      (
        "@Managed public class Book {}",
        "class: a @Managed class must be final; an entity that inherits from this one has a class "
          + "with @Managed(superentity: Book.self)", "@Managed public final class Book {}"
      ),
      (
        "@Managed(superentity: Book.self) final class Novel: ManagedSubentity {}",
        ": ManagedSubentity: @Managed(superentity:) adds ManagedSubentity; write ManagedEntity "
          + "where the class has to name a protocol", nil
      ),
      (
        "@Managed final class Book<T> {}", "<T>: a @Managed class cannot be generic", nil
      ),
    ] as [(String, String, String?)])
  func type(_ text: String, _ message: String, _ fixed: String?) {
    let result = Expanding(text)
    #expect(result.messages == [message])
    #expect(result.fixed == fixed)
  }

  @Test("what is no stored property of the object is left alone")
  func others() {
    let result = Expanding(
      """
      @Managed final class Book {
        static let shared = 1
        static var count = 0
        var double: Int { 2 }
        var half: Int { get { 1 } set {} }
        func open() {}
        struct Part { let name: String }
      }
      """)
    #expect(result.messages == [])
    #expect(!result.expanded.contains("_Managed"))
  }
}
