/// What a context reads from: its parent, or the store.
extension ManagedObjectContext {
  /// Returns what the source has of an object now.
  ///
  /// Nil also where it cannot be read; the coordinator knows that then.
  package func sourceRow(_ number: Int64, in root: EntityDescription) -> StoreRow? {
    if let parent { return parent.currentRow(number, in: root) }
    do {
      return try coordinator.store.row(number, in: root)
    } catch {
      coordinator.note(error)
      return nil
    }
  }

  /// Returns what the source has of objects now, read together.
  ///
  /// Nil also for those that cannot be read, as of one; the others are read all
  /// the same.
  func sourceRows(_ numbers: [Int64], in root: EntityDescription) -> [StoreRow?] {
    if let parent { return parent.currentRows(numbers, in: root) }
    do {
      return try coordinator.store.rows(numbers, in: root)
    } catch {
      coordinator.note(error)
      guard numbers.count > 1 else { return [nil] }
      return numbers.map { number in try? coordinator.store.row(number, in: root) }
    }
  }

  /// Returns what the source has of objects now, or nil where one of them
  /// cannot be read; nobody is told of that.
  package func readableSourceRows(_ numbers: [Int64], in root: EntityDescription) -> [StoreRow?]? {
    if let parent { return parent.currentRows(numbers, in: root) }
    return try? coordinator.store.rows(numbers, in: root)
  }

  /// How many rows are read together where nobody says.
  package static var rowsAtATime: Int { 256 }

  /// Calls `body` with the index of each object and what the source has of it,
  /// many rows read together.
  func forEachSourceRow<Failure>(
    of ids: [ObjectID], _ body: (Int, StoreRow?) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    while start < ids.count {
      let root = ids[start].entity.root
      var end = start
      while end < min(ids.count, start + Self.rowsAtATime), ids[end].entity.root === root {
        end += 1
      }
      let rows = sourceRows(ids[start..<end].map(\.number), in: root)
      for (index, row) in zip(start..<end, rows) { try body(index, row) }
      start = end
    }
  }

  /// Calls `body` with numbers, many at a time.
  func inBatches<Failure>(
    _ numbers: [Int64], _ body: (ArraySlice<Int64>) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    while start < numbers.count {
      let end = min(numbers.count, start + Self.rowsAtATime)
      try body(numbers[start..<end])
      start = end
    }
  }

  func sourceRow(of id: ObjectID) -> StoreRow? { sourceRow(id.number, in: id.entity.root) }

  /// Returns an object as it is here now, as a child context reads it.
  private func currentRow(_ number: Int64, in root: EntityDescription) -> StoreRow? {
    guard let object = registered(number, in: root) else { return sourceRow(number, in: root) }
    return object.isDeleted ? nil : object.row
  }

  /// Returns objects as they are here now, as a child context reads them.
  private func currentRows(_ numbers: [Int64], in root: EntityDescription) -> [StoreRow?] {
    let table = table(of: root)
    let below = numbers.filter { table[$0] == nil }
    var rows = sourceRows(below, in: root).makeIterator()
    return numbers.map { number in
      guard let object = table[number] else { return rows.next() ?? nil }
      return object.isDeleted ? nil : object.row
    }
  }

  /// Is told that the source is about to change an object.
  ///
  /// What a controller shows must not change under it, so an object that only
  /// stands in results is read now, while its old values can be had.
  func sourceWillChange(_ id: ObjectID, from row: StoreRow) {
    let root = id.entity.root
    if let object = registered(id.number, in: root) {
      // What of them was not read yet would come from the new row.
      object.readRelationships()
    } else {
      guard isHeld(id.number, in: root) else {
        for child in children { child.context?.sourceWillChange(id, from: row) }
        return
      }
      adopt(row, number: id.number).readRelationships()
    }
    stale.insert(id)
  }

  /// Finds which objects of the context others have saved since they were read.
  ///
  /// - Complexity: O(*n*) in the numbers of objects that the context holds.
  package func findStale(_ numbers: [Int64], in root: EntityDescription) {
    let table = table(of: root)
    let held = numbers.filter { table[$0]?.isPending == false }
    inBatches(held) { numbers in
      let rows: [StoreRow?]
      do throws(StoreError) {
        rows = try coordinator.store.rows(Array(numbers), in: root)
      } catch {
        return coordinator.note(error)
      }
      for (number, row) in zip(numbers, rows) {
        guard let row, let object = table[number], row.version != object.version else { continue }
        stale.insert(object.objectID)
      }
    }
  }

  /// Lets the contexts that stand on this one hear that an object changes.
  func tellChildren(of object: ManagedObject) {
    guard !object.isDeleted else { return }
    let row = object.row
    for child in children { child.context?.sourceWillChange(object.objectID, from: row) }
  }

  /// The other contexts that read from the same source.
  var siblings: [ManagedObjectContext] {
    (parent?.children ?? coordinator.contexts).compactMap(\.context).filter { $0 !== self }
  }

  /// Whether this context or one below it has unsaved objects of an entity.
  package func hasUnsavedObjects(of root: EntityDescription) -> Bool {
    hasPendingObjects(of: root) || parent?.hasUnsavedObjects(of: root) == true
  }

  /// Whether objects of a root entity may be others here than in the store:
  /// unsaved, or read before somebody else saved them.
  package func knowsUnsavedObjects(of root: EntityDescription) -> Bool {
    hasPendingObjects(of: root) || stale.contains { $0.entity.root === root }
      || parent?.knowsUnsavedObjects(of: root) == true
  }

  func hasPendingObjects(of root: EntityDescription) -> Bool {
    pending.contains { $0.entity.root === root }
  }
}

extension ManagedObject {
  /// Reads the relationships that the store was not asked for yet, in each of
  /// the object's states.
  func readRelationships() {
    snapshot.readRelationships()
    committed?.readRelationships()
    baseline?.readRelationships()
  }

  /// The object as a row, as a context above reads it.
  var row: StoreRow { StoreRow(entity: entity, snapshot: snapshot, version: version) }
}
