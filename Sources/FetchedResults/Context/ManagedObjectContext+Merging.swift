/// How a context takes over changes of its source.
extension ManagedObjectContext {
  /// Merges what another context saved.
  ///
  /// Inserted objects appear. Deleted objects count as deleted here until the next save of this
  /// context. Updated objects get the source's values, except for attributes with unsaved changes
  /// here, which win. Controllers report this with the next processing: updated objects as updates
  /// or moves, or as inserts and deletes if the predicate now decides so.
  ///
  /// A save that did not go into this context's source is ignored: a save of this context itself,
  /// or one into another parent.
  ///
  /// The save may come from another coordinator on the same file. Then entities are found by name,
  /// because the two models are separate values.
  public func mergeChanges(fromContextDidSave save: ContextSave) {
    ChangeMerger(self).merge(save)
  }

  /// Merges what other coordinators and other processes saved into the store's file since this
  /// context read it.
  ///
  /// Use it for saves without a ``ContextSave``. Objects of this context are refreshed if the
  /// version of their row differs, and unsaved changes stay. They are deleted if the row is gone.
  /// Controllers fetch again with the next processing and report how their results changed,
  /// including new rows and rows that were never read.
  ///
  /// If a program changes rows without raising their versions (`Z_OPT`), only
  /// ``refreshAllObjects()`` finds the changes.
  ///
  /// - Throws: ``StoreError`` if the file cannot be read.
  /// - Complexity: O(1) if there was no save; otherwise O(*n*) in the objects of this context and
  ///   in the rows of its controllers.
  public func mergeChangesFromStore() throws(StoreError) {
    try ChangeMerger(self).mergeFromStore()
  }

  /// Reads an object's values from the source again.
  ///
  /// Controllers report an update or a move, whether or not a value differs. They report a delete
  /// if the source no longer has the object. A new unsaved object is ignored, and an object marked
  /// for deletion stays so. Without merging, the object becomes a fault.
  ///
  /// - Parameters:
  ///   - object: An object of this context.
  ///   - mergeChanges: Whether unsaved changes stay; otherwise they are dropped.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    replacing.refreshInPlace(object, mergeChanges: mergeChanges)
    reconciler.finish()
  }

  /// Refreshes every object of this context and the results of its controllers.
  ///
  /// Unsaved changes stay.
  ///
  /// Objects without unsaved changes become faults.
  ///
  /// If other coordinators or processes saved into the store's file, controllers report their new
  /// objects, too.
  ///
  /// - Complexity: O(*n*) in the objects and in the controllers' rows.
  public func refreshAllObjects() {
    ChangeMerger(self).refreshAll()
  }

  /// Removes objects from the context, as if the context had never read them.
  ///
  /// Their unsaved changes are lost.
  ///
  /// Controllers report them as deleted. A fetch can read the objects again.
  public func invalidate(_ objects: [ManagedObject]) {
    ChangeMerger(self).invalidate(objects)
  }

  /// Makes controllers fetch at the next turn, if they do not know what others saved.
  func followStore() {
    for listener in listeners { listener.receiver?.contextFollowsStore() }
    followsStore = true
    awaitEndOfTurn()
  }
}
