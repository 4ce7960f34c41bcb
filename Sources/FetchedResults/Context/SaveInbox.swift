/// Saves of other contexts that wait to be merged.
///
/// Any thread may add them.
package final class SaveInbox: Sendable {
  private let waiting = Locked<[ContextSave]>([])
  private let didArrive: @Sendable () -> Void
  private let didEnd: @Sendable () -> Void

  /// - Parameters:
  ///   - didArrive: Called for each save, on the thread that saved.
  ///   - didEnd: Called when the context is gone.
  package init(
    didArrive: @escaping @Sendable () -> Void, didEnd: @escaping @Sendable () -> Void
  ) {
    self.didArrive = didArrive
    self.didEnd = didEnd
  }

  deinit { didEnd() }

  package func put(_ save: ContextSave) {
    waiting.withLock { $0.append(save) }
    didArrive()
  }

  package var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

  /// Removes and returns the oldest saves.
  ///
  /// - Parameter count: About how many objects they may contain. At least one save is returned.
  package func take(objects count: Int) -> [ContextSave] {
    waiting.withLock { waiting in
      var objects = 0
      let end = waiting.firstIndex { save in
        defer { objects += save.objectCount }
        return objects > 0 && objects + save.objectCount > count
      }
      guard let end else {
        // The whole array goes, so that its memory never belongs to two threads in turn: the
        // thread sanitizer knows locks, but no counts of references.
        let taken = waiting
        waiting = []
        return taken
      }
      let taken = Array(waiting[..<end])
      waiting.removeFirst(end)
      return taken
    }
  }
}

extension ContextSave {
  var objectCount: Int {
    insertedObjectIDs.count + updatedObjectIDs.count + deletedObjectIDs.count
  }
}
