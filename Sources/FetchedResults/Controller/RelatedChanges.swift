/// Finds the objects of a request that a batch changes through related objects.
///
/// No index of relationships is kept. From a changed object, it goes back along the relationships
/// of a key path: by their inverses, or by the store's index if a relationship has no inverse.
struct RelatedChanges {
  let context: ManagedObjectContext
  let request: FetchRequest
  let crossed: [CrossedObjects]

  /// The object because of which another one counts as changed.
  struct Cause: Hashable {
    let objectID: ObjectID
    /// The key path that leads to it.
    let keyPath: String
  }

  /// A batch with the objects that count as changed.
  struct Expansion {
    /// The batch, with a change for each object that counts as changed because of a related one.
    ///
    /// The values of an object that did not change itself are the same before and after.
    var batch: ContextChanges
    /// The related object that changed, by the number of the object that leads to it.
    var causes: [Int64: Cause] = [:]
    /// Whether all objects were found.
    ///
    /// If not, only a fetch can tell which ones count as changed.
    var isComplete = true

    /// Returns the batch as the controller sees it that has these results.
    func batch(of state: FetchedState) -> ContextChanges {
      batch.seen(
        byRowsOf: state.root, isRow: state.knownRows.contains,
        isRelated: { causes[$0] != nil })
    }
  }

  /// Returns a batch with a change for each object that counts as changed because of a related one.
  ///
  /// - Parameter later: The next batches; objects already have the values after them.
  /// - Complexity: O((*k* + *r*) log *n*) for *k* changes and *r* objects that lead to them.
  func expand(_ batch: ContextChanges, before later: [ContextChanges]) -> Expansion {
    if mutation(.relatedUnseen) { return Expansion(batch: batch) }
    var expansion = Expansion(batch: batch)
    var found: [Int64] = []
    var deleted: DeletedReferrers = [:]
    for change in changes(in: batch) {
      for objects in crossed where change.objectID.entity.isKindOf(entity: objects.entity) {
        let owner = change.objectID.entity
        guard objects.areChanged(change.before, change.after, of: owner) else { continue }
        guard let numbers = leadingTo(change, objects.steps, &deleted) else {
          expansion.isComplete = false
          continue
        }
        let cause = Cause(objectID: change.objectID, keyPath: objects.keyPath)
        for number in numbers where expansion.causes[number] == nil {
          expansion.causes[number] = cause
          found.append(number)
        }
      }
    }
    if !found.isEmpty { expansion.batch = add(found, to: batch, before: later) }
    return expansion
  }

  /// Adds changes of objects that did not change themselves.
  private func add(
    _ found: [Int64], to batch: ContextChanges, before later: [ContextChanges]
  ) -> ContextChanges {
    let root = request.entity.root
    let own = Set(
      batch.changes.lazy.filter { $0.objectID.entity.root === root }.map(\.objectID.number))
    var changes = batch.changes
    var objects = batch.objects
    let laterValues = Self.valuesBefore(later, of: root)
    for case let object? in context.objects(found.filter { !own.contains($0) }, in: root)
    where request.includes(object.entity) {
      guard let values = laterValues[object.objectID.number] ?? values(of: object) else {
        continue
      }
      changes.append(
        ObjectChange(
          objectID: object.objectID, before: values, after: values, causes: .related))
      objects.append(object)
    }
    return ContextChanges(
      changes: changes, objects: objects, changesOfDeleted: batch.changesOfDeleted,
      sequence: batch.sequence)
  }

  /// The values of an object when changes were last processed; nil if it did not exist.
  private func values(of object: ManagedObject) -> ObjectSnapshot? {
    if object.isUnprocessed { return object.baseline }
    return object.isDeleted ? nil : object.snapshot
  }

  /// The values of the objects before some batches that change them; nil for objects that did not
  /// exist then.
  private static func valuesBefore(
    _ batches: [ContextChanges], of root: EntityDescription
  ) -> [Int64: ObjectSnapshot?] {
    var values: [Int64: ObjectSnapshot?] = [:]
    for change in batches.flatMap(\.changes) where change.objectID.entity.root === root {
      let number = change.objectID.number
      if values[number] == nil { values[number] = .some(change.known) }
    }
    return values
  }

