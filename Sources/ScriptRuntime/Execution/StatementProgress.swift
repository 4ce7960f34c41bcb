import Synchronization

/// The progress of the running top-level statement: the number of finished objects or repetitions,
/// and of all.
///
/// Any thread may read it.
package final class StatementProgress: Sendable {
  private let doneCount = Atomic(0)
  private let totalCount = Atomic(0)

  init() {}

  /// The number that is finished.
  package var done: Int { doneCount.load(ordering: .relaxed) }

  /// The number of all; nil if unknown.
  package var total: Int? {
    let total = totalCount.load(ordering: .relaxed)
    return total > 0 ? total : nil
  }

  /// Starts a statement.
  func begin() {
    doneCount.store(0, ordering: .relaxed)
    totalCount.store(0, ordering: .relaxed)
  }

  /// Sets the number of all.
  ///
  /// The first call decides, because loops may be nested.
  func expect(_ count: Int) {
    guard total == nil else { return }
    // The steps before this call do not count.
    doneCount.store(0, ordering: .relaxed)
    totalCount.store(count, ordering: .relaxed)
  }

  /// Counts one as finished.
  func count() { doneCount.wrappingAdd(1, ordering: .relaxed) }
}
