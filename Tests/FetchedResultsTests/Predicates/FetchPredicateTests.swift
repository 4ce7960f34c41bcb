import EngineWorlds
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
        + "AND f < 20.0 AND g == 1")
    #expect(try FetchPredicate(format: predicate.predicateFormat) == predicate)
  }

  @Test(
    "an argument is written so that it reads back as the same value",
    arguments: [
      (.double(1), "1.0"), (.double(0.1), "0.1"), (.double(1e300), "1e+300"),
      (.double(.nan), "CAST(\"nan\", \"NSNumber\")"),
      (.double(-.infinity), "CAST(\"-inf\", \"NSNumber\")"),
      (.decimal(2), "CAST(\"2\", \"NSDecimalNumber\")"),
      (.date(Date(timeIntervalSinceReferenceDate: 0.5)), "CAST(0.500000, \"NSDate\")"),
      (.date(Date(timeIntervalSinceReferenceDate: 1e-7)), "CAST(1e-07, \"NSDate\")"),
      (.data(Data([1, 2, 3])), "CAST(\"AQID\", \"NSData\")"), (.list([true, 1.5]), "{1, 1.5}"),
    ] as [(PropertyValue, String)])
  func argumentForms(value: PropertyValue, text: String) throws {
    let predicate = try FetchPredicate(format: "a == %@", value)

    #expect(predicate.predicateFormat == "a == " + text)
    #expect(try FetchPredicate(format: predicate.predicateFormat) == predicate)
  }

  @Test("a number keeps its kind, so that a division stays one")
  func numberKinds() throws {
    let half = try FetchPredicate(format: "a / %@ == 3.5", 2.0)

    #expect(half.predicateFormat == "a / 2.0 == 3.5")
    #expect(try half.evaluate(with: ["a": 7]))
    #expect(try FetchPredicate(format: half.predicateFormat).evaluate(with: ["a": 7]))
    #expect(try !FetchPredicate(format: "a / 2 == 3.5").evaluate(with: ["a": 7]))
  }

  @Test("a variable with a value is written as the value, but not one of a SUBQUERY")
  func variables() throws {
    let predicate = try FetchPredicate(
      format: "$x.$k > -$y AND SUBQUERY(b, $x, $x > $y)[SIZE] == $z"
    ).withSubstitutionVariables(["x": -1, "y": -2.5, "k": "c"])

    #expect(
      predicate.predicateFormat
        == "(-1).c > -(-2.5) AND SUBQUERY(b, $x, $x > -2.5)[SIZE] == $z")
  }

  @Test("objects and sets are arguments, too")
  func objectsAndSets() throws {
    let shelf = try Shelf()
    let dune = shelf.context.insert(shelf.book)

    #expect(try FetchPredicate(format: "SELF == %@", dune).predicateFormat == "SELF == Book/1")
    #expect(
      try FetchPredicate(format: "n IN %@", Set([3, 1, 2])).predicateFormat == "n IN {1, 2, 3}")
    #expect(try FetchPredicate(format: "n == %u", UInt8(7)).predicateFormat == "n == 7")
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
    let error = #expect(throws: FetchedResults.InvalidPredicateError.self) {
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
        == "((X == 10 AND Y IN {30, 31}) AND (NOT (Z == \"a\" OR K == 7))) OR TRUEPREDICATE "
        + "OR (Z == \"a\" OR K == 7)")
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
    #expect(
      try FetchPredicate(format: "a = 1")
        == FetchPredicate(format: "a = $x").withSubstitutionVariables(["x": 1]))
  }

  @Test("a key that the entity does not have is told with its place and those it has")
  func unknownKeys() throws {
    let entity = try EntityDescription(
      name: "Book", attributes: [.init("title", .string), .init("pages", .integer32)])
    let predicate = try FetchPredicate(format: "pages > 1 AND SELF.titel == 'x'")

    let error = #expect(throws: FetchedResults.InvalidPredicateError.self) {
      try predicate.compile(for: entity, environment: EvaluationEnvironment())
    }

    #expect(error?.description == "keypath titel not found in entity Book")
    #expect(error?.range == 14..<24)
    #expect(error?.unknownKey?.key == "titel")
    #expect(error?.unknownKey?.candidates == ["title", "pages"])
  }

  @Test(
    "what an operator or an attribute's value has no key for is told before an object is asked",
    arguments: [
      ("books.@sum.page > 1", "page", "keypath books.page not found in entity Author"),
      (
        "books.@max.author.nam == 'x'", "nam", "keypath books.author.nam not found in entity Author"
      ),
      ("books.count > 1", "count", "keypath books.count not found in entity Author"),
      ("books.@max == 1", nil, "Can't use @max without a key after it"),
      (
        "name.lenght == 1", nil,
        "this class is not key value coding-compliant for the key lenght, reason: did you mean 'length'?"
      ),
      (
        "ANY books.id.x == 1", nil,
        "this class is not key value coding-compliant for the key x, reason: such a value has the keys 'description'"
      ),
      (
        "books.author.name.length > 1", nil,
        "to-many key not allowed here, reason: it gives many values; say ANY or ALL, or end it with an operator such as @count"
      ),
      (
        "ANY books.draft == 1", nil,
        "keypath books.draft not found in entity Author, reason: 'draft' is transient, and a store does not have it"
      ),
    ])
  func keysOfValues(format: String, unknown: String?, description: String) throws {
    let library = try Library()

    let error = #expect(throws: FetchedResults.InvalidPredicateError.self) {
      try FetchPredicate(format: format).compile(
        for: library.author, environment: EvaluationEnvironment())
    }

    #expect(error?.description == description)
    #expect(error?.unknownKey?.key == unknown)
    #expect(error?.range.map { !$0.isEmpty } == true)
  }

  @Test("the keys that an attribute's value has are known beforehand, for each type")
  func keysOfTypes() throws {
    let numbers = ["intValue", "integerValue", "longLongValue", "doubleValue", "floatValue"]
    let values: [(AttributeType, PropertyValue, [String])] = [
      (.string, "7", numbers + ["length", "uppercaseString", "lowercaseString"]),
      (.integer64, 7, numbers), (.double, 1.5, numbers), (.boolean, true, numbers),
      (.decimal, .decimal(3), numbers),
      (.date, .date(.now), ["timeIntervalSinceReferenceDate", "timeIntervalSince1970"]),
      (.binaryData, .data(Data([1])), ["length"]), (.uuid, .uuid(UUID()), []),
      (.uri, .uri(URL(filePath: "/a")), []),
    ]
    for (type, value, keys) in values {
      let entity = try EntityDescription(name: "Thing", attributes: [.init("a", type)])
      func isNil(_ key: String) throws -> Bool {
        try FetchPredicate(format: "a.\(key) == nil")
          .compile(for: entity, environment: EvaluationEnvironment())
          .matches(ObjectSnapshot([value]), of: ObjectID(entity: entity, number: 1))
      }
      for key in keys + ["description", "self"] { #expect(try !isNil(key), "\(type).\(key)") }
      for key in Set(numbers + ["length", "timeIntervalSince1970", "x"]).subtracting(keys) {
        #expect(throws: FetchedResults.InvalidPredicateError.self, "\(type).\(key)") {
          try isNil(key)
        }
      }
    }
  }

  @Test(
    "an error in evaluation has the place of its comparison", arguments: ["MATCHES '('", "< 3"])
  func places(comparison: String) throws {
    let entity = try EntityDescription(name: "Book", attributes: [.init("title", .string)])
    let format = "TRUEPREDICATE AND title \(comparison)"
    let predicate = try FetchPredicate(format: format)
      .compile(for: entity, environment: EvaluationEnvironment())

    let error = #expect(throws: FetchedResults.InvalidPredicateError.self) {
      try predicate.matches(ObjectSnapshot(["Dune"]), of: ObjectID(entity: entity, number: 1))
    }

    #expect(error?.range == 18..<format.utf8.count)
  }

  @Test("a decimal attribute is compared with every digit of a number")
  func decimals() throws {
    let entity = try EntityDescription(name: "Book", attributes: [.init("price", .decimal)])
    let price = try #require(Decimal(string: "12345678901234567.89"))
    func matches(_ format: String) throws -> Bool {
      try FetchPredicate(format: format)
        .compile(for: entity, environment: EvaluationEnvironment())
        .matches(ObjectSnapshot([.decimal(price)]), of: ObjectID(entity: entity, number: 1))
    }

    #expect(try matches("price == 12345678901234567.89"))
    #expect(try !matches("price == 12345678901234567.88"))
    #expect(try matches("12345678901234567.88 < price"))
    #expect(try matches("price IN {1.5, 12345678901234567.89}"))
    #expect(try matches("price BETWEEN {12345678901234567.88, 12345678901234567.9}"))
  }

  @Test("an object of an entity has its attributes, itself and its ID")
  func objects() throws {
    let entity = try EntityDescription(name: "Book", attributes: [.init("title", .string)])
    let id = ObjectID(entity: entity, number: 3)
    func matches(_ format: String, _ arguments: PropertyValue...) throws -> Bool {
      try FetchPredicate(format: format, argumentArray: arguments)
        .compile(for: entity, environment: EvaluationEnvironment())
        .matches(ObjectSnapshot(["Dune"]), of: id)
    }

    #expect(try matches("title == 'Dune' AND SELF.title == 'Dune' AND self.self.title.length == 4"))
    #expect(try matches("SELF == %@", .object(id)))
    #expect(try matches("SELF IN %@", .list([.object(id)])))
    #expect(try matches("objectID == %@", .object(id)))
    #expect(try !matches("SELF == %@", .object(ObjectID(entity: entity, number: 4))))
    #expect(try matches("SELF != nil AND SUBQUERY({'x', 'Dune'}, $t, $t == title).@count == 1"))
  }
}

