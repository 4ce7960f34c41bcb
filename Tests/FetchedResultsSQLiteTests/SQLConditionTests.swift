import FetchedResults
import Testing

@testable import FetchedResultsSQLite

@Suite("What of a predicate SQL is asked")
struct SQLConditionTests {
  @Test(
    "attributes in order with constants, AND, OR and NOT; nil as in memory",
    arguments: [
      ("pages == 1", #"t0."ZPAGES" = ?"#), ("pages != 1", #"t0."ZPAGES" IS NOT ?"#),
      ("pages > 18", #"t0."ZPAGES" > ?"#), ("pages <= 18", #"t0."ZPAGES" <= ?"#),
      ("pages > 18.5", #"t0."ZPAGES" > ?"#), ("pages != 18.0", #"t0."ZPAGES" IS NOT ?"#),
      ("pages BETWEEN {1.5, 3}", #"(t0."ZPAGES" >= ?) AND (t0."ZPAGES" <= ?)"#),
      ("isNew IN {0.5, 1}", #"(t0."ZISNEW" = ?) OR (t0."ZISNEW" = ?)"#),
      ("price < 2 OR title >= 'b'", #"(t0."ZPRICE" < ?) OR (t0."ZTITLE" >= ?)"#),
      ("NOT (title == nil)", #"(t0."ZTITLE" IS NULL) IS NOT TRUE"#),
      ("title IN {'a', nil}", #"(t0."ZTITLE" = ?) OR t0."ZTITLE" IS NULL"#),
      ("title CONTAINS[cd] 'a'", #"NSCoreDataStringSearch(t0."ZTITLE", ?, 129, 0)"#),
      ("title BEGINSWITH 'a'", #"NSCoreDataStringSearch(t0."ZTITLE", ?, 8, 0)"#),
      ("title ENDSWITH[l] 'a'", #"NSCoreDataStringSearch(t0."ZTITLE", ?, 300, 1)"#),
      ("title LIKE[c] 'a*'", #"NSCoreDataLike(t0."ZTITLE", ?, 1)"#),
      ("title MATCHES 'a.'", #"NSCoreDataMatches(t0."ZTITLE", ?, 0)"#),
      ("title !=[c] 'a'", #"NSCoreDataStringCompare(t0."ZTITLE", ?, 1) IS NOT 0"#),
      ("cost == 0.07", #"t0."ZCOST" = ?"#), ("cost != 3", #"t0."ZCOST" IS NOT ?"#),
      (
        "cost BETWEEN {1, 2.5}",
        #"((t0."ZCOST" >= ? AND typeof(t0."ZCOST") <> 'text')) AND (t0."ZCOST" <= ?)"#
      ),
      (
        "uuid IN {CAST('02000000-0000-0000-0000-000000000009', 'NSUUID'), nil}",
        #"(t0."ZUUID" = ?) OR (t0."ZUUID" IS NULL)"#
      ),
      ("cover > CAST('AAE=', 'NSData')", #"t0."ZCOVER" > ?"#),
      ("price == weight", #"t0."ZPRICE" IS t0."ZWEIGHT""#),
      ("author == nil", #"t0."ZAUTHOR" IS NULL"#),
    ])
  func own(format: String, sql: String) throws {
    let condition = try #require(try condition(format))
    #expect(condition.sql == sql)
    #expect(condition.joins == "")
  }

  @Test(
    "relationships by joins and by EXISTS, where the objects have the store's values",
    arguments: [
      (
        "author.name == 'a' AND author.name != 'b'",
        #" LEFT OUTER JOIN "ZAUTHOR" t1 ON t0."ZAUTHOR" = t1.Z_PK"#,
        #"(t1."ZNAME" = ?) AND (t1."ZNAME" IS NOT ?)"#
      ),
      (
        "ANY tags.name == 'a'", "",
        #"EXISTS (SELECT 1 FROM "Z_2TAGS" t2 JOIN "ZTAG" t1 ON t1.Z_PK = t2."Z_4TAGS" "#
          + #"WHERE t2."Z_2BOOKS" = t0.Z_PK AND (t1."ZNAME" = ?))"#
      ),
      (
        "author.books.@count > 2",
        #" LEFT OUTER JOIN "ZAUTHOR" t1 ON t0."ZAUTHOR" = t1.Z_PK"#,
        #"(CASE WHEN t1.Z_PK IS NOT NULL THEN (SELECT COUNT(t2.Z_PK) FROM "ZBOOK" t2 "#
          + #"WHERE t2."ZAUTHOR" = t1.Z_PK) END) > ?"#
      ),
      (
        "ALL tags.name == nil", "",
        #"(EXISTS (SELECT 1 FROM "Z_2TAGS" t2 JOIN "ZTAG" t1 ON t1.Z_PK = t2."Z_4TAGS" "#
          + #"WHERE t2."Z_2BOOKS" = t0.Z_PK AND ((t1."ZNAME" IS NULL) IS NOT TRUE))) IS NOT TRUE"#
      ),
    ])
  func related(format: String, joins: String, sql: String) throws {
    let condition = try #require(try condition(format))
    #expect(condition.joins == joins)
    #expect(condition.sql == sql)
    #expect(try self.condition(format, isSaved: false) == nil)
  }

  @Test("what means something else in SQL is split off behind an AND")
  func rest() throws {
    let filter = try #require(try filter("pages == 1 AND title.length == 3 AND pages == 2"))
    #expect(!filter.isWhole)
    #expect(try condition("pages == 1 AND title.length == 3")?.sql == #"(t0."ZPAGES" = ?)"#)
  }

  @Test(
    "nothing that may mean something else there, or raise",
    arguments: [
      "pages > 9007199254740992.0", "title.length == 3", "cost == 0.12345678901234567890",
      "uuid == 'x'", "uuid < 5",
      "link == CAST('http://x', 'NSURL')", "cost IN {1, 'x'}", "title == 'a\\000b'",
      "title MATCHES '['",
      "pages == 1 OR title.length == 3", "title == link", "tags.@count > 1.5",
      "ANY tags.books.title == 'a'", "author.books.@sum.pages > 3",
    ])
  func memory(format: String) throws {
    #expect(try condition(format) == nil)
  }

  @Test("set nil apple takes nil as SQL does by itself")
  func threeValued() throws {
    #expect(try condition("pages != 1", isThreeValued: true)?.sql == #"t0."ZPAGES" <> ?"#)
    #expect(
      try condition("NOT (pages == 1)", isThreeValued: true)?.sql == #"NOT (t0."ZPAGES" = ?)"#)
  }

  private func condition(
    _ format: String, isSaved: Bool = true, isThreeValued: Bool = false
  ) throws -> SQLCondition? {
    let model = try Library.model()
    let graph = Graph(isSaved: isSaved)
    return try filter(format, model, graph, isThreeValued).flatMap {
      SQLCondition($0, of: try #require(model.entitiesByName["Book"]), try StoreLayout(model))
    }
  }

  private func filter(_ format: String) throws -> StoreFilter? {
    try filter(format, try Library.model(), Graph(isSaved: true), false)
  }

  private func filter(
    _ format: String, _ model: ManagedObjectModel, _ graph: Graph, _ isThreeValued: Bool
  ) throws -> StoreFilter? {
    var environment = EvaluationEnvironment()
    environment.isThreeValued = isThreeValued
    return try FetchPredicate(format: format).compile(
      for: try #require(model.entitiesByName["Book"]), environment: environment, graph: graph
    ).filter
  }

  /// A graph whose objects have, or do not have, the store's values.
  private final class Graph: ObjectGraph {
    private let isSaved: Bool

    init(isSaved: Bool) { self.isSaved = isSaved }

    func currentSnapshot(of id: ObjectID) -> ObjectSnapshot? { nil }

    func knowsUnsavedObjects(of root: EntityDescription) -> Bool { !isSaved }
  }
}
