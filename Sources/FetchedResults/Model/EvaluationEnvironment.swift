public import Foundation
import Synchronization

/// The surroundings of an evaluation: the time, the locale and similar settings.
public struct EvaluationEnvironment: Sendable {
  /// Returns the time for `now()`.
  public var now: @Sendable () -> Date
  /// The identifier of the locale for localized comparisons, such as `ja`.
  ///
  /// If ICU does not know it, strings compare in the order of the root locale; see `knowsLocale`.
  public var locale: String
  /// Returns the number for `random()`: from 0 up to, but not including, 1.
  public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
  /// Returns whether to cancel a fetch.
  ///
  /// It is called between objects; nil if a fetch cannot be cancelled.
  public var isCancelled: (@Sendable () -> Bool)?

  /// Whether a store that filters with SQL treats nil like SQL, and therefore like Apple's store.
  ///
  /// Then `x != 1` finds no row where x is nil.
  public var isThreeValued = false

  /// Creates an environment.
  ///
  /// By default it has the system's clock and English.
  public init(now: @escaping @Sendable () -> Date = { Date() }, locale: String = "en") {
    self.now = now
    self.locale = locale
  }
}

/// Checks whether the work of this thread must stop: on request, at a limit of time or memory, or
/// because the program ends.
///
/// Code that runs work on behalf of others installs a check around it. Loops that can run long call
/// ``isWanted(after:)`` and, if it is true, end early or throw. Their results are invalid then, so
/// the code that installed the check must look at ``isStopped`` at the end.
///
/// A task-local value reaches every inner loop without a parameter in each signature.
package final class StopCheck: Sendable {
  @TaskLocal private static var checkOfTask: StopCheck?
  /// How many checks cover work of any thread.
  private static let installed = Atomic(0)

  /// The check that covers the work of this thread.
  ///
  /// Most work has none, and a search for a task's value would take longer than this question.
  private static var current: StopCheck? {
    installed.load(ordering: .relaxed) == 0 ? nil : checkOfTask
  }

  private let isAsked: @Sendable () -> Bool
  /// Whether everything that the work changes is dropped if it stops.
  private let dropsChanges: Bool
  /// Receives how many rows were written; nil if they are not counted.
  private let didAdvance: (@Sendable (Int) -> Void)?
  /// Called once, by the working thread, when the work is to stop.
  private let didStop: (@Sendable () -> Void)?
  private let stopped = Atomic(false)
  /// How many steps are left until `isAsked` is called again.
  private let pause = Atomic(StopCheck.interval)

  /// A step takes about 50 nanoseconds, so `isAsked` is called every 13 microseconds.
  private static let interval = 256

  /// - Parameters:
  ///   - isAsked: Returns whether to stop. It is called regularly, on the working thread.
  ///   - dropsChanges: Whether everything that the work changes is dropped if it stops. Then work
  ///     may stop anywhere, because no one sees what is only half done.
  ///   - didStop: Called once, on the working thread, when the work is to stop and before anything
  ///     of it is reverted.
  ///   - didAdvance: Receives how many rows were written since its last call.
  package init(
    _ isAsked: @escaping @Sendable () -> Bool, dropsChanges: Bool = false,
    didStop: (@Sendable () -> Void)? = nil, didAdvance: (@Sendable (Int) -> Void)? = nil
  ) {
    self.isAsked = isAsked
    self.dropsChanges = dropsChanges
    self.didStop = didStop
    self.didAdvance = didAdvance
  }

  /// Creates a check that also stops if the enclosing check does.
  ///
  /// - Parameter didAdvance: Receives how many rows were written since its last call.
  package init(
    within isAsked: @escaping @Sendable () -> Bool, didAdvance: (@Sendable (Int) -> Void)?
  ) {
    let outer = Self.current
    // The code that installed the outer check must see that its work was stopped.
    self.isAsked = { isAsked() || outer?.isWantedNow == true }
    dropsChanges = false
    didStop = nil
    self.didAdvance = didAdvance
  }

  /// Reports that more rows were written.
  package static func advance(by rows: Int) { current?.didAdvance?(rows) }

  /// Returns whether the work must stop; see ``isWanted(after:)``.
  package func isWanted() -> Bool { isWanted(after: 1) }

  /// Whether a loop was told to stop, so that its result is invalid.
  package var isStopped: Bool { stopped.load(ordering: .relaxed) }

  /// Runs `body`, which this check can stop.
  package func watching<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    Self.installed.wrappingAdd(1, ordering: .relaxed)
    defer { Self.installed.wrappingSubtract(1, ordering: .relaxed) }
    let result = Self.$checkOfTask.withValue(self) {
      Swift.Result<Result, Failure>(catching: body)
    }
    return try result.get()
  }

  /// Returns whether the work of this thread must stop.
  ///
  /// - Parameter steps: How many steps were done since the last call. Only after some hundred steps
  ///   is the condition itself checked.
  package static func isWanted(after steps: Int = 1) -> Bool {
    current?.isWanted(after: steps) ?? false
  }

  /// Whether something may stop the work of this thread.
  package static var isInstalled: Bool { current != nil }

  /// Whether the work of this thread was told to stop; the condition itself is not checked.
  package static var isStopped: Bool { current?.isStopped ?? false }

  /// Whether what the work of this thread changes is dropped if it stops.
  package static var dropsChanges: Bool { current?.dropsChanges ?? false }

  /// Runs `body`, which has begun what must not be left half done, so that nothing stops it.
  ///
  /// If its changes would be dropped, it may stop nevertheless.
  package static func finishing<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let current, !current.dropsChanges else { return try body() }
    return try reporting { () throws(Failure) in
      let result = $checkOfTask.withValue(nil) { Swift.Result<Result, Failure>(catching: body) }
      return try result.get()
    }
  }

  /// How many parts are running that nothing stops.
  private static let unstoppableParts = Atomic(0)

  /// Whether some thread runs a part that nothing stops, so that the prompt can say so.
  package static var isFinishing: Bool { unstoppableParts.load(ordering: .relaxed) > 0 }

  /// Runs `body`, which does not look for a stop, and lets others know of that.
  static func reporting<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let current, !current.dropsChanges else { return try body() }
    unstoppableParts.wrappingAdd(1, ordering: .relaxed)
    defer { unstoppableParts.wrappingSubtract(1, ordering: .relaxed) }
    return try body()
  }

  /// Returns whether the work that this check covers must stop.
  ///
  /// - Parameter steps: How many steps were done since the last call.
  package func isWanted(after steps: Int) -> Bool {
    if isStopped { return true }
    let left = pause.wrappingSubtract(steps, ordering: .relaxed).newValue
    guard left <= 0 else { return false }
    pause.store(Self.interval, ordering: .relaxed)
    return isWantedNow
  }

  /// Whether the work must stop, as the condition itself says.
  private var isWantedNow: Bool {
    if isStopped { return true }
    guard isAsked() else { return false }
    stop()
    return true
  }

  /// Stops the work, for a reason that the working thread has found by itself.
  package func stop() {
    if !stopped.exchange(true, ordering: .relaxed) { didStop?() }
  }

  /// Asks on behalf of one loop, which looks the check up once.
  ///
  /// A loop must not outlive the work that the check covers.
  package struct Loop {
    // The code that installed the check keeps it alive. Every instruction of a decision's loops
    // counts, so this is not a counted reference.
    private let check: Unmanaged<StopCheck>?
    private var left: Int

    /// A step less often than this is not worth a look at the check.
    private static let interval = 64

    /// Creates a loop that this thread's check can stop.
    package init() { self.init(StopCheck.current) }

    /// Creates a loop over some rows.
    ///
    /// A short one cannot be stopped, and does not even look the check up.
    @inline(__always)
    init(over count: Int) { self.init(StopCheck.isLong(count) ? StopCheck.current : nil) }

    /// Creates a loop that is to stop only if what it changes is dropped.
    @inline(__always)
    package init(droppingOver count: Int) {
      let check = StopCheck.isLong(count) ? StopCheck.current : nil
      self.init(check?.dropsChanges == true ? check : nil)
    }

    @inline(__always)
    private init(_ check: StopCheck?) {
      self.check = check.map(Unmanaged.passUnretained)
      // Without a check, the number never reaches zero.
      left = check == nil ? .max : Loop.interval
    }

    /// Returns whether the loop is to stop.
    ///
    /// - Parameter steps: How much was done since the last call.
    @inline(__always)
    package mutating func isWanted(after steps: Int = 1) -> Bool {
      left &-= steps
      return left <= 0 && isWantedNow()
    }

    @inline(never)
    private mutating func isWantedNow() -> Bool {
      let steps = Loop.interval &- left
      let isWanted = check?.takeUnretainedValue().isWanted(after: steps) ?? false
      // A loop around this one asks again at once.
      left = isWanted ? 0 : Loop.interval
      return isWanted
    }
  }
}

