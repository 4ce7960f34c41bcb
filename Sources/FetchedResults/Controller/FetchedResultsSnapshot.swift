/// A controller's results at one moment: section names and object identities.
public struct FetchedResultsSnapshot: Hashable, Sendable, Codable {
  /// A section and its objects.
  public struct Section: Hashable, Sendable, Codable {
    /// The section's name.
    public let identifier: String
    /// The objects' identities, in order.
    public internal(set) var itemIdentifiers: [ObjectID]

    /// Creates a section, for example for a preview or a test of a list.
    public init(identifier: String, itemIdentifiers: [ObjectID]) {
      self.identifier = identifier
      self.itemIdentifiers = itemIdentifiers
    }
  }

  /// The sections, in order.
  public let sections: [Section]
  /// The objects that changed or moved since the previous snapshot, in the order of their old
  /// places.
  public let reloadedItemIdentifiers: [ObjectID]
  /// The objects that were not saved yet, in order; see ``ManagedObject/hasTemporaryID``.
  public let temporaryItemIdentifiers: [ObjectID]

  /// The names of the sections, in order.
  public var sectionIdentifiers: [String] { sections.map(\.identifier) }

  /// The identities of all objects, in order.
  public var itemIdentifiers: [ObjectID] { sections.flatMap(\.itemIdentifiers) }

  /// The number of objects.
  public var numberOfItems: Int { sections.reduce(0) { $0 + $1.itemIdentifiers.count } }
}

extension FetchedState {
  /// Copies the results.
  ///
  /// - Complexity: O(*n*).
  func snapshot(reloaded: [Int64]) -> FetchedResultsSnapshot {
    let sections = sections()
    let temporary = sections.lazy.flatMap(\.itemIdentifiers).filter {
      self.context.hasTemporaryID($0.number, in: self.root)
    }
    return FetchedResultsSnapshot(
      sections: sections, reloadedItemIdentifiers: reloaded.map(objectID),
      temporaryItemIdentifiers: Array(temporary))
  }

  /// Copies the sections and the identities of their objects.
  ///
  /// - Complexity: O(*n*).
  func sections() -> [FetchedResultsSnapshot.Section] {
    let exact = exactIDs
    var rest = FetchedObjects(state: self, section: nil).numbers[...]
    return (0..<results.sectionCount).map { index in
      let count = results.rowCount(ofSection: index)
      defer { rest = rest.dropFirst(count) }
      return FetchedResultsSnapshot.Section(
        identifier: results.name(ofSection: index),
        itemIdentifiers: rest.prefix(count).map { exact[$0] ?? objectID($0) })
    }
  }

  /// The identities of saved objects, in case a store has to be asked for their entities.
  private var exactIDs: [Int64: ObjectID] {
    let store = context.persistentStoreCoordinator.store
    guard entity.hasSubentities, store.readsInBatches, context.parent == nil,
      let ids = try? store.objectIDs(of: entity)
    else { return [:] }
    return Dictionary(ids.map { ($0.number, $0) }) { first, _ in first }
  }

  /// Returns the identity of a row's object.
  func objectID(_ number: Int64) -> ObjectID {
    if let object = context.registered(number, in: root) { return object.objectID }
    if entity.hasSubentities, let id = context.source.values(of: number, in: entity)?.objectID {
      return id
    }
    return ObjectID(entity: entity, number: number)
  }
}

extension ResultsDecision {
  /// Converts the decision to a difference of the objects before and after.
  ///
  /// - Complexity: O(*k* log *k*).
  func difference(in state: FetchedState) -> CollectionDifference<ObjectID> {
    typealias Change = CollectionDifference<ObjectID>.Change
    var changes: [Change] = []
    for change in deletes {
      guard let old = change.indexPath else { continue }
      changes.append(
        .remove(offset: old.row, element: state.objectID(change.number), associatedWith: nil))
    }
    for change in inserts {
      guard let new = change.newIndexPath else { continue }
      changes.append(
        .insert(offset: new.row, element: state.objectID(change.number), associatedWith: nil))
    }
    for change in movesAndUpdates {
      guard let old = change.indexPath, let new = change.newIndexPath else { continue }
      let id = state.objectID(change.number)
      changes.append(.remove(offset: old.row, element: id, associatedWith: new.row))
      changes.append(.insert(offset: new.row, element: id, associatedWith: old.row))
    }
    guard let difference = CollectionDifference(changes) else {
      programmingError("a decision names each place once")
    }
    return difference
  }
}

/// An observation of a controller's changes as values; see
/// ``FetchedResultsController/observe(_:)``.
public final class FetchedResultsObservation {
  /// Whether the observation has ended; another thread may end it.
  package let end: EndOfObservation
  private let handler: (SectionedDifference) -> Void
  private let didEnd: (() -> Void)?
  /// The number of the last change that the observer knows; see ``UndeliveredChange``.
  fileprivate var lastChange = 0

