import PredicateSyntax
import Testing

/// Texts with their normal forms, rule by rule.
@Suite("Grammar")
struct GrammarTests {
  private func normalForm(_ text: String) throws -> String {
    try PredicateParser.parse(format: text).description
  }

  @Test(
    "synonyms and case give one normal form",
    arguments: [
      ("a = 1", "a == 1"), ("a == 1", "a == 1"), ("a <> 1", "a != 1"), ("a != 1", "a != 1"),
      ("a =< 1", "a <= 1"), ("a <= 1", "a <= 1"), ("a => 1", "a >= 1"), ("a >= 1", "a >= 1"),
      ("a < 1", "a < 1"), ("a > 1", "a > 1"), ("a=1", "a == 1"), ("a=-1", "a == -1"),
      ("a in b", "a IN b"), ("a Between {1, 2}", "a BETWEEN {1, 2}"),
      ("a contains 'x'", "a CONTAINS \"x\""), ("a beginswith 'x'", "a BEGINSWITH \"x\""),
      ("a endswith 'x'", "a ENDSWITH \"x\""), ("a like 'x'", "a LIKE \"x\""),
      ("a matches 'x'", "a MATCHES \"x\""), ("truepredicate", "TRUEPREDICATE"),
      ("FalsePredicate", "FALSEPREDICATE"), ("a = NULL", "a == nil"), ("a = nil", "a == nil"),
      ("a = yes", "a == 1"), ("a = TRUE", "a == 1"), ("a = No", "a == 0"),
      ("a = false", "a == 0"), ("self = 1", "SELF == 1"), ("anykey = 1", "ANYKEY == 1"),
      ("a = 1 and b = 2", "a == 1 AND b == 2"), ("a = 1&&b = 2", "a == 1 AND b == 2"),
      ("a = 1 || b = 2", "a == 1 OR b == 2"), ("!a = 1", "NOT a == 1"),
      ("not a = 1", "NOT a == 1"), ("NOT(a = 1)", "NOT a == 1"), ("!!a = 1", "NOT (NOT a == 1)"),
      ("any k.a = 1", "ANY k.a == 1"), ("some k.a = 1", "ANY k.a == 1"),
      ("all k.a = 1", "ALL k.a == 1"), ("none k.a = 1", "NOT ANY k.a == 1"),
      ("a not in {1}", "NOT a IN {1}"),
      ("counter == 1 AND(name == 'a')", "counter == 1 AND name == \"a\""),
    ])
  func synonyms(text: String, expected: String) throws {
    #expect(try normalForm(text) == expected)
  }

  @Test(
    "NOT binds tighter than AND, and AND tighter than OR",
    arguments: [
      ("a = 1 or b = 2 and c = 3", "a == 1 OR (b == 2 AND c == 3)"),
      ("a = 1 and b = 2 or c = 3", "(a == 1 AND b == 2) OR c == 3"),
      ("not a = 1 or b = 2 and c = 3", "(NOT a == 1) OR (b == 2 AND c == 3)"),
      ("not (a = 1 or b = 2)", "NOT (a == 1 OR b == 2)"),
      (
        "a = 1 and b = 2 and c = 3 and (d = 4 or e = 5)",
        "a == 1 AND b == 2 AND c == 3 AND (d == 4 OR e == 5)"
      ),
      ("(a = 1 and b = 2) and c = 3", "(a == 1 AND b == 2) AND c == 3"),
      ("((((a = 1))))", "a == 1"),
    ])
  func precedence(text: String, expected: String) throws {
    #expect(try normalForm(text) == expected)
  }

  @Test("a chain of one operator is one flat node")
  func flatChains() throws {
    let tree = try PredicateParser.parse(format: "a=1 && b=2 AND c=3 and d=4")

    guard case .and(let parts) = tree else {
      Issue.record("no AND: \(tree)")
      return
    }
    #expect(parts.count == 4)
  }

