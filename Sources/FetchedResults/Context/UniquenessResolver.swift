/// What a save does with objects that share values which must be unique.
///
/// The result depends only on the saved rows, the changes and the merge policy, and not on the
/// order in which objects changed. Saved objects come before new ones, and each group is ordered by
/// number.
///
/// Of two objects with the same unique values:
///
/// - Under ``MergePolicy/error`` the save is refused.
/// - Under policies where the store wins, the object that has these values in the store keeps them,
///   otherwise a saved object, otherwise the one with the lower number. A saved object that loses
///   gets back its saved values. A new one is deleted.
/// - Under policies where the context wins, a new object is deleted, and the other one takes over
///   its values. Of two saved objects, the one that was given the values keeps them, and the other
///   is deleted. If both were given them, the one with the lower number keeps them.
///
/// Each step restores or removes an object, so there are at most twice as many steps as objects.
struct UniquenessRule {
  /// An object that a save would write.
  struct Change {
    let id: ObjectID
    /// The values in the store; nil for a new object.
    let saved: ObjectSnapshot?
    /// The values to write; nil for a deletion.
    let snapshot: ObjectSnapshot?
  }

  /// What to do with the objects before they are written.
  struct Outcome {
    /// What happens to one object.
    enum Resolution {
      /// It takes over values of new objects, which are deleted.
      case rewritten(ObjectSnapshot)
      /// It gets the store's values, and is not written.
      case restored(ObjectSnapshot)
      /// It is deleted from the store.
      case deleted
      /// It is new and is removed. The object that took over its values, if any, also takes over
      /// its relationships.
      case dropped(into: ObjectID?)
    }

    /// The objects that something happens to, by number.
    var resolutions: [(id: ObjectID, resolution: Resolution)] = []
    /// Why the save is refused.
    var conflicts: [MergeConflictError.Conflict] = []
  }

  /// What the rule knows about one object.
  private struct State {
    let saved: ObjectSnapshot?
    var snapshot: ObjectSnapshot
    var standing = Standing.changed
    /// Whether the object is in the queue.
    var isQueued = false
  }

  private enum Standing {
    /// The state that the save would write, or a deletion.
    case changed, absent
    /// A row of the store that the save does not change.
    case unchanged
    case rewritten, restored, deleted
    case dropped(into: ObjectID?)

    var isThere: Bool {
      switch self {
      case .changed, .unchanged, .rewritten, .restored: true
      case .absent, .deleted, .dropped: false
      }
    }
  }

  private let policy: MergePolicy
  private let savedRows: (UniqueKey) throws -> [(id: ObjectID, snapshot: ObjectSnapshot)]
  private var states: [ObjectID: State] = [:]
  private var holders: [UniqueKey: ObjectID] = [:]
  private var conflicts: [MergeConflictError.Conflict] = []
  /// Objects whose keys have to be claimed.
  private var queue: [ObjectID] = []

  /// Decides what happens to objects that share unique values.
  ///
  /// - Parameters:
  ///   - changes: Everything that the save would write or delete.
  ///   - policy: The merge policy of the context.
  ///   - savedRows: Returns the objects that have the values of a key in the store, including
  ///     objects that the save changes.
  static func outcome(
    of changes: [Change], policy: MergePolicy,
    savedRows: @escaping (UniqueKey) throws -> [(id: ObjectID, snapshot: ObjectSnapshot)]
  ) throws -> Outcome {
    var rule = UniquenessRule(policy: policy, savedRows: savedRows)
    try rule.run(changes.sorted { $0.id.precedes($1.id) })
    return rule.outcome
  }

  private mutating func run(_ changes: [Change]) throws {
    for change in changes {
      guard let snapshot = change.snapshot else {
        states[change.id] = State(
          saved: change.saved, snapshot: change.id.entity.defaults, standing: .absent)
        continue
      }
      states[change.id] = State(saved: change.saved, snapshot: snapshot)
      // An object that keeps its saved key goes before all objects that were given the key.
      guard let saved = change.saved else { continue }
      for key in UniqueKey.keys(of: snapshot, in: change.id.entity)
      where key.isHeld(by: saved, of: change.id.entity) && holders[key] == nil {
        holders[key] = change.id
      }
    }
    queue = changes.filter { $0.snapshot != nil && $0.saved != nil }.map(\.id)
    queue += changes.filter { $0.snapshot != nil && $0.saved == nil }.map(\.id)
    var next = 0
    while next < queue.count {
      let id = queue[next]
      next += 1
      states[id]?.isQueued = false
      try claimKeys(of: id)
    }
  }