  // MARK: What changed

  /// A change of an object that key paths may lead to.
  private struct RelatedChange {
    let objectID: ObjectID
    /// The values before; nil if there were none, or if they are unknown.
    let before: ObjectSnapshot?
    /// The values after, as key paths read them; nil if they read nothing.
    let after: ObjectSnapshot?
    /// Whether the object was deleted already.
    let wasDeleted: Bool
  }

  private func changes(in batch: ContextChanges) -> [RelatedChange] {
    batch.changes.map { change in
      RelatedChange(
        objectID: change.objectID,
        before: change.isBeforeKnown && change.kind != .inserted ? change.known : nil,
        after: change.after, wasDeleted: false)
    }
      + batch.changesOfDeleted.map { change in
        let object = context.registered(change.objectID.number, in: change.objectID.entity.root)
        return RelatedChange(
          objectID: change.objectID, before: change.before,
          after: object.flatMap { $0.isMissing(as: change.objectID) ? nil : $0.snapshot },
          wasDeleted: change.before != nil)
      }
  }

  // MARK: Going back

  /// The objects marked for deletion from which a step leads to an object, by that object.
  private typealias DeletedReferrers = [CrossedObjects.Step: [ObjectID: [ObjectID]]]

  /// The numbers of the objects that lead to a changed one along some relationships; nil if only a
  /// fetch can tell.
  private func leadingTo(
    _ change: RelatedChange, _ steps: [CrossedObjects.Step], _ deleted: inout DeletedReferrers
  ) -> [Int64]? {
    var ids = [change.objectID]
    for (place, step) in steps.reversed().enumerated() {
      var seen: Set<ObjectID> = []
      var found: [ObjectID] = []
      for id in ids {
        guard place == 0 else {
          found += leadingTo(id, context.currentSnapshot(of: id), step)
          continue
        }
        guard let values = change.after ?? change.before else {
          // A batch request removes the object from such lists, without naming their owners.
          if step.entity.relationships[step.ordinal].isToMany { return nil }
          found += referrers(to: id, step)
          continue
        }
        // Objects that led to a deleted object may no longer do so.
        found += leadingTo(id, values, step).filter {
          !change.wasDeleted || leads($0, to: id, step)
        }
        if change.wasDeleted, mayGainReferences(change.objectID, step) {
          found += referrers(to: id, step)
        }
      }
      let earlier = steps.dropLast(place + 1)
      if let last = earlier.last, readsDeleted(last) {
        let referrers = deleted[step] ?? deletedReferrers(step)
        deleted[step] = referrers
        for id in ids { found += referrers[id] ?? [] }
      }
      ids = found.filter { seen.insert($0).inserted }
    }
    return ids.map(\.number)
  }

  /// Whether key paths read objects marked for deletion along a relationship, because no delete rule
  /// ends it.
  private func readsDeleted(_ step: CrossedObjects.Step) -> Bool {
    guard let link = try? step.entity.link(at: step.ordinal) else { return false }
    guard let inverse = link.inverse else { return true }
    return link.destination.relationships[inverse.ordinal].deleteRule.keepsReferences
  }

  /// The objects marked for deletion whose relationship leads to others, which their delete rules
  /// removed from the inverses.
  ///
  /// - Complexity: O(*p*) for *p* unsaved objects.
  private func deletedReferrers(_ step: CrossedObjects.Step) -> [ObjectID: [ObjectID]] {
    var referrers: [ObjectID: [ObjectID]] = [:]
    for object in context.pending
    where object.isDeleted && !object.isGone && object.entity.isKindOf(entity: step.entity) {
      for id in object.members(at: step.ordinal) {
        referrers[id, default: []].append(object.objectID)
      }
    }
    return referrers
  }

  /// Whether others may have come to lead to an object after its deletion, of which it does not
  /// know.
  private func mayGainReferences(_ id: ObjectID, _ step: CrossedObjects.Step) -> Bool {
    guard let inverse = try? step.entity.link(at: step.ordinal).inverse else { return false }
    return id.entity.relationships[inverse.ordinal].deleteRule == .noAction
  }

