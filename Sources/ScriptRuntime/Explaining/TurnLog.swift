import Basics
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
    /// What an observer published, and whether a statement changed its request.
    case publication(ControllerBinding, ObservedResults.Publication, atOnce: Bool)
    /// The changes of a batch request, which no context knows yet.
    case batch(BatchResult)

    /// About how many parts it has.
    fileprivate var count: Int {
      switch self {
      case .processing(_, let batch, _): batch.changes.count
      case .decision(_, let record, _): record.batch.changes.count
      case .publication(_, let publication, _): publication.difference?.objects.count ?? 0
      case .batch(let result): result.objectIDs?.count ?? 0
      }
    }
  }

  /// The delegate at the time of a decision.
  struct Receiver {
    let methods: FetchedResultsDelegateMethods
    /// The name of the delegate's table, if that was suspended.
    let suspendedTable: String?
    /// The fetch whose results the decision changed; nil if they no longer exist.
    private(set) weak var fetch: AnyObject?

    init(of binding: ControllerBinding) {
      let recorder = binding.recorder
      methods = recorder?.implementedMethods ?? []
      fetch = binding.controller.fetchIdentity
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
      let old = entries
      entries = []
      let count = old.reduce(0) { $0 + $1.count }
      releaseInBackground(consume old, count: count)
      statement = nil
    }
    entries.append(entry)
  }

  /// Returns the decisions of a controller in the last turn, one for each batch.
  ///
  /// Those before the controller's last fetch are left out, because their places are those of other
  /// results.
  private func decisions(of binding: ControllerBinding) -> [DecisionRecord] {
    guard let fetch = binding.controller.fetchIdentity else { return [] }
    return entries.compactMap { entry in
      guard case .decision(let decider, let record, let receiver) = entry, decider === binding,
        receiver.fetch === fetch, !record.decision.isEmpty
      else { return nil }
      return record
    }
  }

  /// Returns the differences that an observer published in the last turn, since its results were
  /// replaced.
  private func publications(of binding: ControllerBinding) -> [SectionedDifference] {
    var differences: [SectionedDifference] = []
    for case .publication(let publisher, let publication, _) in entries
    where publisher === binding {
      if let difference = publication.difference {
        differences.append(difference)
      } else {
        differences = []
      }
    }
    return differences
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
    context.onProcessing = { [weak self, weak context] batch, cameAndWent in
      guard let context else { return }
      self?.append(.processing(context: context, batch, cameAndWent: cameAndWent))
    }
  }

  /// Records the changes of a batch request, if recording is on.
  func note(_ result: BatchResult) {
    guard isKept else { return }
    append(.batch(result))
  }

  /// Records what an observer published, if recording is on.
  func note(_ publication: ObservedResults.Publication, of binding: ControllerBinding) {
    guard isKept else { return }
    append(.publication(binding, publication, atOnce: binding.isBeingChanged))
  }

  /// Starts to record the decisions of a controller, if recording is on.
  func listen(to binding: ControllerBinding) {
    guard isKept else { return }
    // A callback may define its controller again, which removes the binding.
    binding.controller.onDecision = { [weak self, weak binding] record in
      guard let binding else { return }
      self?.append(.decision(binding, record, Receiver(of: binding)))
    }
  }
}

extension TurnLog {
  /// Returns the marks of a controller's sections: the effects of the last turn that concerned it,
  /// if reasons are kept, and the changes that it has not followed.
  func marks(of binding: ControllerBinding) -> [SectionMarks] {
    guard isKept, let sections = binding.sections else { return [] }
    let batches = markedBatches(of: binding)
    var kinds: [Int64: TableRowMark] = [:]
    for change in batches.flatMap(\.changes) where change.type != .delete {
      kinds[change.number] = TableRowMark(change.type, after: kinds[change.number])
    }
    let stale = binding.controller.staleNumbers
    var marks = sections.map { section in
      var marks = SectionMarks()
      guard !kinds.isEmpty || !stale.isEmpty else { return marks }
      for (row, number) in section.objects.numbers.enumerated() {
        marks.rows[row] = kinds[number]
        if stale.contains(number) { marks.stale.insert(row) }
      }
      return marks
    }
    if let last = batches.last { note(last, in: &marks, of: binding) }
    return marks
  }

  /// Returns the sections and rows that the last turn removed from a controller, if it has no
  /// section left that could have their marks.
  func goneWithSections(of binding: ControllerBinding) -> [SectionMarks.Gone] {
    guard isKept, binding.sections?.isEmpty == true, let last = markedBatches(of: binding).last
    else { return [] }
    let sections = Set(last.deletedSections.map(\.index))
    let others = last.changes.filter {
      $0.type == .delete && !sections.contains($0.oldSection)
    }
    return (last.deletedSections.flatMap(last.lines(ofDeleted:)) + others.map(\.line)).map {
      SectionMarks.Gone(text: $0, nextRow: nil)
    }
  }

  private func markedBatches(of binding: ControllerBinding) -> [MarkedBatch] {
    binding.observer == nil
      ? decisions(of: binding).map { MarkedBatch($0, of: binding) }
      : publications(of: binding).map { MarkedBatch($0) }
  }

