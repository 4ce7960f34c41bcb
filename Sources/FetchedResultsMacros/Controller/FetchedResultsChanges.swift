public import FetchedResults

/// What one batch changed in a controller's results, in the order of the callbacks.
public struct FetchedResultsChanges<Result: ManagedEntity> {
  /// A change of one object.
  public struct ObjectChange {
    /// The object.
    public let object: Result
    /// What happened to it.
    public let type: FetchedResultsChangeType
    /// The place before the batch; nil for an insert.
    public let indexPath: ResultsIndexPath?
    /// The place after the batch; nil for a delete.
    public let newIndexPath: ResultsIndexPath?
  }

  /// A section that was inserted or deleted.
  public struct SectionChange {
    /// The section's name.
    public let name: String
    /// Its index, before the batch for a delete and after it for an insert.
    public let index: Int
    /// What happened to it.
    public let type: FetchedResultsChangeType
  }

  /// The changes of objects.
  public internal(set) var objects: [ObjectChange] = []
  /// The changes of sections.
  public internal(set) var sections: [SectionChange] = []
}
