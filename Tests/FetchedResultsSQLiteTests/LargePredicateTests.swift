import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

@Suite("Predicates larger than SQLite takes")
struct LargePredicateTests {
  private static func joined(_ count: Int, _ sign: String, _ part: (Int) -> String) -> String {
    (0..<count).map(part).joined(separator: " \(sign) ")
  }

  private static func path(_ steps: Int) -> String {
    (0..<steps).map { $0 % 2 == 0 ? "author" : "favourite" }.joined(separator: ".")
  }

  /// Returns `a AND (b OR (a AND (…)))`, or the same with brackets on the left.
  private static func nested(_ depth: Int, isLeft: Bool) -> String {
    (0..<depth).reduce("pages == 7") { inner, level in
      let (sign, other) =
        level % 2 == 0 ? ("OR", "pages == \(level + 100)") : ("AND", "pages != \(level + 100)")
      return isLeft ? "(\(inner)) \(sign) \(other)" : "\(other) \(sign) (\(inner))"
    }
  }

  @Test(
    "nested ones find what memory finds, whether or not SQL is asked",
    arguments: [1, 5, 20, 22, 23, 24, 30, 40, 60, 120, 190], [true, false])
  func deep(depth: Int, isLeft: Bool) throws {
    let folder = StoreFolder()
    let formats = [
      Self.nested(depth, isLeft: isLeft),
      "NOT (ANY tags.name == 'a') AND (\(Self.nested(depth, isLeft: isLeft)))",
      "SUBQUERY(tags, $t, $t.name == 'b' OR $t.name == 'c').@count == 0 AND "
        + "NOT (NOT (\(Self.nested(depth, isLeft: isLeft))))",
    ]
    for format in formats where depth < 190 || format == formats[0] {
      let results = try [true, false].map { isInMemory in
        let model = try Library.model()
        let coordinator =
          isInMemory
          ? PersistentStoreCoordinator(managedObjectModel: model)
          : try folder.coordinator(model, in: "\(UUID()).sqlite")
        let context = ManagedObjectContext(coordinator: coordinator)
        for pages in [7, 8, 101, 102, 103, 130] as [Int64] {
          _ = try context.insert("Book", ["pages": .int(pages)])
        }
        try context.save()
        context.reset()
        return try context.lines("Book", where: format)
      }
      #expect(results[0] == results[1], "\(format)")
      #expect(!results[0].isEmpty)
    }
  }

  @Test(
    "find what smaller ones find",
    arguments: [
      joined(1500, "OR") { "pages == \($0)" }, joined(6000, "OR") { "pages == \($0)" },
      joined(1500, "AND") { "pages != \($0 + 8)" },
      joined(1500, "OR") { "ANY tags.name == '\($0)'" },
      joined(100, "OR") { part in "pages IN {\(joined(400, ",") { "\(part * 400 + $0)" })}" },
      joined(20, "OR") { _ in "(\(joined(50, "AND") { "pages != \($0 + 8)" }))" },
      "\(path(71)).name == 'a'", "\(path(70)).pages == 7",
    ])
  func large(format: String) throws {
    let folder = StoreFolder()
    let context = try folder.context(Library.model())
    let tag = try context.insert("Tag", ["name": "7"])
    let author = try context.insert("Author", ["name": "a"])
    let book = try context.insert("Book", ["pages": 7])
    try book.setValue(.list([.object(tag.objectID)]), forKey: "tags")
    try book.setValue(.object(author.objectID), forKey: "author")
    try author.setValue(.object(book.objectID), forKey: "favourite")
    _ = try context.insert("Book", ["pages": 70_000])
    try context.save()

    let lines = try context.lines("Book", where: format)
    let others = try context.lines("Book", where: "NOT (\(format))")

    #expect(lines.count >= 1)
    #expect(lines.first?.hasPrefix("Book/1 ") == true)
    #expect(lines.count + others.count == 2)
  }
}
