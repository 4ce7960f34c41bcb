/// What one batch changed in a controller's results, as a value that may be sent to another
/// actor or over a wire.
///
/// It has what a delegate receives by callbacks, in their order, and the rule that each follows
/// from. A consumer begins with the first difference, which replaces everything, and applies
/// each later one to what it has:
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
  /// A section that comes or goes.
  public struct SectionChange: Hashable, Sendable, Codable {
    /// The section's index: before the batch if it goes, and after it if it comes.
    public let index: Int
    /// The section's name.
    public let name: String
    /// The rule by which it comes or goes.
    public let reason: SectionReason
  }

  /// An object that comes, goes, moves or is updated.
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

  /// Sections that go, by ascending index.
  public internal(set) var deletedSections: [SectionChange] = []
  /// Sections that come, by ascending index.
  public internal(set) var insertedSections: [SectionChange] = []
  /// Objects that go, come, move and are updated, in the order of the callbacks.
  public internal(set) var objects: [ObjectChange] = []
  /// All sections, where the results were made again as a whole; nothing else is in the
  /// difference then.
  ///
  /// A fetch and a reset do that, and a save before which another process took the numbers of
  /// new objects.
  public internal(set) var replacement: [FetchedResultsSnapshot.Section]?

  /// Whether nothing changed.
  public var isEmpty: Bool {
    replacement == nil && deletedSections.isEmpty && insertedSections.isEmpty && objects.isEmpty
  }

  init() {}

  /// Creates a difference that replaces everything, as the first one of a sequence does.
  ///
  /// A program that passes differences on sends it to those who begin later.
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
  /// Rows and sections leave first, the last ones before those above them. Then sections come,
  /// then rows, each at its final place. So no change shifts the place of a later one.
  ///
  /// - Throws: ``MismatchError`` if the sections are not those before the batch; they may be
  ///   changed in part then.
  /// - Complexity: O(*k* log *k*) for *k* changes, besides moving the rows after them.
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
  /// Copies what a decision tells a delegate.
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
