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
        + "value", fixed: "var created: Date = Date()"),
    Case(
      "var created = Date.now",
      "created: 'created' needs a type; write 'var created: Date', or a literal as its initial "
        + "value", fixed: "var created: Date = Date.now"),
    Case(
      "var a = 1, b = 2",
      "a = 1, b = 2: a managed property needs a declaration of its own; write one 'var' for each",
      fixed: "var a = 1\n  var b = 2"),
    Case(
      "@Transient public var a, b: Int, c = true",
      "a, b: Int, c = true: a managed property needs a declaration of its own; write one 'var' for "
        + "each",
      fixed: "@Transient public var a: Int\n  @Transient public var b: Int\n"
        + "  @Transient public var c = true"),
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
    Case(
      "var count: UInt64", "UInt64: UInt64 cannot be stored; use Int64",
      fixed: "var count: Int64"),
    Case(
      "var letter: Character?", "Character?: Character cannot be stored; use String",
      fixed: "var letter: String?"),
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
      "String?: a relationship leads to objects, not to a String", fixed: "var title: String?"),
    Case(
      "@Relationship(deleteRule: .cascade)\n  public var pages = 0",
      "pages: a relationship leads to objects, not to a Int", fixed: "public var pages = 0"),
    Case(
      "@Relationship var author: Author? = .unknown",
      ".unknown: a relationship starts with nil; set it on an object",
      fixed: "@Relationship var author: Author?"),
    Case(
      "var books: [Book]?", "[Book]?: a to-many relationship is never nil, but empty",
      fixed: "var books: [Book]"),
    Case(
      "var books: Set<Book> = [first]",
      "[first]: a relationship starts empty; add objects to it later",
      fixed: "var books: Set<Book>"),
    Case(
      "@Attribute(.unique) var books: Set<Book>",
      "@Attribute(.unique): a list is a relationship; use @Relationship",
      fixed: "@Relationship var books: Set<Book>"),
    Case(
      "var managedObject: Int?",
      "managedObject: @Managed declares 'managedObject' itself; choose another name"),
    Case(
      "var managedPath: String",
      "managedPath: @Managed declares 'managedPath' itself; choose another name"),
    Case(
      "var `self`: String",
      "`self`: in a key path, 'self' is the object; choose another name"),
    Case("var a = 1; var a = 2", "a = 2: 'a' is declared twice"),
    Case(
      "var title: String\n  #if true\n  static let shared = 1\n  var long: Bool { true }\n"
        + "  var note: String = \"none\"\n  #endif",
      "note: String = \"none\": a managed property cannot be inside '#if'; put the '#if' around the "
        + "class"),
    Case(
      "#if false\n  #else\n  #if true\n  @Relationship var author: Author?\n  #endif\n  #endif",
      "author: Author?: a managed property cannot be inside '#if'; put the '#if' around the class"),
    // Fixes keep the spaces, comments and line breaks around what they change.
    Case(
      "/* first */ let /* last */ title: String", "let: a managed property must be a 'var'",
      fixed: "/* first */ var /* last */ title: String"),
    Case(
      "@Transient\n  private lazy var seen = false",
      "lazy: a managed property cannot be 'lazy'; its value is in the managed object",
      fixed: "@Transient\n  private var seen = false"),
    Case(
      "@Transient\n  lazy private var seen = false",
      "lazy: a managed property cannot be 'lazy'; its value is in the managed object",
      fixed: "@Transient\n  private var seen = false"),
    Case(
      "unowned(unsafe) var author: Author?",
      "unowned(unsafe): a managed property cannot be 'unowned'; its value is in the managed object",
      fixed: "var author: Author?"),
    Case(
      "@Transient var seen: Bool { willSet {} }  // In this run.",
      "{ willSet {} }: a managed property cannot have observers; use a controller's delegate, or "
        + "the hooks of the entity", fixed: "@Transient var seen: Bool  // In this run."),
    Case(
      "var title: String! = nil", "String!: write an optional, or a type without '!'",
      fixed: "var title: String? = nil"),
    Case(
      "@Relationship var author: Author = .unknown",
      "Author: a to-one relationship is optional in Swift; write 'isOptional: false' in "
        + "@Relationship where a save must have an object",
      fixed: "@Relationship var author: Author? = .unknown"),
    Case(
      "var books: Optional<[Book]> = []",
      "Optional<[Book]>: a to-many relationship is never nil, but empty",
      fixed: "var books: [Book] = []"),
  ]

  @Test("of properties", arguments: Self.cases)
  func property(_ test: Case) throws {
    let report = try Self.report(on: Self.thing(with: test.testDescription))
    #expect(report.messages == [test.message], "the compiler also says: \(report.others)")
    #expect(report.fixed == test.fixed.map(Self.thing))
  }

  private static func thing(with property: String) -> String {
    "@Managed final class Thing {\n  \(property)\n}"
  }

  static let classes: [Case] = [
    Case(
      "@Managed struct Book {}", "@Managed: @Managed can be applied to a class only",
      fixed: "@Managed final class Book {}"),
    Case(
      "@Managed actor Book {}", "@Managed: @Managed can be applied to a class only",
      fixed: "@Managed final class Book {}"),
    Case("@Managed enum Book {}", "@Managed: @Managed can be applied to a class only"),
    Case(
      "@Managed class Book {}",
      "class: a @Managed class must be final; an entity that inherits from this one has a class "
        + "with @Managed(superentity: Book.self)", fixed: "@Managed final class Book {}"),
    Case(
      "@Managed public class Book {}",
      "class: a @Managed class must be final; an entity that inherits from this one has a class "
        + "with @Managed(superentity: Book.self)", fixed: "@Managed public final class Book {}"),
    Case(
      "@Managed\nclass Book {}",
      "class: a @Managed class must be final; an entity that inherits from this one has a class "
        + "with @Managed(superentity: Book.self)", fixed: "@Managed\nfinal class Book {}"),
    Case(
      "@Managed open class Book {}",
      "class: a @Managed class must be final; an entity that inherits from this one has a class "
        + "with @Managed(superentity: Book.self)", fixed: "@Managed public final class Book {}"),
    Case(
      "@Managed(superentity: Book.self) final class Novel: ManagedSubentity {}",
      ": ManagedSubentity: @Managed(superentity:) adds ManagedSubentity; write ManagedEntity "
        + "where the class has to name a protocol",
      fixed: "@Managed(superentity: Book.self) final class Novel: ManagedEntity {}"),
    Case(
      "@Managed final class Novel: Base {}",
      ": Base: a @Managed class cannot inherit from another one; write @Managed(superentity:) "
        + "where its entity does",
      fixed: "@Managed(superentity: Base.self) final class Novel {}"),
    Case("@Managed final class Book<T> {}", "<T>: a @Managed class cannot be generic"),
  ]

  @Test("of classes", arguments: Self.classes)
  func type(_ test: Case) throws {
    let report = try Self.report(on: test.testDescription)
    #expect(report.messages == [test.message], "the compiler also says: \(report.others)")
    #expect(report.fixed == test.fixed)
  }
}