  @Test(
    "arithmetic has its precedence, and a power groups from the right",
    arguments: [
      ("a + b * 2 == 5", "a + (b * 2) == 5"), ("(a + b) * c = 9", "(a + b) * c == 9"),
      ("a - b - c = 0", "(a - b) - c == 0"), ("a / b * c = 0", "(a / b) * c == 0"),
      ("4 + 5 - 2**3 = 1", "(4 + 5) - (2 ** 3) == 1"), ("2 ** 3 ** 2 = a", "2 ** (3 ** 2) == a"),
      ("-a = 1", "-a == 1"), ("- 1 = a", "-1 == a"), ("--a = 1", "-(-a) == 1"),
      ("-(1) = a", "-(1) == a"), ("1 * -1 = a", "1 * -1 == a"), ("a * -b = 1", "a * (-b) == 1"),
      ("-2 ** 2 = a", "-2 ** 2 == a"), ("a & b + 1 = 2", "a & (b + 1) == 2"),
      ("a | b & c ^ d = 2", "((a | b) & c) ^ d == 2"),
      ("a UNION b MINUS c = d", "(a UNION b) MINUS c == d"),
      ("a INTERSECT b & c = d", "a INTERSECT (b & c) == d"), ("SELF* 2 = 4", "SELF * 2 == 4"),
      ("(a) = (1)", "a == 1"), ("a = -1 + 2", "a == -1 + 2"),
    ])
  func arithmetic(text: String, expected: String) throws {
    #expect(try normalForm(text) == expected)
  }

  @Test(
    "options stand in brackets behind the operator in any order",
    arguments: [
      ("a ==[c] 'x'", "a ==[c] \"x\""), ("a CONTAINS[dc]'x'", "a CONTAINS[cd] \"x\""),
      ("a like[LNDC] 'x'", "a LIKE[cdnl] \"x\""), ("a in [cd] b", "a IN[cd] b"),
      ("a <[l] b", "a <[l] b"), ("a BEGINSWITH [cdl] b", "a BEGINSWITH[cdl] b"),
    ])
  func options(text: String, expected: String) throws {
    #expect(try normalForm(text) == expected)
  }

  @Test(
    "keys, indexes and collection operators follow a value",
    arguments: [
      ("a.b.c = 1", "a.b.c == 1"), ("self.a = 1", "SELF.a == 1"), ("a . b = 1", "a.b == 1"),
      ("#in = 1", "#in == 1"), ("a.#self = 1", "a.#self == 1"), ("a.self = 1", "a.#self == 1"),
      ("size = 1", "#size == 1"), ("first = last", "#first == #last"), ("a.in = 1", "a.#in == 1"),
      ("größe = 1", "größe == 1"), ("名.前 = 1", "名.前 == 1"),
      ("a.@count = 1", "a.@count == 1"), ("@count = 1", "@count == 1"),
      ("a.@max.b.c = 1", "a.@max.b.c == 1"), ("a.@max.#self = 1", "a.@max.#self == 1"),
      ("a.@unionOfObjects.b.@count = 1", "a.@unionOfObjects.b.@count == 1"),
      ("(a.@max).b = 1", "(a.@max).b == 1"), ("a[0] = 1", "a[0] == 1"),
      ("a[first] = 1", "a[FIRST] == 1"), ("a[ LAST ].b = 1", "a[LAST].b == 1"),
      ("a[SIZE] = 1", "a[SIZE] == 1"), ("a['k'] = 1", "a[\"k\"] == 1"),
      ("a[#first] = 1", "a[#first] == 1"), ("a[b + 1][2] = 1", "a[b + 1][2] == 1"),
      ("(SELF.g)[0] == 2", "SELF.g[0] == 2"), ("(a + b).c = 1", "(a + b).c == 1"),
      ("$x = 1", "$x == 1"), ("$x.a.b = 1", "$x.a.b == 1"), ("a.$x = 1", "a.$x == 1"),
      ("$x := 5 = 5", "$x := 5 == 5"), ("{1}[0] = 1", "{1}[0] == 1"), ("{} = a", "{} == a"),
      ("a IN { b, 'c', nil, 1.5 }", "a IN {b, \"c\", nil, 1.5}"),
    ])
  func paths(text: String, expected: String) throws {
    #expect(try normalForm(text) == expected)
  }

  @Test(
    "functions are named with their colons",
    arguments: [
      ("now() > d", "now() > d"), ("sum(a) = 1", "sum:(a) == 1"),
      ("sum:(1,1) = 2", "sum:(1, 1) == 2"),
      ("multiply:by:(5,3) = 15", "multiply:by:(5, 3) == 15"), ("count({}) = 0", "count:({}) == 0"),
      ("raise:toPower(2, 3) = 8", "raise:toPower:(2, 3) == 8"), ("random() < 1", "random() < 1"),
      ("random(5) < 5", "random:(5) < 5"), ("max (1, 5, 10) = 10", "max:(1, 5, 10) == 10"),
      ("CAST(5, 'NSString') = a", "CAST(5, \"NSString\") == a"),
      ("ternary(a = 1 and b = 2, 1, 0) = 1", "TERNARY(a == 1 AND b == 2, 1, 0) == 1"),
      (
        "FUNCTION('a/b', 'lastPathComponent') = 'b'",
        "FUNCTION(\"a/b\", \"lastPathComponent\") == \"b\""
      ),
      ("FUNCTION(a, 's:t:', 1, 2) = 3", "FUNCTION(a, \"s:t:\", 1, 2) == 3"),
      (
        "SUBQUERY(tags, $e, $e.tag_name = 'Swift').@count = 0",
        "SUBQUERY(tags, $e, $e.tag_name == \"Swift\").@count == 0"
      ),
      ("subquery(a, $x, $x > 1)[size] > 0", "SUBQUERY(a, $x, $x > 1)[SIZE] > 0"),
      ("d > CAST(-978250148.000000, \"NSDate\")", "d > CAST(-978250148.000000, \"NSDate\")"),
      ("function = 1 and ternary = 2", "function == 1 AND ternary == 2"),
    ])
  func functions(text: String, expected: String) throws {
    #expect(try normalForm(text) == expected)
  }

