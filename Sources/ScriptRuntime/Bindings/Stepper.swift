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
