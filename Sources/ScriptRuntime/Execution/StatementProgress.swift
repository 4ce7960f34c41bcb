import Synchronization

/// How far the running top-level statement is: how many objects or repetitions are done, and of
/// how many.
///
/// Any thread may ask.
package final class StatementProgress: Sendable {
  private let doneCount = Atomic(0)
  private let totalCount = Atomic(0)

  init() {}

  /// How many are done.
  package var done: Int { doneCount.load(ordering: .relaxed) }

  /// How many there are; nil if unknown.
  package var total: Int? {
    let total = totalCount.load(ordering: .relaxed)
    return total > 0 ? total : nil
  }

  /// Begins a statement.
  func begin() {
    doneCount.store(0, ordering: .relaxed)
    totalCount.store(0, ordering: .relaxed)
  }

  /// Notes how many there are; the first who knows decides, for loops may be nested.
  func expect(_ count: Int) {
    guard total == nil else { return }
    // The steps that led here do not count.
    doneCount.store(0, ordering: .relaxed)
    totalCount.store(count, ordering: .relaxed)
  }

  /// Notes that one is done.
  func count() { doneCount.wrappingAdd(1, ordering: .relaxed) }
}
