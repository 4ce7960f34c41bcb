import Basics

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
    values.reserveCapacity(changes.count)
    for (place, change) in changes.enumerated() where change.objectID.entity.root === root {
      // The comparison by these values stops, too.
      if StopCheck.isWanted(at: place) { break }
      let number = change.objectID.number
      // Before an arrival, another object may have had its number.
      guard let snapshot = change.known, !change.isArrival || values[number] == nil else {
        continue
      }
      values[number] = snapshot
    }
    return values
  }

  /// Returns the batch as a controller sees it.
  ///
  /// A merge may bring an object that a fetch of the controller has found before. For the
  /// controller, changes of the object since are those of an object that existed.
  ///
  /// - Parameters:
  ///   - root: The root entity of the controller's rows.
  ///   - isRow: Whether the controller has a row with a number.
  ///   - isRelated: Whether the object with a number counts as changed because of a related one.
  /// - Complexity: O(*k*), and a call of `isRow` for each object that a merge brought.
  func seen(
    byRowsOf root: EntityDescription, isRow: (Int64) -> Bool, isRelated: (Int64) -> Bool
  ) -> ContextChanges {
    guard changes.contains(where: \.isArrival) else { return self }
    // The row may be that of another object, which had the number and is gone.
    let gone = Set(
      changes.lazy.filter { $0.after == nil && !$0.isArrival && $0.objectID.entity.root === root }
        .map(\.objectID.number))
    var batch = self
    for index in changes.indices where changes[index].isArrival {
      let id = changes[index].objectID
      guard id.entity.root === root, isRow(id.number), !gone.contains(id.number) else { continue }
      batch.changes[index] = changes[index].ofKnownRow(isRelated: isRelated(id.number))
    }
    return batch
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

  /// Gives the object the values that it had before.
  func revert() {
    if let object, let before, object.isDeleted, object.isPending { object.snapshot = before }
  }

  /// Notes that an object is gone that was never read here.
  init(ofUnread id: ObjectID) {
    self.id = id
    object = nil
    before = nil
  }

  var objectID: ObjectID { object?.objectID ?? id }
}

/// The contexts of a session for which the end of a turn may have something to do.
///
/// Most statements touch one context of many. A context notes its place here when it gets work, so
/// the end of a turn does not look at the others.
package final class PendingContexts {
  /// The places of the contexts, in ascending order.
  @exclusivity(unchecked) private var places: [Int] = []

  /// Creates an agenda without contexts.
  package init() {}

  /// Whether no context has work.
  package var isEmpty: Bool { places.isEmpty }

  /// Lets a context note its work from now on; it may have some already.
  ///
  /// - Parameter place: The place of the context among the session's.
  package func add(_ context: ManagedObjectContext, at place: Int) {
    context.agenda = (self, place)
    context.isOnAgenda = true
    note(place)
  }

  /// Returns the first place that is not before another one.
  ///
  /// - Complexity: O(log *k*) in the contexts that have work.
  package func next(from place: Int) -> Int? {
    let index = index(of: place)
    return index < places.count ? places[index] : nil
  }

  /// Drops the contexts for which a turn's end has nothing to do.
  ///
  /// - Complexity: O(*k*).
  package func dropResting(_ context: (Int) -> ManagedObjectContext) {
    places.removeAll { place in
      let context = context(place)
      guard context.isAtRest else { return false }
      context.isOnAgenda = false
      return true
    }
  }

  /// Whether a context has changes to process.
  ///
  /// - Complexity: O(*k*).
  package func hasChanges(_ context: (Int) -> ManagedObjectContext) -> Bool {
    places.contains { context($0).awaitsTurn }
  }

  func note(_ place: Int) {
    if let last = places.last, last >= place {
      let index = index(of: place)
      if places[index] != place { places.insert(place, at: index) }
    } else {
      places.append(place)
    }
  }

  private func index(of place: Int) -> Int { places.partitioningIndex { $0 >= place } }
}

extension ManagedObjectContext {
  /// Notes that the end of the turn has something to do.
  @inline(__always)
  func awaitEndOfTurn() {
    if !isOnAgenda { enterAgenda() }
  }

  private func enterAgenda() {
    guard let agenda else { return }
    isOnAgenda = true
    agenda.list.note(agenda.place)
  }
}
