extension ManagedObjectContext {
  /// Gives new objects identities that later saves do not change.
  ///
  /// A store in a file records that their numbers are taken, so no other process uses them. If
  /// another process already did, the objects get other numbers first, as at a save. An object that
  /// has a permanent identity, or belongs to another context, is ignored.
  ///
  /// - Throws: ``StoreError`` if the store cannot be written.
  /// - Complexity: O(*k* log *n*) for *k* objects.
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws(StoreError) {
    let objects = objects.filter { $0.managedObjectContext === self && $0.hasTemporaryID }
    guard !objects.isEmpty else { return }
    // The numbers of each root entity may be taken, and this is noticed for one entity at a time.
    for _ in persistentStoreCoordinator.managedObjectModel.entities {
      do {
        try persistentStoreCoordinator.store.obtainNumbers(of: objects.map(\.objectID))
        break
      } catch {
        guard case .numberTaken(let id) = error else { throw error }
        Renumbering(owner(ofNew: id)).renumberInserted(in: id.entity.root)
      }
    }
    persistentStoreCoordinator.permanentIDs.formUnion(objects.map(\.objectID))
  }

  /// The context in which a new object was inserted: this one, or one of its parents.
  private func owner(ofNew id: ObjectID) -> ManagedObjectContext {
    Swift.sequence(first: self, next: \.parent).reversed().first {
      $0.registered(id.number, in: id.entity.root)?.isInserted == true
    } ?? self
  }
}
