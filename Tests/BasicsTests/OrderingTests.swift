import Basics
import Testing

/// Lists in order.
@Suite("Ordering")
struct OrderingTests {
  @Test("a list is in order, and equal elements stay as they are")
  func stable() {
    var generator = SeededGenerator(seed: 3)
    for count in [0, 1, 2, 3, 40, 1_000] {
      let list = (0..<count).map { (key: Int.random(in: 0...9, using: &generator), place: $0) }
      let ordered = list.ordered { $0.key < $1.key }

      #expect(
        ordered.map(\.place) == list.sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map(\.place)
      )
    }
  }
}
