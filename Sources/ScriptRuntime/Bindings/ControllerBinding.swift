package import FetchedResults
package import ScriptSyntax
package import TableViews

/// A controller with its name in the session, and its delegate.
package final class ControllerBinding {
  package let name: String
  package let controller: FetchedResultsController
  /// The kind of delegate that the script asks for.
  package private(set) var delegate = Delegate.mode(.changes)
  /// A strong reference, because a controller holds its delegate weakly.
  package private(set) var recorder: DelegateRecorder?
  /// Receives the callbacks before the recorder, and reports when each is over.
  private var steps: StepWitness?
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
      StepWitness(of: recorder) { [weak self] in if let self { callbackDidEnd(self) } }
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