extension MisuseTests {
  /// What the macros report about a text.
  private struct Report: Sendable {
    /// The messages, each after the code that it is about.
    var messages: [String] = []
    /// The compiler's own messages, about code that is also wrong without the macros.
    var others: [String] = []
    /// The text after the first fix that is offered.
    var fixed: String?

    /// Reads what the macros said about a text, and what else the compiler found wrong.
    init(_ diagnostics: [CompilerDiagnostic], on text: String, after start: String) {
      let bytes = Array(text.utf8)
      let offset = start.utf8.count
      for diagnostic in diagnostics where diagnostic.isError {
        guard let match = diagnostic.message.wholeMatch(of: /(.*) \(from macro 'Managed ?'\)/),
          let range = diagnostic.range, range.lowerBound == diagnostic.place
        else {
          others.append(diagnostic.message)
          continue
        }
        let code = bytes[range.lowerBound - offset..<range.upperBound - offset]
        messages.append("\(String(decoding: code, as: UTF8.self)): \(match.1)")
        guard fixed == nil, let fix = diagnostic.fix else { continue }
        var result = bytes
        for edit in fix.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
          let (start, end) = (edit.range.lowerBound - offset, edit.range.upperBound - offset)
          result.replaceSubrange(start..<end, with: Array(edit.text.utf8))
        }
        fixed = String(decoding: result, as: UTF8.self)
      }
    }
  }

  private static func report(on text: String) throws -> Report {
    try #require(reports.get()[text])
  }

  /// What the texts refer to.
  private static let context = """
    import FetchedResultsMacros
    @Managed final class Book {}
    class Base: ManagedEntity {}
    """

  /// The report on each text.
  ///
  /// The compiler reads all of them at once, each in a file of its own.
  private static let reports = Result {
    let texts = cases.map { thing(with: $0.testDescription) } + classes.map(\.testDescription)
    var files = ["Context.swift": context]
    for (index, text) in texts.enumerated() { files[name(index)] = start(index) + text + end }
    let found = Dictionary(grouping: try Compilation(files).diagnostics, by: \.file)
    return Dictionary(
      uniqueKeysWithValues: texts.enumerated().map { index, text in
        (text, Report(found[name(index)] ?? [], on: text, after: start(index)))
      })
  }

  private static func name(_ index: Int) -> String { "Case\(index).swift" }

  /// What comes before a text in its file.
  ///
  /// Classes of the same name are in different types.
  private static func start(_ index: Int) -> String {
    "import FetchedResultsMacros\nenum Case\(index) {\n"
  }

  private static let end = "\n}\n"
}
