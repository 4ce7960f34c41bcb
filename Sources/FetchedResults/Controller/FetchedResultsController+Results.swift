extension FetchedResultsController {
  /// The objects in order, or nil before ``performFetch()``.
  public var fetchedObjects: FetchedObjects? {
    state.map { FetchedObjects(state: $0, section: nil) }
  }

  /// The sections in order, or nil before ``performFetch()``.
  public var sections: FetchedResultsSections? {
    state.map { FetchedResultsSections(state: $0, controller: self) }
  }

  /// Returns the object at an index path.
  ///
  /// If the section has no object at the index, a line is first printed on the context's console,
  /// as by Core Data.
  ///
  /// - Throws: ``FetchedResultsError/notFetched``,
  ///   ``FetchedResultsError/noSection(index:)`` or
  ///   ``FetchedResultsError/noObject(index:section:)``.
  /// - Complexity: O(log *n*).
  public func object(
    at indexPath: ResultsIndexPath
  ) throws(FetchedResultsError) -> ManagedObject {
    guard let state else { throw FetchedResultsError.notFetched }
    let results = state.results
    guard indexPath.section >= 0, indexPath.section < results.sectionCount else {
      throw FetchedResultsError.noSection(index: indexPath.section)
    }
    guard indexPath.row >= 0, indexPath.row < results.rowCount(ofSection: indexPath.section) else {
      let error = FetchedResultsError.noObject(index: indexPath.row, section: indexPath.section)
      error.consoleLine.map { managedObjectContext.console?($0) }
      throw error
    }
    let rank = results.firstRank(ofSection: indexPath.section) + indexPath.row
    return state.object(results.number(at: rank), atRank: rank)
  }

  /// Returns the index path of an object, or nil if it is not in the results.
  ///
  /// Until pending changes are processed, this is the old index path.
  ///
  /// - Complexity: O(log *n*).
  public func indexPath(forObject object: ManagedObject) -> ResultsIndexPath? {
    indexPath(forObjectID: object.objectID)
  }

  package func indexPath(forObjectID id: ObjectID) -> ResultsIndexPath? {
    guard let state, id.entity.root === state.root else { return nil }
    return state.results.rank(of: id.number).map(state.results.indexPath(ofRank:))
  }

  /// The numbers of rows whose objects have changed since the results were made, because the
  /// controller does not track changes.
  package var staleNumbers: Set<Int64> { state.map { Set($0.pinned.keys) } ?? [] }

  /// The title of every section in the section index, in order.
  ///
  /// - Complexity: O(*s*) for *s* sections.
  public var sectionIndexTitles: [String] {
    sections?.map(\.indexTitle) ?? []
  }

  /// Returns a section name's title in the section index: the delegate's, otherwise the first
  /// letter, capitalised.
  public func sectionIndexTitle(forSectionName sectionName: String) -> String {
    if let delegate, delegateMethods.contains(.sectionIndexTitle),
      let title = calling(
        .sectionIndexTitle,
        { delegate.controller(self, sectionIndexTitleForSectionName: sectionName) })
    {
      return title
    }
    return String(sectionName.prefix(1)).uppercased()
  }

  /// Returns the index of the section for a title and its position in ``sectionIndexTitles``.
  ///
  /// - Throws: ``FetchedResultsError/notFetched`` or
  ///   ``FetchedResultsError/wrongSectionIndexTitle(_:index:)``.
  public func section(
    forSectionIndexTitle title: String, at index: Int
  ) throws(FetchedResultsError) -> Int {
    guard let sections else { throw FetchedResultsError.notFetched }
    guard sections.indices.contains(index), sections[index].indexTitle == title else {
      throw FetchedResultsError.wrongSectionIndexTitle(title, index: index)
    }
    return index
  }

  /// An object that identifies the last fetch: the same one until the next fetch, nil without
  /// results.
  package var fetchIdentity: AnyObject? { state }

  /// Whether the last fetch applied ``keepsFetchLimit``, and the request has a limit or an offset.
  package var keepsLimitNow: Bool { state?.keptLimit != nil }

  /// Whether the last fetch applied ``tracksRelatedObjects``, and key paths cross relationships.
  package var tracksRelatedNow: Bool { state?.crossed.isEmpty == false }

  /// The request of the last fetch.
  package var fetchedRequest: FetchRequest? { state?.request }

  /// Stops the program if the results are inconsistent.
  ///
  /// - Complexity: O(*n* log *n*); for tests.
  package func checkInvariants() { state?.results.checkInvariants() }
}
