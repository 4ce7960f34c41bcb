import FetchedResults
import ScriptSyntax
import TableViews

/// A record of the last turn that changed something, and of what controllers decided in it.
///
/// Nothing is recorded before an explanation is needed.
final class TurnLog {
  /// The batches and decisions of the turn, in order.
  enum Entry {
    /// A context's batch, and the objects that were inserted and deleted within it.
    case processing(context: ManagedObjectContext, ContextChanges, cameAndWent: [ObjectID])
    /// A controller's decision, with the delegate at that time.
    case decision(ControllerBinding, DecisionRecord, Receiver)
    /// The changes of a batch request, which no context knows yet.
    case batch(BatchResult)
  }

  /// The delegate at the time of a decision.
  struct Receiver {
    let methods: FetchedResultsDelegateMethods
    /// The name of the delegate's table, if that was suspended.
    let suspendedTable: String?

    init(_ recorder: DelegateRecorder?) {
      methods = recorder?.implementedMethods ?? []
      let table = recorder as? TableRecorder
      suspendedTable = table?.table.isSuspended == true ? table?.tableName : nil
    }
  }

  private(set) var entries: [Entry] = []
  /// Whether reasons are kept; see ``keep(for:)``.
  @exclusivity(unchecked) private(set) var isKept = false
  /// The statement whose turn it was; nil while it runs.
  private var statement: (range: Range<Int>, source: SourceText)?

  /// The first line of the statement whose turn it was, and a sign if there are more; nil while the
  /// statement runs.
  var title: String? {
    guard let statement else { return nil }
    let lines = statement.source.formattedText(in: statement.range).linesOfText
    return lines[0].shortened() + (lines.count > 1 ? " …" : "")
  }

  /// Ends the turn, if any changes were processed in it.
  func endTurn(of statement: Range<Int>, in source: SourceText) {
    guard self.statement == nil, !entries.isEmpty else { return }
    self.statement = (statement, source)
    isNew = true
  }

  /// Returns whether a turn has ended since the last call.
  func takeEndedTurn() -> Bool {
    defer { isNew = false }
    return isNew
  }

  private var isNew = false

  private func append(_ entry: Entry) {
    if statement != nil {
      entries = []
      statement = nil
    }
    entries.append(entry)
  }

  /// Returns the decisions of a controller in the last turn, one for each batch.
  func decisions(of binding: ControllerBinding) -> [DecisionRecord] {
    entries.compactMap { entry in
      guard case .decision(let decider, let record, _) = entry, decider === binding,
        !record.decision.isEmpty
      else { return nil }
      return record
    }
  }

  // MARK: Listening

  /// Starts to record how changes are decided, so that `explain` can show it for later turns.
  ///
  /// Recording costs about as much as deciding, so it is off in scripts that never ask.
  func keep(for session: Session) {
    guard !isKept else { return }
    isKept = true
    for entry in session.contexts { listen(to: entry.context) }
    for binding in session.controllers.values { listen(to: binding) }
  }

  /// Starts to record the batches of a context, if recording is on.
  func listen(to context: ManagedObjectContext) {
    guard isKept else { return }
    context.hearProcessing = { [weak self, weak context] batch, cameAndWent in
      guard let context else { return }
      self?.append(.processing(context: context, batch, cameAndWent: cameAndWent))
    }
  }

  /// Records the changes of a batch request, if recording is on.
  func note(_ result: BatchResult) {
    guard isKept else { return }
    append(.batch(result))
  }

  /// Starts to record the decisions of a controller, if recording is on.
  func listen(to binding: ControllerBinding) {
    guard isKept else { return }
    // A callback may define its controller again, which removes the binding.
    binding.controller.hearDecision = { [weak self, weak binding] record in
      guard let binding else { return }
      self?.append(.decision(binding, record, Receiver(binding.recorder)))
    }
  }
}
