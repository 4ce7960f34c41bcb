import FetchedResults
import Foundation

/// Times the parser on texts that grow.
///
/// The time for a megabyte must stay the same.
enum Parsing {
  private static let sizes = [1_000, 10_000, 100_000, 1_000_000]

  /// Texts for which a parser might read parts twice.
  private static let shapes: [(name: String, make: @Sendable (Int) -> String)] = [
    ("AND", { repeated("pages > 100 AND title == 'x'", " AND ", $0) }),
    ("parentheses", { repeated("(((pages + 1) * 2 > 3) OR (a == 1))", " OR ", $0) }),
    ("list", { "title IN {" + repeated("'Dune'", ", ", $0) + "}" }),
    ("long string", { "title == '" + String(repeating: "é", count: $0 / 2) + "'" }),
    ("SUBQUERY", { repeated("SUBQUERY(b, $x, $x.y > 1).@count > 2", " AND ", $0) }),
    ("wrong at its end", { repeated("pages > 100", " AND ", $0) + " AND" }),
  ]

  /// Prints milliseconds per megabyte.
  ///
  /// - Returns: The shapes whose time per megabyte grows more than threefold from the second size
  ///   to the last.
  static func measure() throws -> [String] {
    print("\nparsing; milliseconds a megabyte, by the text's length in bytes")
    print(Predicates.row(["text"] + sizes.map { "\($0)" }))
    var missed: [String] = []
    for shape in shapes {
      let times = sizes.map { size in
        let text = shape.make(size)
        return fastest(text) * 1e3 / (Double(text.utf8.count) / 1e6)
      }
      print(Predicates.row([shape.name] + times.map(Predicates.digits)))
      if times[3] > times[1] * 3 { missed.append("parsing, " + shape.name) }
    }
    return missed
  }

  private static func fastest(_ text: String) -> Double {
    CoreTime.fastest(runs: 5, for: 0.05) { _ = try? FetchPredicate(format: text) }
  }

  private static func repeated(_ part: String, _ separator: String, _ size: Int) -> String {
    let count = max(1, size / (part.utf8.count + separator.utf8.count))
    return Array(repeating: part, count: count).joined(separator: separator)
  }
}
