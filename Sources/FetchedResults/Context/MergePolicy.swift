/// What a save does if the store has newer values of an object than its context read, or if objects
/// share values that must be unique.
///
/// The changes of a to-many relationship are the objects that joined and left. Whatever a policy
/// takes, both sides of a relationship agree after the save.
///
/// After a save, no two objects in the store share unique values. Which object keeps them does not
/// depend on the order of the changes.
///
/// If an object was changed here and deleted in the store, policies in which the object wins
/// restore it, and the others delete it here. If it was deleted here and changed in the store,
/// policies in which the object wins delete it, and the others restore it here.
public enum MergePolicy: String, Sendable, CaseIterable {
  /// The save fails with a ``MergeConflictError``.
  case error
  /// Attribute by attribute, the store's changes win.
  case mergeByPropertyStoreTrump = "storeTrump"
  /// Attribute by attribute, the context's changes win.
  case mergeByPropertyObjectTrump = "objectTrump"
  /// The whole object is written as it is in the context.
  case overwrite
  /// The whole object becomes what it is in the store.
  case rollback

  /// Whether the context's side wins.
  var isObjectTrump: Bool { self == .mergeByPropertyObjectTrump || self == .overwrite }
}
