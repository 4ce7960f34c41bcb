extension FetchedResultsController {
  /// The objects in order, or nil before ``performFetch()``.
  public var fetchedObjects: FetchedObjects? {
    state.map { FetchedObjects(state: $0, section: nil) }
  }

  /// The sections in order, or nil before ``performFetch()``.
  public var sections: FetchedResultsSections? {
    state.map { FetchedResultsSections(state: $0, controller: self) }
  }

  /// Returns the present results, or nil before ``performFetch()``.
  ///
  /// - Parameter old: An earlier image of this controller. It is ignored if there was a fetch
  ///   since.
  /// - Complexity: O(*n*) for *n* rows without an earlier image; O(*k* log *n*) if *k* rows changed
  ///   since.
  package func image(after old: ResultsImage? = nil) -> ResultsImage? {
    state?.results.image(after: old)
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
    // Another context's object of the same row may have other values. A deleted object has none.
    let context = object.managedObjectContext
    guard context == nil || context === managedObjectContext else { return nil }
    return indexPath(forObjectID: object.objectID)
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

/// A section of a controller's results, which it follows until the next fetch.
///
/// After that it has no objects.
public struct FetchedResultsSectionInfo {
  /// The section's name: the description of its section key's value, empty for
  /// nil or without a section key path.
  public let name: String
  private let section: SectionReference?
  private let controller: FetchedResultsController

  init(section: SectionReference?, name: String, controller: FetchedResultsController) {
    self.section = section
    self.name = name
    self.controller = controller
  }

  init(deleted name: String, controller: FetchedResultsController) {
    self.init(section: nil, name: name, controller: controller)
  }

  /// The title in the section index.
  public var indexTitle: String { controller.sectionIndexTitle(forSectionName: name) }

  /// The number of objects in the section; 0 once it is deleted.
  public var numberOfObjects: Int { objects.count }

  /// The section's objects in order.
  public var objects: FetchedObjects {
    FetchedObjects(state: section == nil ? nil : controller.state, section: section)
  }
}

/// A controller's sections, which follow its results until the next fetch.
///
/// After that they have the old names, and no objects.
public struct FetchedResultsSections: RandomAccessCollection {
  let state: FetchedState
  let controller: FetchedResultsController

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { state.results.sectionCount }

  /// The section at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *s*) for *s* sections.
  public subscript(position: Int) -> FetchedResultsSectionInfo {
    require(
      position >= 0 && position < endIndex,
      "the results have no section at index \(position): the indices are 0..<\(endIndex); check "
        + "'indices' first")
    return FetchedResultsSectionInfo(
      section: state.results.section(at: position),
      name: state.results.name(ofSection: position), controller: controller)
  }
}

/// Objects of a controller's results, in order: all of them, or one section's.
///
/// This is a view and not a copy: it follows the results as they change, until the next fetch. To
/// change objects while iterating, make an `Array` of it first.
public struct FetchedObjects: RandomAccessCollection {
  let state: FetchedState?
  let section: SectionReference?

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { ranks.count }

  /// The object at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> ManagedObject {
    let ranks = ranks
    guard let state, position >= 0, position < ranks.count else {
      programmingError(
        "the results have no object at index \(position): the indices are 0..<\(ranks.count); check "
          + "'indices', or use object(at:) of the controller, which throws")
    }
    let rank = ranks.lowerBound + position
    return state.object(state.results.number(at: rank), atRank: rank)
  }

  /// Calls `body` with each object in order.
  ///
  /// `body` must not change the results.
  ///
  /// - Complexity: O(*m* + log *n*) for *m* objects, plus the time to read rows.
  package func forEachObject(_ body: (ManagedObject) -> Void) {
    forEachNumber { state, _, number, rank in body(state.object(number, atRank: rank)) }
  }

  /// Calls `body` with each object in order, and retains none, if ``areInMemory``.
  ///
  /// `body` must not change the context.
  ///
  /// - Complexity: O(*m* + log *n*) for *m* objects.
  package func visitObjects(_ body: (ManagedObject) -> Void) {
    guard areInMemory, state?.pinned.isEmpty == true else { return forEachObject(body) }
    forEachNumber { state, table, number, rank in
      if table.withObject(number, body) == nil { body(state.object(number, atRank: rank)) }
    }
  }

  /// Calls `body` with the number of each object and its rank, and with where the object is.
  @inline(__always)
  private func forEachNumber(_ body: (FetchedState, ObjectTable, Int64, Int) -> Void) {
    guard let state else { return }
    let ranks = ranks
    let table = state.context.table(of: state.root)
    var rank = ranks.lowerBound
    while rank < ranks.upperBound {
      let numbers = state.results.run(from: rank).prefix(ranks.upperBound - rank)
      // A leaf of the results has few enough rows for the processor's caches.
      table.touchValues(of: numbers)
      for number in numbers {
        body(state, table, number, rank)
        rank += 1
      }
    }
  }

  /// Whether reading the objects runs no statement of a store, no hook and no expression.
  package var areInMemory: Bool {
    guard let coordinator = state?.context.persistentStoreCoordinator else { return true }
    return !coordinator.store.readsInBatches && coordinator.hooks.isEmpty
      && !coordinator.managedObjectModel.entities.contains(where: \.hasExpressions)
  }

  /// The ranks of the objects over all sections; empty if the section no longer exists.
  private var ranks: Range<Int> {
    guard let results = state?.results else { return 0..<0 }
    guard let section else { return 0..<results.rowCount }
    guard let position = results.position(of: section) else { return 0..<0 }
    let count = results.rowCount(ofSection: position.index)
    return position.firstRank..<position.firstRank + count
  }

  /// The identity of the object at an index, without loading it; nil if there is none.
  ///
  /// - Complexity: O(log *n*).
  package func number(at position: Int) -> Int64? {
    let ranks = ranks
    guard let state, position >= 0, position < ranks.count else { return nil }
    return state.results.number(at: ranks.lowerBound + position)
  }

  /// The objects' identities, without loading an object.
  ///
  /// - Complexity: O(*m*) for *m* objects.
  package var numbers: [Int64] {
    guard let state else { return [] }
    let ranks = ranks
    var numbers: [Int64] = []
    numbers.reserveCapacity(ranks.count)
    while numbers.count < ranks.count {
      numbers += state.results.run(from: ranks.lowerBound + numbers.count)
        .prefix(ranks.count - numbers.count)
    }
    return numbers
  }
}

/// The number of rows of each section.
///
/// One section after the other gets that many of the rows. A statement that groups rows by the
/// section key gives these numbers. It does not say which rows a section has. If the sections are
/// not in the order of the rows, rows get the header of another section.
struct SectionCounts {
  private struct Section {
    let name: String
    let value: PropertyValue
    var count: Int
  }

  /// Whether sections are in ascending order of their values.
  private let ascends: Bool
  private var sections: [Section] = []
  private var places: [ScalarString: Int] = [:]

  /// - Parameter keyPath: The section key path. The direction is that of its sort descriptor, or
  ///   ascending if the rows are not sorted by it.
  init(keyPath: String, _ descriptors: [FetchSortDescriptor]) {
    ascends = descriptors.first { $0.key == keyPath }?.ascending ?? true
  }

  mutating func add(_ name: String, _ value: PropertyValue, count: Int) {
    let key = ScalarString(name)
    if let place = places[key] {
      sections[place].count += count
    } else {
      places[key] = sections.count
      sections.append(Section(name: name, value: value, count: count))
    }
  }

  /// Returns the sections in the order of their values.
  ///
  /// - Complexity: O(*s* log *s*) for *s* sections.
  func order() -> SectionOrder {
    var order = SectionOrder()
    let sorted = sections.sorted { first, second in
      let result = first.value.ordering(second.value) ?? .same
      return ascends ? result == .ascending : result == .descending
    }
    for section in sorted { order.append(section.name, count: section.count) }
    return order
  }
}
