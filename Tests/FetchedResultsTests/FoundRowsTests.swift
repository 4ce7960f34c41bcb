import Basics
import FetchedResults
import Testing

@Suite("Rows that a fetch found")
struct FoundRowsTests {
  private static func runs(_ values: [Int64]) -> [FoundRows.Run] {
    var runs: [FoundRows.Run] = []
    for value in values { runs.append(.int(value), count: 1) }
    return runs
  }

  private static func words(_ found: FoundRows) -> String {
    let runs = found.sections?.map { "\($0.value)×\($0.count)" } ?? []
    return "\(found.numbers) \(runs)"
  }

  @Test("a window and rows that come between leave sections as they would be counted anew")
  func windowsAndArrivals() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      var values = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
        Int64.random(in: 0..<4, using: &random)
      }
      var numbers = values.indices.map { Int64($0 + 1) }
      let found = FoundRows(numbers: numbers, sections: Self.runs(values))
      let places = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
        Int.random(in: 0...values.count, using: &random)
      }.sorted()
      let arrivals = places.enumerated().map { index, place in
        FoundRows.Arrival(
          number: Int64(100 + index), place: place,
          section: .int(Int64.random(in: 0..<4, using: &random)))
      }
      let merged = found.merged(with: arrivals)
      for arrival in arrivals.reversed() {
        numbers.insert(arrival.number, at: arrival.place)
        values.insert(arrival.section.int ?? 0, at: arrival.place)
      }
      #expect(
        Self.words(merged)
          == Self.words(FoundRows(numbers: numbers, sections: Self.runs(values))))

      let offset = Int.random(in: 0..<8, using: &random)
      let limit = Int.random(in: 0..<8, using: &random)
      let rest = numbers.indices.dropFirst(offset)
      let kept = limit > 0 ? rest.prefix(limit) : rest
      #expect(
        Self.words(merged.window(offset: offset, limit: limit))
          == Self.words(
            FoundRows(
              numbers: kept.map { numbers[$0] }, sections: Self.runs(kept.map { values[$0] }))))
    }
  }

  @Test("sections of sorted rows are those that all rows give, and few rows are read")
  func sortedSections() {
    var random = SeededGenerator(seed: 11)
    var reads = 0
    for round in 0..<2000 {
      let count = Int.random(in: 0..<200, using: &random)
      let kinds = Int.random(in: 1...20, using: &random)
      var values: [PropertyValue] = (0..<count).map { _ in
        let value = Int64.random(in: 0..<Int64(kinds), using: &random)
        switch round % 4 {
        case 0: return .int(value)
        case 1: return .string("\(value)")
        // Both zeros are equal, but have different names.
        case 2: return .double(value == 0 ? -0.0 : Double(value - 1))
        default: return value == 0 ? .null : .int(value)
        }
      }
      values.sort {
        if $0.isNull || $1.isNull { return $0.isNull && !$1.isNull }
        return $0.ordering($1) == .ascending
      }
      if Bool.random(using: &random) { values.reverse() }
      let numbers = values.indices.map { Int64($0 + 1) }
      let expected = FoundRows(numbers, sectionIndex: 0) { values[Int($0) - 1] }
      let found = FoundRows(numbers, sectionIndex: 0, areSorted: true) {
        if kinds == 1, round % 4 < 2 { reads += 1 }
        return values[Int($0) - 1]
      }
      #expect(Self.words(found) == Self.words(expected), "round \(round)")
    }
    // About 50 lists of 100 rows with the same value.
    #expect(reads < 1500)
  }

  @Test("rows that were read are found in their order, in another one, and with gaps")
  func readRows() throws {
    let model = try ManagedObjectModel(entities: [
      try EntityDescription(name: "Book", attributes: [])
    ])
    let book = try #require(model.entitiesByName["Book"])
    var rows = ReadRows()
    for number in [4, 2, 9, 7] {
      rows.append(
        StoreRow(entity: book, snapshot: ObjectSnapshot([]), version: Int32(number)),
        number: Int64(number))
    }
    func found(_ wanted: [Int64]) -> [Int32?] {
      var found: [Int32?] = []
      rows.forEach(of: wanted) { _, row in found.append(row?.version) }
      return found
    }
    #expect(found([4, 2, 9, 7]) == [4, 2, 9, 7])
    #expect(found([4, 9, 7]) == [4, 9, 7])
    #expect(found([7, 4, 2, 9]) == [7, 4, 2, 9])
    #expect(found([4, 5, 2, 1, 9, 7, 8]) == [4, nil, 2, nil, 9, 7, nil])
    #expect(found([]) == [])
    #expect(rows.byNumber().mapValues(\.version) == [4: 4, 2: 2, 9: 9, 7: 7])
  }
}
