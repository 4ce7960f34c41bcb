/// The objects that an observer published, in order.
///
/// It is a value: it stays as it is, also after the observer has published other rows. An object
/// that was deleted since has its last values, and its ``ManagedObject/isDeleted`` is true. Values
/// of objects that were changed since are the new ones.
///
/// It is not a copy. It uses the observer's tree, and what has changed since, so taking it costs
/// nothing and keeping it O(*k*) for *k* changes.
///
/// Not `Sendable`; ``sectionIdentifiers`` is.
public struct PublishedRows: RandomAccessCollection {
  let version: PublishedVersion

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { version.rowCount }

  /// The object at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *n*), and O(*k* log *k*) for the first access after *k* changes.
  public subscript(position: Int) -> ManagedObject {
    check(position)
    return version.object(atRank: position)
  }

  /// Returns the identity of the object at an index, without reading the object.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *n*).
  public func objectID(at position: Int) -> ObjectID {
    check(position)
    return version.objectID(atRank: position)
  }

  /// Returns the object at an index path; nil if there is none.
  ///
  /// - Complexity: O(log *n*).
  public func object(at indexPath: ResultsIndexPath) -> ManagedObject? {
    guard indexPath.section >= 0, indexPath.section < version.sectionCount, indexPath.row >= 0,
      indexPath.row < version.rowCount(ofSection: indexPath.section)
    else { return nil }
    return version.object(
      atRank: version.firstRank(ofSection: indexPath.section) + indexPath.row)
  }

  /// Returns the index path of an object; nil if it is not in the rows.
  ///
  /// - Complexity: O(log *n*).
  public func indexPath(of id: ObjectID) -> ResultsIndexPath? {
    guard id.entity.root === version.state.root else { return nil }
    return version.indexPath(of: id.number)
  }

  /// The sections, in order; one section without a name if there is no section key path.
  public var sections: PublishedSections { PublishedSections(version: version) }

  /// A copy of the sections with the identities of their objects, which can be sent to another
  /// actor.
  ///
  /// - Complexity: O(*n*).
  public var sectionIdentifiers: [FetchedResultsSnapshot.Section] { version.sections() }

  private func check(_ position: Int) {
    require(
      position >= 0 && position < endIndex,
      "the published rows have no object at index \(position): the indices are 0..<\(endIndex); "
        + "check 'indices' first")
  }
}

/// The sections that an observer published, in order.
public struct PublishedSections: RandomAccessCollection {
  let version: PublishedVersion

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of sections.
  public var endIndex: Int { version.sectionCount }

  /// The section at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *s*) for *s* sections.
  public subscript(position: Int) -> PublishedSection {
    require(
      position >= 0 && position < endIndex,
      "the published rows have no section at index \(position): the indices are "
        + "0..<\(endIndex); check 'indices' first")
    return PublishedSection(version: version, index: position)
  }

  /// Returns the index of the section of a name; nil if there is none.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public func index(ofSectionNamed name: String) -> Int? { version.section(named: name) }
}

/// A section that an observer published: its objects in order.
public struct PublishedSection: RandomAccessCollection {
  let version: PublishedVersion
  /// The index among the sections.
  public let index: Int

  /// The section's name: the description of its section key's value, empty for nil or without a
  /// section key path.
  public var name: String { version.name(ofSection: index) }

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { version.rowCount(ofSection: index) }

  /// The object at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> ManagedObject {
    let count = endIndex
    require(
      position >= 0 && position < count,
      "the section has no object at index \(position): the indices are 0..<\(count); check "
        + "'indices' first")
    return version.object(atRank: version.firstRank(ofSection: index) + position)
  }

  /// Returns the identity of the object at an index, without reading the object.
  package func objectID(at position: Int) -> ObjectID {
    version.objectID(atRank: version.firstRank(ofSection: index) + position)
  }
}
