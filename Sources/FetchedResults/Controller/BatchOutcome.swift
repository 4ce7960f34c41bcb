/// What a batch does to one controller, and the batch's objects.
struct BatchOutcome {
  let batch: ContextChanges
  var decision = ResultsDecision()
  /// The objects that the decision refers to by index.
  var objects: [ManagedObject]
  /// The changes of the batch that do not concern the results; nil if no reasons are kept.
  var silences: [SilentChange]?
  /// How all matching rows change, if a limit is kept and a search decided the batch.
  var matchingEdits: ResultsDecision.Edits?
  /// For objects that count as changed because of a related object: that object, by number.
  var related: [Int64: RelatedChanges.Cause] = [:]
  /// The fetch that decided the batch; nil if a search did.
  var refetched: RefetchedRows?
  /// Whether rows were in sections that are not their own, because the last fetch counted sections.
  var hadForeignRows = false
}
