import PredicateSyntax
import Testing

/// Where a predicate in a script ends, and which values its host adds.
@Suite("Predicates in a script")
struct EmbeddedTests {
  /// Parses up to where the predicate ends, and returns it with the rest.
  private func parse(_ text: String, from offset: Int = 0) throws -> [String] {
    let source = Array(text.utf8)
    let (tree, end) = try PredicateParser.parseEmbedded(in: source, from: offset)
    return [tree.description, String(decoding: source[end...], as: UTF8.self)]
  }

  @Test(
    "the first token that cannot continue a predicate ends it",
    arguments: [
      ("a == 1 sort by b", "a == 1", " sort by b"), ("a == b limit 5", "a == b", " limit 5"),
      ("a == 1; print x", "a == 1", "; print x"), ("a == 1 { b = 2 }", "a == 1", " { b = 2 }"),
      ("a == 1) + 2", "a == 1", ") + 2"), ("a == 1}", "a == 1", "}"),
      ("a == 1, b", "a == 1", ", b"),
      ("a == 1]", "a == 1", "]"), ("a == 1", "a == 1", ""), ("a == 1   ", "a == 1", "   "),
      ("TRUEPREDICATE sort by a", "TRUEPREDICATE", " sort by a"), ("(a == 1) {", "a == 1", " {"),
      ("section == limit section by a", "section == limit", " section by a"),
      ("a == 1 # why", "a == 1", " # why"), ("a == #size # why", "a == #size", " # why"),
      ("a == 1...9", "a == 1", "...9"),
    ])
  func stops(text: String, expected: String, rest: String) throws {
    #expect(try parse(text) == [expected, rest])
  }

  @Test(
    "a line end ends the predicate, apart from brackets, operators and backslashes",
    arguments: [
      ("a == 1\nprint b", "a == 1", "\nprint b"), ("a ==\n1\nb", "a == 1", "\nb"),
      ("a == 1 AND\n\n  b == 2\nc", "a == 1 AND b == 2", "\nc"),
      ("NOT\na == 1\nb", "NOT a == 1", "\nb"), ("a == 1 +\n2\nb", "a == 1 + 2", "\nb"),
      ("a == 1 \\\n  AND b == 2\nc", "a == 1 AND b == 2", "\nc"),
      ("a \\\n== 1\nb", "a == 1", "\nb"),
      ("a == 1 \\ # why\nOR b == 2\nc", "a == 1 OR b == 2", "\nc"),
      ("(a == 1\n OR b == 2)\nc", "a == 1 OR b == 2", "\nc"),
      ("a IN {1,\n2\n,3\n}\nc", "a IN {1, 2, 3}", "\nc"), ("a[\n0\n] == 1\nb", "a[0] == 1", "\nb"),
      ("max(1\n,2) == a\nb", "max:(1, 2) == a", "\nb"),
      ("a CONTAINS\n'x'\nb", "a CONTAINS \"x\"", "\nb"),
      ("a == 1\r\nb", "a == 1", "\r\nb"),
      ("a == 1 AND # first\n# second\nb == 2", "a == 1 AND b == 2", ""),
      ("(a == 1 # one\n#> x\n# two\n)\nb", "a == 1", "\nb"), ("\n a == 1", "a == 1", ""),
    ])
  func lines(text: String, expected: String, rest: String) throws {
    #expect(try parse(text) == [expected, rest])
  }

  @Test(
    "a next line that begins with AND or OR continues the predicate",
    arguments: [
      ("a == 1\n  AND b == 2\nc", "a == 1 AND b == 2", "\nc"),
      ("a == 1\nor b == 2", "a == 1 OR b == 2", ""), ("a == 1\n&& b == 2", "a == 1 AND b == 2", ""),
      ("a == 1\n\n# note\n\n|| b == 2", "a == 1 OR b == 2", ""),
      ("a == 1 # note\nAND b == 2", "a == 1 AND b == 2", ""),
      ("a == 1\nAND(b == 2)", "a == 1 AND b == 2", ""),
      ("a == 1\nand = 3", "a == 1", "\nand = 3"), ("a == 1\nor.b = 3", "a == 1", "\nor.b = 3"),
      ("a == 1\nor += 3", "a == 1", "\nor += 3"), ("a == 1\norder = 3", "a == 1", "\norder = 3"),
      ("a == 1\n\n# note\nb == 2", "a == 1", "\n\n# note\nb == 2"),
      ("a == 1\n& b", "a == 1", "\n& b"),
    ])
  func continuations(text: String, expected: String, rest: String) throws {
    #expect(try parse(text) == [expected, rest])
  }

  @Test("offsets count from the start of the source")
  func offsets() throws {
    let text = "fetch Book where année > 1 limit 2"
    let source = Array(text.utf8)

    let (tree, end) = try PredicateParser.parseEmbedded(in: source, from: 16)

    #expect(String(decoding: source[..<end], as: UTF8.self) == "fetch Book where année > 1")
    guard case .comparison(let comparison) = tree else { return }
    #expect(comparison.range.range == 17..<27)
    #expect(comparison.left.range.range == 17..<23)
  }

