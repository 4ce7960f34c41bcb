/// What a batch does to one controller, and the objects that it is about.
struct BatchOutcome {
  let batch: ContextChanges
  var decision = ResultsDecision()
  /// The objects that the decision's places count.
  var objects: [ManagedObject]
  /// The changes of the batch that do not concern the results; nil if no
  /// reasons are kept.
  var silences: [SilentChange]?
  /// How all matching rows change, where a limit is kept and a search decided the batch.
  var matchingEdits: ResultsDecision.Edits?
  /// The related objects by which objects of the batch count as changed, by number.
  var related: [Int64: RelatedChanges.Cause] = [:]
  /// The fetch that decided the batch; nil if a search did.
  var refetched: RefetchedRows?
}
