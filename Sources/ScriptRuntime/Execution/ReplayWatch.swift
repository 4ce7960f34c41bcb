import FetchedResults

/// Watches whether controllers' callbacks break the replay law.
final class ReplayWatch {
  /// Receives breaches, with the controller's name; nil if none are watched.
  ///
  /// Where it is set before the first statement, every controller is watched.
  var hear: ((_ controller: String, ReplayWitness.Breach) -> Void)?

  /// Receives breaches of one controller.
  func hearing(_ controller: String) -> ((ReplayWitness.Breach) -> Void)? {
    hear.map { hear in { hear(controller, $0) } }
  }

  /// Looks whether controllers show what their delegates were told.
  func check(_ session: Session) {
    guard hear != nil else { return }
    for name in session.controllerNames { session.controllers[name]?.checkWitness() }
  }
}
