import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

/// Core Data writes a decimal that is not a number as the text `NaN`.
@Suite("Decimals that are not numbers")
struct NotANumberTests {
  private let folder: StoreFolder
  private let memory: ManagedObjectContext

  init() throws {
    folder = StoreFolder()
    memory = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: try Library.model()))
    let file = try open()
    for context in [memory, file] {
      for (title, cost) in [("a", 2), ("b", nil), ("c", .nan), ("d", -7.5)] as [(String, Decimal?)]
      {
        _ = try context.insert(
          "Book", ["title": .string(title), "cost": cost.map(PropertyValue.decimal) ?? .null])
      }
      try context.save()
    }
  }

  private func open() throws -> ManagedObjectContext { try folder.context(Library.model()) }

  private func costs() throws -> [String] {
    try folder.lines("SELECT typeof(ZCOST), ZCOST FROM ZBOOK ORDER BY Z_PK")
  }

  @Test("one is written as a text, read again, and stays when the row is written")
  func written() throws {
    let expected = ["real|2.0", "nil", "text|NaN", "real|-7.5"]
    #expect(try costs().map { $0 == "null|nil" ? "nil" : $0 }.map(Self.asReal) == expected)

    let books = try open().fetch(named: "Book")
    guard case .decimal(let cost) = books[2]["cost"] else {
      Issue.record("\(books[2]["cost"])")
      return
    }
    #expect(cost.isNaN)
    try books[2].setValue("new", forKey: "title")
    try books[2].managedObjectContext?.save()
    #expect(try costs()[2] == "text|NaN")
  }

  /// SQLite stores a whole number as an integer in such a column.
  private static func asReal(_ line: String) -> String { line == "integer|2" ? "real|2.0" : line }

  @Test("one that SQL wrote is read, and a text that is no number is one error of its row")
  func byHand() throws {
    try folder.execute(
      "UPDATE ZBOOK SET ZCOST = 'NaN' WHERE Z_PK = 1; UPDATE ZBOOK SET ZCOST = 'nan' WHERE Z_PK = 4"
    )
    let context = try open()
    let error = StoreError.unusable(
      store: "library.sqlite", reason: "ZCOST of row 4 of ZBOOK has no value of its type")

    #expect(throws: FetchError.store(error)) { try context.fetch(named: "Book").map(\.line) }
    let readable = try context.lines("Book", where: "title != 'd'")
    #expect(readable.count == 3)
    #expect(readable[0].contains("cost: NaN"))
  }

  @Test(
    "a predicate finds the same rows in memory and in a file",
    arguments: [
      "cost < 5", "cost <= 2", "cost > -100", "cost >= 1.5", "cost != 2", "cost == 2",
      "cost == nil",
      "NOT (cost > 5)", "NOT (cost < 5)", "cost IN {2, -7.5}", "cost BETWEEN {-10, 10}",
      "NOT (cost BETWEEN {-10, 10})", "cost == cost", "cost <= cost",
    ])
  func predicates(format: String) throws {
    #expect(try open().lines("Book", where: format) == (try memory.lines("Book", where: format)))
  }

  @Test("one comes before all numbers and after nil, in memory and in a file")
  func sorting() throws {
    for isAscending in [true, false] {
      let descriptors = [FetchSortDescriptor(key: "cost", ascending: isAscending)]
      let titles = try [memory, open()].map { context in
        try context.lines("Book", by: descriptors).map { $0.prefix(6) }
      }
      #expect(titles[0] == titles[1])
      let order: [Substring] = ["Book/2", "Book/3", "Book/4", "Book/1"]
      #expect(titles[0] == (isAscending ? order : order.reversed()))
    }
  }

  @Test("a floating-point number that is not a number is written as nil")
  func double() throws {
    let context = try open()
    _ = try context.insert("Book", ["price": .double(.nan)])
    try context.save()
    #expect(try open().fetch(named: "Book").last?["price"] == .null)
  }
}
