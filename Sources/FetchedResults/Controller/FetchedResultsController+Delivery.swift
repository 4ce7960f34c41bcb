/// How a controller delivers a batch to its delegate.
enum DeliveryStyle {
  /// By the classic callbacks that the delegate implements.
  case callbacks(any FetchedResultsControllerDelegate, FetchedResultsDelegateMethods)
  case snapshot(any FetchedResultsControllerDelegate)
  case difference(any FetchedResultsControllerDelegate)
}

extension FetchedResultsController {
  /// How the delegate receives changes; nil if there is no delegate that does.
  ///
  /// The snapshot method excludes every other. So does the difference method, if there is no
  /// section key path.
  var deliveryStyle: DeliveryStyle? {
    guard let delegate else { return nil }
    let methods = delegateMethods
    if methods.contains(.snapshot) { return .snapshot(delegate) }
    if methods.contains(.difference), sectionNameKeyPath == nil { return .difference(delegate) }
    let isTracking = !methods.isDisjoint(with: [.changes, .difference])
    return isTracking ? .callbacks(delegate, methods) : nil
  }

  /// Sends the results of a fetch to a delegate that takes snapshots.
  ///
  /// If the delegate has a method that cannot be called, the console gets a line.
  func announceFetch() {
    tellObservers { announceFetchToDelegate() }
  }

  private func announceFetchToDelegate() {
    guard let delegate, let state else { return }
    let methods = delegate.resolvedMethods
    if methods.contains(.snapshot) {
      deliverSnapshot(of: state, reloaded: [], to: delegate)
    } else if methods.contains(.difference), sectionNameKeyPath != nil {
      warnOfDifference()
    }
  }

  /// Says on the console that the delegate receives no differences, because there are sections.
  func warnOfDifference() {
    hasWarnedOfDifference = true
    managedObjectContext.console?(
      "CoreData: warning: (NSFetchedResultsController) "
        + "controller:didChangeContentWithDifference: is not called, since the controller has a "
        + "section name key path")
  }
}

extension FetchedResultsController {
  /// Sends the present results to a delegate as a snapshot.
  func deliverSnapshot(
    of state: FetchedState, reloaded: [Int64], to delegate: any FetchedResultsControllerDelegate
  ) {
    let snapshot = state.snapshot(reloaded: reloaded)
    state.toldTemporary = Set(snapshot.temporaryItemIdentifiers.map(\.number))
    calling(.snapshot) { delegate.controller(self, didChangeContentWith: snapshot) }
  }

  /// Sends another snapshot after a save made temporary identities permanent.
  ///
  /// The identities in a snapshot are values, so those of the last snapshot no longer lead to
  /// objects.
  func announcePermanentIDs() {
    guard let delegate, let state, state.trackingError == nil, !state.toldTemporary.isEmpty,
      case .snapshot? = deliveryStyle
    else { return }
    let isSaved = state.toldTemporary.contains { number in
      guard state.results.contains(number),
        let object = managedObjectContext.registered(number, in: state.root)
      else { return false }
      return !object.isDeleted && !object.hasTemporaryID
    }
    if isSaved { deliverSnapshot(of: state, reloaded: [], to: delegate) }
  }