  @Test("a percent sign is no argument in a script")
  func percent() {
    #expect(throws: PredicateSyntaxError(.argumentInScript("%@"), range: 5..<7)) {
      try parse("a == %@")
    }
  }

  @Test("the host is asked once for each value, from left to right")
  func asksOnce() throws {
    let host = DateHost()
    let depth = 150
    let text =
      String(repeating: "(", count: depth) + "a + 1" + String(repeating: ")", count: depth)
      + " == @1 AND f IN {2, @3} AND MAX:(b[@4], 5) == 6"
    #expect(throws: PredicateSyntaxError.self) { try self.parse(text) }

    _ = try? PredicateParser.parseEmbedded(in: Array(text.utf8), from: 0, host: host)

    #expect(host.asked == host.asked.sorted())
    #expect(Set(host.asked).count == host.asked.count)
  }

  @Test("the work grows as the text does", arguments: [1000, 10_000, 100_000])
  func linear(count: Int) throws {
    let host = DateHost()
    let part = "((a + @1) * 2 == (b) OR (c IN {@2, 3}))"
    let text = Array(repeating: part, count: count / 100).joined(separator: " AND ")

    let source = Array(text.utf8)
    let (_, end) = try PredicateParser.parseEmbedded(in: source, from: 0, host: host)

    #expect(end == source.count)
    // Nine values in each part, of which four are parentheses or braces.
    #expect(host.asked.count == count / 100 * 12)
  }

  @Test("the host's values are arguments, with keys and operators around them")
  func hostArguments() throws {
    let host = DateHost()
    let source = Array("a > @12.year AND b IN {@3, -@4} AND @5[0] == 1 x".utf8)

    let (tree, end) = try PredicateParser.parseEmbedded(in: source, from: 0, host: host)

    #expect(
      tree.normalForm { "<\($0)>" }
        == "a > <0>.year AND b IN {<1>, -<2>} AND <3>[0] == 1")
    #expect(end == source.count - 2)
  }

  @Test("a list in brackets is the host's, option letters are not")
  func brackets() throws {
    let host = ListHost()
    func form(_ text: String) throws -> String {
      try PredicateParser.parseEmbedded(in: Array(text.utf8), from: 0, host: host)
        .predicate.description
    }

    #expect(try form("a IN [1, 2]") == "a IN %@")
    #expect(try form("a IN[1, 2]") == "a IN %@")
    #expect(try form("a BETWEEN [1, 2]") == "a BETWEEN %@")
    #expect(try form("a == [1, 2]") == "a == %@")
    #expect(try form("a IN[cd] [1, 2]") == "a IN[cd] %@")
    #expect(throws: PredicateSyntaxError(.unknownOption("x"), range: 5..<6)) {
      try form("a ==[x] 'b'")
    }
  }

  @Test("a variable of a SUBQUERY is not the host's")
  func subqueryVariables() throws {
    let host = VariableHost()
    let text = "SUBQUERY(a, $x, $x.b == $y AND SUBQUERY($x.c, $y, $y == $x).@count > 0)[SIZE] == $x"

    let (tree, _) = try PredicateParser.parseEmbedded(
      in: Array(text.utf8), from: 0, host: host)

    #expect(
      tree.normalForm { "<\($0)>" }
        == "SUBQUERY(a, $x, $x.b == <0> AND SUBQUERY($x.c, $y, $y == $x).@count > 0)[SIZE] == <1>")
  }

  @Test("an unknown escape is a warning to the host")
  func warnings() throws {
    let host = VariableHost()

    _ = try PredicateParser.parseEmbedded(
      in: Array(#"a == 'x\q' AND b MATCHES '\d'"#.utf8), from: 0, host: host)

    #expect(host.warnings == [PredicateSyntaxError(.unknownEscape("q"), range: 7..<9)])
    #expect(host.warnings.first?.description == #"unknown escape '\q'; it means 'q'"#)
  }

  @Test("an error of the host comes through")
  func hostErrors() {
    #expect(throws: PredicateSyntaxError(.host("no such day"), range: 5..<6)) {
      try PredicateParser.parseEmbedded(in: Array("a == @".utf8), from: 0, host: DateHost())
    }
  }
}

/// A host that reads `@` and digits.
private final class DateHost: PredicateHost {
  private(set) var asked: [Int] = []
  private var count = 0

  func embeddedArgument(
    in source: [UInt8], at offset: Int
  ) throws(PredicateSyntaxError) -> (index: Int, end: Int)? {
    asked.append(offset)
    guard source[offset] == UInt8(ascii: "@") else { return nil }
    var end = offset + 1
    while end < source.count, 48...57 ~= source[end] { end += 1 }
    guard end > offset + 1 else {
      throw PredicateSyntaxError(.host("no such day"), range: offset..<end)
    }
    count += 1
    return (count - 1, end)
  }
}

/// A host that reads `[…]`.
private final class ListHost: PredicateHost {
  func embeddedArgument(
    in source: [UInt8], at offset: Int
  ) throws(PredicateSyntaxError) -> (index: Int, end: Int)? {
    guard source[offset] == UInt8(ascii: "[") else { return nil }
    return (0, (source[offset...].firstIndex(of: UInt8(ascii: "]")) ?? offset) + 1)
  }
}

/// A host that reads `$x`, and receives warnings.
private final class VariableHost: PredicateHost {
  private(set) var warnings: [PredicateSyntaxError] = []
  private var count = 0

  func embeddedArgument(
    in source: [UInt8], at offset: Int
  ) throws(PredicateSyntaxError) -> (index: Int, end: Int)? {
    guard source[offset] == UInt8(ascii: "$") else { return nil }
    count += 1
    return (count - 1, offset + 2)
  }

  func warn(_ warning: PredicateSyntaxError) { warnings.append(warning) }
}