  init(
    _ handler: @escaping (SectionedDifference) -> Void, end: EndOfObservation,
    didEnd: (() -> Void)?
  ) {
    self.handler = handler
    self.end = end
    self.didEnd = didEnd
  }

  deinit { didEnd?() }

  /// Ends the observation.
  public func cancel() { end.note() }

  /// Tells of a change, unless the observation has ended.
  fileprivate func tell(_ difference: SectionedDifference) {
    if !end.isReached { handler(difference) }
  }
}

/// What a part of the engine does that follows a controller's results itself.
///
/// It shows the present results with the changes that it knows, so it is called at once.
struct ResultsFollower {
  /// Called after a batch has changed the results.
  let didChange: (SectionedDifference, BatchOutcome) -> Void
  /// Called if the results were replaced, dropped, or got other numbers.
  let wereReplaced: () -> Void
}

/// A change of a controller's results that the observers have not received.
struct UndeliveredChange {
  enum Kind {
    case difference(SectionedDifference, FetchedState)
    /// The results were replaced, dropped, or got other numbers.
    case replacement
  }

  /// The number of the change, counted from 1.
  let number: Int
  let kind: Kind
}

extension FetchedResultsController {
  /// Calls `handler` for each batch that changes the results, until the observation is cancelled or
  /// the controller is released.
  ///
  /// Observers are called in the order in which they were added, after the delegate, but before its
  /// `didChangeContent`. A controller with an observer tracks changes, even without a delegate. The
  /// handler is called at once with the present results, and then after each fetch and each batch.
  /// It runs where the context is used, and may read the controller, change objects and fetch. All
  /// observers receive what that changes after the present change, in the same order.
  ///
  /// - Complexity: O(*k*) for a batch of *k* changes; O(*n*) for a fetch of *n* objects.
  @discardableResult
  public func observe(
    _ handler: @escaping (SectionedDifference) -> Void
  ) -> FetchedResultsObservation {
    observe(handler, end: EndOfObservation(), didEnd: nil)
  }

  /// - Parameter didEnd: Called when the controller releases the observation.
  package func observe(
    _ handler: @escaping (SectionedDifference) -> Void, end: EndOfObservation,
    didEnd: (() -> Void)?
  ) -> FetchedResultsObservation {
    fetchMissedBatches()
    let observation = FetchedResultsObservation(handler, end: end, didEnd: didEnd)
    observation.lastChange = changeCount
    observers.append(observation)
    if let state {
      tellObservers { observation.tell(SectionedDifference(replacingBy: state.sections())) }
    }
    return observation
  }

  /// Fetches again if objects changed while the controller had no follower.
  private func fetchMissedBatches() {
    guard let missed = state, missed.hasMissedBatch, missed.trackingError == nil,
      deliveryStyle == nil, !isObserved
    else { return }
    // Both requests get new numbers.
    Renumbering(managedObjectContext).renumberBeforeReading()
    let request = fetchRequest
    fetchRequest = missed.request
    defer { fetchRequest = request }
    do {
      try replaceResults()
    } catch {
      missed.trackingError = error
      state = missed
    }
  }

  /// Whether the controller has observers.
  var isObserved: Bool {
    if observers.isEmpty { return follower != nil }
    observers.removeAll { $0.end.isReached }
    return !observers.isEmpty || follower != nil
  }

  /// Lets the observers receive the whole results, in place of earlier changes.
  func noteReplacement() {
    guard isObserved else { return }
    follower?.wereReplaced()
    if observers.isEmpty { return }
    changeCount += 1
    undelivered = [UndeliveredChange(number: changeCount, kind: .replacement)]
  }

  /// Sends the whole results to the observers.
  func tellObserversAll() {
    noteReplacement()
    tellObservers()
  }

  /// Tells the observers what has changed, also while `body` ran, one change after another.
  ///
  /// Inside a callback of the delegate or of an observer, the outer call does so.
  func tellObservers(after body: () -> Void = {}) {
    let isNested = isTelling
    isTelling = true
    body()
    if isNested { return }
    while !undelivered.isEmpty { tellObservers(undelivered.removeFirst()) }
    isTelling = false
  }

  /// Tells the observers that do not know a change yet.
  private func tellObservers(_ change: UndeliveredChange) {
    var made: (count: Int, replacement: SectionedDifference)?
    for observer in observers where observer.lastChange < change.number {
      switch change.kind {
      case .difference(let difference, let state):
        // The observer receives other results next.
        guard self.state === state else { return }
        observer.lastChange = change.number
        observer.tell(difference)
      case .replacement:
        // The whole results contain what an observer before has changed.
        observer.lastChange = changeCount
        if made?.count != changeCount {
          made = (changeCount, SectionedDifference(replacingBy: state?.sections() ?? []))
        }
        if let made { observer.tell(made.replacement) }
      }
    }
  }
}