extension StopCheck {
  /// Whether so many rows take long enough for a person to notice.
  @inline(__always)
  package static func isLong(_ count: Int) -> Bool { count >= 1 << 10 }

  /// Whether a loop over rows asks at a place: at each 1,024th row, which costs no counter.
  @inline(__always)
  static func asks(at place: Int) -> Bool { place & 1023 == 1023 }

  /// Returns whether a loop over rows is to stop at a place.
  @inline(__always)
  static func isWanted(at place: Int) -> Bool { asks(at: place) && isWanted(after: 1 << 10) }

  /// Returns whether a loop over rows is to stop at a place, and what it changes is dropped.
  @inline(__always)
  static func dropsWork(at place: Int) -> Bool {
    asks(at: place) && dropsChanges && isWanted(after: 8 << 10)
  }

  /// Whether the work on so many rows was told to stop; work on few rows is never stopped.
  @inline(__always)
  static func isStopped(over count: Int) -> Bool { isLong(count) && isStopped }

  /// Sorts an array, in any order if the work is to stop.
  ///
  /// It is inlined, so that a short sort costs what it would without the question.
  @inline(__always)
  static func sort<Element>(
    _ elements: inout [Element], by precedes: (Element, Element) -> Bool
  ) {
    // Most turns have at most one of a kind, and the library's sort takes a while for none.
    guard elements.count > 1 else { return }
    guard isLong(elements.count), isInstalled else { return elements.sort(by: precedes) }
    var stop = Loop()
    var isStopped = false
    elements.sort { left, right in
      isStopped = isStopped || stop.isWanted()
      return !isStopped && precedes(left, right)
    }
  }

