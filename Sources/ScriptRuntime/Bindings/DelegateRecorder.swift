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

extension ObservedResults.Publication {
  /// How the difference breaks the replay law; nil if it does not, or if there is none.
  ///
  /// - Complexity: O(*n*) in the rows.
  fileprivate func breach(
    _ old: PublishedRows, _ new: PublishedRows
  ) -> CheckingDelegate.Breach? {
    guard let difference else { return nil }
    var sections = old.sectionIdentifiers
    do {
      try difference.apply(to: &sections)
    } catch {
      return .unfitDifference
    }
    return ReplayBreach(told: sections.map(\.law), shown: new.sectionIdentifiers.map(\.law))
  }
}

extension FetchedResultsSnapshot.Section {
  fileprivate var law: ReplayLaw<ObjectID>.Section {
    ReplayLaw.Section(name: identifier, rows: itemIdentifiers)
  }
}

/// A controller or an observer with its name in the session, and who receives its changes.
package final class ControllerBinding {
  package let name: String
  /// The controller; for an observer, the one that decides its changes.
  package let controller: FetchedResultsController
  /// The observer; nil for a controller.
  package let observer: ObservedResults?
  /// The rows that the observer published last.
  private var published: PublishedRows?
  /// Whether `show` has printed which sort keys the observer adds.
  var hasShownOrder = false
  /// Whether a statement is changing the observer's request.
  var isBeingChanged = false
  /// The kind of delegate that the script asks for.
  package private(set) var delegate = Delegate.mode(.changes)
  /// A strong reference, because a controller holds its delegate weakly.
  package private(set) var recorder: DelegateRecorder?
  /// Receives the callbacks before the recorder, and reports when each is over.
  private var steps: StepDelegate?
  /// Receives the controller's callbacks first, and checks the replay law.
  private var checker: CheckingDelegate?

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
    observer = nil
  }

  init(name: String, observer: ObservedResults) {
    self.name = name
    self.observer = observer
    controller = observer.controller
    published = observer.rows
  }

  /// Calls a closure with what the observer publishes, and the rows before and after.
  ///
  /// - Parameter onBreach: Called if a difference, applied to the rows before, does not give those
  ///   after; nil if that is not checked.
  func listen(
    onBreach: ((CheckingDelegate.Breach) -> Void)?,
    _ onPublication:
      @escaping (
        ControllerBinding, ObservedResults.Publication, _ old: PublishedRows, _ new: PublishedRows
      ) -> Void
  ) {
    observer?.observe { [weak self] publication in
      guard let self, let rows = self.observer?.rows else { return }
      let old = self.published ?? rows
      self.published = rows
      if let onBreach, let breach = publication.breach(old, rows) { onBreach(breach) }
      onPublication(self, publication, old, rows)
    }
  }

  /// Sets the controller's delegate.
  ///
  /// - Parameters:
  ///   - recorder: Reports the callbacks; nil for no delegate.
  ///   - stepper: Returns who shows each callback; nil if they are not shown one by one.
  ///   - onBreach: Called when callbacks break the replay law; nil if that is not checked.
  func attach(
    _ delegate: Delegate, _ recorder: DelegateRecorder?,
    stepper: @escaping () -> Stepper?,
    onBreach: ((CheckingDelegate.Breach) -> Void)?
  ) {
    self.delegate = delegate
    self.recorder = recorder
    // An observer has no delegate; its publications go to the recorder.
    guard observer == nil else { return }
    steps = recorder.map { recorder in
      // A callback may define its controller again, which removes the binding.
      StepDelegate(of: recorder) { [weak self] in
        guard let stepper = stepper(), let self else { return }
        stepper.callbackDidEnd(of: self)
      }
    }
    checker = steps.flatMap { steps in
      onBreach.map { onBreach in CheckingDelegate(of: steps) { onBreach($0) } }
    }
    controller.delegate = checker ?? steps
  }

  /// Checks that the controller shows what its delegate was told.
  func checkReplay() { checker?.checkSections(of: controller) }

  /// Converts an object to the form in which the controller's events show it.
  var shown: (ManagedObject) -> ShownObject {
    { [sectionKey = controller.sectionNameKeyPath] object in
      ShownObject(object, attribute: object.entity.shownAttribute(besides: sectionKey))
    }
  }
}
