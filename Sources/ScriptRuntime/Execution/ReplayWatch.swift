import FetchedResults

/// Checks whether controllers' callbacks break the replay law.
final class ReplayWatch {
  /// Called with each breach and the controller's name; nil to check nothing.
  ///
  /// If it is set before the first statement, every controller is checked.
  var hear: ((_ controller: String, ReplayWitness.Breach) -> Void)?

  /// Returns a function that receives the breaches of one controller.
  func hearing(_ controller: String) -> ((ReplayWitness.Breach) -> Void)? {
    hear.map { hear in { hear(controller, $0) } }
  }

  /// Checks that controllers show what their delegates were told.
  func check(_ session: Session) {
    guard hear != nil else { return }
    for name in session.controllerNames { session.controllers[name]?.checkWitness() }
  }
}