  func deliver(
    _ outcome: BatchOutcome, to delegate: any FetchedResultsControllerDelegate,
    _ methods: FetchedResultsDelegateMethods, _ state: FetchedState
  ) {
    let decision = outcome.decision
    let receiver = delegateChanges
    func deliver(_ changes: [ResultsDecision.RowChange]) {
      self.deliver(changes, of: outcome.objects, to: delegate, receiver, state)
    }
    let sections = methods.contains(.didChangeSection)
    if methods.contains(.didChangeObject) { deliver(decision.deletes) }
    if sections {
      for change in decision.sectionDeletes where delegateChanges == receiver {
        let info = FetchedResultsSectionInfo(deleted: change.name, controller: self)
        calling(.didChangeSection) {
          delegate.controller(self, didChange: info, atSectionIndex: change.index, for: .delete)
        }
      }
      for change in decision.sectionInserts where delegateChanges == receiver {
        let info = FetchedResultsSectionInfo(
          section: state.results.section(named: change.key), name: change.name,
          controller: self)
        calling(.didChangeSection) {
          delegate.controller(self, didChange: info, atSectionIndex: change.index, for: .insert)
        }
      }
    }
    guard methods.contains(.didChangeObject) else { return }
    if mutation(.movesBeforeInserts) { deliver(decision.movesAndUpdates) }
    deliver(decision.inserts)
    if mutation(.movesBeforeInserts) { return }
    deliver(decision.movesAndUpdates)
  }

  /// Delivers changes of rows, until the controller has another delegate.
  ///
  /// Counting references to an object, the controller and the delegate for each of a million rows
  /// would take longer than the calls. A local function or a closure that has them, as ``calling(_:_:)``
  /// takes one, would do that where code is optimised for size.
  private func deliver(
    _ changes: [ResultsDecision.RowChange], of objects: [ManagedObject],
    to delegate: any FetchedResultsControllerDelegate, _ receiver: Int, _ state: FetchedState
  ) {
    for (place, change) in changes.enumerated() {
      if StopCheck.dropsWork(at: place) || delegateChanges != receiver { return }
      guard let place = change.place else {
        deliver(change, of: state.object(change.number), to: delegate)
        continue
      }
      Unmanaged.passUnretained(objects[place])._withUnsafeGuaranteedRef {
        deliver(change, of: $0, to: delegate)
      }
    }
  }

  private func deliver(
    _ change: ResultsDecision.RowChange, of object: ManagedObject,
    to delegate: any FetchedResultsControllerDelegate
  ) {
    let outer = calledMethod
    calledMethod = .didChangeObject
    delegate.controller(
      self, didChange: object, at: change.indexPath, for: change.kind.type,
      newIndexPath: change.newIndexPath)
    calledMethod = outer
  }
}

extension ResultsDecision.RowChange.Kind {
  package var type: FetchedResultsChangeType {
    switch self {
    case .insert: .insert
    case .delete: .delete
    case .move: .move
    case .update: .update
    }
  }
}

/// What a batch does to one controller, and the batch's objects.
struct BatchOutcome {
  let batch: ContextChanges
  var decision = ResultsDecision()
  /// The objects that the decision refers to by index.
  var objects: [ManagedObject]
  /// The changes of the batch that do not concern the results; nil if no reasons are kept.
  var unreported: [UnreportedChange]?
  /// The changed objects that match after the batch, if a limit is kept and reasons are: some of
  /// them may not be rows.
  var matching: Set<Int64>?
  /// How all matching rows change, if a limit is kept and a search decided the batch.
  var matchingEdits: ResultsDecision.Edits?
  /// For objects that count as changed because of a related object: that object, by number.
  var related: [Int64: RelatedChanges.Cause] = [:]
  /// The fetch that decided the batch; nil if a search did.
  var refetched: RefetchedRows?
  /// Whether rows were in sections that are not their own, because the last fetch counted sections.
  var hadForeignRows = false
  /// The line that Core Data would print on the console; nil if it would print none.
  var consoleLine: String?
}

/// What a batch does to one controller, decided before the batch is delivered.
///
/// It is a class, because a controller looks in each turn whether it has one.
final class EarlyDecision {
  let outcome: BatchOutcome
  /// The results that it is about.
  let state: FetchedState

  init(_ outcome: BatchOutcome, in state: FetchedState) {
    self.outcome = outcome
    self.state = state
  }
}

