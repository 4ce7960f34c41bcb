/// What the objects of an entity do at moments of their lives: what an app overrides in
/// its subclass of NSManagedObject.
///
/// ```swift
/// var hooks = ManagedObjectHooks()
/// hooks.awakeFromInsert = { $0["created"] = .date(Date()) }
/// coordinator.setHooks(hooks, of: book)
/// ```
///
/// An entity that inherits from another one has the hooks of both; those of the parent
/// run first.
public struct ManagedObjectHooks {
  /// Runs once, when a context inserts the object, before its values are assigned.
  ///
  /// A child context's save inserts its new objects into the parent, where this runs
  /// again, as it does in Core Data; the child's values win.
  public var awakeFromInsert: ((ManagedObject) -> Void)?
  /// Runs when the object is made of its row, and when all of its values are read again.
  ///
  /// It may set transient properties, which is no change of the object. Core Data
  /// records no change here, so other values that it assigns are put back. It must not
  /// fetch or save, because the row may be read in the midst of either.
  public var awakeFromFetch: ((ManagedObject) -> Void)?
  /// Runs for each object that a save will write, also for a deleted one, before
  /// validation; once more for an object that was changed since.
  public var willSave: ((ManagedObject) -> Void)?
  /// Runs for each object that a save has written, once.
  ///
  /// What it changes is unsaved.
  public var didSave: ((ManagedObject) -> Void)?
  /// Runs before the object is deleted, by its user or by a delete rule: its
  /// relationships are what they were.
  public var prepareForDeletion: ((ManagedObject) -> Void)?
  /// Says at a save why the object may not be deleted; nil if it may.
  public var validateForDelete: ((ManagedObject) -> String?)?

  /// Creates hooks that do nothing.
  public init() {}
}

extension PersistentStoreCoordinator {
  /// Gives the objects of an entity their hooks, and takes the old ones away.
  ///
  /// For all contexts of the coordinator; objects that exist already have them, too.
  public func setHooks(_ hooks: ManagedObjectHooks?, of entity: EntityDescription) {
    self.hooks[entity] = hooks
  }

  /// The hooks that an entity's objects have, inherited ones first.
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
