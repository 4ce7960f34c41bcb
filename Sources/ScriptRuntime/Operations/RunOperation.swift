package import FetchedResults

/// An operation of the engine that a statement causes, reported so that other code can repeat it.
///
/// An operation belongs to the session's current context, unless it names another one.
package enum RunOperation {
  /// A context was made; its parent is nil if that is the store.
  case context(String, parent: String?)
  /// Another process began, with a context and perhaps an author. Its operations follow.
  case `extension`(ManagedObjectContext, author: String?)
  /// An object was inserted, with the given values of its attributes.
  case insert(ObjectID, values: [(key: String, value: PropertyValue)])
  /// A property has a new value. For a to-many relationship, this is the whole list.
  case set(ObjectID, key: String, PropertyValue)
  /// A property was read.
  case read(ObjectID, key: String)
  case delete(ObjectID)
  case obtainIDs([ObjectID])
  /// The author of the context's saves was set; nil for none.
  case author(String?)
  /// The whole history of the store was deleted.
  case deleteHistory

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
  /// The changes of these contexts are about to be processed.
  case process([ManagedObjectContext])

  case controller(String, FetchedResultsController)
  /// A controller's request changed.
  case change(String, FetchedResultsController)
  /// A controller has a delegate with these methods, or none.
  case delegate(String, FetchedResultsDelegateMethods?, countsOnly: Bool)
  /// An observer of results was made, and has fetched.
  case observer(ControllerBinding)
  /// An observer of the history was made.
  case observedHistory(HistoryBinding)
  /// An observer's predicate or sort order was set.
  case changeObserver(ControllerBinding, predicate: Bool, order: Bool)
  case performFetch(String)
  case fetch(FetchRequest)
  case count(FetchRequest)
  case show(String)
}

extension RunOperation {
  /// Returns the operation for a property's new value.
  static func set(of object: ManagedObject, at index: Int) -> Self {
    // This does not use the list of all names, because each call makes the list again.
    let attributes = object.entity.attributes
    let name =
      index < attributes.count
      ? attributes[index].name : object.entity.relationships[index - attributes.count].name
    return .set(object.objectID, key: name, object.value(at: index))
  }

  /// Returns the operation for an inserted object.
  ///
  /// It contains the values that differ from the entity's defaults.
  static func insert(_ object: ManagedObject, with snapshot: ObjectSnapshot) -> Self {
    let entity = object.entity
    return .insert(
      object.objectID,
      values: entity.attributes.indices.filter { snapshot[$0] != entity.defaults[$0] }
        .map { (entity.attributes[$0].name, snapshot[$0]) })
  }
}
