import Basics
import FetchedResults
import Testing

@Suite("the counted tree against an array")
struct CountedTreeTests {
  /// An element with a weight, and a number that distinguishes it from others.
  struct Item: CountedElement, Equatable {
    let number: Int
    var weight: Int
  }

  /// A tree, and the array that it must equal.
  private struct Pair {
    var array: [Item]
    let tree: CountedTree<Item>
    let places = Places()
    var nextNumber: Int

    final class Places {
      var leaves: [Int: Int32] = [:]
    }

    init(_ count: Int, shape: CountedTreeShape) {
      array = (0..<count).map { Item(number: $0, weight: $0 % 4) }
      nextNumber = count
      let places = places
      tree = CountedTree(array, shape: shape) { places.leaves[$0.number] = $1 }
    }

    func check() -> Bool {
      tree.checkInvariants()
      var walked: [Item] = []
      while walked.count < tree.count { walked += tree.run(from: walked.count) }
      return walked == array && tree.weight == array.reduce(0) { $0 + $1.weight }
    }
  }

  private static let shapes: [(leafCapacity: Int, fanOut: Int)] = [
    (2, 3), (3, 3), (4, 4), (5, 7), (16, 8),
  ]

  @Test("random inserts, removals and replacements", arguments: 0..<40)
  func edits(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let shape = Self.shapes[Int(seed) % Self.shapes.count]
    var pair = Pair(
      Int.random(in: 0...60, using: &random),
      shape: .init(leafCapacity: shape.leafCapacity, fanOut: shape.fanOut))
    #expect(pair.check(), "seed \(seed), as built")
    // The tree first grows, then shrinks to nothing, then keeps about the same size.
    for step in 0..<300 {
      let grows = step < 100 ? 4 : step < 200 ? 1 : 2
      switch Int.random(in: 0..<6, using: &random) {
      case 0..<grows:
        let rank = Int.random(in: 0...pair.array.count, using: &random)
        let item = Item(number: pair.nextNumber, weight: Int.random(in: 0...3, using: &random))
        pair.nextNumber += 1
        pair.array.insert(item, at: rank)
        pair.tree.insert(item, at: rank)
      case 5:
        guard let rank = pair.array.indices.randomElement(using: &random) else { continue }
        pair.array[rank].weight = Int.random(in: 0...3, using: &random)
        pair.tree.update(at: rank) { $0 = pair.array[rank] }
      default:
        guard let rank = pair.array.indices.randomElement(using: &random) else { continue }
        let removed = pair.array.remove(at: rank)
        #expect(pair.tree.remove(at: rank) == removed, "seed \(seed), step \(step)")
      }
      guard pair.check() else {
        Issue.record("seed \(seed), step \(step)")
        return
      }
    }
  }

  @Test("rank, select, weight and search agree with the array's", arguments: 0..<20)
  func lookups(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let shape = Self.shapes[Int(seed) % Self.shapes.count]
    var pair = Pair(30, shape: .init(leafCapacity: shape.leafCapacity, fanOut: shape.fanOut))
    for _ in 0..<30 {
      let rank = Int.random(in: 0...pair.array.count, using: &random)
      let item = Item(number: pair.nextNumber, weight: Int.random(in: 0...3, using: &random))
      pair.nextNumber += 1
      pair.array.insert(item, at: rank)
      pair.tree.insert(item, at: rank)
    }
    var weight = 0
    for (rank, item) in pair.array.enumerated() {
      #expect(pair.tree[rank] == item)
      #expect(pair.tree.weight(before: rank) == weight)
      for offset in 0..<item.weight {
        let found = pair.tree.find(weight: weight + offset)
        #expect(found.rank == rank && found.offset == offset, "seed \(seed), rank \(rank)")
      }
      let place = try #require(pair.places.leaves[item.number])
      let found = pair.tree.rank(inLeaf: place) { $0.number == item.number }
      #expect(found == rank)
      weight += item.weight
      let front = Set(pair.array[..<rank].map(\.number))
      let all = 0..<pair.array.count
      #expect(pair.tree.partitionPoints(in: [all]) { front.contains($1.number) } == [rank])
    }
    #expect(pair.tree.weight(before: pair.array.count) == weight)
    #expect(
      pair.tree.partitionPoints(in: [0..<pair.array.count]) { _, _ in true } == [pair.array.count])
  }

  @Test("searches made at once find what each finds alone", arguments: 0..<20)
  func searchesAtOnce(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let shape = Self.shapes[Int(seed) % Self.shapes.count]
    let pair = Pair(
      Int.random(in: 0...200, using: &random),
      shape: .init(leafCapacity: shape.leafCapacity, fanOut: shape.fanOut))
    let targets = (0..<40).compactMap { _ in (0..<pair.tree.weight).randomElement(using: &random) }
    let found = pair.tree.find(weights: targets)
    #expect(
      found.map { [$0.element.number, $0.rank, $0.offset] }
        == targets.map {
          let alone = pair.tree.find(weight: $0)
          return [alone.element.number, alone.rank, alone.offset]
        }, "seed \(seed)")
    let wanted = (0..<40).map { _ in Int.random(in: 0..<220, using: &random) }
    let ranks = pair.tree.ranks(inLeaves: wanted.map { pair.places.leaves[$0] ?? -1 }) {
      $1.number == wanted[$0]
    }
    #expect(
      ranks == wanted.map { number in pair.array.firstIndex { $0.number == number } },
      "seed \(seed)")
  }

  @Test("a search within ranks looks at no element outside them", arguments: 0..<20)
  func searchesWithinRanks(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let shape = Self.shapes[Int(seed) % Self.shapes.count]
    let pair = Pair(
      Int.random(in: 0...200, using: &random),
      shape: .init(leafCapacity: shape.leafCapacity, fanOut: shape.fanOut))
    let ranks = Dictionary(
      uniqueKeysWithValues: pair.array.enumerated().map { ($0.element.number, $0.offset) })
    var ranges: [Range<Int>] = []
    var wanted: [Int] = []
    for _ in 0..<40 {
      let bounds = (0..<2).map { _ in Int.random(in: 0...pair.array.count, using: &random) }
      ranges.append(bounds.min()!..<bounds.max()!)
      wanted.append(Int.random(in: bounds.min()!...bounds.max()!, using: &random))
    }
    let found = pair.tree.partitionPoints(in: ranges) { search, item in
      let rank = ranks[item.number] ?? -1
      #expect(rank < ranges[search].upperBound, "seed \(seed)")
      #expect(rank >= ranges[search].lowerBound, "seed \(seed)")
      return rank < wanted[search]
    }
    #expect(found == wanted, "seed \(seed)")
  }

  @Test("leaves stay filled however rows arrive", arguments: Arrival.allCases)
  func fill(arrival: Arrival) {
    let places = Pair.Places()
    let tree = CountedTree<Item>([], shape: .init(leafCapacity: 16, fanOut: 8)) {
      places.leaves[$0.number] = $1
    }
    for number in 0..<1000 {
      let rank =
        switch arrival {
        case .atTheEnd: tree.count
        case .atTheFront: 0
        case .behindAFullLeaf: min(16, tree.count)
        case .alternately: number.isMultiple(of: 2) ? tree.count : tree.count / 2
        }
      tree.insert(Item(number: number, weight: 1), at: rank)
    }
    tree.checkInvariants()
    #expect(Set(places.leaves.values).count <= 1000 / 16 * 5 / 2)
  }

  enum Arrival: CaseIterable {
    case atTheEnd
    case atTheFront
    case behindAFullLeaf
    case alternately
  }
}