  @Test("a number is read in every base, exactly")
  func numbers() throws {
    #expect(try operand("0x1F") == .integer(31))
    #expect(try operand("0o17") == .integer(15))
    #expect(try operand("0b101") == .integer(5))
    #expect(try operand("5000000000") == .integer(5_000_000_000))
    #expect(try operand("-9223372036854775808") == .integer(.min))
  }

  @Test(
    "equal numbers are equal trees, and no digit is lost",
    arguments: [
      ("9.2e-5", "9.2e-05"), ("1e3", "1000.0"), ("10.50", "10.5"), ("0.0", "0.0"), ("00.5", "0.5"),
      ("-0.50", "-0.5"), ("1.0", "1.0"), ("15e-1", "1.5"), ("0e99", "0.0"), ("0.1", "0.1"),
      ("0.10000000000000000001", "0.10000000000000000001"), ("1e-400", "1e-400"),
      ("9223372036854775808", "9223372036854775808"), ("1E2", "100.0"), ("12e+1", "120.0"),
    ])
  func reals(text: String, kept: String) throws {
    #expect(try operand(text) == .real(Double(text) ?? 0, text: kept))
    #expect(try PredicateParser.parse(format: "\(text) == a").description == "\(kept) == a")
  }

  @Test(
    "a string takes Apple's escapes and those of Swift",
    arguments: [
      (#"'it\'s'"#, "it's"), (#""a\"b""#, "a\"b"), (#"'a"b'"#, "a\"b"), (#""a'b""#, "a'b"),
      (#"'\a\b\f\n\r\t\v\\'"#, "\u{7}\u{8}\u{C}\n\r\t\u{B}\\"), (#"'\101\60'"#, "A0"),
      (#"'\x41'"#, "A"), (#"'\u00e9'"#, "é"), (#"'\uD83D\uDE00'"#, "😀"), (#"'\u{1F600}'"#, "😀"),
      (#"'\q\%'"#, "q%"), ("'%@ $x'", "%@ $x"), ("''", ""), ("'ab\ncd'", "ab\ncd"),
      (#"'\é'"#, "é"),
    ])
  func strings(literal: String, expected: String) throws {
    #expect(try operand(literal) == .string(expected))
  }

  @Test("behind MATCHES an unknown escape in single quotes keeps its backslash")
  func patterns() throws {
    #expect(try normalForm(#"a MATCHES '\d+\.\\d\''"#) == #"a MATCHES "\\d+\\.\\d'""#)
    #expect(try normalForm(#"a MATCHES "\d""#) == #"a MATCHES "d""#)
    #expect(try normalForm(#"a == '\d'"#) == #"a == "d""#)
    #expect(try normalForm(#"a MATCHES uppercase('\d')"#) == #"a MATCHES uppercase:("d")"#)
  }

  @Test("arguments are numbered in order and keep their kinds")
  func arguments() throws {
    let parsed = try PredicateParser.parseFormat(
      "%K.%K == %@ OR %K.@count > %ld AND a IN {%5.2f, %c}")

    #expect(
      parsed.conversions.map(\.kind) == [
        .keyPath, .keyPath, .object, .keyPath, .integer, .real, .character,
      ])
    #expect(parsed.conversions[4].range == 27..<30)
    #expect(
      parsed.tree.normalForm { "<\($0)>" }
        == "<0>.<1> == <2> OR (<3>.@count > <4> AND a IN {<5>, <6>})")
  }

  private func operand(_ text: String) throws -> OperandTree.Kind? {
    guard case .comparison(let comparison) = try PredicateParser.parse(format: "a == \(text)")
    else { return nil }
    return comparison.right.kind
  }
}
