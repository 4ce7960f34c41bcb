/// What one processing of pending changes found: values, and the objects that
/// they are about.
package struct ContextChanges {
  /// The changes, each object once, in the order in which they were first
  /// touched.
  package private(set) var changes: [ObjectChange]
  /// The object of each change.
  package let objects: [ManagedObject]
  /// Changes that change no result, but values that key paths may read.
  let changesOfDeleted: [DeletedObjectChange]
  /// Counts the batches of a context from 1.
  package let sequence: Int

  init(
    changes: [ObjectChange], objects: [ManagedObject],
    changesOfDeleted: [DeletedObjectChange] = [], sequence: Int
  ) {
    self.changes = changes
    self.objects = objects
    self.changesOfDeleted = changesOfDeleted
    self.sequence = sequence
  }

  /// Whether nothing changed.
  var isEmpty: Bool { changes.isEmpty && changesOfDeleted.isEmpty }

  /// Returns the values before the batch of each object of a root entity that
  /// existed then, by number.
  ///
  /// - Complexity: O(*k*).
  func valuesBefore(of root: EntityDescription) -> [Int64: ObjectSnapshot] {
    var values: [Int64: ObjectSnapshot] = [:]
    for change in changes where change.objectID.entity.root === root {
      if let snapshot = change.before { values[change.objectID.number] = snapshot }
    }
    return values
  }

  /// Makes one batch of several that follow one another.
  package init(joining batches: [ContextChanges]) {
    var changes: [ObjectChange] = []
    var objects: [ManagedObject] = []
    var places: [ObjectIdentifier: Int] = [:]
    for batch in batches {
      for (change, object) in zip(batch.changes, batch.objects) {
        if let place = places[ObjectIdentifier(object)] {
          changes[place] = changes[place].followed(by: change)
        } else {
          places[ObjectIdentifier(object)] = changes.count
          changes.append(change)
          objects.append(object)
        }
      }
    }
    let remaining = changes.indices.filter { changes[$0].kind != nil }
    self.init(
      changes: remaining.map { changes[$0] }, objects: remaining.map { objects[$0] },
      changesOfDeleted: batches.flatMap(\.changesOfDeleted),
      sequence: batches.map(\.sequence).max() ?? 0)
  }

  /// Takes over the identities that the objects have now.
  package mutating func renumber() {
    changes = zip(changes, objects).map { $0.renumbered(as: $1.objectID) }
  }
}

/// A change of an object that was deleted before it, and is deleted after it.
///
/// What leads to an object goes on to do so after its deletion, until the deletion is saved, where
/// the delete rule says so. Key paths read the values that it has until then.
struct DeletedObjectChange {
  private let id: ObjectID
  private let object: ManagedObject?
  /// The values before; nil if they are unknown.
  let before: ObjectSnapshot?

  /// Notes the values of an object that is about to change, or to be forgotten.
  init(of object: ManagedObject) {
    id = object.objectID
    self.object = object
    before = object.snapshot
  }

  /// Notes that an object is gone that was never read here.
  init(ofUnread id: ObjectID) {
    self.id = id
    object = nil
    before = nil
  }

  var objectID: ObjectID { object?.objectID ?? id }
}
