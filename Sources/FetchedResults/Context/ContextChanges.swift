/// What one processing of pending changes found: values, and the objects that
/// they are about.
package struct ContextChanges {
  /// The changes, each object once, in the order in which they were first
  /// touched.
  package private(set) var changes: [ObjectChange]
  /// The object of each change.
  package let objects: [ManagedObject]
  /// Counts the batches of a context from 1.
  package let sequence: Int

  init(changes: [ObjectChange], objects: [ManagedObject], sequence: Int) {
    self.changes = changes
    self.objects = objects
    self.sequence = sequence
  }

  /// Returns the values before the batch of each object of a root entity that
  /// existed then, by number.
  ///
  /// - Complexity: O(*k*).
  func valuesBefore(of root: EntityDescription) -> [Int64: Snapshot] {
    var values: [Int64: Snapshot] = [:]
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
      sequence: batches.map(\.sequence).max() ?? 0)
  }

  /// Takes over the identities that the objects have now.
  package mutating func renumber() {
    changes = zip(changes, objects).map { $0.renumbered(as: $1.objectID) }
  }
}
