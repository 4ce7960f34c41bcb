import FetchedResults
import Foundation
import Testing

/// Comparisons of unfit kinds are found before any object is evaluated.
@Suite("Comparisons that tell nothing")
struct MisfitTests {
  private func misfits(
    _ format: String, arguments: [PropertyValue] = [], variables: [String: PropertyValue] = [:]
  ) throws -> [String] {
    try FetchPredicate(format: format, argumentArray: arguments)
      .withSubstitutionVariables(variables).misfits(for: try Shelf().book)
      .map { misfit in
        let reason =
          switch misfit.reason {
          case .kinds(_, let left, _, let right): "\(left), \(right)"
          case .noMember(_, let kind, of: let list): "\(kind) in \(list)"
          case .needsString(_, let kind): "\(kind), string wanted"
          case .needsCollection(_, let kind): "\(kind), collection wanted"
          case .modifierNeedsCollection(_, let kind): "\(kind), collection for ANY wanted"
          }
        return "\(misfit.truth): \(reason)"
      }
  }

  @Test(
    "a comparison that can never match is found",
    arguments: [
      ("pages == 'x'", "never: number, string"), ("pages != 'x'", "always: number, string"),
      ("title > 3", "never: string, number"), ("3 < title", "never: number, string"),
      ("isAvailable == 'YES'", "never: boolean, string"),
      ("published > 5", "never: date, number"),
      ("published == '2026-01-01'", "never: date, string"),
      ("pages BETWEEN {1, 'x'}", "never: number, string"),
      ("pages IN {'a', 'b'}", "never: number in {\"a\", \"b\"}"),
      ("{'a'} CONTAINS pages", "never: number in {\"a\"}"),
      ("pages LIKE '1*'", "never: number, string wanted"),
      ("title BEGINSWITH 3", "never: number, string wanted"),
      ("title CONTAINS 3", "never: number, string wanted"),
      ("pages CONTAINS 'x'", "never: number, collection wanted"),
      ("pages IN price", "forNil: number, collection wanted"),
      ("title == pages", "forNil: string, number"),
      ("title != pages", "exceptForNil: string, number"),
      ("title < pages", "never: string, number"),
      ("pages + 1 == 'x'", "never: number, string"),
      ("now() == 1", "never: date, number"), ("uppercase(title) == 1", "never: string, number"),
      ("CAST(pages, 'NSString') == 1", "never: string, number"),
      ("SELF == 'Book/1'", "never: object, string"),
      ("NOT (pages == 'x')", "never: number, string"),
      ("title == 'x' AND (pages == 1 OR pages == 'x')", "never: number, string"),
      ("ANY {'a', 'b'} == 1", "never: string, number"),
      ("ALL {'a', 'b'} == 1", "ofEmptyCollections: string, number"),
      ("ANY {'a', 'b'} != 1", "exceptForEmptyCollections: string, number"),
      ("NONE {'a', 'b'} == 1", "never: string, number"),
      ("TERNARY(pages == 'x', 1, 2) == 1", "never: number, string"),
      ("ANY title == 'x'", "never: string, collection for ANY wanted"),
      ("NONE pages > 3", "never: number, collection for ANY wanted"),
      ("ANY title != 'x'", "never: string, collection for ANY wanted"),
      ("ANY title != {}", "never: string, collection for ANY wanted"),
      ("ANY title == pages", "never: string, collection for ANY wanted"),
      ("NONE published != nil", "never: date, collection for ANY wanted"),
      ("NOT ANY pages != {1}", "never: number, collection for ANY wanted"),
      ("ALL pages != 1", "ofNil: number, collection for ANY wanted"),
      ("ALL title == 'x'", "ofNil: string, collection for ANY wanted"),
    ])
  func found(format: String, expected: String) throws {
    #expect(try misfits(format) == [expected])
  }

  @Test(
    "what may match is left alone",
    arguments: [
      "pages == nil", "title != nil", "pages == 1.5", "isAvailable == 1", "pages == YES",
      "title IN {1, 'x'}", "title IN {}", "pages IN {nil}", "title IN 'some text'",
      "pages BETWEEN {1, 2.5}", "published > now()", "title CONTAINS[cd] 'x'", "title.length > 3",
      "ANY {1, 'a'} == 1", "title == $x", "CAST(pages, 'NSString') == '1'", "SELF IN {SELF}",
      "published == CAST(5, 'NSDate')", "pages == {1, 2}[0]",
    ])
  func alone(format: String) throws {
    #expect(try misfits(format).isEmpty)
  }

  @Test("the kinds of arguments and variables are those of their values")
  func values() throws {
    #expect(
      try misfits("published == %@", arguments: [.date(Date(timeIntervalSince1970: 0))]).isEmpty)
    #expect(try misfits("published == %@", arguments: ["x"]) == ["never: date, string"])
    #expect(try misfits("pages == $x", variables: ["x": "a"]) == ["never: number, string"])
    #expect(try misfits("pages == $x", variables: ["x": .null]).isEmpty)
    #expect(
      try misfits("pages IN %@", arguments: [.list(["a", "b"])]) == ["never: number in %@"])
  }
}
