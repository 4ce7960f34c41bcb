import FetchedResults
import ScriptSyntax
import TableViews

/// What the last turn that changed something was, and what controllers made of
/// it.
///
/// Nothing is kept before someone wants to know reasons.
final class TurnLog {
  /// What was processed and decided, in order.
  enum Entry {
    /// A context's batch, and the objects that came and went within it.
    case processing(context: ManagedObjectContext, ContextChanges, cameAndWent: [ObjectID])
    /// A controller's decision, and its delegate as it was then.
    case decision(ControllerBinding, DecisionRecord, Hearer)
    /// What a batch request wrote, of which no context knows yet.
    case batch(BatchResult)
  }

  /// What a delegate was when a decision was made.
  struct Hearer {
    let methods: FetchedResultsDelegateMethods
    /// The name of the table that it is, where that was suspended.
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

  /// The first line of the statement whose turn it was, and a sign that there are
  /// more; nil while it runs.
  var title: String? {
    guard let statement else { return nil }
    let lines = statement.source.formattedText(in: statement.range).linesOfText
    return lines[0].shortened() + (lines.count > 1 ? " …" : "")
  }

  /// Ends the turn, if anything was processed in it.
  func endTurn(of statement: Range<Int>, in source: SourceText) {
    guard self.statement == nil, !entries.isEmpty else { return }
    self.statement = (statement, source)
    isNew = true
  }

  /// Whether a turn has ended since this was asked before.
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

  /// What a controller decided in the last turn, batch by batch.
  func decisions(of binding: ControllerBinding) -> [DecisionRecord] {
    entries.compactMap { entry in
      guard case .decision(let decider, let record, _) = entry, decider === binding,
        !record.decision.isEmpty
      else { return nil }
      return record
    }
  }

  // MARK: Listening

  /// Begins to keep by what changes are decided, so that `explain` can tell about the turns from
  /// now on.
  ///
  /// It costs about as much as deciding them; so a script that never asks does
  /// not do it.
  func keep(for session: Session) {
    guard !isKept else { return }
    isKept = true
    for entry in session.contexts { listen(to: entry.context) }
    for binding in session.controllers.values { listen(to: binding) }
  }

  /// Keeps what a context processes from now on, where reasons are kept.
  func listen(to context: ManagedObjectContext) {
    guard isKept else { return }
    context.hearProcessing = { [weak self, weak context] batch, cameAndWent in
      guard let context else { return }
      self?.append(.processing(context: context, batch, cameAndWent: cameAndWent))
    }
  }

  /// Keeps what a batch request wrote, where reasons are kept.
  func note(_ result: BatchResult) {
    guard isKept else { return }
    append(.batch(result))
  }

  /// Keeps what a controller decides from now on, where reasons are kept.
  func listen(to binding: ControllerBinding) {
    guard isKept else { return }
    // A callback may define its controller again, which ends the binding.
    binding.controller.hearDecision = { [weak self, weak binding] record in
      guard let binding else { return }
      self?.append(.decision(binding, record, Hearer(binding.recorder)))
    }
  }
}
