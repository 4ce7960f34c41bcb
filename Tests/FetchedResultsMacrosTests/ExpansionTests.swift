import Testing

/// The text that the macros generate.
@Suite("Expansions")
struct ExpansionTests {
  @Test("a class with attributes of each sort")
  func attributes() {
    let result = Expanding(
      """
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
      """)
    #expect(result.messages == [])
    #expect(result.expanded == Self.attributesExpanded)
  }

  @Test("relationships")
  func relationships() {
    let result = Expanding(
      #"""
      @Managed final class Author {
        var id: UUID
        @Relationship(inverse: \Publisher.authors, isOptional: false) var publisher: Publisher?
        @Relationship(deleteRule: .cascade) var books: Set<Book>
        var names: [Name]
      }
      """#)
    #expect(result.messages == [])
    #expect(result.expanded == Self.relationshipsExpanded)
  }

  @Test("a class of an entity that inherits")
  func subentity() {
    let result = Expanding(
      #"""
      @dynamicMemberLookup @Managed(superentity: Book.self) public final class Novel {
        var series: String?
        @Relationship var translator: Author?
        var chapters: [Chapter]
      }
      """#)
    #expect(result.messages == [])
    #expect(result.expanded == Self.subentityExpanded)
  }

  @Test("a class without properties")
  func empty() {
    #expect(
      Expanding(#"@Managed(name: "Thing") final class Empty {}"#).expanded == Self.emptyExpanded)
  }
}