/// Receives every batch of a context, before the controllers that are created after it.
///
/// It observes a context without holding rows.
package final class BatchObserver: ContextChangeReceiver {
  private let onChanges: (ContextChanges) -> Void

  /// Begins to observe; the context holds the observer weakly.
  package init(_ context: ManagedObjectContext, onChanges: @escaping (ContextChanges) -> Void) {
    self.onChanges = onChanges
    context.addReceiver(self)
  }

  package func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges]) {
    onChanges(batch)
  }

  package func contextDidReset() {}

  package func holds(_ number: Int64, in root: EntityDescription) -> Bool { false }

  package func awaitsMerges(of entity: EntityDescription) -> Bool { true }

  package func heldNumbers() -> (entity: EntityDescription, numbers: [Int64])? { nil }
}

/// What a controller decided about one batch, and the evidence, for code that explains callbacks.
///
/// The evidence comes from the decision itself; see ``EvidenceFinder``.
package struct DecisionRecord {
  package let batch: ContextChanges
  package let delivery: Delivery
  package let decision: ResultsDecision
  /// The objects that the decision refers to by index.
  private let objects: [ManagedObject]
  /// The changes of the batch that the delegate does not receive.
  package let unreported: [UnreportedChange]
  /// The keys, and their places among the values that decide a row's place.
  package let keys: Keys
  /// The request of the last `performFetch`; nil if the batch was ignored.
  package let request: FetchRequest?
  /// The part of all matching rows that a kept limit shows; nil if none is kept.
  package let keptWindow: LimitWindow?
  /// The related objects because of which objects count as changed, by number.
  private let related: [Int64: RelatedChanges.Cause]
  /// Whether related objects are tracked.
  package let tracksRelated: Bool
  /// Finds changed objects by their numbers.
  private let lookup: Lookup
  /// Whether the predicate uses the time or random numbers, so its earlier results are unknown.
  package let asksForTime: Bool
  /// Whether rows were in sections that are not their own, because the last fetch counted sections.
  package let hadForeignRows: Bool

  /// How a delegate receives the batch.
  package enum Delivery {
    /// By the callbacks that it implements.
    case callbacks(FetchedResultsDelegateMethods)
    case snapshot
    case difference
    /// Not at all: no change concerns the results.
    case nothing
    /// Not at all, for this reason.
    case kept(UnreportedReason)
  }

  /// The keys of a controller, with their places among the values that decide a row's place.
  package struct Keys {
    package var sort: [(keyPath: String, place: Int)] = []
    package var section: (keyPath: String, place: Int)?
  }

  /// Whether the predicate matches an object before and after a batch.
  package struct Match: Hashable, Sendable {
    /// Nil if there are no values or the context had not read them.
    ///
    /// Also nil if the predicate reads other objects or the clock, which have changed since.
    package let before: Bool?
    /// Nil if there are no values.
    package let after: Bool?
  }

  /// Creates a record of a batch that a controller ignores.
  init(_ batch: ContextChanges, kept reason: UnreportedReason) {
    self.batch = batch
    delivery = .kept(reason)
    decision = ResultsDecision()
    objects = []
    unreported = batch.changes.indices.map { UnreportedChange(place: $0, reason: reason) }
    keys = Keys()
    request = nil
    keptWindow = nil
    related = [:]
    tracksRelated = false
    lookup = Lookup { (places: [:], matches: [:]) }
    asksForTime = false
    hadForeignRows = false
  }

  init(_ outcome: BatchOutcome, in state: FetchedState, delivery: Delivery) {
    batch = outcome.batch
    hadForeignRows = outcome.hadForeignRows
    self.delivery = delivery
    decision = outcome.decision
    objects = outcome.objects
    unreported = outcome.unreported ?? []
    request = state.request
    keptWindow = state.keptLimit?.window
    related = outcome.related
    tracksRelated = !state.crossed.isEmpty
    let asksForTime =
      state.request.predicate.map { ModelVersion.asksForTime($0.predicateFormat) } ?? false
    self.asksForTime = asksForTime
    let (changes, evidence) = (outcome.batch.changes, outcome.decision.evidence)
    let (request, predicate, matching) = (state.request, state.predicate, outcome.matching)
    lookup = Lookup {
      Lookup.find(
        changes, of: request, predicate: predicate,
        matching: matching ?? Set(evidence?.rowsAfter ?? []), asksForTime: asksForTime)
    }
    keys = Keys(
      sort: zip(state.request.sortDescriptors, state.order.keys).map { ($0.key, $1.attribute) },
      section: state.sectionNames.map { ($0.keyPath, $0.index) })
  }
}

