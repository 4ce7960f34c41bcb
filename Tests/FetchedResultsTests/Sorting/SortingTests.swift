import Basics
import EngineWorlds
import FetchedResults
import Foundation
import PredicateSyntax
import Testing

@Suite("a sort of many rows agrees with comparing them one by one")
struct SortingTests {
  /// Returns values that are close together, where sort codes could be wrong.
  private static func values(_ type: AttributeType) -> [PropertyValue] {
    switch type {
    case .integer64:
      [nil, 0, 1, -1, .int(.max), .int(.min), .int(.max - 1), .int(1 << 62), .int(-(1 << 62))]
    case .double:
      [
        nil, 0.0, -0.0, 1.0, -1.0, .double(.nan), .double(.infinity), .double(-.infinity),
        .double(1.0.nextUp), .double(.leastNonzeroMagnitude), .double(-1.0.nextUp),
      ]
    case .string:
      [
        nil, "", "a", "A", "b", "ab", "a\u{0}", "a\u{0}b", "é", "e\u{301}", "abcdefg", "abcdefgh",
        "abcdefgi", "abcdefg\u{0}", "file2", "file10", "ｆ", "\u{10FFFF}",
      ]
    case .date:
      [nil] + [0, 0.5, -0.5, 1e9, -1e9].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .boolean: [nil, true, false]
    case .uuid: [nil] + (0..<4).map { _ in .uuid(UUID()) }
    case .decimal: [nil, .decimal(1), .decimal(-1), .decimal(Decimal(string: "1.1") ?? 0)]
    case .integer16, .integer32, .float, .uri, .binaryData: []
    }
  }

  private static let types: [AttributeType] = [
    .integer64, .double, .string, .date, .boolean, .uuid, .decimal,
  ]

