import FetchedResults
import Foundation
import NaiveModel
import Testing

/// Making, printing and combining predicates.
@Suite("Fetch predicates")
struct FetchPredicateTests {
  @Test("arguments of every kind are written out in the normal form")
  func arguments() throws {
    let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    let predicate = try FetchPredicate(
      format: "%K == %@ AND b IN %@ AND c > %@ AND d == %@ AND e == %@ AND f < %lf AND g == %d",
      "a.@count", "it's \"x\"", ["p", "q"], Date(timeIntervalSinceReferenceDate: -978_250_148),
      nil, uuid, 20.0, true)

    #expect(
      predicate.predicateFormat
        == "a.@count == \"it's \\\"x\\\"\" AND b IN {\"p\", \"q\"} "
        + "AND c > CAST(-978250148.000000, \"NSDate\") AND d == nil "
        + "AND e == CAST(\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\", \"NSUUID\") "
        + "AND f < 20 AND g == 1")
    #expect(try FetchPredicate(format: predicate.predicateFormat) == predicate)
  }

  @Test("a key path may be put together of several arguments")
  func keyPaths() throws {
    let format = "%K.%K == 1 AND $x.%K == 2 AND %K['k'] == 3 AND a.@max.%K == 4 AND %K == 5"
    let predicate = try FetchPredicate(format: format, "a", "b.c", "in", "d", "e", "self")

    #expect(
      predicate.predicateFormat
        == "a.b.c == 1 AND $x.#in == 2 AND d[\"k\"] == 3 AND a.@max.e == 4 AND SELF == 5")
  }

  @Test("a text that is no predicate is told in Apple's words, with a place of ours")
  func unparsable() {
    let error = #expect(throws: FetchedResults.PredicateError.self) {
      try FetchPredicate(format: "é == 1 AND age CONTAIN 2")
    }

    #expect(error?.message == "Unable to parse the format string \"é == 1 AND age CONTAIN 2\"")
    #expect(error?.reason == "unknown operator 'CONTAIN'; did you mean 'CONTAINS'? (column 16)")
    #expect(error?.range == 16..<23)
  }

  @Test("a missing argument, a bad key path and an unknown function have their own words")
  func otherFaults() {
    #expect(
      message("a == %@ AND b == %@", "x")
        == "Insufficient arguments for conversion characters specified in format string.")
    #expect(
      message("%K == 1", "")
        == "Unable to parse the format string \"%K == 1\", reason: '%K' takes a key path, not \"\""
    )
    #expect(
      message("%K == 1", 5)
        == "Unable to parse the format string \"%K == 1\", reason: '%K' takes a key path, not 5"
    )
    #expect(message("%K == 1", "a..b") != nil)
    #expect(
      message("sin(0) == 1")
        == "Unable to parse function name 'sin:' into supported selector (sin:) , reason: unknown function 'sin:'; did you mean 'min:'? (column 1)"
    )
    #expect(message("SELF == '%@'", "unused") == nil)
  }

  private func message(_ format: String, _ arguments: (any PredicateArgument)...) -> String? {
    do {
      _ = try FetchPredicate(format: format, argumentArray: arguments.map(\.predicateValue))
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("compounds built in code stay nested, and keep their arguments")
  func combining() throws {
    let x = try FetchPredicate(format: "X == %d AND Y IN %@", 10, [30, 31])
    let z = try FetchPredicate(format: "Z == %@ OR K == $k", "a").withSubstitutionVariables(["k": 7]
    )

    let both = FetchPredicate.or([.and([x, .not(z)]), FetchPredicate(value: true), z])

    #expect(
      both.predicateFormat
        == "((X == 10 AND Y IN {30, 31}) AND (NOT (Z == \"a\" OR K == $k))) OR TRUEPREDICATE "
        + "OR (Z == \"a\" OR K == $k)")
    #expect(try FetchPredicate.and([z, x]).evaluate(with: ["X": 10, "Y": 31, "K": 7]))
    #expect(try !FetchPredicate.and([z, x]).evaluate(with: ["X": 10, "Y": 31, "K": 8]))
    #expect(FetchPredicate.and([]).predicateFormat == "TRUEPREDICATE")
    #expect(try !FetchPredicate.or([]).evaluate(with: [:]))
    #expect(try FetchPredicate.and([]).evaluate(with: [:]))
  }

  @Test("predicates of equivalent texts are equal")
  func equality() throws {
    #expect(
      try FetchPredicate(format: "a=1 && b IN %@", [1, 2])
        == FetchPredicate(format: "a == 1 AND b IN {1,2}"))
    #expect(try FetchPredicate(format: "a = YES") == FetchPredicate(format: "a == 1"))
    #expect(try FetchPredicate(format: "a = 'é'") != FetchPredicate(format: "a == 'e\\u0301'"))
    #expect(
      try FetchPredicate(format: "a = $x")
        != FetchPredicate(format: "a = $x").withSubstitutionVariables(["x": 1]))
  }

  @Test("a key that the entity does not have is told with its place and those it has")
  func unknownKeys() throws {
    let entity = try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription(name: "title", type: .string),
        AttributeDescription(name: "pages", type: .integer32),
      ])
    let predicate = try FetchPredicate(format: "pages > 1 AND SELF.titel == 'x'")

    let error = #expect(throws: FetchedResults.PredicateError.self) {
      try predicate.compile(for: entity, environment: EvaluationEnvironment())
    }

    #expect(error?.description == "keypath titel not found in entity Book")
    #expect(error?.range == 14..<24)
    #expect(error?.unknownKey?.key == "titel")
    #expect(error?.unknownKey?.candidates == ["title", "pages"])
  }

  @Test(
    "an error in evaluation has the place of its comparison", arguments: ["MATCHES '('", "< 3"])
  func places(comparison: String) throws {
    let entity = try EntityDescription(
      name: "Book", attributes: [AttributeDescription(name: "title", type: .string)])
    let format = "TRUEPREDICATE AND title \(comparison)"
    let predicate = try FetchPredicate(format: format)
      .compile(for: entity, environment: EvaluationEnvironment())

    let error = #expect(throws: FetchedResults.PredicateError.self) {
      try predicate.matches(Snapshot(["Dune"]), of: ObjectID(entity: entity, number: 1))
    }

    #expect(error?.range == 18..<format.utf8.count)
  }

  @Test("a decimal attribute is compared with every digit of a number")
  func decimals() throws {
    let entity = try EntityDescription(
      name: "Book", attributes: [AttributeDescription(name: "price", type: .decimal)])
    let price = try #require(Decimal(string: "12345678901234567.89"))
    func matches(_ format: String) throws -> Bool {
      try FetchPredicate(format: format)
        .compile(for: entity, environment: EvaluationEnvironment())
        .matches(Snapshot([.decimal(price)]), of: ObjectID(entity: entity, number: 1))
    }

    #expect(try matches("price == 12345678901234567.89"))
    #expect(try !matches("price == 12345678901234567.88"))
    #expect(try matches("12345678901234567.88 < price"))
    #expect(try matches("price IN {1.5, 12345678901234567.89}"))
    #expect(try matches("price BETWEEN {12345678901234567.88, 12345678901234567.9}"))
  }

  @Test("an object of an entity has its attributes, itself and its ID")
  func objects() throws {
    let entity = try EntityDescription(
      name: "Book", attributes: [AttributeDescription(name: "title", type: .string)])
    let id = ObjectID(entity: entity, number: 3)
    func matches(_ format: String, _ arguments: Value...) throws -> Bool {
      try FetchPredicate(format: format, argumentArray: arguments)
        .compile(for: entity, environment: EvaluationEnvironment())
        .matches(Snapshot(["Dune"]), of: id)
    }

    #expect(try matches("title == 'Dune' AND SELF.title == 'Dune' AND self.self.title.length == 4"))
    #expect(try matches("SELF == %@", .object(id)))
    #expect(try matches("SELF IN %@", .list([.object(id)])))
    #expect(try matches("objectID == %@", .object(id)))
    #expect(try !matches("SELF == %@", .object(ObjectID(entity: entity, number: 4))))
    #expect(try matches("SELF != nil AND SUBQUERY({'x', 'Dune'}, $t, $t == title).@count == 1"))
  }
}
