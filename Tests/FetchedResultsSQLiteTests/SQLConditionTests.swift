import FetchedResults
import Testing

@testable import FetchedResultsSQLite

@Suite("What of a predicate SQL is asked")
struct SQLConditionTests {
  @Test(
    "attributes in order with constants, AND, OR and NOT; nil as in memory",
    arguments: [
      ("pages == 1", "t0.\"ZPAGES\" = ?", true),
      ("pages != 1", "t0.\"ZPAGES\" IS NOT ?", true),
      ("price < 2 OR title >= 'b'", "(t0.\"ZPRICE\" < ?) OR (t0.\"ZTITLE\" >= ?)", true),
      ("NOT (title == nil)", "(t0.\"ZTITLE\" IS NULL) IS NOT TRUE", true),
      ("pages == 1 AND author.name == 'a' AND pages == 2", "(t0.\"ZPAGES\" = ?)", false),
    ])
  func sql(format: String, sql: String, isWhole: Bool) throws {
    let filter = try #require(try filter(format))
    #expect(filter.condition?.sql == sql)
    #expect(filter.isWhole == isWhole)
  }

  @Test(
    "nothing that may mean something else there",
    arguments: [
      "title ==[c] 'a'", "title CONTAINS 'a'", "author.name == 'a' AND pages == 1",
      "pages == 1 OR author == nil", "cost == 1", "ANY tags.name == 'a'",
      "title == 'a\\000b'",
    ])
  func memory(format: String) throws {
    #expect(try filter(format)?.condition == nil)
  }

  private func filter(_ format: String) throws -> (condition: SQLCondition?, isWhole: Bool)? {
    let model = try Library.model()
    let book = try #require(model["Book"])
    let layout = try StoreLayout(model)
    return try FetchPredicate(format: format).compile(
      for: book, environment: EvaluationEnvironment()
    )
    .filter.map {
      (SQLCondition($0.test, columns: layout[book]?.attributes ?? []), $0.isWhole)
    }
  }
}
