/// How a context learns what its source has become.
extension ManagedObjectContext {
  /// Takes over what another context saved.
  ///
  /// Inserted objects come, deleted ones count as deleted here until the next save of
  /// this context, and updated ones get the source's values, except for attributes
  /// with unsaved changes here, which win.
  /// Controllers report it with the next processing: updated objects as updates
  /// or moves, and as inserts and deletes where the predicate says so now.
  ///
  /// What did not reach this context's source is left alone: a save into this
  /// context itself, which is here already, and one into another parent.
  ///
  /// The save may be one of another coordinator on the same file. An entity is
  /// then found by its name, where the two models are two values.
  public func mergeChanges(fromContextDidSave save: ContextSave) {
    ChangeMerger(self).merge(save)
  }

  /// Merges what other coordinators, and other processes, saved into the store's
  /// file since this context read it.
  ///
  /// For saves of which there is no ``ContextSave``. Objects of this context are
  /// refreshed where the version of their row is another one, unsaved changes
  /// kept, and go where the row is gone. Controllers fetch again with the next
  /// processing, and report what became of their results: also rows that came,
  /// and rows that were never looked at.
  ///
  /// A program that changes rows without counting up their versions (`Z_OPT`) is
  /// followed by ``refreshAllObjects()`` only.
  ///
  /// - Throws: ``StoreError`` if the file cannot be read.
  /// - Complexity: O(1) if there was no save; else O(*n*) in the objects of this
  ///   context and in the rows of its controllers.
  public func mergeChangesFromStore() throws(StoreError) {
    try ChangeMerger(self).mergeFromStore()
  }

  /// Reads an object's values from the source again.
  ///
  /// Controllers report an update or a move, whether or not a value differs,
  /// and a delete where the source no longer has the object. An object that was
  /// inserted and not saved is left alone, and one that is marked for deletion
  /// stays so. Without merging the object is a fault then.
  ///
  /// - Parameters:
  ///   - object: An object of this context.
  ///   - mergeChanges: Whether unsaved changes stay; otherwise they are dropped.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    replacing.refreshInPlace(object, mergeChanges: mergeChanges)
    reconciler.finish()
  }

  /// Refreshes every object of this context, unsaved changes kept, and the
  /// results of its controllers with them.
  ///
  /// Objects without unsaved changes are faults then.
  ///
  /// Where other coordinators or processes saved into the store's file,
  /// controllers report their new objects, too.
  ///
  /// - Complexity: O(*n*) in the objects and in the controllers' rows.
  public func refreshAllObjects() {
    ChangeMerger(self).refreshAll()
  }

  /// Takes single objects out of the context, as if the context had never read
  /// them; unsaved changes are lost.
  ///
  /// Controllers report them as deleted. The objects can be had again by a
  /// fetch.
  public func invalidate(_ objects: [ManagedObject]) {
    ChangeMerger(self).invalidate(objects)
  }

  /// Lets controllers fetch at the next turn, where they do not know what others
  /// saved.
  func followStore() {
    for listener in listeners { listener.receiver?.contextFollowsStore() }
    followsStore = true
  }
}
