/// A limit that ends a comparison if it takes too long or was cancelled.
///
/// It is asked at every step of a comparison, and reads the clock once in a few thousand steps.
package final class ComparisonBudget {
  /// Thrown by a comparison that was ended.
  package enum Exceeded: Error {
    /// The time or the number of steps was exceeded.
    case used
    /// The run was cancelled.
    case cancelled
  }

  private let deadline: ContinuousClock.Instant?
  private let isCancelled: @Sendable () -> Bool
  private var stepsLeft: Int
  /// The number of steps until the clock is read again.
  private var pause = ComparisonBudget.interval
  private static let interval = 1 << 16

  /// Creates a budget.
  ///
  /// - Parameters:
  ///   - time: The longest time that the comparison may take; nil for no limit.
  ///   - steps: The largest number of steps: bytes that are read, or pairs that are tried.
  ///   - isCancelled: Returns whether the run was cancelled.
  package init(
    time: Duration? = nil, steps: Int = .max,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    deadline = time.map { ContinuousClock.now + $0 }
    stepsLeft = steps
    self.isCancelled = isCancelled
  }

  /// Counts steps.
  func spend(_ steps: Int = 1) throws(Exceeded) {
    stepsLeft -= steps
    if stepsLeft < 0 { throw .used }
    pause -= steps
    guard pause <= 0 else { return }
    pause = Self.interval
    if isCancelled() { throw .cancelled }
    if let deadline, ContinuousClock.now >= deadline { throw .used }
  }
}
