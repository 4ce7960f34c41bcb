import Testing

/// The text that the macros generate.
@Suite("Expansions")
struct ExpansionTests {
  private static let source = #"""
    import FetchedResultsMacros
    import Foundation

    @Managed(originalName: "Volume") public final class Book {
      public var title: String
      var pages = 0
      var genre: Genre = .fiction
      var created: Date = .now
      var `class`: String?
      @Attribute(.unique, .allowsExternalBinaryDataStorage, minimum: 1) var cover: Data?
      @Transient var seen = false
      @Attribute(derivation: AttributeExpression.count) var count: Int64
    }

    @Managed final class Author {
      var id: UUID
      @Relationship(inverse: \Publisher.authors, isOptional: false) var publisher: Publisher?
      @Relationship(deleteRule: .cascade) var books: Set<Book>
      var names: [Name]
    }

    @dynamicMemberLookup @Managed(superentity: Book.self) public final class Novel {
      var series: String?
      @Relationship var translator: Person?
      var chapters: [Chapter]
    }

    @Managed(name: "Thing") final class Empty {}

    @Managed final class Plain {
      static let shared = 1
      static let id = "plain"
      @MainActor static var count = 0
      var double: Int { 2 }
      var half: Int { get { 1 } set {} }
      func open() {}
      struct Part { let name: String }
    }

    // What these classes need.
    public enum Genre: String, Codable, CaseIterable, Sendable { case fiction }
    extension AttributeExpression {
      static let count = AttributeExpression("1") { _ in 1 }
    }
    @Managed final class Publisher { var authors: [Author] }
    @Managed final class Name {}
    @Managed final class `Protocol` { var context: String? }
    @Managed final class Log { var context = ""; var managedObjectContext: Int? }
    @Managed public final class Person {}
    @Managed public final class Chapter {}
    """#

  @Test("a class with attributes of each sort")
  func attributes() throws {
    #expect(try Self.expansion(of: "Book") == Self.attributesExpanded)
  }

  @Test("relationships")
  func relationships() throws {
    #expect(try Self.expansion(of: "Author") == Self.relationshipsExpanded)
  }

  @Test("a class of an entity that inherits")
  func subentity() throws {
    #expect(try Self.expansion(of: "Novel") == Self.subentityExpanded)
  }

  @Test("a class without properties")
  func empty() throws {
    #expect(try Self.expansion(of: "Empty") == Self.emptyExpanded)
  }

  @Test("what is no stored property of the object is left alone")
  func others() throws {
    #expect(try Self.expansion(of: "Plain") == Self.plainExpanded)
  }

  @Test("names that Swift's grammar or the initialiser uses otherwise")
  func otherNames() throws {
    let expansion = try Self.expansion(of: "Protocol")
    #expect(expansion.contains("ManagedSchema<`Protocol`>(\n  \"Protocol\","))
    #expect(expansion.contains("(context: String? = nil, in managedObjectContext: "))
    #expect(expansion.contains("into: managedObjectContext)\n  self.context = context"))
    #expect(
      try Self.expansion(of: "Log").contains(
        "managedObjectContext: Int? = nil, in managedObjectContext_: ManagedObjectContext)"))
  }

  @Test("compile in a module whose default isolation is the main actor, as the guides say")
  func mainActor() throws {
    let compilation = try Compilation(
      [
        "App.swift": """
        import FetchedResultsMacros

        @Managed nonisolated final class Book {
          var title: String
          @Relationship(inverse: \\Author.books) var author: Author?
        }
        @Managed(superentity: Book.self) nonisolated final class Novel {}
        @Managed final class Author: ManagedEntity {
          var books: [Book]
        }
        final class Screen {
          func add(to context: ManagedObjectContext) -> String {
            let author = Author(in: context)
            Book(title: "Emma", author: author, in: context).title += "!"
            return author.books.map(\\.title).joined()
          }
        }
        """
      ], options: ["-default-isolation", "MainActor"])
    #expect(compilation.diagnostics.map(\.message) == [])
  }

  @Test("of a private property whose type may be private: no parameter of the initialiser")
  func privateType() throws {
    let compilation = try Compilation([
      "Hidden.swift": """
      import FetchedResultsMacros

      private enum Hidden: Int { case x, y }

      @Managed public final class Book {
        private enum Nested: Int { case z }
        var title: String
        private var hidden: Hidden = .x
        fileprivate var other: Hidden = Hidden.y
        private var nested: Nested? = .z
        private var pages = 1
      }

      @Managed private final class Shelf {
        private var hidden: Hidden = .x
        fileprivate var other: Hidden = .y
      }

      private func test(in context: ManagedObjectContext) {
        _ = Book(title: "Emma", pages: 2, in: context)
        _ = Shelf(other: .x, in: context)
      }
      """
    ])
    #expect(compilation.diagnostics.map(\.message) == [])
    let texts = compilation.expansions.map(\.text)
    #expect(texts.contains { $0.contains("\n  self.hidden = .x\n  self.other = Hidden.y\n") })
  }

  @Test("compile without an error or a warning")
  func diagnostics() throws {
    let diagnostics = try Self.compilation.get().diagnostics
    #expect(diagnostics.map(\.message) == [])
  }
}

extension ExpansionTests {
  private static let compilation = Result { try Compilation(["Fixture.swift": source]) }

  /// Returns what the macros added to a class, each part after its macro and its place.
  private static func expansion(of type: String) throws -> String {
    let parts = try expansions.get().filter { $0.type == type }
    let order = ["member", "memberAttribute", "accessor", "extension"]
    // The compiler expands a macro when it needs to, which depends on other classes.
    return (order + Set(parts.map(\.role)).subtracting(order).sorted())
      .flatMap { role in parts.filter { $0.role == role } }
      .map { "// \($0.role) macro @\($0.macro) of \($0.name)\n\($0.text)" }
      .joined(separator: "\n\n")
  }

  private struct Part: Sendable {
    let role: String
    let macro: String
    /// The declaration that has the macro.
    let name: String
    /// The class that is, or contains, the declaration.
    let type: String
    let text: String
  }

  /// The expansions that are not empty.
  private static let expansions = Result {
    let found = try compilation.get().expansions.filter { !$0.text.isEmpty }
    let names = try Toolchain.run(["swift-demangle", "-compact"] + found.map(\.symbol))
      .split(separator: "\n")
    try #require(names.count == found.count)
    return try zip(found, names).map { expansion, name in
      // Such as: accessor macro @_ManagedAttribute expansion #1 of title in Fixture.Book
      let match = try #require(
        try /(\w+) macro @(\w+) expansion #\d+ of (\w+) in Fixture(?:\.(\w+))?/
          .wholeMatch(in: name), "\(name)")
      return Part(
        role: String(match.1), macro: String(match.2), name: String(match.3),
        type: String(match.4 ?? match.3), text: expansion.text)
    }
  }
}
