import FetchedResults

/// The objects of a section as `show` lists them.
///
/// A list may have a million objects. So the values are not copied: each object's snapshot is kept,
/// which costs a reference until the object changes.
package struct ShownObjects: RandomAccessCollection, Sendable {
  private struct Entry {
    let number: Int64
    let snapshot: ObjectSnapshot
  }

  /// Objects in a row that are shown in the same way.
  private struct Run {
    let entity: EntityDescription
    /// The place of the display value in a snapshot; nil if there is none to show.
    let place: Int?
    /// The index after the last object.
    var end: Int
  }

  private var entries: [Entry] = []
  private var runs: [Run] = []

  init(capacity: Int) { entries.reserveCapacity(capacity) }

  /// Appends an object as it is now.
  ///
  /// - Parameter place: The place of the attribute that it is shown as; nil if it has none.
  mutating func append(_ object: ManagedObject, displaying place: Int?) {
    let id = object.objectID
    var place = place
    var snapshot = object.snapshot
    if let attribute = place, object.isFault || id.entity.hasExpressions {
      snapshot = ObjectSnapshot(CollectionOfOne(object.value(at: attribute)))
      place = 0
    }
    entries.append(Entry(number: id.number, snapshot: snapshot))
    if let last = runs.last, last.entity === id.entity, last.place == place {
      runs[runs.count - 1].end = entries.count
    } else {
      runs.append(Run(entity: id.entity, place: place, end: entries.count))
    }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { entries.count }

  /// - Complexity: O(log *r*) for *r* runs of objects of one entity, of which most lists have one.
  package subscript(position: Int) -> ShownObject {
    var low = 0
    var high = runs.count - 1
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].end > position { high = middle } else { low = middle + 1 }
    }
    let entry = entries[position]
    return ShownObject(
      id: ObjectID(entity: runs[low].entity, number: entry.number),
      display: runs[low].place.map { entry.snapshot[$0] })
  }
}
