/// A random number generator whose sequence depends only on its seed (SplitMix64), on every
/// machine.
///
/// So the failure of a random test can be reproduced.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator at the start of its sequence.
  public init(seed: UInt64) { state = seed }

  /// Returns the next word of the sequence, in O(1).
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// Returns true with a probability of one in `count`.
  public mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// Returns a number in a range.
  public mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// Returns a random element; nil if there are none.
  public mutating func one<Things: RandomAccessCollection>(of things: Things) -> Things.Element? {
    things.randomElement(using: &self)
  }
}