  /// Calls `body` with an array, or with its parts one after another if it is long, until the work
  /// is to stop.
  ///
  /// - Returns: What `body` returned, joined.
  @inline(__always)
  static func parts<Element, Result>(
    of elements: [Element], _ body: ([Element]) -> [Result]
  ) -> [Result] {
    isLong(elements.count) && isInstalled ? longParts(of: elements, body) : body(elements)
  }

  @inline(never)
  private static func longParts<Element, Result>(
    of elements: [Element], _ body: ([Element]) -> [Result]
  ) -> [Result] {
    let length = 1 << 12
    var results: [Result] = []
    results.reserveCapacity(elements.count)
    for start in stride(from: 0, to: elements.count, by: length) {
      if isWanted(after: length) { return results }
      results += body(Array(elements[start..<min(start + length, elements.count)]))
    }
    return results
  }
}

/// Frees a value on another thread if it is so large that freeing it would delay an answer.
///
/// - Parameters:
///   - value: What the caller no longer uses: the last reference, so that it is consumed.
///   - count: How many parts of it are freed one by one.
package func releaseInBackground<Value>(_ value: consuming Value, count: Int) {
  guard count >= 1 << 14 else { return }
  let holder = ReleasedValue(value)
  Thread.detachNewThread { holder.value = nil }
}

/// Passes a value to the thread that frees it.
///
/// This is safe to share, because the thread that made it no longer uses it.
private final class ReleasedValue<Value>: @unchecked Sendable {
  var value: Value?

  init(_ value: consuming Value) { self.value = value }
}

/// A value that several threads share, one at a time.
///
/// `Synchronization.Mutex` does the same, but the thread sanitizer on Linux does not know it. The
/// tests of every app would report false data races. The sanitizer does know the system's locks.
package final class Locked<Value>: @unchecked Sendable {
  // Accessed only while the lock is held.
  private var value: Value
  private let lock = NSLock()

  package init(_ value: sending Value) { self.value = value }

  /// Calls `body` with the value, while no other thread can access it.
  package func withLock<Result, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
