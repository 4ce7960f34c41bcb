/// A context's objects during one fetch.
///
/// The rows of a fetch often lead to the same objects, and nothing changes during a fetch. So each
/// object is read once, up to a limit.
final class RememberingGraph: ObjectGraph {
  private let context: ManagedObjectContext
  private var known = BoundedRows(capacity: 8192)

  init(_ context: ManagedObjectContext) { self.context = context }

  var owner: AnyObject? { context }

  var environment: EvaluationEnvironment { context.environment }

  func currentSnapshot(of id: ObjectID) -> ObjectSnapshot? {
    if let object = context.registered(id.number, in: id.entity.root) {
      return object.isForgotten || !object.entity.isKindOf(entity: id.entity)
        ? nil : object.snapshot
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
