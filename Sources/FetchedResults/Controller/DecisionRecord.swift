/// What a controller decided about one batch, and the evidence, for code that explains callbacks.
///
/// The evidence comes from the decision itself; see ``DecisionWitness``.
package struct DecisionRecord {
  package let batch: ContextChanges
  package let told: Told
  package let decision: ResultsDecision
  /// The objects that the decision refers to by index.
  private let objects: [ManagedObject]
  /// The changes of the batch that the delegate does not receive.
  package let silences: [SilentChange]
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
  /// The index in the batch of each changed object of the request's entity, by number.
  package let places: [Int64: Int]
  /// Whether the predicate matches them; empty if there is no predicate.
  package let matches: [Int64: Match]
  /// Whether the predicate uses the time or random numbers, so its earlier results are unknown.
  package let asksForTime: Bool
  /// Whether rows were in sections that are not their own, because the last fetch counted sections.
  package let hadForeignRows: Bool

  /// How a delegate receives the batch.
  package enum Told {
    /// By the callbacks that it implements.
    case callbacks(FetchedResultsDelegateMethods)
    case snapshot
    case difference
    /// Not at all: no change concerns the results.
    case nothing
    /// Not at all, for this reason.
    case kept(Silence)
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
    hadForeignRows = false
  }

  init(_ outcome: BatchOutcome, in state: FetchedState, told: Told) {
    batch = outcome.batch
    hadForeignRows = outcome.hadForeignRows
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