  private mutating func claimKeys(of id: ObjectID) throws {
    guard let state = states[id], state.standing.isThere else { return }
    for key in UniqueKey.keys(of: state.snapshot, in: id.entity) {
      guard let holder = try holder(of: key, besides: id) else {
        holders[key] = id
        continue
      }
      resolve(id, holder, over: key)
      guard let now = states[id], now.standing.isThere, now.snapshot == state.snapshot else {
        return
      }
    }
  }

  /// The other object that has the values of a key now.
  private mutating func holder(of key: UniqueKey, besides id: ObjectID) throws -> ObjectID? {
    if let holder = holders[key] {
      if holder == id { return nil }
      if let state = states[holder], state.standing.isThere,
        key.isHeld(by: state.snapshot, of: holder.entity)
      {
        return holder
      }
    } else if let saved = states[id]?.saved, key.isHeld(by: saved, of: id.entity) {
      return nil
    }
    for row in try savedRows(key) where row.id != id {
      guard let state = states[row.id] else {
        states[row.id] = State(saved: row.snapshot, snapshot: row.snapshot, standing: .unchanged)
        return row.id
      }
      if state.standing.isThere, key.isHeld(by: state.snapshot, of: row.id.entity) { return row.id }
    }
    return nil
  }

  /// Lets one of two objects with the same unique values keep them.
  private mutating func resolve(_ id: ObjectID, _ holder: ObjectID, over key: UniqueKey) {
    guard policy != .error else {
      conflicts.append(key.conflict(of: id, with: holder))
      return
    }
    let winner = precedence(id, holder, over: key) ? id : holder
    let loser = winner == id ? holder : id
    holders[key] = winner
    guard let winning = states[winner], let losing = states[loser] else { return }
    switch (policy.isObjectTrump, losing.saved) {
    case (true, nil): take(losing, of: loser, into: winner, winning)
    case (true, _?):
      // In a store that was made without the constraint, both may have the values.
      if !isSaved(key, loser) || !isSaved(key, winner) { states[loser]?.standing = .deleted }
    case (false, nil): states[loser]?.standing = .dropped(into: nil)
    case (false, let saved?):
      guard !isSaved(key, loser) else { return }
      states[loser]?.snapshot = saved
      states[loser]?.standing = .restored
      enqueue(loser)
    }
  }

  /// Whether the first of two objects keeps the values of a key.
  private func precedence(_ id: ObjectID, _ holder: ObjectID, over key: UniqueKey) -> Bool {
    let isNew = (states[id]?.saved == nil, states[holder]?.saved == nil)
    if isNew.0 != isNew.1 { return isNew.1 }
    let isSaved = (isSaved(key, id), isSaved(key, holder))
    if isSaved.0 != isSaved.1 { return isSaved.0 != policy.isObjectTrump }
    return id.number < holder.number
  }

  /// Whether the store has an object under the values of a key.
  private func isSaved(_ key: UniqueKey, _ id: ObjectID) -> Bool {
    states[id]?.saved.map { key.isHeld(by: $0, of: id.entity) } ?? false
  }

  /// Gives an object the values of a new one, which is removed.
  private mutating func take(
    _ losing: State, of loser: ObjectID, into winner: ObjectID, _ winning: State
  ) {
    states[loser]?.standing = .dropped(into: winner)
    states[winner]?.snapshot = winning.snapshot.taking(
      losing.snapshot, of: loser.entity, into: winner.entity,
      keepsValuesForNil: policy == .mergeByPropertyObjectTrump)
    states[winner]?.standing = .rewritten
    enqueue(winner)
  }

  private mutating func enqueue(_ id: ObjectID) {
    guard states[id]?.isQueued == false else { return }
    states[id]?.isQueued = true
    queue.append(id)
  }

  private var outcome: Outcome {
    var outcome = Outcome(conflicts: conflicts)
    for (id, state) in states.sorted(by: { $0.key.precedes($1.key) }) {
      switch state.standing {
      case .changed, .absent, .unchanged: continue
      case .rewritten:
        let snapshot = state.snapshot.mappingMembers(of: id.entity) { lastTaker($0) }
        outcome.resolutions.append((id, .rewritten(snapshot)))
      case .restored: outcome.resolutions.append((id, .restored(state.snapshot)))
      case .deleted: outcome.resolutions.append((id, .deleted))
      case .dropped(let other):
        outcome.resolutions.append((id, .dropped(into: other.flatMap(lastTaker))))
      }
    }
    return outcome
  }

