/// The changes of published results, for a reader on any actor.
///
/// The first element replaces everything. Each later one has everything that was published since the
/// reader took the one before it. So a slow reader gets one difference of all publications that it
/// missed, and only the changed objects are kept for it.
///
/// ```swift
/// var sections: [FetchedResultsSnapshot.Section] = []
/// for await difference in books.changes {
///   try difference.apply(to: &sections)
/// }
/// ```
///
/// The sequence ends when the observer of results is released. Only one task at a time can read it.
public struct ComposedChanges: AsyncSequence, Sendable {
  /// The difference of one publication, or of several.
  public typealias Element = SectionedDifference

  let buffer: ChangeBuffer
  fileprivate let arrivals: AsyncStream<Void>

  /// Continues where the last iteration of the sequence ended.
  public func makeAsyncIterator() -> Iterator {
    Iterator(buffer: buffer, arrivals: arrivals.makeAsyncIterator())
  }

  /// Reads the changes.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let buffer: ChangeBuffer
    fileprivate var arrivals: AsyncStream<Void>.Iterator

    /// Returns what was published since the last call; nil if nothing was.
    package func takeNow() -> SectionedDifference? { buffer.take() }

    /// Returns what was published since the last call, once something was; nil at the end.
    public mutating func next() async -> SectionedDifference? {
      await next(isolation: nil)
    }

    /// Returns what was published since the last call, once something was; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> SectionedDifference? {
      while true {
        if let difference = buffer.take() { return difference }
        guard await arrivals.next(isolation: actor) != nil else { return buffer.take() }
      }
    }
  }

  /// What a reader has not taken yet, which the observer of results fills.
  final class ChangeBuffer: Sendable {
    private let log = Locked(DifferenceLog())
    private let didArrive: @Sendable () -> Void
    private let didEnd: @Sendable () -> Void

    fileprivate init(
      didArrive: @escaping @Sendable () -> Void, didEnd: @escaping @Sendable () -> Void
    ) {
      self.didArrive = didArrive
      self.didEnd = didEnd
    }

    /// Adds a difference.
    ///
    /// - Parameter replacement: All sections; called if the difference does not follow those that
    ///   wait.
    func add(_ difference: SectionedDifference, orElse replacement: () -> SectionedDifference) {
      log.withLock { log in
        log.append(difference)
        if log.isBroken { log.append(replacement()) }
      }
      didArrive()
    }

    func end() { didEnd() }

    /// Removes and returns everything as one difference; nil if nothing has changed.
    fileprivate func take() -> SectionedDifference? {
      log.withLock { log in
        if log.isEmpty { return nil }
        let difference = log.composed()
        log = DifferenceLog()
        return difference?.isEmpty == false ? difference : nil
      }
    }
  }
}

extension ComposedChanges {
  /// Creates a sequence that begins with some sections.
  init(beginningWith sections: [FetchedResultsSnapshot.Section]) {
    let (arrivals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.arrivals = arrivals
    buffer = ChangeBuffer(didArrive: { signal.yield() }, didEnd: { signal.finish() })
    let first = SectionedDifference(replacingBy: sections)
    buffer.add(first) { first }
  }
}
