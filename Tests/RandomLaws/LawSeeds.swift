/// The seeds of a random law, for as many seconds as the law may take.
///
/// ```swift
/// for seed in LawSeeds(seconds: 0.6, failedOnce: [141]) {
///   try #require(fault(of: seed) == nil, "seed \(seed)")
/// }
/// ```
///
/// First come the seeds that failed once. Then come 0, 1, 2 and so on until the time is used. So a
/// slow machine tries fewer seeds, but never none, and no run tries others in another order.
///
/// With `FRC_LAWS=long` the time is a hundred times as long, and the seeds after those that failed
/// once begin at a random number. With `FRC_SEED=7` the only seed is 7, which repeats a failure.
package struct LawSeeds: Sequence {
  private let seconds: Double
  private let least: Int
  private let first: UInt64
  private let failedOnce: [UInt64]

  /// - Parameters:
  ///   - seconds: How many seconds the law has in the short form, including those of `failedOnce`.
  ///   - least: How many seeds there are at least, besides those of `failedOnce`.
  ///   - first: The first seed in the short form, if several laws should not share their seeds.
  ///   - failedOnce: Seeds with which the law failed once. They are tried in every run.
  package init(
    seconds: Double, atLeast least: Int = 2, from first: UInt64 = 0, failedOnce: [UInt64] = []
  ) {
    self.least = least
    if let seed = Self.chosen {
      (self.seconds, self.first, self.failedOnce) = (0, seed, [seed])
    } else if LawForm.isLong {
      self.seconds = seconds * 100
      // Laws can double and shift such a number.
      self.first = .random(in: 0..<1 << 32)
      self.failedOnce = failedOnce
    } else {
      (self.seconds, self.first, self.failedOnce) = (seconds, first, failedOnce)
    }
  }

  /// The only seed, if `FRC_SEED` names one.
  private static let chosen: UInt64? = LawForm.variable("FRC_SEED").map { text in
    guard let seed = UInt64(text) else { fatalError("FRC_SEED is '\(text)'; expected a number") }
    return seed
  }

  /// Whether a law tries many seeds, so that all kinds of cases come up.
  package static var areMany: Bool { chosen == nil }

  package func makeIterator() -> Iterator {
    Iterator(
      failedOnce: failedOnce[...], seed: first, least: Self.chosen == nil ? least : 0,
      end: .now + .seconds(seconds))
  }

  /// Seeds until a moment.
  package struct Iterator: IteratorProtocol {
    fileprivate var failedOnce: ArraySlice<UInt64>
    fileprivate var seed: UInt64
    fileprivate var least: Int
    fileprivate let end: ContinuousClock.Instant

    package mutating func next() -> UInt64? {
      if let seed = failedOnce.popFirst() { return seed }
      guard least > 0 || .now < end else { return nil }
      defer {
        least -= 1
        seed &+= 1
      }
      return seed
    }
  }
}
