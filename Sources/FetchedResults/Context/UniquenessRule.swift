/// What a save does with objects that share values which must be unique.
///
/// A function of the saved rows, the changes and the merge policy. The order in
/// which objects were changed does not count: saved objects come before new ones,
/// and each group goes by number.
///
/// Of two objects with the same unique values:
///
/// - Under ``MergePolicy/error`` the save is refused.
/// - Where the store's side wins, the object keeps them that the store has under these values,
///   otherwise a saved one, otherwise the one with the lower number. A saved object that loses gets
///   back its saved values; a new one goes.
/// - Where the context's side wins, a new object goes, and the other one takes
///   over its values. Of two saved objects, the one that was given the values
///   keeps them, and the other is deleted. If both were given them, the one with
///   the lower number keeps them.
///
/// Each step restores an object or lets one go, so there are at most twice as many
/// steps as objects.
struct UniquenessRule {
  /// An object that a save would write.
  struct Change {
    let id: ObjectID
    /// The values in the store; nil for a new object.
    let saved: ObjectSnapshot?
    /// The values to write; nil for a deletion.
    let snapshot: ObjectSnapshot?
  }

  /// What to do about the objects before they are written.
  struct Outcome {
    /// What happens to one object.
    enum Fate {
      /// It takes over values of new objects, which go.
      case rewritten(ObjectSnapshot)
      /// It becomes what the store has, and is not written.
      case restored(ObjectSnapshot)
      /// It is deleted from the store.
      case deleted
      /// It is new and goes. The object that took over its values, if any, is
      /// then related to what it was related to.
      case dropped(into: ObjectID?)
    }

    /// The objects to which something happens, by number.
    var fates: [(id: ObjectID, fate: Fate)] = []
    /// Why the save is refused.
    var conflicts: [MergeConflictError.Conflict] = []
  }

  /// What the rule knows of one object.
  private struct State {
    let saved: ObjectSnapshot?
    var snapshot: ObjectSnapshot
    var standing = Standing.changed
    /// Whether the object is in the queue.
    var isQueued = false
  }

  private enum Standing {
    /// As the save would write or delete it.
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

  /// Works out what happens to objects that share unique values.
  ///
  /// - Parameters:
  ///   - changes: Everything that the save would write or delete.
  ///   - policy: The merge policy of the context.
  ///   - savedRows: Returns the objects that the store has under the values of a
  ///     key, also those that the save changes.
  /// - Throws: What `savedRows` throws.
  /// - Complexity: O(*k* log *k*) in the changes, beside what `savedRows` takes. It is
  ///   called once for each key that an object does not have in the store.
  static func outcome(
    of changes: [Change], policy: MergePolicy,
    savedRows: @escaping (UniqueKey) throws -> [(id: ObjectID, snapshot: ObjectSnapshot)]
  ) throws -> Outcome {
    var rule = UniquenessRule(policy: policy, savedRows: savedRows)
    try rule.run(changes.sorted { $0.id.precedes($1.id) })
    return rule.outcome
  }

  private init(
    policy: MergePolicy,
    savedRows: @escaping (UniqueKey) throws -> [(id: ObjectID, snapshot: ObjectSnapshot)]
  ) {
    self.policy = policy
    self.savedRows = savedRows
  }

  private mutating func run(_ changes: [Change]) throws {
    for change in changes {
      guard let snapshot = change.snapshot else {
        states[change.id] = State(
          saved: change.saved, snapshot: change.id.entity.defaults, standing: .absent)
        continue
      }
      states[change.id] = State(saved: change.saved, snapshot: snapshot)
      // An object that keeps its saved key comes before all that were given it.
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

  /// Lets one of two objects with the same unique values have them.
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
      // A store that was made without the constraint may have both.
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

  /// Gives an object the values of a new one, which goes.
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
        outcome.fates.append((id, .rewritten(snapshot)))
      case .restored: outcome.fates.append((id, .restored(state.snapshot)))
      case .deleted: outcome.fates.append((id, .deleted))
      case .dropped(let other): outcome.fates.append((id, .dropped(into: other.flatMap(lastTaker))))
      }
    }
    return outcome
  }

  /// The object that an object's values end up in: itself, or the one that took them over; nil if
  /// that one goes.
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
  /// The values with those of another object in their place, where both
  /// entities have the property.
  ///
  /// - Parameter keepsValuesForNil: Whether null and an empty list leave the
  ///   value that is there.
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

  /// The values with other members in the relationships, each once; nil leaves
  /// a member out.
  fileprivate func mappingMembers(
    of entity: EntityDescription, _ map: (ObjectID) -> ObjectID?
  ) -> ObjectSnapshot {
    var result = self
    for (ordinal, relationship) in entity.relationships.enumerated() {
      let index = entity.attributes.count + ordinal
      // What was never read leads to saved objects alone, and they stay.
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
