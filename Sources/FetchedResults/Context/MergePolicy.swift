/// What a save does where the store has newer values of an object than its
/// context read, or where objects share values that must be unique.
///
/// A to-many relationship is an attribute whose changes are the objects that
/// joined and left. Whatever a policy takes, both sides of a relationship agree
/// after the save.
///
/// After a save no two objects in the store share unique values. Which object
/// keeps them does not depend on the order of the changes.
///
/// An object that was deleted in the store comes back under the policies in
/// which the object wins, and goes from the context under the others. One that
/// is deleted here goes from the store, or comes back here, likewise.
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