  /// Returns random rows in random order, and a random sort order for them.
  private static func rows(
    _ random: inout SeededGenerator
  ) throws -> (order: RowOrder, rows: [SortableRow]) {
    let entity = try EntityDescription(
      name: "Thing",
      attributes: Self.types.map {
        try AttributeDescription(name: $0.rawValue, type: $0, isOptional: true)
      })
    let descriptors = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      FetchSortDescriptor(
        key: (Self.types.randomElement(using: &random) ?? .string).rawValue,
        ascending: Bool.random(using: &random),
        selector: FetchSortDescriptor.Selector.allCases.randomElement(using: &random) ?? .compare)
    }
    let order = try RowOrder(descriptors, entity: entity, locale: "en")
    var rows: [SortableRow] = (1...40).map { number in
      let values = Self.types.map { Self.values($0).randomElement(using: &random) ?? .null }
      return SortableRow(number: Int64(number), snapshot: ObjectSnapshot(ContiguousArray(values)))
    }
    rows.shuffle(using: &random)
    return (order, rows)
  }

  @Test("random values under random descriptors", arguments: 0..<60)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (order, rows) = try Self.rows(&random)

    // Uses insertion sort, so that only `compare` decides.
    var expected: [SortableRow] = []
    for row in rows {
      let place = expected.firstIndex {
        order.compare(row.snapshot, row.number, $0.snapshot, $0.number) < 0
      }
      expected.insert(row, at: place ?? expected.count)
    }
    order.sort(&rows)

    #expect(rows.map(\.number) == expected.map(\.number), "seed \(seed)")
  }

  /// Texts that share beginnings of any length, of a few parts.
  private static func text(_ random: inout SeededGenerator, _ parts: [String]) -> String {
    let start = String(repeating: parts[0], count: Int.random(in: 0...70, using: &random))
    let rest = (0..<Int.random(in: 0...20, using: &random)).map { _ in
      parts[Int.random(in: 0..<parts.count, using: &random)]
    }
    return (Int.random(in: 0..<4, using: &random) == 0 ? start : "") + rest.joined()
  }

  @Test("texts with long common beginnings, in a list and in a table", arguments: 0..<40)
  func texts(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let entity = try EntityDescription(
      name: "Thing",
      attributes: ["first", "second"].map {
        try AttributeDescription(name: $0, type: .string, isOptional: true)
      })
    let alphabets = [
      ["a", "b"], ["a", "A", "b", "0", "10"], ["1", "0", "x"], ["a", "\u{0}"],
      ["e", "é", "ß", "中"],
    ]
    let parts = alphabets[Int.random(in: 0..<alphabets.count, using: &random)]
    for selector in FetchSortDescriptor.Selector.allCases {
      let descriptors = ["first", "second"].map {
        FetchSortDescriptor(
          key: $0, ascending: Bool.random(using: &random), selector: selector)
      }
      let order = try RowOrder(descriptors, entity: entity, locale: "en")
      var table: ContiguousArray<ObjectSnapshot?> = []
      for _ in 0..<200 {
        let values = (0..<2).map { _ -> PropertyValue in
          Int.random(in: 0..<8, using: &random) == 0
            ? .null : .string(Self.text(&random, parts))
        }
        table.append(ObjectSnapshot(ContiguousArray(values)))
      }
      table[3] = nil
      let indices = table.indices.filter { table[$0] != nil }
      var rows = indices.compactMap { index in
        table[index].map { SortableRow(number: Int64(index + 1), snapshot: $0) }
      }
      let expected = rows.sorted {
        order.compare($0.snapshot, $0.number, $1.snapshot, $1.number) < 0
      }.map(\.number)

      #expect(order.sortedNumbers(ofRowsAt: indices, in: table) == expected, "seed \(seed)")
      rows.shuffle(using: &random)
      order.sort(&rows)
      #expect(rows.map(\.number) == expected, "seed \(seed)")
    }
  }

  @Test("thousands of rows, with numbers near to one another and far away", arguments: 0..<12)
  func manyRows(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let entity = try EntityDescription(
      name: "Thing",
      attributes: [.optional("whole", .integer64), .init("real", .double), .init("text", .string)])
    let descriptors = entity.attributes.map(\.name).shuffled(using: &random).map {
      FetchSortDescriptor(key: $0, ascending: Bool.random(using: &random))
    }
    let order = try RowOrder(descriptors, entity: entity, locale: "en")
    // A few values, those of a small range, and any.
    let ranges: [ClosedRange<Int64>] = [0...3, -500...500, .min ... .max]
    let range = ranges[Int(seed) % ranges.count]
    let count = Int.random(in: 1025...6000, using: &random)
    let table = ContiguousArray<ObjectSnapshot?>(
      (0..<count).map { _ in
        let whole = Int64.random(in: range, using: &random)
        return ObjectSnapshot([
          whole % 7 == 0 ? .null : .int(whole),
          .double(Double(Int64.random(in: range, using: &random)) / 8),
          .string("Book \(Int64.random(in: range, using: &random) % 100_000)"),
        ])
      })
    let rows = table.indices.compactMap { index in
      table[index].map { SortableRow(number: Int64(index + 1), snapshot: $0) }
    }
    let expected = rows.sorted {
      order.compare($0.snapshot, $0.number, $1.snapshot, $1.number) < 0
    }.map(\.number)

    #expect(order.sortedNumbers(ofRowsAt: Array(table.indices), in: table) == expected)
    var sorted = rows.shuffled(using: &random)
    order.sort(&sorted)
    #expect(sorted.map(\.number) == expected)
    order.sort(&sorted)
    #expect(sorted.map(\.number) == expected)
  }

  @Test("a probe agrees with comparing, and keeps no more than it may", arguments: 0..<60)
  func probes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (order, rows) = try Self.rows(&random)
    let cache = CollationKeys(capacity: Int.random(in: 2...200, using: &random))
    for _ in 0..<4 {
      for row in rows {
        let probe = RowProbe(row.snapshot, number: row.number, order: order, cache: cache)
        for other in rows where other.number != row.number {
          #expect(
            probe.isAfter(other.snapshot, other.number)
              == (order.compare(other.snapshot, other.number, row.snapshot, row.number) < 0),
            "seed \(seed): \(other) and \(row)")
        }
      }
      // The rows change, and the cache is not notified.
      let values = rows.map(\.snapshot).shuffled(using: &random)
      for index in rows.indices { rows[index].snapshot = values[index] }
    }
    #expect(cache.count <= 200, "seed \(seed)")
  }
}

@Suite("Locales that ICU does not know")
struct UnknownLocaleTests {
  private static let unknown = [
    String(repeating: "a", count: 100), String(repeating: "a", count: 12), "norwegian nynorsk",
    "en@x=y;z", "zz_BOGUS", "\u{0}", "%", String(repeating: "en_", count: 1000),
  ]

  @Test("strings compare in the root locale's order", arguments: unknown)
  func order(locale: String) throws {
    for selector in FetchSortDescriptor.Selector.allCases {
      let order = StringOrder(selector, locale: locale)
      let root = StringOrder(selector, locale: "root")
      for (left, right) in [("a", "B"), ("ä", "z"), ("10", "9"), ("", "a"), ("é", "e\u{301}")] {
        #expect(order.compare(left, right).signum() == root.compare(left, right).signum())
        #expect(order.key(for: left) == root.key(for: left))
      }
    }
    let search = TextSearch(.relation(.equal), [.caseInsensitive, .locale], pattern: "Ä")
    #expect(try TextTest(search, locale: locale).holds("ä"))
  }

  @Test("an environment tells whether its locale is known")
  func known() {
    for locale in ["en", "ja", "de_AT", "en-US", "zh_Hans_CN", "zh_CN", "nb", "no", "root", ""] {
      #expect(EvaluationEnvironment(locale: locale).knowsLocale, "\(locale)")
    }
    for locale in Self.unknown where locale != "\u{0}" {
      #expect(!EvaluationEnvironment(locale: locale).knowsLocale, "\(locale)")
    }
  }
}
