import EngineWorlds
import FetchedResults
import Testing

@Suite("The indexes of an entity")
struct FetchIndexDescriptionTests {
  private func entity(_ indexes: [FetchIndexDescription]) throws(ModelError) -> EntityDescription {
    try EntityDescription(
      name: "Book",
      attributes: [
        .init("title", .string),
        AttributeDescription(name: "mood", type: .string, isOptional: true, isTransient: true),
        AttributeDescription(
          name: "cover", type: .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true),
      ], relationships: [.toOne("author", "Author"), .toMany("tags", "Tag")], indexes: indexes)
  }

  private func index(_ name: String, _ properties: String...) -> FetchIndexDescription {
    FetchIndexDescription(
      name: name, elements: properties.map { FetchIndexElementDescription(propertyName: $0) })
  }

  @Test("they may have attributes and to-one relationships, and a sub-entity inherits them")
  func inheritance() throws {
    let book = try entity([index("byTitle", "title", "author")])
    let manga = try EntityDescription(
      name: "Manga", superentity: book, attributes: [], indexes: [index("title", "title")])
    #expect(book.indexes == [index("byTitle", "title", "author")])
    #expect(manga.indexes == [index("byTitle", "title", "author"), index("title", "title")])
    #expect(manga.indexes.map(\.soleAttribute) == [nil, "title"])
  }

  @Test("a wrong one is an error that says why")
  func errors() throws {
    let expected: [(FetchIndexDescription, ModelError, String)] = [
      (
        index("i", "titel"), .unknownProperty("titel", entity: "Book"),
        "Book has no attribute 'titel'"
      ),
      (
        index("i"), .emptyIndex("i", entity: "Book"),
        "index 'i' of Book has no attributes; name at least one"
      ),
      (
        index("i", "title", "title"), .repeatedInIndex("title", index: "i", entity: "Book"),
        "'title' is repeated in index 'i' of Book"
      ),
      (
        index("i", "mood"), .unindexable("mood", entity: "Book", .transient),
        "'mood' of Book cannot be indexed, because it is transient; no store has its values"
      ),
      (
        index("i", "tags"), .unindexable("tags", entity: "Book", .toMany),
        "'tags' of Book cannot be indexed, because it leads to many objects; "
          + "index the relationship's inverse"
      ),
      (
        index("i", "cover"), .unindexable("cover", entity: "Book", .external),
        "'cover' of Book cannot be indexed, because its data may be in files; leave out 'external'"
      ),
    ]
    for (index, error, words) in expected {
      #expect(throws: error) { try entity([index]) }
      #expect(error.description == words)
    }
    #expect(throws: ModelError.duplicateIndex("i", entity: "Book")) {
      try entity([index("i", "title"), index("i", "author")])
    }
  }
}
