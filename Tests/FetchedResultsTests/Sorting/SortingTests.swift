import FetchedResults
import Foundation
import Testing

@Suite("a sort of many rows agrees with comparing them one by one")
struct SortingTests {
  /// Values that lie close together where codes could err.
  private static func values(_ type: AttributeType) -> [Value] {
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

  @Test("random values under random descriptors", arguments: 0..<60)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
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
    var rows: [(number: Int64, snapshot: Snapshot)] = (1...40).map { number in
      let values = Self.types.map { Self.values($0).randomElement(using: &random) ?? .null }
      return (Int64(number), Snapshot(ContiguousArray(values)))
    }
    rows.shuffle(using: &random)

    // By insertion, so that only `compare` decides.
    var expected: [(number: Int64, snapshot: Snapshot)] = []
    for row in rows {
      let place = expected.firstIndex {
        order.compare(row.snapshot, row.number, $0.snapshot, $0.number) < 0
      }
      expected.insert(row, at: place ?? expected.count)
    }
    order.sort(&rows)

    #expect(rows.map(\.number) == expected.map(\.number), "seed \(seed), \(descriptors)")
  }
}
