extension ManagedObjectContext {
  /// Gives new objects identities that no save changes any more.
  ///
  /// A store in a file notes that their numbers are given, so that no other process gives
  /// them; where one has already, the objects get other numbers first, as at a save. An object that
  /// has a permanent identity, or belongs to another context, is left alone.
  ///
  /// - Throws: ``StoreError`` if the store cannot be written.
  /// - Complexity: O(*k* log *n*) for *k* objects.
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws(StoreError) {
    let objects = objects.filter { $0.managedObjectContext === self && $0.hasTemporaryID }
    guard !objects.isEmpty else { return }
    // The numbers of each root entity may be taken, and are found one by one.
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

  /// The context, of this one and those below, into which a new object came first.
  private func owner(ofNew id: ObjectID) -> ManagedObjectContext {
    Swift.sequence(first: self, next: \.parent).reversed().first {
      $0.registered(id.number, in: id.entity.root)?.isInserted == true
    } ?? self
  }
}