  /// The object that finally has an object's values: itself, or the one that took them over; nil if
  /// that one is removed.
  private func lastTaker(_ id: ObjectID) -> ObjectID? {
    var taker = id
    while let standing = states[taker]?.standing {
      switch standing {
      case .dropped(nil), .deleted: return nil
      case .dropped(let next?): taker = next
      case .changed, .absent, .unchanged, .rewritten, .restored: return taker
      }
    }
    return taker
  }
}

extension ObjectID {
  /// By root entity, then by number.
  fileprivate func precedes(_ other: ObjectID) -> Bool {
    let (root, otherRoot) = (entity.root, other.entity.root)
    return root === otherRoot ? number < other.number : root.name < otherRoot.name
  }
}

extension ObjectSnapshot {
  /// Returns the values of another object in place of these, for properties that both entities
  /// have.
  ///
  /// - Parameter keepsValuesForNil: Whether null and an empty list keep the present value.
  fileprivate func taking(
    _ other: ObjectSnapshot, of entity: EntityDescription, into own: EntityDescription,
    keepsValuesForNil: Bool
  ) -> ObjectSnapshot {
    var common = own
    while !entity.isKindOf(entity: common), let parent = common.superentity { common = parent }
    let shared =
      common.attributes.indices.map { ($0, $0) }
      + common.relationships.indices.map {
        (entity.attributes.count + $0, own.attributes.count + $0)
      }
    var result = self
    for (theirs, mine) in shared {
      let value = other[theirs]
      if keepsValuesForNil, value.isNull || value == .list([]) { continue }
      result[mine] = value
    }
    return result
  }

  /// Returns the values with members of relationships replaced, each once.
  ///
  /// Nil removes a member.
  fileprivate func mappingMembers(
    of entity: EntityDescription, _ map: (ObjectID) -> ObjectID?
  ) -> ObjectSnapshot {
    var result = self
    for (ordinal, relationship) in entity.relationships.enumerated() {
      let index = entity.attributes.count + ordinal
      // Relationships that were never read lead to saved objects only, which stay.
      if isUnread(index) { continue }
      switch self[index] {
      case .object(let id): result[index] = map(id).map(PropertyValue.object) ?? .null
      case .list(let values):
        var seen: Set<ObjectID> = []
        let members = values.compactMap(\.objectID).compactMap(map).filter {
          seen.insert($0).inserted
        }
        result[index] = .list(
          (relationship.isOrdered ? members : members.sorted { $0.number < $1.number })
            .map(PropertyValue.object))
      case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data:
        continue
      }
    }
    return result
  }
}

extension UniqueKey {
  /// The conflict of two objects that both have these values.
  fileprivate func conflict(
    of object: ObjectID, with other: ObjectID
  ) -> MergeConflictError.Conflict {
    MergeConflictError.Conflict(
      objectID: object, kind: .notUnique(other, attributes: attributes),
      differences: zip(attributes, values).map {
        MergeConflictError.Difference(attribute: $0, objectValue: $1, storeValue: $1)
      })
  }
}

/// Enforces uniqueness constraints when a save reaches the store.
struct UniquenessResolver {
  let context: ManagedObjectContext
  /// Whether no one else can save until this save has ended.
  private let isAlone: Bool

  /// Objects share unique values, and another process could still change one of the rows.
  ///
  /// A decision may delete a row that the user never changed. If that row got other values before
  /// the save is written, it would be deleted without a conflict.
  struct MustSaveAlone: Error {
    /// Whether the save has resolved other conflicts before.
    var hasResolved = false
  }

  init(_ context: ManagedObjectContext, isAlone: Bool) {
    self.context = context
    self.isAlone = isAlone
  }

