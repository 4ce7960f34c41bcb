/// A context's objects as they are while one fetch lasts.
///
/// The rows of a fetch lead to the same objects again and again, and nothing
/// changes meanwhile; so each is read once, as long as there are not too many.
final class RememberingGraph: ObjectGraph {
  private let context: ManagedObjectContext
  private var known = BoundedRows(capacity: 8192)

  init(_ context: ManagedObjectContext) { self.context = context }

  var owner: AnyObject? { context }

  var environment: EvaluationEnvironment { context.environment }

  func currentSnapshot(of id: ObjectID) -> Snapshot? {
    if let object = context.registered(id.number, in: id.entity.root) {
      return object.entity.isKind(of: id.entity) ? object.snapshot : nil
    }
    if let snapshot = known[id] { return snapshot }
    guard let snapshot = context.currentSnapshot(of: id) else { return nil }
    known[id] = snapshot
    return snapshot
  }

  func knowsUnsavedObjects(of root: EntityDescription) -> Bool {
    context.knowsUnsavedObjects(of: root)
  }
}

/// Values of objects, of which there may be more than are kept.
///
/// Those that are asked for again and again stay; the others make room after a
/// while.
struct BoundedRows {
  private let capacity: Int
  private var young: [ObjectID: Snapshot] = [:]
  private var old: [ObjectID: Snapshot] = [:]

  /// - Parameter capacity: How many objects are kept at most.
  init(capacity: Int) { self.capacity = capacity }

  /// The values kept of an object, or nil.
  ///
  /// - Complexity: O(1).
  subscript(id: ObjectID) -> Snapshot? {
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
