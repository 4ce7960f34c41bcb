public import FetchedResults

/// The changes of a controller's results in one batch, in the order of the callbacks.
public struct FetchedResultsChanges<Result: ManagedEntity> {
  /// A change of one object.
  public struct ObjectChange {
    /// The object.
    public let object: Result
    /// The kind of change.
    public let type: FetchedResultsChangeType
    /// The index path before the batch; nil for an insert.
    public let indexPath: ResultsIndexPath?
    /// The index path after the batch; nil for a delete.
    public let newIndexPath: ResultsIndexPath?
  }

  /// A section that was inserted or deleted.
  public struct SectionChange {
    /// The section's name.
    public let name: String
    /// The section's index: before the batch for a delete, after it for an insert.
    public let index: Int
    /// The kind of change.
    public let type: FetchedResultsChangeType
  }

  /// The changes of objects.
  public internal(set) var objects: [ObjectChange] = []
  /// The changes of sections.
  public internal(set) var sections: [SectionChange] = []
}
