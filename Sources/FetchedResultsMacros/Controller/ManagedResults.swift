import FetchedResults

/// The objects of a controller's results in order: all of them, or those of one section.
///
/// This is a view and not a copy: it changes together with the results. Each access to an object
/// creates a new instance for it.
public struct ManagedResults<Result: ManagedEntity>: RandomAccessCollection {
  private let objects: FetchedObjects

  init(_ objects: FetchedObjects) { self.objects = objects }

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
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

  /// The section's name: the description of its section key's value.
  ///
  /// It is empty for nil, or if there is no section key path.
  public var name: String { info.name }
  /// The title in the section index.
  public var indexTitle: String { info.indexTitle }
  /// The number of objects in the section; 0 once it is deleted.
  public var numberOfObjects: Int { info.numberOfObjects }
  /// The section's objects in order.
  public var objects: ManagedResults<Result> { ManagedResults(info.objects) }
}

/// A controller's sections, always in their current state.
public struct ManagedResultsSections<Result: ManagedEntity>: RandomAccessCollection {
  private let sections: FetchedResultsSections

  init(_ sections: FetchedResultsSections) { self.sections = sections }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { sections.endIndex }

  /// The section at an index.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public subscript(position: Int) -> ManagedResultsSection<Result> {
    ManagedResultsSection(sections[position])
  }
}
