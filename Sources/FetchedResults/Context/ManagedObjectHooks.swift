/// Code that runs at certain moments in the life of an entity's objects.
///
/// An app overrides these methods in its subclass of NSManagedObject.
///
/// ```swift
/// var hooks = ManagedObjectHooks()
/// hooks.awakeFromInsert = { $0["created"] = .date(Date()) }
/// coordinator.setHooks(hooks, of: book)
/// ```
///
/// An entity that inherits from another one has the hooks of both. The parent's run first.
public struct ManagedObjectHooks {
  /// Runs once, when a context inserts the object, before its values are assigned.
  ///
  /// When a child context saves, its new objects are inserted into the parent, where this hook runs
  /// again, as in Core Data. The child's values win.
  public var awakeFromInsert: ((ManagedObject) -> Void)?
  /// Runs when the object is made from its row, and when all of its values are read again.
  ///
  /// It may set transient properties, which does not count as a change. Core Data records no change
  /// here, so other assigned values are reset. The hook must not fetch or save, because the row may
  /// be read in the middle of a fetch or a save.
  public var awakeFromFetch: ((ManagedObject) -> Void)?
  /// Runs before validation for each object that a save will write, including deleted objects.
  ///
  /// It runs again for objects that changed since.
  public var willSave: ((ManagedObject) -> Void)?
  /// Runs once for each object that a save has written.
  ///
  /// Its changes are unsaved changes.
  public var didSave: ((ManagedObject) -> Void)?
  /// Runs before the object is deleted, directly or by a delete rule.
  ///
  /// Its relationships are not changed yet.
  public var prepareForDeletion: ((ManagedObject) -> Void)?
  /// Returns at a save why the object may not be deleted; nil if it may.
  public var validateForDelete: ((ManagedObject) -> String?)?

  /// Creates hooks that do nothing.
  public init() {}
}

extension PersistentStoreCoordinator {
  /// Sets the hooks of an entity's objects, and replaces the old ones.
  ///
  /// They apply to all contexts of the coordinator, and also to existing objects.
  public func setHooks(_ hooks: ManagedObjectHooks?, of entity: EntityDescription) {
    self.hooks[entity] = hooks
  }

  /// The hooks of an entity, inherited ones first.
  ///
  /// - Complexity: O(*d*), where *d* is the depth of the inheritance.
  func hooks(of entity: EntityDescription) -> [ManagedObjectHooks] {
    guard !hooks.isEmpty else { return [] }
    var found: [ManagedObjectHooks] = []
    var ancestor: EntityDescription? = entity
    while let entity = ancestor {
      if let hooks = hooks[entity] { found.append(hooks) }
      ancestor = entity.superentity
    }
    return found.reversed()
  }
}
