package import FetchedResults
import ScriptSyntax

/// A controller's delegate that turns callbacks into events.
package class DelegateRecorder: FetchedResultsControllerDelegate {
  package let implementedMethods: FetchedResultsDelegateMethods
  /// The controller's name.
  ///
  /// The controller itself may no longer exist while a callback of its delegate still runs.
  let name: String
  private let sectionNameKeyPath: String?
  /// Whether the changes come from an observer, which has no callbacks around a batch.
  private let isPublished: Bool
  private let tell: (Event) -> Void

  init(
    _ methods: FetchedResultsDelegateMethods, _ binding: ControllerBinding,
    _ emit: @escaping (Event) -> Void
  ) {
    implementedMethods = methods
    name = binding.name
    sectionNameKeyPath = binding.controller.sectionNameKeyPath
    isPublished = binding.observer != nil
    tell = emit
  }

  /// Returns the delegate for a mode; nil for none.
  static func recorder(
    for mode: Statement.DelegateMode, of binding: ControllerBinding,
    emit: @escaping (Event) -> Void
  ) -> DelegateRecorder? {
    switch mode {
    case .changes: DelegateRecorder(.changes, binding, emit)
    case .didChange: DelegateRecorder(.didChangeContent, binding, emit)
    case .none: nil
    case .snapshot: DelegateRecorder(.snapshot, binding, emit)
    case .diff: DelegateRecorder(.difference.union(.changes), binding, emit)
    case .counts: CountingRecorder(.changes, binding, emit)
    }
  }

  /// Reports what the delegate received.
  final func emit(_ kind: ControllerCallback.Kind) {
    tell(.callback(ControllerCallback(kind, of: name, isPublished: isPublished)))
  }

  private func shown(_ object: ManagedObject) -> ShownObject {
    ShownObject(
      object, attribute: object.entity.shownAttribute(besides: sectionNameKeyPath))
  }

  // MARK: Batches

  /// A batch of changes begins.
  func batchWillBegin() {
    if !isPublished { emit(.willChangeContent) }
  }

  func didChange(
    _ object: ManagedObject, _ type: FetchedResultsChangeType, from old: ResultsIndexPath?,
    to new: ResultsIndexPath?
  ) {
    emit(.didChangeObject(type, shown(object), old: old, new: new))
  }

  func didChangeSection(_ type: FetchedResultsChangeType, index: Int, name: String) {
    emit(.didChangeSection(type, index: index, name: name))
  }

  /// A batch of changes ends.
  func batchDidEnd() {
    if !isPublished { emit(.didChangeContent) }
  }

  /// An observer has replaced its results.
  func wereReplaced() {
    if implementedMethods.contains(.didChangeObject) { emit(.replaced) }
  }

  /// Reports what an observer published, as if a delegate received it.
  ///
  /// - Parameters:
  ///   - old: The rows before, which have the objects that are gone.
  ///   - new: The rows now.
  final func receive(
    _ publication: ObservedResults.Publication, _ old: PublishedRows, _ new: PublishedRows
  ) {
    guard let difference = publication.difference else { return wereReplaced() }
    if implementedMethods.contains(.willChangeContent) { batchWillBegin() }
    defer { batchDidEnd() }
    guard implementedMethods.contains(.didChangeObject) else { return }
    let goneFirst = difference.objects.filter { $0.type == .delete }
    let others = difference.objects.filter { $0.type != .delete }
    func tell(_ changes: [SectionedDifference.ObjectChange]) {
      for change in changes {
        let object =
          change.newIndexPath.flatMap { new.object(at: $0) }
          ?? change.indexPath.flatMap { old.object(at: $0) }
        guard let object else { continue }
        didChange(object, change.type, from: change.indexPath, to: change.newIndexPath)
      }
    }
    tell(goneFirst)
    for section in difference.deletedSections {
      didChangeSection(.delete, index: section.index, name: section.name)
    }
    for section in difference.insertedSections {
      didChangeSection(.insert, index: section.index, name: section.name)
    }
    tell(others)
  }

  // MARK: The delegate of a controller

  package final func controllerWillChangeContent(_ controller: FetchedResultsController) {
    batchWillBegin()
  }

  package final func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    didChange(object, type, from: indexPath, to: newIndexPath)
  }

  package final func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    didChangeSection(type, index: sectionIndex, name: sectionInfo.name)
  }

  package final func controllerDidChangeContent(_ controller: FetchedResultsController) {
    batchDidEnd()
  }

  package func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    emit(.snapshot(snapshot))
  }

  package func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    emit(.difference(difference))
  }

  package func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }
}

/// A delegate that receives all callbacks and reports one line of counts per batch.
final class CountingRecorder: DelegateRecorder {
  private var counts = ChangeCounts()

  override func batchWillBegin() { counts = ChangeCounts() }

  override func didChange(
    _ object: ManagedObject, _ type: FetchedResultsChangeType, from old: ResultsIndexPath?,
    to new: ResultsIndexPath?
  ) {
    switch type {
    case .insert: counts.inserts += 1
    case .delete: counts.deletes += 1
    case .move: counts.moves += 1
    case .update: counts.updates += 1
    }
  }

  override func didChangeSection(_ type: FetchedResultsChangeType, index: Int, name: String) {
    if type == .insert { counts.sectionInserts += 1 } else { counts.sectionDeletes += 1 }
  }

  override func batchDidEnd() { emit(.counts(counts)) }
}

