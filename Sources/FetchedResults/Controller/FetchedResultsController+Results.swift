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
  /// Where a section has no object at the index, the context's console receives
  /// a line first, as it does from Core Data.
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

  /// Returns the index path of an object, or nil if it is no result.
  ///
  /// Until pending changes are processed this is the old one.
  ///
  /// - Complexity: O(log *n*).
  public func indexPath(forObject object: ManagedObject) -> ResultsIndexPath? {
    indexPath(forObjectID: object.objectID)
  }

  package func indexPath(forObjectID id: ObjectID) -> ResultsIndexPath? {
    guard let state, id.entity.root === state.root else { return nil }
    return state.results.rank(of: id.number).map(state.results.indexPath(ofRank:))
  }

  /// The numbers of the rows whose objects are no longer what the results were
  /// made of: a controller that does not track has not followed them.
  package var staleNumbers: Set<Int64> { state.map { Set($0.pinned.keys) } ?? [] }

  /// The title of every section in the section index, in order.
  ///
  /// - Complexity: O(*s*) for *s* sections.
  public var sectionIndexTitles: [String] {
    sections?.map(\.indexTitle) ?? []
  }

  /// Returns a section name's title in the section index: what the delegate says, otherwise the
  /// first letter capitalised.
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

  /// Returns the index of the section that belongs to a title and its position
  /// in ``sectionIndexTitles``.
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

  /// A token for the last fetch: the same object until the next one, nil
  /// without results.
  package var fetchIdentity: AnyObject? { state }

  /// Whether the last fetch took over ``keepsFetchLimit``, and there is something to keep.
  package var keepsLimitNow: Bool { state?.keptLimit != nil }

  /// Whether the last fetch took over ``tracksRelatedObjects``, and there is something to track.
  package var tracksRelatedNow: Bool { state?.crossed.isEmpty == false }

  /// The request of the last fetch.
  package var fetchedRequest: FetchRequest? { state?.request }

  /// Stops the program where the results contradict themselves.
  ///
  /// - Complexity: O(*n* log *n*); for tests.
  package func checkInvariants() { state?.results.checkInvariants() }
}
