/// A section of a controller's results.
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

  /// How many objects the section has; 0 once it is deleted.
  public var numberOfObjects: Int { objects.count }

  /// The section's objects in order.
  public var objects: FetchedObjects {
    FetchedObjects(state: section == nil ? nil : controller.state, section: section)
  }
}

/// A controller's sections, as they are at each access.
public struct FetchedResultsSections: RandomAccessCollection {
  let state: FetchedState
  let controller: FetchedResultsController

  /// 0.
  public var startIndex: Int { 0 }
  /// How many sections there are.
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
/// This is a view and not a copy: it follows the results as they change. To change objects while
/// iterating, make an `Array` of it first.
public struct FetchedObjects: RandomAccessCollection {
  let state: FetchedState?
  let section: SectionReference?

  /// 0.
  public var startIndex: Int { 0 }

  /// How many objects there are.
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
    guard let state else { return }
    let ranks = ranks
    var rank = ranks.lowerBound
    while rank < ranks.upperBound {
      for number in state.results.run(from: rank).prefix(ranks.upperBound - rank) {
        body(state.object(number, atRank: rank))
        rank += 1
      }
    }
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