  /// Adds the rows and sections that a batch inserted and removed.
  private func note(
    _ batch: MarkedBatch, in marks: inout [SectionMarks], of binding: ControllerBinding
  ) {
    for section in batch.insertedSections where marks.indices.contains(section) {
      marks[section].isInserted = true
    }
    guard !marks.isEmpty else { return }
    let deletedSections = Set(batch.deletedSections.map(\.index))
    // The present index of each old section, and of the end; for a removed section, the index of
    // the next one.
    var places: [Int] = []
    var kept = marks.indices.filter { !marks[$0].isInserted }[...]
    for old in 0..<(kept.count + deletedSections.count) {
      places.append(kept.first ?? marks.count)
      if !deletedSections.contains(old) { kept = kept.dropFirst() }
    }
    for section in batch.deletedSections {
      add(
        batch.lines(ofDeleted: section),
        before: places.indices.contains(section.index) ? places[section.index] : marks.count,
        to: &marks)
    }
    let leaving = batch.changes.filter { $0.type == .delete || $0.type == .move }
      .compactMap(\.old)
    let leavingRows = Dictionary(grouping: leaving, by: \.section)
    for (section, changes) in batch.deletes where !deletedSections.contains(section) {
      guard places.indices.contains(section), marks.indices.contains(places[section]) else {
        continue
      }
      let index = places[section]
      let leaving = Set((leavingRows[section] ?? []).map(\.row)).sorted()
      let count = binding.sections?[index].numberOfObjects ?? 0
      let staying = marks[index].stayingRows(of: count)
      for change in changes {
        let row = change.old?.row ?? 0
        let place = row - leaving.partitioningIndex { $0 >= row }
        marks[index].gone.append(
          SectionMarks.Gone(
            text: change.line, nextRow: place < staying.count ? staying[place] : count))
      }
    }
  }

  /// Adds lines before a section, or after the last one.
  private func add(_ lines: [String], before index: Int, to marks: inout [SectionMarks]) {
    let isAfterLast = index >= marks.count
    let index = min(index, marks.count - 1)
    marks[index].gone += lines.map {
      SectionMarks.Gone(text: $0, nextRow: isAfterLast ? .max : nil)
    }
  }
}

/// The changes of one batch of a controller, or of one publication of an observer, for marks.
private struct MarkedBatch {
  struct Change {
    let type: FetchedResultsChangeType
    let number: Int64
    let old: ResultsIndexPath?
    let object: ShownObject?

    var oldSection: Int { old?.section ?? 0 }

    /// A deleted row, as it was listed.
    var line: String { "- \(old.map(\.description) ?? "") \(object?.description ?? "")" }
  }

  let changes: [Change]
  let insertedSections: [Int]
  let deletedSections: [(index: Int, name: String)]
  /// The deleted rows of each section.
  let deletes: [Int: [Change]]

  /// A deleted section and its deleted rows, as they were listed.
  func lines(ofDeleted section: (index: Int, name: String)) -> [String] {
    ["- section \(section.index) \(section.name.quoted)"]
      + (deletes[section.index] ?? []).map(\.line)
  }

  private init(
    _ changes: [Change], inserted: [Int], deleted: [(index: Int, name: String)]
  ) {
    self.changes = changes
    insertedSections = inserted
    deletedSections = deleted
    deletes = Dictionary(grouping: changes.filter { $0.type == .delete }, by: \.oldSection)
  }

  init(_ record: DecisionRecord, of binding: ControllerBinding) {
    let decision = record.decision
    let changes = (decision.deletes + decision.inserts + decision.movesAndUpdates).map { change in
      Change(
        type: change.kind.type, number: change.number, old: change.indexPath,
        object: change.kind == .delete ? record.object(of: change).map(binding.shown) : nil)
    }
    self.init(
      changes, inserted: decision.sectionInserts.map(\.index),
      deleted: decision.sectionDeletes.map { ($0.index, $0.name) })
  }

  init(_ difference: SectionedDifference) {
    let changes = difference.objects.map { change in
      Change(
        type: change.type, number: change.objectID.number, old: change.indexPath,
        object: ShownObject(id: change.objectID, display: nil))
    }
    self.init(
      changes, inserted: difference.insertedSections.map(\.index),
      deleted: difference.deletedSections.map { ($0.index, $0.name) })
  }
}

extension SectionMarks {
  /// Returns the rows that were neither inserted nor moved here.
  fileprivate func stayingRows(of count: Int) -> [Int] {
    (0..<count).filter { rows[$0] != .inserted && rows[$0] != .moved }
  }
}

extension TableRowMark {
  /// Creates the mark of a change.
  ///
  /// A row that was inserted in the same turn stays marked as inserted.
  fileprivate init(_ type: FetchedResultsChangeType, after earlier: TableRowMark?) {
    if earlier == .inserted || earlier == .moved && type == .update {
      self = earlier ?? .updated
      return
    }
    self =
      switch type {
      case .insert: .inserted
      case .delete: .deleted
      case .move: .moved
      case .update: .updated
      }
  }
}
