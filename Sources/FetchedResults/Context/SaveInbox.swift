/// What other contexts saved, until a context merges it.
///
/// Any thread may add saves.
package final class SaveInbox: Sendable {
  private let waiting = Locked(UnmergedSaves())
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
    waiting.withLock { $0.add(save) }
    didArrive()
  }

  package var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

  /// Removes and returns the oldest changes.
  ///
  /// - Parameters:
  ///   - count: About how many objects to return. At least one save is returned.
  ///   - limit: The most objects to keep from now on.
  package func take(objects count: Int, keepingAtMost limit: Int) -> UnmergedSaves.Part {
    waiting.withLock { waiting in
      waiting.limit = limit
      return waiting.take(objects: count)
    }
  }

  /// Forgets all changes.
  package func empty() {
    waiting.withLock { waiting in
      let limit = waiting.limit
      waiting = UnmergedSaves()
      waiting.limit = limit
    }
  }
}
