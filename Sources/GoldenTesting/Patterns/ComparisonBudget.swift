/// Ends a comparison that takes too long, or whose result is no longer wanted.
///
/// It is asked at every step of a comparison, and looks at the clock once in a
/// few thousand steps.
package final class ComparisonBudget {
  /// Thrown by a comparison that was ended.
  package enum Exceeded: Error {
    /// The time or the number of steps is used up.
    case used
    /// The run was cancelled.
    case cancelled
  }

  private let deadline: ContinuousClock.Instant?
  private let isCancelled: @Sendable () -> Bool
  private var stepsLeft: Int
  /// How many steps are left until the clock is looked at.
  private var pause = ComparisonBudget.interval
  private static let interval = 1 << 16

  /// Creates a budget.
  ///
  /// - Parameters:
  ///   - time: How long the comparison may take; without a limit where nil.
  ///   - steps: How many steps it may make: bytes read, or pairs tried.
  ///   - isCancelled: Whether the run was cancelled.
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
