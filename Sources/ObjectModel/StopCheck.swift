import Synchronization

/// Whether someone wants the work of this thread to stop: a person, a limit of time or memory, or
/// the end of the program.
///
/// Whoever runs foreign work installs a check around it. Loops that can run long ask
/// ``isWanted(after:)`` and then end early with whatever they have, or throw. What they return
/// means nothing then: who installed the check looks at ``isStopped`` at the end.
///
/// A task-local value reaches every loop below without a parameter in each signature.
package final class StopCheck: Sendable {
  @TaskLocal private static var current: StopCheck?

  private let isAsked: @Sendable () -> Bool
  /// Receives how many rows were written; nil if nobody counts.
  private let didAdvance: (@Sendable (Int) -> Void)?
  private let stopped = Atomic(false)
  /// How many steps are left until the question is asked.
  private let pause = Atomic(StopCheck.interval)

  /// A step takes some 50 nanoseconds, so the question is asked every 13 microseconds.
  private static let interval = 256

  /// - Parameter isAsked: Whether to stop; called now and then, on the thread that works.
  package init(_ isAsked: @escaping @Sendable () -> Bool) {
    self.isAsked = isAsked
    didAdvance = nil
  }

  /// Creates a check that the check around it stops, too.
  ///
  /// - Parameter didAdvance: Receives how many rows were written since its last call.
  package init(
    within isAsked: @escaping @Sendable () -> Bool, didAdvance: (@Sendable (Int) -> Void)?
  ) {
    let outer = Self.current
    self.isAsked = { isAsked() || outer?.isAsked() == true }
    self.didAdvance = didAdvance
  }

  /// Tells whoever counts the written rows of some more.
  package static func advance(by rows: Int) { current?.didAdvance?(rows) }

  /// Returns whether the work is to stop; see ``isWanted(after:)``.
  package func isWanted() -> Bool { isWanted(after: 1) }

  /// Whether a loop was told to stop, so that what it returned means nothing.
  package var isStopped: Bool { stopped.load(ordering: .relaxed) }

  /// Runs something that this check can stop.
  package func watching<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = Self.$current.withValue(self) {
      Swift.Result<Result, Failure>(catching: body)
    }
    return try result.get()
  }

  /// Returns whether the work of this thread is to stop.
  ///
  /// - Parameter steps: How much was done since the last call. The question itself is asked only
  ///   after some hundred steps.
  package static func isWanted(after steps: Int = 1) -> Bool {
    current?.isWanted(after: steps) ?? false
  }

  /// Returns whether the work that this check watches is to stop.
  ///
  /// - Parameter steps: How much was done since the last call.
  package func isWanted(after steps: Int) -> Bool {
    if isStopped { return true }
    let left = pause.wrappingSubtract(steps, ordering: .relaxed).newValue
    guard left <= 0 else { return false }
    pause.store(Self.interval, ordering: .relaxed)
    guard isAsked() else { return false }
    stopped.store(true, ordering: .relaxed)
    return true
  }
}
