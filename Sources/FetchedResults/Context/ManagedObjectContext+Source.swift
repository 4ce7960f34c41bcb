/// What a context is to the contexts around it.
extension ManagedObjectContext {
  var source: ContextSource { ContextSource(self) }

  /// The other contexts that read from the same source.
  var siblings: [ManagedObjectContext] {
    (parent?.children ?? persistentStoreCoordinator.contexts).compactMap(\.context).filter {
      $0 !== self
    }
  }

  /// Whether this context or one below it has unsaved objects of an entity.
  func hasUnsavedObjects(of root: EntityDescription) -> Bool {
    hasPendingObjects(of: root) || parent?.hasUnsavedObjects(of: root) == true
  }

  /// Whether objects of a root entity may be others here than in the store: unsaved, or read before
  /// someone else saved them.
  package func knowsUnsavedObjects(of root: EntityDescription) -> Bool {
    hasPendingObjects(of: root) || stale.contains { $0.entity.root === root }
      || parent?.knowsUnsavedObjects(of: root) == true
  }

  /// Whether this context has unsaved objects of an entity; of those that others
  /// deleted the store knows already.
  func hasPendingObjects(of root: EntityDescription) -> Bool {
    pending.contains { $0.entity.root === root && !$0.isGone }
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
