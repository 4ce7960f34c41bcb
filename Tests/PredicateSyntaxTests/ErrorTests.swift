import PredicateSyntax
import Testing

/// Errors with their places and messages.
@Suite("Errors of syntax")
struct ErrorTests {
  @Test(
    "an error says what was expected and found, and where",
    arguments: [
      ("age", "expected a comparison operator after 'age', found the end of the text", "age"),
      (
        "a\n+ b", "expected a comparison operator after 'a + b', found the end of the text",
        "a\n+ b"
      ),
      (
        "age * 25", "expected a comparison operator after 'age * 25', found the end of the text",
        "age * 25"
      ),
      (
        "age *\n   25",
        "expected a comparison operator after 'age * 25', found the end of the text",
        "age *\n   25"
      ),
      ("name CONTAIN 'x'", "unknown operator 'CONTAIN'; did you mean 'CONTAINS'?", "CONTAIN"),
      ("(name likes 'x')", "unknown operator 'likes'; did you mean 'LIKE'?", "likes"),
      ("a.\nb 3", "expected a comparison operator after 'a. b', found '3'", "3"),
      ("a blah 3", "expected a comparison operator after 'a', found 'blah'", "blah"),
      ("a === 1", "unknown operator '==='; did you mean '=='?", "==="),
      ("a =! 1", "unknown operator '=!'; did you mean '!='?", "=!"),
      ("a ~= 1", "unknown operator '~='; did you mean '!='?", "~="),
      ("a ? 1", "expected a comparison operator after 'a', found '?'", "?"),
      ("a == ?", "expected a value, found '?'", "?"),
      ("a == == 1", "expected a value, found '=='", "=="),
      ("a == €", "expected a value, found '€'", "€"),
      ("a == 1 b == 2", "expected AND, OR or the end, found 'b'", "b"),
      ("a == 1 == 1", "expected AND, OR or the end, found '=='", "=="),
      ("a == 1 like 'x'", "expected AND, OR or the end, found 'like'", "like"),
      ("TRUEPREDICATE == 1", "expected AND, OR or the end, found '=='", "=="),
      ("(a == 1) == 1", "expected AND, OR or the end, found '=='", "=="),
      ("1 == (a == 1)", "expected a value, found a predicate in parentheses", "(a == 1)"),
      ("ANY (a == 1)", "expected a value, found a predicate in parentheses", "(a == 1)"),
      ("ANY a", "expected a comparison operator after 'a', found the end of the text", "a"),
      (
        "a == in",
        "expected a value, found the reserved word 'in'; an attribute of that name is '#in'",
        "in"
      ),
      ("a ==[c\n x] 'b'", "unknown option 'x'; expected letters of 'c', 'd', 'n', 'l'", "x"),
      ("a ==[x] 'b'", "unknown option 'x'; expected letters of 'c', 'd', 'n', 'l'", "x"),
      ("a ==[] 'b'", "expected an option letter, found ']'", "]"),
      ("a BETWEEN[c] {1, 2}", "'BETWEEN' takes no options", "[c]"),
      ("a. == 1", "expected a key, found '=='", "=="),
      ("a.@ == 1", "expected a collection operator such as '@count', found '@'", "@"),
      ("a.@cuont == 1", "unknown collection operator '@cuont'; did you mean '@count'?", "@cuont"),
      ("$ == 1", "expected a variable such as '$x', found '$'", "$"),
      ("# == 1", "expected a key, found '#'", "#"),
      ("a == 12abc", "'12abc' is not a number", "12abc"),
      ("a == 1e", "'1e' is not a number", "1e"), ("a == 0x", "'0x' is not a number", "0x"),
      (
        "a == 0xFFFFFFFFFFFFFFFFF", "the number '0xFFFFFFFFFFFFFFFFF' is too large",
        "0xFFFFFFFFFFFFFFFFF"
      ),
      ("a == 1e999", "the number '1e999' is too large", "1e999"),
      ("a == '\\u{110000}'", "'\\u{' is not a character", "\\u{"),
      ("a == '\\uD800x'", "'\\uD800' is not a character", "\\uD800"),
      (
        "nosuch(1) == 1",
        "unknown function 'nosuch:'; the functions are NSExpression's, such as 'sum:'", "nosuch"
      ),
      (
        "NOTNOT(0=0)",
        "unknown function 'NOTNOT:'; the functions are NSExpression's, such as 'sum:'", "NOTNOT"
      ),
      ("noww() == 1", "unknown function 'noww'; did you mean 'now'?", "noww"),
      ("summ(1) == 1", "unknown function 'summ:'; did you mean 'sum:'?", "summ"),
      ("multiply:by:(1) == 1", "'multiply:by:' takes 2 arguments, found 1", "multiply:by:"),
      ("now(1) == 1", "'now' takes no arguments, found 1", "now"),
      ("sqrt() == 1", "'sqrt:' takes 1 argument, found 0", "sqrt"),
      ("CAST(1) == 1", "'CAST' takes 2 arguments, found 1", "CAST"),
      ("TERNARY(a == 1, 2) == 1", "'TERNARY' takes 3 arguments, found 2", "TERNARY"),
      ("subquery(a) == 1", "'subquery' takes 3 arguments, found 1", "subquery"),
      ("FUNCTION(a) == 1", "'FUNCTION' takes 2 arguments, found 1", "FUNCTION"),
      ("CAST(1 2) == 1", "expected ',', found '2'", "2"),
      (
        "SUBQUERY(items, var, var.name == 'Tom').@count > 0",
        "expected a variable such as '$x', found 'var'", "var"
      ),
      ("a == %y", "unknown conversion '%y'; expected '%@', '%K' or a number such as '%d'", "%y"),
      ("a == {1,}", "expected a value, found '}'", "}"),
      ("a IN {1 2}", "expected ',' or '}', found '2'", "2"),
      ("a == max(1 2)", "expected ',' or ')', found '2'", "2"),
      ("a == % b", "unknown conversion '%'; expected '%@', '%K' or a number such as '%d'", "%"),
    ] as [(String, String, String)])
  func words(text: String, message: String, place: String) throws {
    let error = try #require(throws: PredicateSyntaxError.self) {
      try PredicateParser.parse(format: text)
    }

