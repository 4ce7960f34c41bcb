package import FetchedResults

/// What a statement has the engine do, told to whoever wants to do the same elsewhere.
///
/// An operation belongs to the session's context of that moment, unless it names another.
package enum RunOperation {
  /// A context was made; nil is the store.
  case context(String, parent: String?)
  /// An object was inserted, with the values that were given for its attributes.
  case insert(ObjectID, values: [(key: String, value: PropertyValue)])
  /// A property has its value now; a to-many relationship's is the whole list.
  case set(ObjectID, key: String, PropertyValue)
  /// A property was read.
  case read(ObjectID, key: String)
  case delete(ObjectID)
  case obtainIDs([ObjectID])

  /// A save is about to begin, or has failed.
  case save(ManagedObjectContext)
  case saveFailed(any Error)
  case rollback(ManagedObjectContext)
  case reset(ManagedObjectContext)
  case undo
  case redo
  case refresh(ObjectID, isMerging: Bool)
  case refreshAll
  case merge(ManagedObjectContext, into: ManagedObjectContext)
  case automerge(ManagedObjectContext, isOn: Bool)
  case observe(ManagedObjectContext, isOn: Bool)
  case policy(ManagedObjectContext, MergePolicy)
  /// Changes of these contexts are about to be processed.
  case process([ManagedObjectContext])

  case controller(String, FetchedResultsController)
  /// A controller's request changed.
  case change(String, FetchedResultsController)
  /// A controller has a delegate that implements these methods, or none.
  case delegate(String, FetchedResultsDelegateMethods?, countsOnly: Bool)
  case performFetch(String)
  case fetch(FetchRequest)
  case count(FetchRequest)
  case show(String)
}

extension RunOperation {
  /// A property of an object has a new value.
  static func set(of object: ManagedObject, at index: Int) -> Self {
    // Not by the list of all names, which is made again at each call.
    let attributes = object.entity.attributes
    let name =
      index < attributes.count
      ? attributes[index].name : object.entity.relationships[index - attributes.count].name
    return .set(object.objectID, key: name, object.value(at: index))
  }

  /// An object was inserted with the values that are not its entity's own.
  static func insert(_ object: ManagedObject, with snapshot: ObjectSnapshot) -> Self {
    let entity = object.entity
    return .insert(
      object.objectID,
      values: entity.attributes.indices.filter { snapshot[$0] != entity.defaults[$0] }
        .map { (entity.attributes[$0].name, snapshot[$0]) })
  }
}
