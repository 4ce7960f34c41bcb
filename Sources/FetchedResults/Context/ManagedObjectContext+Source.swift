/// The relation of a context to its parent, children and siblings.
extension ManagedObjectContext {
  var source: ContextSource { ContextSource(self) }

  /// The other contexts that read from the same source.
  ///
  /// - Complexity: O(*n*).
  var siblings: [ManagedObjectContext] { peers.contexts.filter { $0 !== self } }

  /// Whether other contexts read from the same source.
  var hasSiblings: Bool { peers.hasOther(than: self) }

  /// The contexts that merge automatically what this one saves: siblings and children.
  var followers: [ManagedObjectContext] {
    peers.following.filter { $0 !== self } + children.following
  }

  /// The contexts that read from the same source, this one included.
  private var peers: ContextList { parent?.children ?? persistentStoreCoordinator.contexts }

  /// Lets the source know whether this context merges automatically.
  func noteFollowing() {
    let follows = automaticallyMergesChangesFromParent
    if let parent {
      parent.children.note(self, follows: follows)
    } else {
      persistentStoreCoordinator.note(self, follows: follows)
    }
    awaitEndOfTurn()
  }

  /// Whether this context or one below it has unsaved objects of an entity.
  func hasUnsavedObjects(of root: EntityDescription) -> Bool {
    hasPendingObjects(of: root) || parent?.hasUnsavedObjects(of: root) == true
  }

  /// Whether objects of a root entity may differ from the store: they are unsaved, or others saved
  /// them since they were read.
  package func knowsUnsavedObjects(of root: EntityDescription) -> Bool {
    hasPendingObjects(of: root) || stale.contains { $0.entity.root === root }
      || parent?.knowsUnsavedObjects(of: root) == true
  }

  /// Whether this context has unsaved objects of an entity.
  ///
  /// Objects that others deleted do not count, because the store already knows about that.
  func hasPendingObjects(of root: EntityDescription) -> Bool {
    pending.contains { $0.entity.root === root && !$0.isGone }
  }
}

extension ManagedObject {
  /// Reads the relationships that were not read yet, in each of the object's states.
  func readRelationships() {
    snapshot.readRelationships()
    committed?.readRelationships()
    baseline?.readRelationships()
  }

  /// The object as a row, as a child context reads it.
  var row: StoreRow { StoreRow(entity: entity, snapshot: snapshot, version: version) }
}