    #expect(error.description == message)
    #expect(String(decoding: Array(text.utf8)[error.range], as: UTF8.self) == place)
    #expect(!error.kind.isUnfinished)
  }

  @Test(
    "what other languages write so is told as this one writes it",
    arguments: [
      ("a == 'JR's Pad'", "the string ends at this '; inside a string it is written \\'", "'"),
      (
        "a == \"6\"x\" OR b == 1", "the string ends at this \"; inside a string it is written \\\"",
        "\""
      ),
      (
        "a = “x”", "expected a value, found '“'; write strings in \"…\" or '…'", "“"
      ),
      ("a IN [1, 2]", "unknown option '1'; expected letters of 'c', 'd', 'n', 'l'", "1"),
      ("a == {[1]}", "expected a value, found '['; a list is written {1, 2}", "["),
      (
        "a IN (1, 2)",
        "expected a comparison operator after '1', found ','; a list is written {1, 2}", ","
      ),
      ("a IN 1, 2", "'IN' takes a list in braces, such as {1, 2}, found '1'", "1"),
      ("a BETWEEN 1 AND 5", "'BETWEEN' takes a list in braces, such as {1, 2}, found '1'", "1"),
      (
        "b = 1 AND a BETWEEN %@ AND %@",
        "'BETWEEN' takes a list in braces, such as {1, 2}, found '%@'", "%@"
      ),
      (
        "(a % 2) == 0",
        "expected a comparison operator after 'a', found '%'; a remainder is 'modulus:by:(a, b)'",
        "%"
      ),
      (
        "a NOT LIKE 'x'",
        "expected a comparison operator after 'a', found 'NOT'; write NOT before the whole comparison",
        "NOT"
      ),
      ("a IS NULL", "unknown operator 'IS'; did you mean '=='?", "IS"),
    ])
  func habits(text: String, message: String, place: String) throws {
    try words(text: text, message: message, place: place)
  }

  @Test(
    "what looks like such a habit, and is none, is parsed",
    arguments: [
      "a == 'x'AND b == 'y'", "'x'IN a", "a == 'it\\'s'", "TERNARY(a IN 1, 2, 3) == 1",
      "a BETWEEN $x AND b == 1",
    ])
  func noHabits(text: String) {
    #expect(throws: Never.self) { try PredicateParser.parse(format: text) }
  }

  @Test(
    "a text that ends too early is unfinished",
    arguments: [
      "", "  ", "a ==", "a CONTAINS", "a == 1 AND", "a == 1 ||", "NOT", "!", "ANY", "(", "(a == 1",
      "a IN {", "a IN {1", "a IN {1,", "a[", "a[0", "a[FIRST", "a == 'x", "a == \"x", "a == \"x\\",
      "a + ", "a == -", "a.", "a ==[", "a ==[c", "max(", "max(1", "max(1,", "SUBQUERY(a",
      "SUBQUERY(a,",
      "SUBQUERY(a, $x, $x == 1", "CAST(1", "TERNARY(", "TERNARY(a == 1", "a == %", "$x :=",
    ])
  func unfinished(text: String) throws {
    let error = try #require(throws: PredicateSyntaxError.self) {
      try PredicateParser.parse(format: text)
    }
    #expect(error.kind.isUnfinished, "\(error)")
    // An error about missing text is placed after the last token.
    let last = text.utf8.lastIndex { $0 != UInt8(ascii: " ") }
    let end = last.map { text.utf8.distance(from: text.startIndex, to: $0) + 1 } ?? 0
    #expect(error.range.upperBound == end)

    let embedded = try #require(throws: PredicateSyntaxError.self) {
      try PredicateParser.parseEmbedded(in: Array((text + " \n").utf8), from: 0)
    }
    let isPercent = text.contains("%")
    #expect(embedded.kind.isUnfinished != isPercent, "\(embedded)")
  }

  @Test(
    "nesting deeper than 200 levels is an error with a place",
    arguments: ["(", "!", "NOT ", "-", "{", "a[", "max(", "a = 1 AND (", "1 ** ", "$x := "])
  func deepNesting(opening: String) throws {
    let text = String(repeating: opening, count: 100_000)

    let error = try #require(throws: PredicateSyntaxError.self) {
      try PredicateParser.parse(format: text)
    }

    #expect(error.kind == .tooDeep(limit: 200))
    #expect(error.range.upperBound < 201 * opening.utf8.count + 20)
  }

  @Test(
    "a long chain of keys or operators is too deep a tree",
    arguments: [".a", "[0]", " + 1", " UNION b"])
  func longChains(link: String) throws {
    let short = "a" + String(repeating: link, count: 190) + " == 1"
    let long = "a" + String(repeating: link, count: 100_000) + " == 1"

    #expect(throws: Never.self) { try PredicateParser.parse(format: short) }
    let error = try #require(throws: PredicateSyntaxError.self) {
      try PredicateParser.parse(format: long)
    }
    #expect(error.kind == .tooDeep(limit: 200))
  }

  @Test("190 levels of parentheses, of each kind, are fine")
  func deepEnough() throws {
    let depth = 190
    func nested(_ opening: String, _ core: String, _ closing: String) -> String {
      String(repeating: opening, count: depth) + core + String(repeating: closing, count: depth)
    }

    #expect(try PredicateParser.parse(format: nested("(", "a == 1", ")")).description == "a == 1")
    let mixed = nested("(", "a", " + 1)") + " == 1"
    let tree = try PredicateParser.parse(format: mixed)
    #expect(try PredicateParser.parse(format: tree.description) == tree)
    let not = try PredicateParser.parse(format: nested("NOT ", "a == 1", ""))
    #expect(try PredicateParser.parse(format: not.description) == not)
  }
}
