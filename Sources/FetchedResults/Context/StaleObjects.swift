/// Finds objects of a context for which the source has newer values.
struct StaleObjects {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Called before the source changes an object.
  ///
  /// What a controller shows must not change because of that. So an object that is only a row of
  /// results is read now, while its old values are available.
  ///
  /// - Parameter keepsValues: Whether later accesses to the object see the old values. Core Data's
  ///   row cache does not learn about a batch request.
  func willChange(_ id: ObjectID, from row: StoreRow, keepsValues: Bool = false) {
    let root = id.entity.root
    if let object = context.registered(id.number, in: root) {
      // Values that were not read yet would come from the new row.
      object.readRelationships()
    } else {
      guard context.isHeld(id.number, in: root) else {
        for child in context.children.contexts {
          StaleObjects(child).willChange(id, from: row, keepsValues: keepsValues)
        }
        return
      }
      let object = context.adopt(row, number: id.number)
      object.readRelationships()
      // The results keep these values, and accesses to the object read the new ones.
      object.isFault = !keepsValues
    }
    context.stale.insert(id)
  }

  /// Called before a batch request changes rows of the store.
  ///
  /// - Complexity: O(*k* log *n*) for *k* rows that the context or a controller holds.
  func willChange(_ ids: [ObjectID]) {
    var unread: [ObjectID] = []
    for id in ids {
      if let object = context.registered(id.number, in: id.entity.root) {
        if object.isFault { context.fire(object) }
        object.readRelationships()
        context.stale.insert(id)
      } else if !context.children.isEmpty || context.isHeld(id.number, in: id.entity.root) {
        unread.append(id)
      }
    }
    context.source.forEachRow(of: unread) { index, row in
      if let row { willChange(unread[index], from: row, keepsValues: true) }
    }
  }

  /// Finds which objects of the context others have saved since the context read them.
  ///
  /// - Complexity: O(*n*) in the numbers of objects that the context holds.
  func find(_ numbers: [Int64], in root: EntityDescription) {
    let table = context.table(of: root)
    let held = numbers.filter { table[$0]?.isPending == false }
    context.source.inBatches(held) { numbers in
      let rows: [StoreRow?]
      do throws(StoreError) {
        rows = try context.persistentStoreCoordinator.store.rows(Array(numbers), in: root)
      } catch {
        return context.persistentStoreCoordinator.note(error)
      }
      for (number, row) in zip(numbers, rows) {
        guard let row, let object = table[number], row.version != object.version else { continue }
        context.stale.insert(object.objectID)
      }
    }
  }

  /// Notifies child contexts that an object changes.
  func tellChildren(of object: ManagedObject) {
    guard !object.isDeleted else { return }
    let row = object.row
    for child in context.children.contexts {
      StaleObjects(child).willChange(object.objectID, from: row)
    }
  }
}
