import Basics
import Testing

@testable import FetchedResults

@Suite("The rows of a store in memory")
struct RowTableTests {
  @Test("rows that come and go", arguments: 0..<20)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let entities = try ["Book", "Atlas", "Map"].map {
      try EntityDescription(name: $0, attributes: [])
    }
    let table = RowTable()
    var expected: [Int: Int32] = [:]
    var kinds: [Int: EntityDescription] = [:]
    for version: Int32 in 1...400 {
      let index = Int.random(in: 0..<1000, using: &random)
      if Bool.random(using: &random), let entity = entities.randomElement(using: &random) {
        table.set(
          StoreRow(entity: entity, snapshot: ObjectSnapshot([]), version: version), at: index)
        expected[index] = version
        kinds[index] = entity
      } else {
        // The first one, so that pages become empty.
        let gone = expected.keys.min() ?? index
        table.set(nil, at: gone)
        expected[gone] = nil
      }
      var walked: [Int] = []
      var next = 0
      while let found = table.firstRow(from: next) {
        walked.append(found)
        next = found + 1
      }
      #expect(walked == expected.keys.sorted())
      #expect(table.rowCount == Int64(expected.count))
    }
    for index in -1..<1001 {
      #expect(table[index]?.version == expected[index])
      if expected[index] != nil { #expect(table[index]?.entity === kinds[index]) }
    }
  }
}
