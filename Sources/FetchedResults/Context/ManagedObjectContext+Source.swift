/// What a context reads from: its parent, or the store.
extension ManagedObjectContext {
  /// Returns what the source has of an object now.
  func sourceRow(_ number: Int64, in root: EntityDescription) -> StoreRow? {
    if let parent { return parent.currentRow(number, in: root) }
    return try? coordinator.store.row(number, in: root)
  }

  func sourceRow(of id: ObjectID) -> StoreRow? { sourceRow(id.number, in: id.entity.root) }

  /// Returns an object as it is here now, as a child context reads it.
  private func currentRow(_ number: Int64, in root: EntityDescription) -> StoreRow? {
    guard let object = registered(number, in: root) else { return sourceRow(number, in: root) }
    return object.isDeleted ? nil : object.row
  }

  /// Hears that the source is about to change an object.
  ///
  /// What a controller shows must not change under it, so an object that only
  /// stands in results is read now, while its old values can be had.
  func sourceWillChange(_ id: ObjectID, from row: StoreRow) {
    let root = id.entity.root
    if registered(id.number, in: root) == nil {
      guard isHeld(id.number, in: root) else {
        for child in children { child.context?.sourceWillChange(id, from: row) }
        return
      }
      _ = adopt(row, number: id.number)
    }
    stale.insert(id)
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
  func hasUnsavedObjects(of root: EntityDescription) -> Bool {
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
  /// The object as a row, as a context above reads it.
  var row: StoreRow { StoreRow(entity: entity, snapshot: snapshot, version: version) }
}