  /// Applies ``UniquenessRule`` to objects that share unique values.
  ///
  /// Relationships follow: objects related to a dropped object become related to the object that
  /// took over its values.
  ///
  /// The context keeps the state before, for a save that fails.
  ///
  /// - Returns: Whether anything changed.
  /// - Throws: ``MergeConflictError`` under ``MergePolicy/error``, ``MustSaveAlone`` under other
  ///   policies if others can save, or what the store throws.
  func resolve() throws -> Bool {
    guard context.parent == nil else { return false }
    let changes = context.pending.compactMap(\.uniquenessChange)
    guard !changes.isEmpty else { return false }
    var rows: [ObjectID: StoreRow] = [:]
    let outcome = try UniquenessRule.outcome(of: changes, policy: context.mergePolicy) { key in
      let found = try savedRows(under: key)
      for (id, row) in found { rows[id] = row }
      return found.map { ($0.id, $0.row.snapshot) }
    }
    guard outcome.conflicts.isEmpty else { throw MergeConflictError(conflicts: outcome.conflicts) }
    guard !outcome.resolutions.isEmpty else { return false }
    // Objects that this save changes may share values that others change in the store.
    guard isAlone else { throw MustSaveAlone() }
    context.keepStateBeforeDecision()
    perform(outcome, over: rows)
    context.propagateDeletions()
    context.reconciler.finish(.withSource, cascades: false)
    return true
  }

  /// The rows in the store with the values of a key, without objects that this save changes.
  private func savedRows(under key: UniqueKey) throws -> [(id: ObjectID, row: StoreRow)] {
    let numbers = try numbers(under: key)
    guard !numbers.isEmpty else { return [] }
    if isAlone { return try rows(numbers, in: key.entity.root) }
    guard context.mergePolicy == .error else { throw MustSaveAlone() }
    // The rows may have got other values since their numbers were read, and would be no conflict.
    return try context.persistentStoreCoordinator.store.readingOneState {
      try rows(self.numbers(under: key), in: key.entity.root)
    }
  }

  private func numbers(under key: UniqueKey) throws(StoreError) -> [Int64] {
    let root = key.entity.root
    return try context.persistentStoreCoordinator.store.rows(
      of: key.entity, having: key.values, at: key.places
    )
    .filter { context.registered($0, in: root)?.isPending != true }
  }

  private func rows(
    _ numbers: [Int64], in root: EntityDescription
  ) throws(StoreError) -> [(id: ObjectID, row: StoreRow)] {
    zip(numbers, try context.persistentStoreCoordinator.store.rows(numbers, in: root))
      .compactMap { number, row in
        row.map { (ObjectID(entity: $0.entity, number: number), $0) }
      }
  }

  private func perform(_ outcome: UniquenessRule.Outcome, over rows: [ObjectID: StoreRow]) {
    var found: [(object: ManagedObject, resolution: UniquenessRule.Outcome.Resolution)] = []
    for (id, resolution) in outcome.resolutions {
      guard let object = context.findObject(with: id) else { continue }
      // The save must overwrite the row that the store has now.
      if let row = rows[id], row.version != object.version || context.stale.contains(id) {
        context.replacing.refresh(object, to: row, mergeChanges: true, by: .resolved)
      }
      found.append((object, resolution))
    }
    for (object, resolution) in found {
      if case .dropped(let taker?) = resolution { relate(object, to: taker) }
    }
    for (object, resolution) in found {
      switch resolution {
      case .rewritten(let snapshot): context.replacing.edit(object) { $0.snapshot = snapshot }
      case .restored(let snapshot):
        context.replacing.replace(
          object,
          with: StoreRow(entity: object.entity, snapshot: snapshot, version: object.version))
      case .deleted:
        context.willReplace(object, by: .resolved)
        context.delete(object)
        context.undoRecorder.didReplace(object)
      case .dropped: context.replacing.vanish(object, by: .resolved)
      }
    }
  }

  /// Makes references to an object lead to the one that took over its values, if it is allowed
  /// there.
  ///
  /// It may be of another sub-entity.
  private func relate(_ object: ManagedObject, to taker: ObjectID) {
    for ordinal in object.entity.relationships.indices {
      guard let inverse = try? object.entity.link(at: ordinal).inverse else { continue }
      for id in object.members(at: ordinal) {
        guard let other = context.findObject(with: id),
          let back = try? other.entity.link(at: inverse.ordinal),
          back.inverse?.ordinal == ordinal, taker.entity.isKindOf(entity: back.destination)
        else { continue }
        context.replacing.edit(other) { other in
          other.dropMember(object.objectID, from: inverse.ordinal)
          other.join(taker, at: inverse.ordinal)
        }
      }
    }
  }
}

extension ManagedObject {
  /// The object's part in a save, as an input of the uniqueness rule; nil if it has none.
  fileprivate var uniquenessChange: UniquenessRule.Change? {
    guard hasChanges, !entity.uniquenessConstraints.isEmpty else { return nil }
    return UniquenessRule.Change(
      id: objectID, saved: committed, snapshot: isDeleted ? nil : snapshot)
  }
}
