package import FetchedResults
package import ScriptSyntax
package import TableViews

/// A controller under its name in the session, and its delegate.
package final class ControllerBinding {
  package let name: String
  package let controller: FetchedResultsController
  /// What the script says about the delegate.
  package private(set) var delegate = Delegate.mode(.changes)
  /// Held here, since a controller holds its delegate weakly.
  package private(set) var recorder: DelegateRecorder?
  /// Stands before the recorder and tells when a callback is over.
  private var steps: StepWitness?
  /// Stands between the controller and its delegate, where the replay law is
  /// watched.
  private var witness: ReplayWitness?

  /// A delegate as a script names it.
  package enum Delegate {
    case mode(Statement.DelegateMode)
    /// Callbacks of the script's own, and the source that has them.
    case own([CallbackSyntax], SourceText)
    /// That of a table.
    case table(FetchedResultsTable<CellContent>.Mode)
  }

  init(name: String, controller: FetchedResultsController) {
    self.name = name
    self.controller = controller
  }

  /// Gives the controller its delegate.
  ///
  /// - Parameters:
  ///   - recorder: Reports what it receives; nil for no delegate.
  ///   - callbackDidEnd: Called after each callback.
  ///   - hearBreach: Is told how callbacks break the replay law; nil if that
  ///     is not checked.
  func attach(
    _ delegate: Delegate, _ recorder: DelegateRecorder?,
    callbackDidEnd: @escaping (ControllerBinding) -> Void,
    hearBreach: ((ReplayWitness.Breach) -> Void)?
  ) {
    self.delegate = delegate
    self.recorder = recorder
    steps = recorder.map { recorder in
      // A callback may define its controller again, which ends the binding.
      StepWitness(of: recorder) { [weak self] in if let self { callbackDidEnd(self) } }
    }
    witness = steps.flatMap { steps in
      hearBreach.map { hear in ReplayWitness(of: steps) { hear($0) } }
    }
    controller.delegate = witness ?? steps
  }

  /// Looks whether the controller shows what its delegate was told.
  func checkWitness() { witness?.checkSections(of: controller) }

  /// Makes of an object what the controller's events show of it.
  var shown: (ManagedObject) -> ShownObject {
    { [sectionKey = controller.sectionNameKeyPath] object in
      ShownObject(object, attribute: object.entity.shownAttribute(besides: sectionKey))
    }
  }
}
