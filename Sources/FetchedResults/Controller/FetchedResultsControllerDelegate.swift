/// The delegate methods that a controller calls.
///
/// On Apple's systems the controller asks the Objective-C runtime which methods a delegate
/// implements. Here it finds out with ``automatic``.
public struct FetchedResultsDelegateMethods: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// `controllerWillChangeContent(_:)`.
  public static let willChangeContent = Self(rawValue: 1)
  /// `controller(_:didChange:at:for:newIndexPath:)`.
  public static let didChangeObject = Self(rawValue: 2)
  /// `controller(_:didChange:atSectionIndex:for:)`.
  public static let didChangeSection = Self(rawValue: 4)
  /// `controllerDidChangeContent(_:)`.
  public static let didChangeContent = Self(rawValue: 8)
  /// `controller(_:sectionIndexTitleForSectionName:)`.
  ///
  /// It alone does not make a controller track changes.
  public static let sectionIndexTitle = Self(rawValue: 16)

  /// `controller(_:didChangeContentWith:)` with a snapshot.
  ///
  /// If it is implemented, no other method is called.
  public static let snapshot = Self(rawValue: 32)
  /// `controller(_:didChangeContentWith:)` with a difference.
  ///
  /// Without a section key path, no other method is called. With one, this method is ignored.
  public static let difference = Self(rawValue: 64)

  /// The methods that the delegate implements.
  ///
  /// A delegate is never called to find that out. The result types of the two newer methods show
  /// whether the delegate has them. If another method is not implemented, its default
  /// implementation reports that to the controller when the first change is delivered.
  public static let automatic = Self(rawValue: 1 << 30)

  /// A listed method may still be a default implementation, which is noticed when it is called.
  static let assumed = Self(rawValue: 1 << 29)

  /// The four callbacks that report changes.
  ///
  /// Each of them makes a controller track changes.
  public static let changes: Self = [
    .willChangeContent, .didChangeObject, .didChangeSection, .didChangeContent,
  ]

  /// Returns the methods with the implemented ones instead of ``automatic``.
  ///
  /// - Parameters:
  ///   - snapshot: What the delegate's method for snapshots returns.
  ///   - difference: What its method for differences returns.
  package func resolved(snapshot: Any.Type, difference: Any.Type) -> Self {
    guard contains(.automatic) else { return self }
    var methods: Self = [.assumed, .changes, .sectionIndexTitle]
    if snapshot != UnimplementedMethod.self { methods.insert(.snapshot) }
    if difference != UnimplementedMethod.self { methods.insert(.difference) }
    return methods
  }
}

/// The result of a method that a delegate does not implement.
///
/// The methods of a delegate return nothing. Only the default implementations return this type, so
/// the compiler knows which of the two newer methods a delegate has.
public struct UnimplementedMethod: Sendable {
  package init() {}
}

/// Receives the changes of a controller's results.
///
/// For each batch of changes that concerns the results, a delegate receives, in this order: will
/// change; object deletes; section deletes; section inserts; object inserts; moves and updates; did
/// change. Old index paths refer to the results before the batch, and new index paths to the
/// results after it. No path refers to a state in between. During `controllerWillChangeContent(_:)`
/// the controller still shows the old results, and from then on the new ones.
///
/// A callback may read the controller, change objects and fetch. Objects changed inside a callback
/// are reported in a batch of their own, at the latest at the end of the next turn.
public protocol FetchedResultsControllerDelegate: AnyObject {
  /// What the method for snapshots returns; the compiler finds it.
  associatedtype SnapshotResult = UnimplementedMethod
  /// What the method for differences returns; the compiler finds it.
  associatedtype DifferenceResult = UnimplementedMethod

  /// The methods that the controller calls; by default ``FetchedResultsDelegateMethods/automatic``,
  /// all that the delegate implements.
  ///
  /// Usually leave this out, so that no method is forgotten. Give a list if a delegate implements
  /// more methods than it wants to receive: a method that is not in the list is never called.
  var implementedMethods: FetchedResultsDelegateMethods { get }

  /// Called before the changes of a batch.
  func controllerWillChangeContent(_ controller: FetchedResultsController)

  /// Called for each changed object.
  ///
  /// The index path is the place before the batch, nil for an insert. The new index path is the
  /// place after it, nil for a delete. An update has both.
  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?)

  /// Called for each section that was inserted or deleted.
  ///
  /// For a delete, the index is the one before the batch. For an insert, it is the one after it.
  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType)

  /// Called after the changes of a batch.
  func controllerDidChangeContent(_ controller: FetchedResultsController)

  /// Called with a snapshot of the results, after a batch and after each fetch.
  ///
  /// Write the method without a result.
  ///
  /// - Complexity: O(*n*) for a batch, because a snapshot names every object.
  @discardableResult func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) -> SnapshotResult

  /// Called with a batch as the difference between the objects before and after.
  ///
  /// Write the method without a result.
  ///
  /// An update is a removal and an insertion at one place, each associated with the other. A move
  /// is such a pair at two places.
  ///
  /// As on Apple's systems, a controller with sections never calls it: a difference of one list
  /// cannot say which section an object belongs to. With sections, use
  /// ``FetchedResultsController/observe(_:)`` or ``FetchedResultsController/changes``, which give a
  /// ``SectionedDifference`` for every controller.
  ///
  /// - Complexity: O(*k* log *n*) for *k* changes, as for the callbacks.
  @discardableResult func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) -> DifferenceResult

  /// Returns the title of a section in the section index; nil for the default, the capitalised
  /// first letter of the name.
  func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

/// Default implementations. By a report or by their result, the controller learns that the delegate
/// does not implement the method.
extension FetchedResultsControllerDelegate {
  /// ``FetchedResultsDelegateMethods/automatic``.
  public var implementedMethods: FetchedResultsDelegateMethods { .automatic }

  /// The listed methods, or those that the delegate implements.
  package var resolvedMethods: FetchedResultsDelegateMethods {
    implementedMethods.resolved(
      snapshot: SnapshotResult.self, difference: DifferenceResult.self)
  }

  /// Does nothing.
  public func controllerWillChangeContent(_ controller: FetchedResultsController) {
    controller.noteUnimplemented(.willChangeContent)
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    controller.noteUnimplemented(.didChangeObject)
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    controller.noteUnimplemented(.didChangeSection)
  }

  /// Does nothing.
  public func controllerDidChangeContent(_ controller: FetchedResultsController) {
    controller.noteUnimplemented(.didChangeContent)
  }

  /// Returns nil.
  public func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    controller.noteUnimplemented(.sectionIndexTitle)
    return nil
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) -> UnimplementedMethod { UnimplementedMethod() }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) -> UnimplementedMethod { UnimplementedMethod() }
}

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
    /// The kind of change.
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
  /// The reason why a difference cannot be applied.
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
      guard 0...sections.count ~= change.index else {
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
        0...sections[path.section].itemIdentifiers.count ~= path.row
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
