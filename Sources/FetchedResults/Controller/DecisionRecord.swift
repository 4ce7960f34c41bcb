/// What a controller made of one batch, and by what: for those who ask why.
///
/// The evidence is that of the decision itself; see ``DecisionWitness``.
package struct DecisionRecord {
  package let batch: ContextChanges
  package let told: Told
  package let decision: ResultsDecision
  /// The objects that the decision's places count.
  private let objects: [ManagedObject]
  /// The changes of the batch that the delegate is not told.
  package let silences: [SilentChange]
  /// Where the keys are among the values by which rows are placed.
  package let keys: Keys
  /// The request of the last performFetch; nil if the batch was not looked at.
  package let request: FetchRequest?
  /// The part of all matching rows that a kept limit shows; nil if none is kept.
  package let keptWindow: LimitWindow?
  /// The related objects by which objects count as changed, by number.
  private let related: [Int64: RelatedChanges.Cause]
  /// Whether related objects are tracked.
  package let tracksRelated: Bool
  /// The places in the batch of the changes of objects that the request is about,
  /// by number.
  package let places: [Int64: Int]
  /// What the predicate makes of them; empty if there is none.
  package let matches: [Int64: Match]
  /// Whether the predicate asks for the time or for chance, so that what it made
  /// of values before is gone.
  package let asksForTime: Bool

  /// How a delegate learns about the batch.
  package enum Told {
    /// By the classic callbacks that it implements.
    case callbacks(FetchedResultsDelegateMethods)
    case snapshot
    case difference
    /// Not at all: no change concerns the results.
    case nothing
    /// Not at all, whatever the changes are.
    case kept(Silence)
  }

  /// The keys of a controller, with their places among the values by which rows
  /// are placed.
  package struct Keys {
    package var sort: [(keyPath: String, place: Int)] = []
    package var section: (keyPath: String, place: Int)?
  }

  /// What the predicate makes of an object's values before a batch and after it.
  package struct Match: Hashable, Sendable {
    /// Nil if there are no values, where the context had not read them, and where the predicate
    /// looks at other objects or the clock, which were others then.
    package let before: Bool?
    /// Nil if there are no values.
    package let after: Bool?
  }

  /// A batch that a controller does not look at.
  init(_ batch: ContextChanges, kept silence: Silence) {
    self.batch = batch
    told = .kept(silence)
    decision = ResultsDecision()
    objects = []
    silences = batch.changes.indices.map { SilentChange(place: $0, silence: silence) }
    keys = Keys()
    request = nil
    keptWindow = nil
    related = [:]
    tracksRelated = false
    places = [:]
    matches = [:]
    asksForTime = false
  }

  init(_ outcome: BatchOutcome, in state: FetchedState, told: Told) {
    batch = outcome.batch
    self.told = told
    decision = outcome.decision
    objects = outcome.objects
    silences = outcome.silences ?? []
    request = state.request
    keptWindow = state.keptLimit?.window
    related = outcome.related
    tracksRelated = !state.crossed.isEmpty
    let changes = outcome.batch.changes
    let concerned = changes.indices.filter { state.request.includes(changes[$0].objectID.entity) }
    let places = Dictionary(
      concerned.map { (changes[$0].objectID.number, $0) }, uniquingKeysWith: { first, _ in first })
    self.places = places
    let rows = Set(outcome.decision.evidence?.rowsAfter ?? [])
    let asksForTime =
      state.request.predicate.map { ModelVersion.asksForTime($0.predicateFormat) } ?? false
    self.asksForTime = asksForTime
    matches =
      state.predicate.map { predicate in
        let isLasting = !asksForTime && !predicate.crossesRelationships
        return places.mapValues { place in
          Match(
            changes[place], predicate, isLasting: isLasting,
            isRow: rows.contains(changes[place].objectID.number))
        }
      } ?? [:]
    keys = Keys(
      sort: zip(state.request.sortDescriptors, state.order.keys).map { ($0.key, $1.attribute) },
      section: state.sectionNames.map { ($0.keyPath, $0.index) })
  }
}

extension DecisionRecord {
  /// Whether an object that was no row matched before the batch already.
  package func matchedBefore(_ number: Int64) -> Bool {
    guard let change = change(of: number), change.before != nil else { return false }
    return request?.predicate == nil || matches[number]?.before == true
  }

  /// Returns the change of an object that the request is about; nil if it did not change.
  package func change(of number: Int64) -> ObjectChange? {
    places[number].map { batch.changes[$0] }
  }

  /// The related object by which an object counts as changed, and the key path that leads to it;
  /// nil if none does.
  package func related(to number: Int64) -> (objectID: ObjectID, keyPath: String)? {
    related[number].map { ($0.objectID, $0.keyPath) }
  }

  /// How many objects count as changed by a related one.
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
  ///   - isLasting: Whether the predicate says the same of the same values at any
  ///     time.
  ///   - isRow: Whether the decision found that the object matches.
  fileprivate init(
    _ change: ObjectChange, _ predicate: CompiledPredicate, isLasting: Bool, isRow: Bool
  ) {
    before =
      isLasting && change.isBeforeKnown
      ? change.before.flatMap { try? predicate.matches($0, of: change.objectID) } : nil
    after = change.after.map { _ in isRow }
  }
}