  /// The objects whose relationship leads to an object.
  private func leadingTo(
    _ id: ObjectID, _ values: ObjectSnapshot?, _ step: CrossedObjects.Step
  ) -> [ObjectID] {
    guard let link = try? step.entity.link(at: step.ordinal) else { return [] }
    guard let inverse = link.inverse else { return referrers(to: id, step) }
    let place = id.entity.attributes.count + inverse.ordinal
    var members = values?[place].members ?? []
    // Another context may have saved a reference to this object.
    if context.stale.contains(id) || context.persistentStoreCoordinator.store.foreignSaves > 0,
      let row = context.source.row(of: id)
    {
      members += row.snapshot[place].members
    }
    return members
  }

  /// The objects whose relationship leads to an object, by the store's index and not by an inverse.
  ///
  /// Objects that may differ from the store are included.
  private func referrers(to id: ObjectID, _ step: CrossedObjects.Step) -> [ObjectID] {
    var found: [ObjectID] = []
    do {
      found = try context.persistentStoreCoordinator.store.objectIDs(
        of: step.entity, leadingTo: [id], at: step.ordinal)
    } catch {
      context.persistentStoreCoordinator.note(error)
    }
    for context in Swift.sequence(first: context, next: \.parent) {
      // The store has no column for a transient relationship.
      let objects =
        step.entity.relationships[step.ordinal].isTransient
        ? Array(context.table(of: step.entity.root).stored) : context.pending
      for object in objects where object.entity.isKindOf(entity: step.entity) {
        found.append(object.objectID)
      }
    }
    return found.filter { context.stale.contains($0) || leads($0, to: id, step) }
  }

  /// Whether a relationship of an object leads to another one.
  private func leads(_ id: ObjectID, to other: ObjectID, _ step: CrossedObjects.Step) -> Bool {
    let place = id.entity.attributes.count + step.ordinal
    return context.currentSnapshot(of: id)?[place].members.contains(other) == true
  }
}

/// The values that decide the places of rows in a controller's results: the values before the batch
/// that is decided, and before any later batch.
final class PreBatchKeys: PlacementKeys {
  let collationKeys: CollationKeys
  private let state: FetchedState
  private let table: ObjectTable
  private let batches: [ContextChanges]
  private let standByKeys: Bool
  /// The keys by whose texts rows are compared as they are.
  private let plainKeys: [RowOrder.Key]
  private let mayBePinned: Bool
  /// Whether an object may not know that a batch names its number.
  private let mayBeForgotten: Bool
  private let standByOwnValues: Bool
  /// Whether a comparison met a row whose values in the results are unknown.
  @exclusivity(unchecked) private(set) var isIncomplete = false
  /// Keeps the optimizer from removing what ``touch(_:)`` reads.
  @exclusivity(unchecked) private var touched = 0
  /// The values before each batch.
  ///
  /// They are computed when the first row needs them, which is rare.
  private var overlays: [[Int64: ObjectSnapshot]] {
    if let knownOverlays { return knownOverlays }
    let overlays = batches.map { $0.valuesBefore(of: state.root) }
    knownOverlays = overlays
    return overlays
  }
  private var knownOverlays: [[Int64: ObjectSnapshot]]?

  /// - Parameters:
  ///   - batch: The batch to decide.
  ///   - later: The batches that the controller receives next; their objects already have newer
  ///     values.
  init(_ state: FetchedState, in batch: ContextChanges, before later: [ContextChanges]) {
    self.state = state
    collationKeys = state.collationKeys
    table = state.context.table(of: state.root)
    batches = [batch] + later
    standByKeys = state.order.needsKeys
    plainKeys = state.order.comparesPlainly ? state.order.keys : []
    mayBePinned = !state.pinned.isEmpty
    mayBeForgotten = state.context.hasForgottenInDelivery
    standByOwnValues = !standByKeys && !mayBePinned && !mayBeForgotten
  }

  deinit {
    guard let overlays = knownOverlays else { return }
    knownOverlays = nil
    let count = overlays.reduce(0) { $0 + $1.count }
    releaseInBackground(consume overlays, count: count)
  }

