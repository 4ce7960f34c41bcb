import Foundation

/// Work of a context that its task or a `Progress` can stop.
extension ManagedObjectContext {
  /// Whether the task that runs now, or the ``progress``, is cancelled.
  var isCancelled: Bool {
    progress?.isCancelled == true || withUnsafeCurrentTask { $0?.isCancelled } == true
  }

  /// What stops long work; nil if neither a task nor a ``progress`` can.
  ///
  /// - Parameter counts: Whether written rows count as done units of the ``progress``.
  func stopCheck(counts: Bool) -> StopCheck? {
    let progress = progress
    guard progress != nil || withUnsafeCurrentTask(body: { $0 != nil }) else { return nil }
    var didAdvance: (@Sendable (Int) -> Void)?
    if counts, let progress {
      didAdvance = { progress.completedUnitCount += Int64($0) }
    }
    return StopCheck(
      within: { progress?.isCancelled == true || Task.isCancelled }, didAdvance: didAdvance)
  }
}