extension FetchPredicateTests {
  @Test(
    "what Apple's parser refuses or reads differently is an argument of a format for it",
    arguments: [
      ("größe > 3", "%K > 3", ["größe"]),
      ("kunde.größe == 1 AND title == 'é'", "%K == 1 AND title == \"é\"", ["kunde.größe"]),
      ("ANY bücher.größe == 2", "ANY %K == 2", ["bücher.größe"]),
      ("a.@max.größe == 2", "%K == 2", ["a.@max.größe"]),
      ("SELF.größe == 1", "SELF.%K == 1", ["größe"]),
      (
        "SUBQUERY(books, $b, $b.größe == 2).@count > 1",
        "SUBQUERY(books, $b, $b.%K == 2).@count > 1", ["größe"]
      ),
      (
        "größe == 'a\u{2028}' OR b == 'c\u{1}'", "%K == %@ OR b == \"c\\x01\"",
        ["größe", "a\u{2028}"]
      ),
      ("a.b == 1", "a.b == 1", []),
    ] as [(String, String, [String])])
  func argumentsForApple(_ text: String, _ format: String, _ arguments: [String]) throws {
    let predicate = try FetchPredicate(format: text)

    let found = predicate.format { _ in false }

    #expect(found.format == format)
    #expect(found.arguments == arguments.map { .string($0) })
    #expect(try FetchPredicate(format: found.format, argumentArray: found.arguments) == predicate)
  }
}

extension FetchPredicateTests {
  @Test("each argument of a calculation is given once, in its order")
  func argumentsOfCalculations() throws {
    let predicate = try FetchPredicate(format: "a + $x > %d AND $y.b * %d < a", 3, 4)
      .withSubstitutionVariables(["x": 1, "y": 2])

    let found = predicate.format { _ in true }

    #expect(found.format == "a + %@ > %@ AND %@.b * %@ < a")
    #expect(found.arguments == [1, 3, 2, 4])
  }
}

/// Authors and their books.
private struct Library {
  /// Keeps the entities.
  private let model: ManagedObjectModel

  var author: EntityDescription { model.entities[0] }

  init() throws {
    let author = try EntityDescription(
      name: "Author", attributes: [.init("name", .string)],
      relationships: [.toMany("books", "Book", inverse: "author")])
    let book = try EntityDescription(
      name: "Book",
      attributes: [
        .init("pages", .integer64), .init("id", .uuid),
        AttributeDescription(name: "draft", type: .integer64, isTransient: true),
      ], relationships: [.toOne("author", "Author", inverse: "books")])
    model = try ManagedObjectModel(entities: [author, book])
  }
}