  /// - Complexity: O(1), and O(*k*) once.
  func values(ofRow number: Int64, before: ObjectSnapshot?) -> ObjectSnapshot? {
    if !standByKeys, !mayBePinned, let before { return before }
    return values(ofRow: number)
  }

  func values(ofRow number: Int64) -> ObjectSnapshot? {
    if standByKeys { return state.keptKeys(of: number) }
    if mayBePinned, let row = state.pinned[number] { return row.snapshot }
    if mayBeForgotten, let snapshot = overlaid(number) { return snapshot }
    let found = table.withObject(number) { object -> ObjectSnapshot? in
      if object.isInOpenBatch, let snapshot = overlaid(number) { return snapshot }
      return object.isUnprocessed ? object.baseline : object.snapshot
    }
    return found ?? state.comparedValues(of: number)
  }

  func ranks(
    of rows: [ComparedRow], in ranks: [Range<Int>], of results: ResultRows
  ) -> [Int] {
    let readsTexts = standByOwnValues && !plainKeys.isEmpty && rows.count >= Self.manyRows
    return results.partitionPoints(
      in: ranks, touch: touch, touchKeys: readsTexts ? touchTexts : nil
    ) { index, number in
      isPlaced(number, before: rows[index])
    }
  }

  /// How many rows are searched together before their texts are read ahead, too.
  ///
  /// The texts of fewer rows are in the processor's cache after some steps.
  private static var manyRows: Int { 256 }

  @inline(__always)
  func isPlaced(_ number: Int64, before row: ComparedRow) -> Bool {
    if let code = row.code, let known = isPlaced(number, before: code) { return known }
    if let known = standsByOwnValues(number, before: row.probe) { return known }
    return isPlaced(number, before: row.probe)
  }

  /// Reads a value that no decision depends on, so that the processor can start the next read
  /// without waiting.
  private func touch(_ number: Int64) {
    touched &+= table.withObject(number) { $0.snapshot.count } ?? 0
  }

  /// Reads the texts that a row is sorted by, after ``touch(_:)``.
  private func touchTexts(_ number: Int64) {
    let byte = table.withObject(number) { object in
      var byte: UInt8 = 0
      for key in 0..<plainKeys.count {
        byte &+= object.snapshot.firstByte(ofTextAt: plainKeys[key].attribute)
      }
      return byte
    }
    touched &+= Int(byte ?? 0)
  }

  /// Returns whether a row of the results comes before another one, or nil if the code does not
  /// decide it.
  ///
  /// - Complexity: O(1).
  private func isPlaced(_ number: Int64, before code: ProbeCode) -> Bool? {
    guard standByOwnValues else { return nil }
    let found = table.withObject(number) { object -> Bool? in
      guard object.standsByItsValues else { return nil }
      return code.isAfter { object.snapshot[$0] }
    }
    return found ?? nil
  }

  /// Returns whether a row of the results comes before another one, or nil if the row's own values
  /// do not decide it.
  ///
  /// - Complexity: O(1).
  private func standsByOwnValues(_ number: Int64, before probe: RowProbe) -> Bool? {
    guard standByOwnValues else { return nil }
    let found = table.withObject(number) { object -> Bool? in
      guard object.standsByItsValues else { return nil }
      if probe.comparesByKeys {
        return probe.isAfterByLetters(object.snapshot)
          ?? probe.isAfter(number) { object.snapshot[$0] }
      }
      return probe.isPlainlyAfter(object.snapshot, number)
    }
    return found ?? nil
  }

  /// Returns whether a row of the results comes before another one; true if it no longer has
  /// values.
  ///
  /// - Complexity: O(1), and O(*k*) once.
  private func isPlaced(_ number: Int64, before probe: RowProbe) -> Bool {
    guard let other = values(ofRow: number) else {
      if !standByKeys { isIncomplete = true }
      return true
    }
    return probe.isAfter(other, number)
  }

  private func overlaid(_ number: Int64) -> ObjectSnapshot? {
    overlays.lazy.compactMap { $0[number] }.first
  }
}
