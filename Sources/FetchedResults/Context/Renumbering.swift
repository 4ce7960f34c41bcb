/// Gives new objects other numbers after another process saved objects with the same numbers.
struct Renumbering {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Gives every unsaved new object of a root entity another number, in the order of the old ones.
  ///
  /// Controllers keep their rows, as when a temporary identity becomes permanent. They fetch at the
  /// next turn, because rows with equal keys are in order of their numbers, and because the old
  /// numbers hid the other process's objects. Undo no longer reaches back before this.
  func renumberInserted(in root: EntityDescription) {
    let inserted = context.pending.filter {
      $0.isInserted && $0.entity.root === root
        && !context.persistentStoreCoordinator.permanentIDs.contains($0.objectID)
    }
    .sorted { $0.objectID.number < $1.objectID.number }
    var numbers: [Int64: Int64] = [:]
    for object in inserted {
      numbers[object.objectID.number] = context.persistentStoreCoordinator.store.reserveNumber(
        in: root)
    }
    let renumbered = inserted.compactMap { object in
      numbers[object.objectID.number].map {
        (old: object.objectID, new: ObjectID(entity: object.entity, number: $0))
      }
    }
    context.undoManager?.removeAllActions()
    renumber(numbers, in: root)
    context.didRenumber?(renumbered)
  }

  /// Gives other numbers to new objects that were deleted before they were saved, if another
  /// process has saved objects with their numbers.
  ///
  /// Such objects are kept until their deletion is reported, or while it can be undone. Until then
  /// they would be taken for the other process's objects. Undo no longer reaches back before this.
  func freeTakenNumbers() {
    guard context.drafts.isPossible, context.parent == nil,
      context.persistentStoreCoordinator.store.foreignSaves > 0
    else { return }
    var gone: [EntityDescription: Set<Int64>] = [:]
    for object in context.pending + context.unprocessed
    where object.isNewAndGone
      && context.registered(object.objectID.number, in: object.entity.root) === object
    {
      gone[object.entity.root, default: []].insert(object.objectID.number)
    }
    for (root, numbers) in gone.sorted(by: { $0.key.name < $1.key.name }) {
      let old = numbers.sorted()
      var taken: [Int64: Int64] = [:]
      for (number, row) in zip(old, context.source.rows(old, in: root)) where row != nil {
        taken[number] = context.persistentStoreCoordinator.store.reserveNumber(in: root)
      }
      guard !taken.isEmpty else { continue }
      context.undoManager?.removeAllActions()
      renumber(taken, in: root)
    }
  }

  /// Replaces old numbers by new ones, here and in child contexts.
  private func renumber(_ numbers: [Int64: Int64], in root: EntityDescription) {
    let table = context.table(of: root)
    let objects = numbers.keys.sorted().compactMap { table[$0] }
    for object in objects { table[object.objectID.number] = nil }
    for object in objects {
      guard let number = numbers[object.objectID.number] else { continue }
      object.objectID = ObjectID(entity: object.entity, number: number)
      table[number] = object
    }
    for object in context.pending { object.renumberReferences(numbers, in: root) }
    for index in context.batches.indices { context.batches[index].renumber() }
    for listener in context.listeners { listener.receiver?.contextDidRenumber(numbers, in: root) }
    context.followStore()
    for child in context.children.contexts {
      Renumbering(child).renumber(numbers, in: root)
    }
  }
}

extension ManagedObject {
  /// Updates references to renumbered objects.
  ///
  /// A reference from a saved object leads to the other process's object, and stays.
  fileprivate func renumberReferences(_ numbers: [Int64: Int64], in root: EntityDescription) {
    for index in entity.attributes.count..<snapshot.count {
      let known = committed?[index].references(in: root) ?? []
      switch snapshot[index] {
      case .object(let id):
        if let other = id.renumbered(numbers, in: root), !known.contains(id.number) {
          snapshot[index] = .object(other)
        }
      case .list(let members):
        let followed = members.map { member -> PropertyValue in
          guard case .object(let id) = member, !known.contains(id.number) else { return member }
          return id.renumbered(numbers, in: root).map(PropertyValue.object) ?? member
        }
        if followed != members { snapshot[index] = .list(followed) }
      case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: break
      }
    }
  }
}

extension ObjectID {
  fileprivate func renumbered(
    _ numbers: [Int64: Int64], in root: EntityDescription
  ) -> ObjectID? {
    guard entity.root === root, let number = numbers[number] else { return nil }
    return ObjectID(entity: entity, number: number)
  }
}

extension PropertyValue {
  /// The numbers of the objects of a root entity that a relationship leads to.
  fileprivate func references(in root: EntityDescription) -> Set<Int64> {
    switch self {
    case .object(let id): id.entity.root === root ? [id.number] : []
    case .list(let members): Set(members.flatMap { $0.references(in: root) })
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: []
    }
  }
}
