/// The changes of one batch in a controller's results, as a value that can be sent to another actor
/// or over a network.
///
/// It has everything that a delegate receives by callbacks, in the same order, and the rule that
/// each change follows from. A consumer begins with the first difference, which replaces
/// everything. It then applies each later difference to its own sections:
///
/// ```swift
/// var sections: [FetchedResultsSnapshot.Section] = []
/// for await difference in controller.changes {
///   try difference.apply(to: &sections)
/// }
/// ```
///
/// Decoding identities needs the model; see ``ObjectID/init(from:)``.
public struct SectionedDifference: Hashable, Sendable, Codable {
  /// A section that is inserted or deleted.
  public struct SectionChange: Hashable, Sendable, Codable {
    /// The section's index: before the batch if it is deleted, after it if it is inserted.
    public let index: Int
    /// The section's name.
    public let name: String
    /// The rule by which it is inserted or deleted.
    public let reason: SectionReason
  }

  /// An object that is inserted, deleted, moved or updated.
  public struct ObjectChange: Hashable, Sendable, Codable {
    /// The object.
    public let objectID: ObjectID
    /// What happened to it.
    public let type: FetchedResultsChangeType
    /// Its place before the batch; nil for an insert.
    public let indexPath: ResultsIndexPath?
    /// Its place after the batch; nil for a delete.
    public let newIndexPath: ResultsIndexPath?
    /// The rule by which it is reported.
    public let reason: ChangeReason
  }

  /// Deleted sections, by ascending index.
  public internal(set) var deletedSections: [SectionChange] = []
  /// Inserted sections, by ascending index.
  public internal(set) var insertedSections: [SectionChange] = []
  /// The changes of objects, in the order of the callbacks.
  public internal(set) var objects: [ObjectChange] = []
  /// All sections, if the results were replaced as a whole.
  ///
  /// The difference then contains nothing else.
  ///
  /// A fetch and a reset replace the results. So does a save that gives new objects other numbers,
  /// because another process took theirs.
  public internal(set) var replacement: [FetchedResultsSnapshot.Section]?

  /// Whether nothing changed.
  public var isEmpty: Bool {
    replacement == nil && deletedSections.isEmpty && insertedSections.isEmpty && objects.isEmpty
  }

  init() {}

  /// Creates a difference that replaces everything, like the first one of a sequence.
  ///
  /// A program that passes differences on sends it to consumers that join later.
  public init(replacingBy sections: [FetchedResultsSnapshot.Section]) { replacement = sections }
}

extension SectionedDifference {
  /// Why a difference cannot be applied.
  public struct MismatchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first change that does not fit.
    public let description: String
  }

  /// Applies the difference to the sections before the batch.
  ///
  /// Rows and sections are removed first, from the last to the first. Then sections are inserted,
  /// and then rows, each at its final place. So no change shifts the place of a later one.
  ///
  /// - Throws: ``MismatchError`` if the sections are not those before the batch. Some changes may
  ///   be applied then.
  /// - Complexity: O(*k* log *k*) for *k* changes, plus the time to move the rows after them.
  public func apply(
    to sections: inout [FetchedResultsSnapshot.Section]
  ) throws(MismatchError) {
    if let replacement {
      sections = replacement
      return
    }
    let leaving = objects.compactMap { change in
      change.type == .update ? nil : change.indexPath.map { ($0, change.objectID) }
    }
    for (path, id) in leaving.sorted(by: { $0.0 > $1.0 }) {
      guard sections.indices.contains(path.section),
        sections[path.section].itemIdentifiers.indices.contains(path.row),
        sections[path.section].itemIdentifiers[path.row] == id
      else { throw MismatchError(description: "\(id) is not at \(path)") }
      sections[path.section].itemIdentifiers.remove(at: path.row)
    }
    for change in deletedSections.reversed() {
      guard sections.indices.contains(change.index),
        sections[change.index].itemIdentifiers.isEmpty
      else { throw MismatchError(description: "section \(change.index) does not become empty") }
      sections.remove(at: change.index)
    }
    for change in insertedSections {
      guard change.index <= sections.count else {
        throw MismatchError(description: "there is no place for section \(change.index)")
      }
      sections.insert(
        FetchedResultsSnapshot.Section(identifier: change.name, itemIdentifiers: []),
        at: change.index)
    }
    let coming = objects.compactMap { change in
      change.type == .update ? nil : change.newIndexPath.map { ($0, change.objectID) }
    }
    for (path, id) in coming.sorted(by: { $0.0 < $1.0 }) {
      guard sections.indices.contains(path.section),
        path.row <= sections[path.section].itemIdentifiers.count
      else { throw MismatchError(description: "there is no place \(path) for \(id)") }
      sections[path.section].itemIdentifiers.insert(id, at: path.row)
    }
  }
}

extension SectionedDifference {
  /// Copies the changes of a decision.
  ///
  /// - Complexity: O(*k*).
  init(_ outcome: BatchOutcome, in state: FetchedState) {
    let decision = outcome.decision
    func sections(_ changes: [ResultsDecision.SectionChange]) -> [SectionChange] {
      changes.map { SectionChange(index: $0.index, name: $0.name, reason: $0.reason) }
    }
    deletedSections = sections(decision.sectionDeletes)
    insertedSections = sections(decision.sectionInserts)
    objects = (decision.deletes + decision.inserts + decision.movesAndUpdates).map { change in
      ObjectChange(
        objectID: change.place.map { outcome.objects[$0].objectID }
          ?? state.objectID(change.number),
        type: change.kind.type, indexPath: change.indexPath, newIndexPath: change.newIndexPath,
        reason: change.reason)
    }
  }
}
