import FetchedResults
import Testing

/// A predicate evaluated part by part.
@Suite("Evidence of a predicate")
struct EvidenceTests {
  /// Returns the parts for a book called Dune, whose publisher is nil.
  private func evidence(_ format: String) throws -> [String] {
    let shelf = try Shelf()
    let book = shelf.insert("Dune", pages: 412)
    return try FetchPredicate(format: format)
      .evidence(for: book.values, environment: EvaluationEnvironment())
      .map { part in
        let outcome =
          switch part.outcome {
          case .success(let value): "\(value)"
          case .failure(let error): "\(error)"
          }
        let looked = part.operands.map { " \($0.expression)=\($0.value)" }.joined()
        return "\(part.depth) \(part.part): \(outcome)\(looked)"
          + (part.decider.map { " decider=\($0)" } ?? "")
      }
  }

  @Test("each part comes before those inside it, also behind one that has decided")
  func parts() throws {
    #expect(
      try evidence("pages < 100 AND NOT (title == 'x' OR TRUEPREDICATE)") == [
        "0 pages < 100 AND (NOT (title == \"x\" OR TRUEPREDICATE)): false",
        "1 pages < 100: false pages=412",
        "1 NOT (title == \"x\" OR TRUEPREDICATE): false",
        "2 title == \"x\" OR TRUEPREDICATE: true",
        "3 title == \"x\": false title=Dune",
        "3 TRUEPREDICATE: true",
      ])
  }

  @Test("values are shown of what is no literal, on both sides")
  func operands() throws {
    #expect(
      try evidence("pages + 1 > title.length") == [
        "0 pages + 1 > title.length: true pages + 1=413 title.length=4"
      ])
    #expect(
      try evidence("'x' IN {'x', 'y'}") == ["0 \"x\" IN {\"x\", \"y\"}: true"])
  }

  @Test("what a part raises is its outcome, and the parts of what has no value are shown")
  func errors() throws {
    #expect(
      try evidence("pages / 0 == 1 OR title == 'Dune'") == [
        "0 pages / 0 == 1 OR title == \"Dune\": Can't divide by zero",
        "1 pages / 0 == 1: Can't divide by zero pages=412",
        "1 title == \"Dune\": true title=Dune",
      ])
  }

  @Test("ANY and ALL name the element that decided")
  func deciders() throws {
    #expect(
      try evidence("ANY {1, 500, 600} > pages") == [
        "0 ANY {1, 500, 600} > pages: true pages=412 decider=500"
      ])
    #expect(
      try evidence("ALL {500, 600, 1} > pages") == [
        "0 ALL {500, 600, 1} > pages: false pages=412 decider=1"
      ])
    #expect(
      try evidence("ANY {1, 2} > pages") == ["0 ANY {1, 2} > pages: false pages=412"])
  }

  @Test("a SUBQUERY shows what it looked at and what it kept")
  func subquery() throws {
    let shelf = try Shelf()
    let book = shelf.insert("Dune", pages: 412)

    let evidence = try FetchPredicate(format: "SUBQUERY({1, 500}, $n, $n > pages).@count == 1")
      .evidence(for: book.values, environment: EvaluationEnvironment())

    let operands = try #require(evidence.first).operands
    #expect(operands.map { "\($0.value)" } == ["1", "{500}"])
    #expect(operands.last?.collection.map { "\($0)" } == "{1, 500}")
  }

  @Test("an unknown key is refused before anything is looked at")
  func unknownKey() throws {
    #expect(throws: FetchedResults.InvalidPredicateError.self) {
      try evidence("title == 'x' OR page > 3")
    }
  }
}