/// A delegate with callbacks in a script.
///
/// It implements those callbacks, reports each and then runs its statements.
final class ScriptedRecorder: DelegateRecorder {
  /// Runs a callback's statements with the values of its variables.
  typealias Run = (CallbackSyntax, [String: ScriptValue]) -> PropertyValue?

  private let callbacks: [CallbackSyntax.Callback: CallbackSyntax]
  private let run: Run

  init(
    _ callbacks: [CallbackSyntax], of binding: ControllerBinding,
    emit: @escaping (Event) -> Void, run: @escaping Run
  ) {
    self.callbacks = Dictionary(callbacks.map { ($0.callback, $0) }) { first, _ in first }
    self.run = run
    let methods = callbacks.map { FetchedResultsDelegateMethods($0.callback) }
    super.init(FetchedResultsDelegateMethods(methods), binding, emit)
  }

  private func run(
    _ callback: CallbackSyntax.Callback, _ values: [String: ScriptValue] = [:]
  ) -> PropertyValue? {
    callbacks[callback].flatMap { run($0, values) }
  }

  override func batchWillBegin() {
    super.batchWillBegin()
    _ = run(.willChangeContent)
  }

  override func didChange(
    _ object: ManagedObject, _ type: FetchedResultsChangeType, from old: ResultsIndexPath?,
    to new: ResultsIndexPath?
  ) {
    super.didChange(object, type, from: old, to: new)
    let values: [String: ScriptValue] = [
      "type": .value(.string(type.rawValue)), "object": .value(.object(object.objectID)),
      "indexPath": ScriptValue(old), "newIndexPath": ScriptValue(new),
    ]
    _ = run(.didChangeObject, values)
  }

  override func didChangeSection(_ type: FetchedResultsChangeType, index: Int, name: String) {
    super.didChangeSection(type, index: index, name: name)
    let values: [String: ScriptValue] = [
      "type": .value(.string(type.rawValue)), "index": .int(index),
      "name": .value(.string(name)),
    ]
    _ = run(.didChangeSection, values)
  }

  override func batchDidEnd() {
    super.batchDidEnd()
    _ = run(.didChangeContent)
  }

  override func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    guard let name = callbacks[.sectionIndexTitle]?.parameter?.text else { return nil }
    return run(.sectionIndexTitle, [name: .value(.string(sectionName))])?.string
  }
}

extension FetchedResultsDelegateMethods {
  fileprivate init(_ callback: CallbackSyntax.Callback) {
    self =
      switch callback {
      case .willChangeContent: .willChangeContent
      case .didChangeObject: .didChangeObject
      case .didChangeSection: .didChangeSection
      case .didChangeContent: .didChangeContent
      case .sectionIndexTitle: .sectionIndexTitle
      }
  }
}

extension ScriptValue {
  /// Creates a list of section and row from an index path; nil becomes null.
  init(_ indexPath: ResultsIndexPath?) {
    self = .value(
      indexPath.map { .list([.int(Int64($0.section)), .int(Int64($0.row))]) } ?? .null)
  }
}

/// A delegate that passes everything on to another one, and reports when each callback is over.
final class StepDelegate: FetchedResultsControllerDelegate {
  private let delegate: any FetchedResultsControllerDelegate
  private let callbackDidEnd: () -> Void

  let implementedMethods: FetchedResultsDelegateMethods

  /// - Parameters:
  ///   - delegate: Receives everything; held strongly.
  ///   - callbackDidEnd: Called after each callback about a change.
  init(
    of delegate: any FetchedResultsControllerDelegate, callbackDidEnd: @escaping () -> Void
  ) {
    self.delegate = delegate
    self.callbackDidEnd = callbackDidEnd
    implementedMethods = delegate.resolvedMethods
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController) {
    delegate.controllerWillChangeContent(controller)
    callbackDidEnd()
  }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    delegate.controller(
      controller, didChange: object, at: indexPath, for: type, newIndexPath: newIndexPath)
    callbackDidEnd()
  }

  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    delegate.controller(
      controller, didChange: sectionInfo, atSectionIndex: sectionIndex, for: type)
    callbackDidEnd()
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController) {
    delegate.controllerDidChangeContent(controller)
    callbackDidEnd()
  }

  func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    delegate.controller(controller, didChangeContentWith: snapshot)
    callbackDidEnd()
  }

  func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    delegate.controller(controller, didChangeContentWith: difference)
    callbackDidEnd()
  }

  func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    delegate.controller(controller, sectionIndexTitleForSectionName: sectionName)
  }
}

/// Shows the table after each callback of a turn, and waits before the next one.
final class Stepper {
  private let show: (ControllerBinding) -> Void
  private let awaitKey: (_ step: Int) -> Bool
  private var count = 0
  private var isWaiting = true

  /// - Parameters:
  ///   - show: Prints the table of a controller.
  ///   - awaitKey: Waits until the user asks for the next step. Returns false if the rest should
  ///     run without a pause.
  init(show: @escaping (ControllerBinding) -> Void, awaitKey: @escaping (Int) -> Bool) {
    self.show = show
    self.awaitKey = awaitKey
  }

  /// Called before a callback is sent.
  func callbackWillBegin() {
    if count > 0, isWaiting { isWaiting = awaitKey(count) }
    count += 1
  }

  /// Shows the table after a callback.
  func callbackDidEnd(of controller: ControllerBinding) { show(controller) }
}
