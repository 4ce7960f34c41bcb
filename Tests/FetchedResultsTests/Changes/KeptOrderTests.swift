import Basics
import FetchedResults
import Testing

@Suite("the heaviest set that keeps its order, against trying every set")
struct KeptOrderTests {
  /// Tries every subset.
  ///
  /// The weights are 1 unless they are given.
  private func tried(_ positions: [Int], _ weights: [Int]) -> [Bool] {
    var best: [Int] = []
    var bestWeight = 0
    for bits in 0..<(1 << positions.count) {
      let set = positions.indices.filter { bits & (1 << $0) != 0 }
      let values = set.map { positions[$0] }
      guard zip(values, values.dropFirst()).allSatisfy({ $0 < $1 }) else { continue }
      let weight = set.reduce(0) { $0 + weights[$1] }
      if weight > bestWeight || weight == bestWeight && set.lexicographicallyPrecedes(best) {
        (best, bestWeight) = (set, weight)
      }
    }
    return positions.indices.map(best.contains)
  }

  @Test("every order of up to six things")
  func allOrders() {
    func orders(_ rest: [Int]) -> [[Int]] {
      guard !rest.isEmpty else { return [[]] }
      return rest.flatMap { first in orders(rest.filter { $0 != first }).map { [first] + $0 } }
    }
    for count in 0...6 {
      for order in orders(Array(0..<count)) {
        let ones = Array(repeating: 1, count: count)
        #expect(KeptOrder.longest(newPositions: order) == tried(order, ones), "\(order)")
      }
    }
  }

  @Test("random orders with weights and with gaps between the positions", arguments: 0..<50)
  func weighted(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let count = Int.random(in: 0...9, using: &random)
      let positions = Array((0..<30).shuffled(using: &random).prefix(count))
      let weights = positions.map { _ in Int.random(in: 1...3, using: &random) }
      #expect(
        KeptOrder.longest(newPositions: positions, weights: weights) == tried(positions, weights),
        "seed \(seed): \(positions) \(weights)")
    }
  }

  @Test("a long order is done in time that does not square")
  func long() {
    var random = SeededGenerator(seed: 1)
    let positions = Array(0..<20_000).shuffled(using: &random)
    let kept = KeptOrder.longest(newPositions: positions)
    let values = positions.indices.filter { kept[$0] }.map { positions[$0] }
    #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
    // The expected length is about twice the square root of the count.
    #expect((200...300).contains(values.count))
  }
}