extension DecisionRecord {
  /// The changed objects of a batch by their numbers, which are found when they are needed.
  ///
  /// Few turns are explained. With a million changes, this takes longer than telling them.
  fileprivate final class Lookup {
    typealias Found = (places: [Int64: Int], matches: [Int64: Match])

    private let find: () -> Found
    private var known: Found?

    init(_ find: @escaping () -> Found) { self.find = find }

    var found: Found {
      if let known { return known }
      let found = find()
      // A search that was stopped has not found everything.
      if !StopCheck.isStopped { known = found }
      return found
    }

    static func find(
      _ changes: [ObjectChange], of request: FetchRequest, predicate: CompiledPredicate?,
      matching: Set<Int64>, asksForTime: Bool
    ) -> Found {
      var places: [Int64: Int] = [:]
      places.reserveCapacity(changes.count)
      var stop = StopCheck.Loop(over: changes.count)
      for place in changes.indices where request.includes(changes[place].objectID.entity) {
        if stop.isWanted(after: 4) { break }
        let number = changes[place].objectID.number
        if places[number] == nil { places[number] = place }
      }
      guard let predicate else { return (places, [:]) }
      let isLasting = !asksForTime && !predicate.crossesRelationships
      var matches: [Int64: Match] = [:]
      for (number, place) in places {
        if stop.isWanted(after: 8) { break }
        matches[number] = Match(
          changes[place], predicate, isLasting: isLasting, matches: matching.contains(number))
      }
      return (places, matches)
    }
  }

  /// The index in the batch of each changed object of the request's entity, by number.
  package var places: [Int64: Int] { lookup.found.places }

  /// Whether the predicate matches them; empty if there is no predicate.
  package var matches: [Int64: Match] { lookup.found.matches }

  /// Whether an object that was not a row already matched before the batch.
  package func matchedBefore(_ number: Int64) -> Bool {
    guard let change = change(of: number), change.before != nil else { return false }
    return request?.predicate == nil || matches[number]?.before == true
  }

  /// Returns the change of an object of the request's entity; nil if it did not change.
  package func change(of number: Int64) -> ObjectChange? {
    places[number].map { batch.changes[$0] }
  }

  /// The related object because of which an object counts as changed, and the key path that leads
  /// to it; nil if there is none.
  package func related(to number: Int64) -> (objectID: ObjectID, keyPath: String)? {
    related[number].map { ($0.objectID, $0.keyPath) }
  }

  /// How many objects count as changed because of a related one.
  package func relatedCount(of id: ObjectID) -> Int {
    related.values.count { $0.objectID == id }
  }

  /// Returns the object of a row's change; nil if the row only changed its place.
  package func object(of change: ResultsDecision.RowChange) -> ManagedObject? {
    change.place.map { objects[$0] }
  }
}

extension DecisionRecord.Match {
  /// - Parameters:
  ///   - isLasting: Whether the predicate gives the same result for the same values at any time.
  ///   - matches: Whether the decision found that the object matches.
  fileprivate init(
    _ change: ObjectChange, _ predicate: CompiledPredicate, isLasting: Bool, matches: Bool
  ) {
    before =
      isLasting && change.isBeforeKnown
      ? change.before.flatMap { try? predicate.matches($0, of: change.objectID) } : nil
    after = change.after.map { _ in matches }
  }
}
