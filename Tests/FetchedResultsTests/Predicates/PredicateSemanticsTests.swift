import FetchedResults
import Foundation
import Testing

/// The result of predicates for an object with given values, rule by rule.
@Suite("Semantics of predicates")
struct PredicateSemanticsTests {
  private static let environment = EvaluationEnvironment(
    now: { Date(timeIntervalSinceReferenceDate: 1000) })

  private func matches(
    _ format: String, _ values: [String: PropertyValue] = [:], arguments: [PropertyValue] = []
  ) throws -> Bool {
    try FetchPredicate(format: format, argumentArray: arguments)
      .evaluate(with: values, environment: Self.environment)
  }

  private func message(_ format: String, _ values: [String: PropertyValue] = [:]) -> String? {
    do {
      _ = try matches(format, values)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "nil equals nil only, and is in order with nothing",
    arguments: [
      ("a == nil", true), ("a != nil", false), ("a == 1", false), ("a != 1", true),
      ("a != 'x'", true), ("a < 1", false), ("a > 1", false), ("a <= 1", false), ("1 >= a", false),
      ("a <= b", true), ("a >= b", true), ("a < b", false), ("a == b", true), ("a != b", false),
      ("a BEGINSWITH 'x'", false), ("a ENDSWITH 'x'", false), ("a CONTAINS 'x'", false),
      ("a LIKE '*'", false), ("a MATCHES '.*'", false), ("a BETWEEN {1, 2}", false),
      ("a IN {1, 2}", false), ("a IN 'x'", false), ("'x' CONTAINS a", false), ("'x' LIKE a", false),
      ("1 IN a", false), ("a IN b", false), ("1 BETWEEN {a, 2}", false), ("1 BETWEEN a", false),
      ("NOT (a > 1)", true), ("a IN {nil, 1}", true), ("a ==[cd] nil", true),
      ("a + 1 == nil", true),
      ("uppercase(a) == nil", true), ("a[0] == nil", true), ("a[FIRST] == nil", true),
      ("-a == nil", true),
      ("a.b.c == nil", true), ("CAST(a, 'NSDate') == nil", true), ("ANY a == 1", false),
      ("ALL a == 1", true),
    ])
  func null(format: String, expected: Bool) throws {
    #expect(try matches(format) == expected, "missing key")
    #expect(try matches(format, ["a": .null, "b": .null]) == expected, "null")
  }

  @Test(
    "numbers compare across their kinds, and equal nothing else",
    arguments: [
      ("i == 1.0", true), ("i == 1", true), ("i == YES", true), ("t == 1", true), ("t == 2", false),
      ("f == NO", true), ("f < t", true), ("d == 2.5", true), ("d > i", true), ("m == 2.5", true),
      ("m == d", true), ("m > 2", true), ("i == '1'", false), ("i != '1'", true), ("s == 1", false),
      ("i IN {'1', 1.0}", true), ("i BETWEEN {0.5, 1.5}", true), ("i BETWEEN {2, 1}", false),
      ("d BETWEEN {2.5, 2.5}", true), ("n == n", false), ("n < 1", false), ("n != n", true),
      ("9007199254740993 == 9007199254740992", false),
    ])
  func numbers(format: String, expected: Bool) throws {
    let values: [String: PropertyValue] = [
      "i": 1, "t": true, "f": false, "d": 2.5, "m": .decimal(Decimal(string: "2.5") ?? 0), "s": "1",
      "n": .double(.nan),
    ]
    #expect(try matches(format, values) == expected)
  }

  @Test(
    "strings compare by their scalars; c and d fold, n does not, l asks the locale",
    arguments: [
      ("s == 'Éclair'", true), ("s == 'éclair'", false), ("s ==[c] 'ÉCLAIR'", true),
      ("s ==[d] 'Eclair'", true), ("s ==[c] 'eclair'", false), ("s ==[cd] 'eclair'", true),
      ("s ==[cdn] 'eclair'", false), ("s ==[n] 'Éclair'", true), ("s !=[cd] 'eclair'", false),
      ("s == 'E\\u0301clair'", false), ("s ==[c] 'E\\u0301clair'", true),
      ("s CONTAINS[cd] 'CLÁ'", true), ("s CONTAINS[c] 'e'", false), ("s CONTAINS[d] 'E'", true),
      ("s BEGINSWITH 'É'", true), ("s BEGINSWITH[cd] 'ec'", true), ("s ENDSWITH 'air'", true),
      ("s ENDSWITH[c] 'AIR'", true), ("s ENDSWITH 'AIR'", false), ("s BEGINSWITH 'Éclairs'", false),
      ("s CONTAINS ''", false), ("s BEGINSWITH[c] ''", false), ("s ENDSWITH ''", false),
      ("'' IN s", false), ("e CONTAINS 'x'", false), ("e == ''", true), ("e LIKE ''", true),
      ("e LIKE '*'", true),
      ("e MATCHES ''", true), ("'abc' < 'abd'", true), ("'Z' < 'a'", true), ("'Z' <[c] 'a'", false),
      ("'é' <[l] 'f'", true), ("'é' < 'f'", false), ("'a' <[l] 'B'", true),
      ("'straße' ==[c] 'STRASSE'", true),
      ("'abc' ==[l] 'abc'", true), ("'abc' ==[cl] 'ABC'", true), ("'x' IN[c] {'X'}", true),
      ("'B' BETWEEN {'A', 'C'}", true), ("'LA' IN[c] s", true), ("'がく' ==[d] 'か\\u3099く'", true),
    ])
  func strings(format: String, expected: Bool) throws {
    #expect(try matches(format, ["s": "Éclair", "e": ""]) == expected)
  }

  @Test(
    "LIKE matches the whole string, * any run and ? one character",
    arguments: [
      ("abc", "abc", true), ("a*", "abc", true), ("*c", "abc", true), ("*b*", "abc", true),
      ("a?c", "abc", true), ("?", "abc", false), ("???", "abc", true), ("*", "", true),
      ("?", "", false),
      ("a*c*e", "abcde", true), ("a*c*e", "abcdf", false), ("**a", "a", true),
      ("a.c", "abc", false),
      ("a\\*", "a*", true), ("a\\*", "ab", false), ("a\\?", "a?", true), ("a\\", "a\\", true),
      ("?", "é", true), ("?", "😀", true), ("a*b", "a\nb", true), ("[a]", "[a]", true),
      ("*ab", "aab", true),
      ("*a*a*a*a*a*a*a*a*b", String(repeating: "a", count: 2000), false),
    ])
  func like(pattern: String, text: String, expected: Bool) throws {
    #expect(
      try matches("s LIKE %@", ["s": .string(text)], arguments: [.string(pattern)]) == expected)
    #expect(
      try matches(
        "s LIKE[c] %@", ["s": .string(text.uppercased())], arguments: [.string(pattern)])
        == expected)
  }

  @Test(
    "? is one character of the string, even if its case folds to several",
    arguments: [
      ("ß", "?", true), ("ß", "??", false), ("SS", "??", true), ("ß", "ss", true),
      ("ß", "?s", false), ("ß", "s?", false), ("Straße", "STRA?E", true),
      ("Straße", "stra??e", false), ("Straße", "*?e", true), ("ẞ", "?", true), ("aﬃ", "*a?", true),
      ("é", "?", true), ("J\u{30C}", "?", true),
    ])
  func foldedCharacters(text: String, pattern: String, expected: Bool) throws {
    for options in ["c", "cd"] {
      let format = "s LIKE[\(options)] %@"
      #expect(try matches(format, ["s": .string(text)], arguments: [.string(pattern)]) == expected)
    }
  }

  @Test(
    "MATCHES is a regular expression over the whole string",
    arguments: [
      ("a|ab", "ab", true), ("a", "ab", false), ("a.b", "a\nb", true), ("a\n^b$", "a\nb", true),
      ("\\d{3}", "123", true), ("A", "a", false), ("(?i)A", "a", true), ("", "", true),
      ("", "a", false),
      ("é", "é", true), (".", "😀", true),
    ])
  func expressions(pattern: String, text: String, expected: Bool) throws {
    let arguments: [PropertyValue] = [.string(text), .string(pattern)]
    #expect(try matches("%@ MATCHES %@", arguments: arguments) == expected)
  }

  @Test("MATCHES takes c and d")
  func expressionOptions() throws {
    #expect(try matches("'ÉCLAIR' MATCHES[c] 'éc.*'"))
    #expect(try matches("'éclair' MATCHES[d] 'ec.*'"))
    #expect(try matches("'ÉCLAIR' MATCHES[cd] 'ec\\\\w+'"))
    #expect(try !matches("'ÉCLAIR' MATCHES[d] 'ec.*'"))
  }

  @Test(
    "integers are computed exactly, and doubles where there is no integer",
    arguments: [
      ("7 / 2 == 3", true), ("7.0 / 2 == 3.5", true), ("-7 / 2 == -3", true),
      ("2 ** 10 == 1024", true),
      ("2 ** 3 ** 2 == 512", true), ("2 ** -1 == 0.5", true),
      ("9223372036854775807 + 1 > 9.2e18", true),
      ("1 + 2 * 3 == 7", true), ("(1 + 2) * 3 == 9", true), ("6 & 3 == 2", true),
      ("6 | 3 == 7", true),
      ("6 ^ 3 == 5", true), ("-a == -2", true), ("a - -1 == 3", true), ("m * 3 == 0.3", true),
      ("modulus:by:(7, 3) == 1", true), ("modulus:by:(7.5, 2) == 1.5", true),
      ("abs(-3) == 3", true),
      ("floor(2.7) == 2", true), ("ceiling(2.1) == 3", true), ("trunc(-2.7) == -2", true),
      ("sqrt(9) == 3", true),
      ("log(1000) == 3", true), ("ln(1) == 0", true), ("exp(0) == 1", true),
      ("leftshift:by:(1, 4) == 16", true),
      ("rightshift:by:(16, 4) == 1", true), ("onesComplement(0) == -1", true),
      ("raise:toPower:(2, 3) == 8", true),
      ("from:subtract:(5, 3) == 2", true), ("divide:by:(1, 2) == 0", true),
      ("1 / 0.0 > 1e300", true),
    ])
  func arithmetic(format: String, expected: Bool) throws {
    let values: [String: PropertyValue] = ["a": 2, "m": .decimal(Decimal(string: "0.1") ?? 0)]
    #expect(try matches(format, values) == expected)
  }

  @Test(
    "statistics skip nil, but for @avg and @sum, which take it as 0",
    arguments: [
      ("sum({1, 2.5}) == 3.5", true), ("sum(1, 2, 3) == 6", true), ("average({1, 2}) == 1.5", true),
      ("min({3, 1, 2}) == 1", true), ("max({3, nil, 5}) == 5", true),
      ("max({'a', 'b'}) == 'b'", true),
      ("median({1, 9, 2}) == 2", true), ("median({1, 2, 3, 9}) == 2.5", true),
      ("mode({1, 2, 2, 3})[0] == 2", true), ("mode({1, 2, 2, 1}) == {1, 2}", true),
      ("count({}) == 0", true),
      ("sum({}) == 0", true), ("max({}) == nil", true), ("average({}) == nil", true),
      ("count(nil) == 0", true),
      ("stddev({1, 1}) == 0", true), ("l.@avg.self == 2", true), ("l.@sum.self == 6", true),
      ("l.@min.self == 1", true), ("l.@max.self == 5", true), ("l.@count == 3", true),
      ("l.@distinctUnionOfObjects.self == {}", false),
    ])
  func statistics(format: String, expected: Bool) throws {
    let values: [String: PropertyValue] = ["l": .list([1, .null, 5])]
    if format.contains("distinctUnion") {
      #expect(message(format, values) == "Can't use @distinctUnionOfObjects where a value is nil")
    } else {
      #expect(try matches(format, values) == expected)
    }
  }

  @Test(
    "functions and casts",
    arguments: [
      ("uppercase('é') == 'É'", true), ("lowercase('ABC') == 'abc'", true),
      ("canonical('Été') == 'ete'", true),
      ("now() == CAST(1000, 'NSDate')", true), ("CAST(now(), 'NSNumber') - 10 == 990", true),
      ("CAST('2001-01-01T00:16:40Z', 'NSDate') == now()", true),
      ("CAST('12', 'NSNumber') == 12", true),
      ("CAST(12, 'NSString') == '12'", true), ("CAST(2.0, 'NSString') == '2'", true),
      ("CAST(YES, 'NSString') == '1'", true), ("CAST(1.5, 'NSString') == '1.5'", true),
      ("CAST('1.10', 'NSDecimalNumber') == 1.1", true),
      ("random() < 1", true), ("random(10) < 10", true), ("noindex(a) == 1", true),
      ("castObject:toType:(5, 'NSString') == '5'", true),
      ("objectFrom:withIndex:({4, 5}, 1) == 5", true),
      ("'abc'.length == 3", true), ("'😀'.length == 2", true), ("'3x'.intValue == 3", true),
      ("'2.5'.doubleValue == 2.5", true), ("a.self == 1", true), ("a.description == '1'", true),
      ("FUNCTION('a/b.c', 'pathExtension') == 'c'", true),
      ("FUNCTION('abc', 'substringFromIndex:', 1) == 'bc'", true),
      ("FUNCTION('abc', 'hasPrefix:', 'ab') == YES", true),
      ("FUNCTION({1, 2}, 'count') == 2", true),
      ("FUNCTION('abc', 'length') == 3", true), ("TERNARY(a == 1, 'x', 'y') == 'x'", true),
      ("$v := 5 == 5", true),
    ])
  func functions(format: String, expected: Bool) throws {
    #expect(try matches(format, ["a": 1]) == expected)
  }

  @Test(
    "collections: membership, indexes, sets and ANY",
    arguments: [
      ("2 IN l", true), ("l CONTAINS 2", true), ("l CONTAINS 4", false), ("NOT 4 IN l", true),
      ("4 NOT IN l", true),
      ("l[0] == 1", true), ("l[FIRST] == 1", true), ("l[LAST] == 3", true), ("l[SIZE] == 3", true),
      ("l == {1, 2, 3}", true), ("l == {3, 2, 1}", false), ("l != {1, 2}", true), ("l == 1", false),
      ("2 IN (l INTERSECT {2})", true), ("1 IN (l MINUS {1})", false), ("9 IN (l UNION {9})", true),
      ("(l UNION {1}).@count == 3", true), ("l UNION {1} == {1, 2, 3}", false),
      ("ANY l > 2", true), ("ANY l > 3", false), ("ALL l > 0", true), ("ALL l > 1", false),
      ("NONE l > 3", true),
      ("SOME l == 2", true), ("ANY {} == 1", false), ("ALL {} == 1", true), ("NONE {} == 1", true),
      ("ANY n == 3", true), ("ANY n CONTAINS 3", true),
      ("SUBQUERY(l, $x, $x > 1).@count == 2", true),
      ("SUBQUERY(l, $x, $x > l[0] AND $x < 3)[0] == 2", true),
      ("SUBQUERY(n, $x, SUBQUERY($x, $y, $y > 2).@count > 0)[SIZE] == 1", true),
      ("n.@unionOfArrays.self == {1, 2, 3}", true), ("ANY l BETWEEN {3, 9}", true),
      ("'a' IN {'A', 'b'}", false), ("{1, 2} CONTAINS l[1]", true),
    ])
  func collections(format: String, expected: Bool) throws {
    let values: [String: PropertyValue] = [
      "l": .list([1, 2, 3]), "n": .list([.list([1]), .list([2, 3])]),
    ]
    #expect(try matches(format, values) == expected)
  }

  @Test(
    "dates, UUIDs, data and URIs compare with their like",
    arguments: [
      ("d > CAST(100, 'NSDate')", true), ("d == CAST(200, 'NSDate')", true),
      ("d BETWEEN {CAST(100, 'NSDate'), CAST(200, 'NSDate')}", true), ("d == 200", false),
      ("u == CAST('e621e1f8-c36c-495a-93fc-0c247a3e6e5f', 'NSUUID')", true), ("u == 'x'", false),
      ("b == CAST('AQID', 'NSData')", true), ("w == CAST('https://example.org', 'NSURL')", true),
    ])
  func otherKinds(format: String, expected: Bool) throws {
    let values: [String: PropertyValue] = [
      "d": .date(Date(timeIntervalSinceReferenceDate: 200)), "b": .data(Data([1, 2, 3])),
      "u": UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F").map(PropertyValue.uuid)
        ?? .null,
      "w": URL(string: "https://example.org").map(PropertyValue.uri) ?? .null,
    ]
    #expect(try matches(format, values) == expected)
  }

  @Test(
    "where Apple raises, the error has Apple's text",
    arguments: [
      ("1 IN 1", "Can't use in/contains operator with collection 1 (not a collection)"),
      (
        "s BEGINSWITH 1",
        "Can't do a substring operation with something that isn't a string (lhs = abc rhs = 1)"
      ),
      (
        "1 IN s",
        "Can't do a substring operation with something that isn't a string (lhs = 1 rhs = abc)"
      ),
      (
        "s CONTAINS 1",
        "Can't do a substring operation with something that isn't a string (lhs = abc rhs = 1)"
      ),
      (
        "ANY s == 'a'",
        "The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet."
      ),
      (
        "s MATCHES 'WoW{3, 4}'",
        "Can't do regex matching, reason: Can't open pattern U_REGEX_BAD_INTERVAL (string abc, pattern WoW{3, 4}, case 0, canon 0)"
      ),
      ("s.nosuch == 1", "this class is not key value coding-compliant for the key nosuch."),
      ("s < 1", "Can't compare \"abc\" and 1 by order"),
      ("1 BETWEEN {1}", "Can't use BETWEEN with {1}: expected a list of two values"),
      ("s + 1 == 2", "Can't compute + with \"abc\": not a number"),
      ("1 / 0 == 1", "Can't divide by zero"),
      ("{1}[3] == 1", "index 3 beyond bounds [0 .. 0]"),
      ("$x == 1", "Can't get value for 'x' in bindings { }."),
      ("FUNCTION(s, 'exit:', 1) == 1", "unsupported selector 'exit:' in FUNCTION"),
      ("CAST(s, 'NSDate') == nil", "Can't cast \"abc\" to NSDate"),
      ("{1}.@max == 1", "Can't use @max without a key after it"),
      ("{1} > 1", "Can't compare {1} and 1 by order"),
      ("s.@count == 1", "Can't use @count with \"abc\": not a collection"),
      (
        "distanceToLocation:fromLocation:(1, 2) == 1",
        "Unsupported function expression distanceToLocation:fromLocation:"
      ),
    ])
  func errors(format: String, expected: String) {
    #expect(message(format, ["s": "abc"]) == expected)
  }

  @Test("a regular expression that would take for ever is given up")
  func endlessExpression() {
    let text = String(repeating: "a", count: 80)
    let error = message("s MATCHES '(a|aa)+b'", ["s": .string(text + "c")])
    #expect(error?.contains("U_REGEX_TIME_OUT") == true)
  }

  @Test("AND and OR stop at the part that decides")
  func shortCircuit() throws {
    #expect(try !matches("a == 2 AND 1 / 0 == 1", ["a": 1]))
    #expect(try matches("a == 1 OR 1 / 0 == 1", ["a": 1]))
  }
}
