import FetchedResults

/// Objects of a controller's results, in order: all of them, or one section's.
///
/// A view, not a copy: it follows the results as they change. An instance is made for each
/// object when it is asked for.
public struct ManagedResults<Result: ManagedEntity>: RandomAccessCollection {
  private let objects: FetchedObjects

  init(_ objects: FetchedObjects) { self.objects = objects }

  /// 0.
  public var startIndex: Int { 0 }

  /// How many objects there are.
  public var endIndex: Int { objects.endIndex }

  /// The object at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> Result { Result(managedObject: objects[position]) }
}

/// A section of a controller's results.
public struct ManagedResultsSection<Result: ManagedEntity> {
  private let info: FetchedResultsSectionInfo

  init(_ info: FetchedResultsSectionInfo) { self.info = info }

  /// The section's name: the description of its section key's value, empty for nil or without a
  /// section key path.
  public var name: String { info.name }
  /// The title in the section index.
  public var indexTitle: String { info.indexTitle }
  /// How many objects the section has; 0 once it is deleted.
  public var numberOfObjects: Int { info.numberOfObjects }
  /// The section's objects in order.
  public var objects: ManagedResults<Result> { ManagedResults(info.objects) }
}

/// A controller's sections, as they are at the moment of each access.
public struct ManagedResultsSections<Result: ManagedEntity>: RandomAccessCollection {
  private let sections: FetchedResultsSections

  init(_ sections: FetchedResultsSections) { self.sections = sections }

  /// 0.
  public var startIndex: Int { 0 }
  /// How many sections there are.
  public var endIndex: Int { sections.endIndex }

  /// The section at an index.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public subscript(position: Int) -> ManagedResultsSection<Result> {
    ManagedResultsSection(sections[position])
  }
}
