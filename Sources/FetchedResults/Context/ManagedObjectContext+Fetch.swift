extension ManagedObjectContext {
  /// Returns the objects that match a request, unsaved changes included.
  ///
  /// Pending changes are processed first, so controllers report them before the fetch returns.
  ///
  /// - Throws: ``FetchError``.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public func fetch(_ request: FetchRequest) throws(FetchError) -> [ManagedObject] {
    try alone { () throws(FetchError) in try ContextFetch(self).objects(request) }
  }

  /// Returns how many objects match a request, within its limit and offset.
  public func count(for request: FetchRequest) throws(FetchError) -> Int {
    try ContextFetch(self).count(for: request)
  }

  /// Returns the identities of the objects that match a request, unsaved changes included.
  ///
  /// - Throws: ``FetchError``.
  public func fetchObjectIDs(_ request: FetchRequest) throws(FetchError) -> [ObjectID] {
    try ContextFetch(self).objects(request).map(\.objectID)
  }

  /// Returns values of saved objects by name.
  ///
  /// Unsaved changes are ignored, and the turn does not end.
  ///
  /// The request's limit and offset count dictionaries.
  ///
  /// - Throws: ``FetchError``, in Apple's words if the properties do not fit together.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public func fetchDictionaries(_ request: FetchRequest) throws(FetchError) -> [FetchedDictionary] {
    try DictionaryFetch(request, in: self).run()
  }

  /// Returns the numbers of the matching objects, in the request's order.
  package func fetchNumbers(_ request: FetchRequest) throws(FetchError) -> [Int64] {
    try ContextFetch(self).numbers(request)
  }

  /// Throws the error of an earlier access to a fault, if there was one.
  func checkReads() throws(FetchError) {
    do {
      try persistentStoreCoordinator.checkReads()
    } catch {
      throw FetchError.store(error)
    }
  }

  /// Returns the values of an object as they are now.
  package func snapshot(of number: Int64, in root: EntityDescription) -> ObjectSnapshot? {
    source.values(of: number, in: root)?.snapshot
  }

  /// Compiles a predicate with this context's clock, locale and objects.
  package func compile(
    _ predicate: FetchPredicate?, for entity: EntityDescription
  ) throws(FetchError) -> CompiledPredicate? {
    try ContextFetch(self).compile(predicate, for: entity)
  }
}
