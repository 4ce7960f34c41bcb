/// Values of objects, of which there may be more than are kept.
///
/// Those that are asked for again and again stay; the others make room after a
/// while.
package struct BoundedRows {
  private let capacity: Int
  private var young: [ObjectID: ObjectSnapshot] = [:]
  private var old: [ObjectID: ObjectSnapshot] = [:]

  /// - Parameter capacity: How many objects are kept at most.
  package init(capacity: Int) { self.capacity = capacity }

  /// The values kept of an object, or nil.
  ///
  /// - Complexity: O(1).
  package subscript(id: ObjectID) -> ObjectSnapshot? {
    mutating get {
      if let snapshot = young[id] { return snapshot }
      guard let snapshot = old[id] else { return nil }
      self[id] = snapshot
      return snapshot
    }
    set {
      if young.count >= capacity / 2 {
        old = young
        young.removeAll(keepingCapacity: true)
      }
      young[id] = newValue
    }
  }
}
