package import FetchedResults
package import ScriptSyntax
package import TableViews

/// A controller's delegate that turns callbacks into events.
package class DelegateRecorder: FetchedResultsControllerDelegate {
  package let implementedMethods: FetchedResultsDelegateMethods
  /// The controller's name.
  ///
  /// The controller itself may no longer exist while a callback of its delegate still runs.
  let name: String
  private let sectionNameKeyPath: String?
  private let tell: (Event) -> Void

  init(
    _ methods: FetchedResultsDelegateMethods, _ binding: ControllerBinding,
    _ emit: @escaping (Event) -> Void
  ) {
    implementedMethods = methods
    name = binding.name
    sectionNameKeyPath = binding.controller.sectionNameKeyPath
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
    tell(.callback(ControllerCallback(kind, of: name)))
  }

  private func shown(_ object: ManagedObject) -> ShownObject {
    ShownObject(
      object, attribute: object.entity.shownAttribute(besides: sectionNameKeyPath))
  }

  package func controllerWillChangeContent(_ controller: FetchedResultsController) {
    emit(.willChangeContent)
  }

  package func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    emit(.didChangeObject(type, shown(object), old: indexPath, new: newIndexPath))
  }

  package func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    emit(.didChangeSection(type, index: sectionIndex, name: sectionInfo.name))
  }

  package func controllerDidChangeContent(_ controller: FetchedResultsController) {
    emit(.didChangeContent)
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

  override func controllerWillChangeContent(_ controller: FetchedResultsController) {
    counts = ChangeCounts()
  }

  override func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    switch type {
    case .insert: counts.inserts += 1
    case .delete: counts.deletes += 1
    case .move: counts.moves += 1
    case .update: counts.updates += 1
    }
  }

  override func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    if type == .insert { counts.sectionInserts += 1 } else { counts.sectionDeletes += 1 }
  }

  override func controllerDidChangeContent(_ controller: FetchedResultsController) {
    emit(.counts(counts))
  }
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

  override func controllerWillChangeContent(_ controller: FetchedResultsController) {
    super.controllerWillChangeContent(controller)
    _ = run(.willChangeContent)
  }

  override func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    super.controller(
      controller, didChange: object, at: indexPath, for: type, newIndexPath: newIndexPath)
    let values: [String: ScriptValue] = [
      "type": .value(.string(type.rawValue)), "object": .value(.object(object.objectID)),
      "indexPath": ScriptValue(indexPath), "newIndexPath": ScriptValue(newIndexPath),
    ]
    _ = run(.didChangeObject, values)
  }

  override func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    super.controller(controller, didChange: sectionInfo, atSectionIndex: sectionIndex, for: type)
    let values: [String: ScriptValue] = [
      "type": .value(.string(type.rawValue)), "index": .int(sectionIndex),
      "name": .value(.string(sectionInfo.name)),
    ]
    _ = run(.didChangeSection, values)
  }

  override func controllerDidChangeContent(_ controller: FetchedResultsController) {
    super.controllerDidChangeContent(controller)
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

/// A controller with its name in the session, and its delegate.
package final class ControllerBinding {
  package let name: String
  package let controller: FetchedResultsController
  /// The kind of delegate that the script asks for.
  package private(set) var delegate = Delegate.mode(.changes)
  /// A strong reference, because a controller holds its delegate weakly.
  package private(set) var recorder: DelegateRecorder?
  /// Receives the callbacks before the recorder, and reports when each is over.
  private var steps: StepDelegate?
  /// Receives the controller's callbacks first, and checks the replay law.
  private var witness: ReplayWitness?

  /// The kinds of delegate in a script.
  package enum Delegate {
    case mode(Statement.DelegateMode)
    /// Callbacks with statements of the script, and the source that contains them.
    case own([CallbackSyntax], SourceText)
    /// The delegate of a table.
    case table(FetchedResultsTable<CellContent>.Mode)
  }

  init(name: String, controller: FetchedResultsController) {
    self.name = name
    self.controller = controller
  }

  /// Sets the controller's delegate.
  ///
  /// - Parameters:
  ///   - recorder: Reports the callbacks; nil for no delegate.
  ///   - callbackDidEnd: Called after each callback.
  ///   - hearBreach: Called when callbacks break the replay law; nil if that is not checked.
  func attach(
    _ delegate: Delegate, _ recorder: DelegateRecorder?,
    callbackDidEnd: @escaping (ControllerBinding) -> Void,
    hearBreach: ((ReplayWitness.Breach) -> Void)?
  ) {
    self.delegate = delegate
    self.recorder = recorder
    steps = recorder.map { recorder in
      // A callback may define its controller again, which removes the binding.
      StepDelegate(of: recorder) { [weak self] in if let self { callbackDidEnd(self) } }
    }
    witness = steps.flatMap { steps in
      hearBreach.map { hear in ReplayWitness(of: steps) { hear($0) } }
    }
    controller.delegate = witness ?? steps
  }

  /// Checks that the controller shows what its delegate was told.
  func checkWitness() { witness?.checkSections(of: controller) }

  /// Converts an object to the form in which the controller's events show it.
  var shown: (ManagedObject) -> ShownObject {
    { [sectionKey = controller.sectionNameKeyPath] object in
      ShownObject(object, attribute: object.entity.shownAttribute(besides: sectionKey))
    }
  }
}
