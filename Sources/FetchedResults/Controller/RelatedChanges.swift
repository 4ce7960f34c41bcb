/// Finds the objects of a request that a batch changes through the objects that they are
/// related to.
///
/// Nothing is kept of relationships: an object that changed is led back along the relationships
/// of a key path, by their inverses, or by the store's index where one has no inverse.
struct RelatedChanges {
  let context: ManagedObjectContext
  let request: FetchRequest
  let crossed: [CrossedObjects]

  /// An object whose change counts as that of another one.
  struct Cause: Hashable {
    let objectID: ObjectID
    /// The key path that leads to it.
    let keyPath: String
  }

  /// Returns a batch with a change of each object that a related one changes, and by which
  /// one it does, by the object's number.
  ///
  /// An object that changed itself is in the batch already. The values of the others are the
  /// same before and after.
  ///
  /// - Parameter later: The batches that come next; objects already have newer values.
  /// - Complexity: O(*k* + *r* log *n*) for *k* changes and *r* objects that are led back to.
  func expand(
    _ batch: ContextChanges, before later: [ContextChanges]
  ) -> (batch: ContextChanges, causes: [Int64: Cause]) {
    let root = request.entity.root
    var causes: [Int64: Cause] = [:]
    var found: [Int64] = []
    for change in batch.changes {
      for objects in crossed where change.objectID.entity.isKind(of: objects.entity) {
        guard
          objects.areChanged(change.isBeforeKnown ? change.before : nil, change.after)
        else { continue }
        let cause = Cause(objectID: change.objectID, keyPath: objects.keyPath)
        for number in leadingTo(change, objects.steps) where causes[number] == nil {
          causes[number] = cause
          found.append(number)
        }
      }
    }
    guard !found.isEmpty, !mutation(.relatedUnseen) else { return (batch, [:]) }
    let own = Set(
      batch.changes.lazy.filter { $0.objectID.entity.root === root }.map(\.objectID.number))
    let numbers = found.filter { !own.contains($0) }
    var changes = batch.changes
    var objects = batch.objects
    let laterValues = Self.valuesBefore(later, of: root)
    for case let object? in context.objects(numbers, in: root)
    where request.includes(object.entity) {
      guard let values = laterValues[object.objectID.number] ?? values(of: object) else {
        continue
      }
      changes.append(
        ObjectChange(
          objectID: object.objectID, before: values, after: values, causes: .related))
      objects.append(object)
    }
    return (
      ContextChanges(changes: changes, objects: objects, sequence: batch.sequence), causes
    )
  }

  /// The values of an object when changes were last processed; nil where it did not exist.
  private func values(of object: ManagedObject) -> Snapshot? {
    if object.isUnprocessed { return object.baseline }
    return object.isDeleted ? nil : object.snapshot
  }

  /// The values before some batches of the objects that they change; nil of those that did not
  /// exist then.
  private static func valuesBefore(
    _ batches: [ContextChanges], of root: EntityDescription
  ) -> [Int64: Snapshot?] {
    var values: [Int64: Snapshot?] = [:]
    for change in batches.flatMap(\.changes) where change.objectID.entity.root === root {
      let number = change.objectID.number
      if values[number] == nil { values[number] = .some(change.before) }
    }
    return values
  }

  // MARK: Leading back

  /// The numbers of the objects that lead to a changed one along some relationships.
  private func leadingTo(
    _ change: ObjectChange, _ steps: [CrossedObjects.Step]
  ) -> [Int64] {
    var ids = [change.objectID]
    for (place, step) in steps.reversed().enumerated() {
      var seen: Set<ObjectID> = []
      ids = ids.flatMap { id in
        let values =
          place == 0 ? change.after ?? change.before : context.currentSnapshot(of: id)
        return leadingTo(id, values, step)
      }.filter { seen.insert($0).inserted }
    }
    return ids.map(\.number)
  }

  /// The objects of which a relationship leads to an object.
  private func leadingTo(
    _ id: ObjectID, _ values: Snapshot?, _ step: CrossedObjects.Step
  ) -> [ObjectID] {
    guard let link = try? step.entity.link(at: step.ordinal) else { return [] }
    guard let inverse = link.inverse else { return referrers(to: id, step) }
    let place = id.entity.attributes.count + inverse.ordinal
    var members = values?[place].members ?? []
    // Another context may have saved what leads here.
    if context.stale.contains(id) || context.coordinator.store.foreignSaves > 0,
      let row = context.source.row(of: id)
    {
      members += row.snapshot[place].members
    }
    return members
  }

  /// The objects of which a relationship without an inverse leads to an object: those that the
  /// store knows, and those that may be others here than in the store.
  private func referrers(to id: ObjectID, _ step: CrossedObjects.Step) -> [ObjectID] {
    var found: [ObjectID] = []
    do {
      found = try context.coordinator.store.objectIDs(
        of: step.entity, leadingTo: [id], at: step.ordinal)
    } catch {
      context.coordinator.note(error)
    }
    for context in Swift.sequence(first: context, next: \.parent) {
      // The store knows nothing of a transient relationship.
      let objects =
        step.entity.relationships[step.ordinal].isTransient
        ? Array(context.table(of: step.entity.root).stored) : context.pending
      for object in objects where object.entity.isKind(of: step.entity) {
        found.append(object.objectID)
      }
    }
    return found.filter { referrer in
      let place = referrer.entity.attributes.count + step.ordinal
      return context.stale.contains(referrer)
        || context.currentSnapshot(of: referrer)?[place].members.contains(id) == true
    }
  }
}
