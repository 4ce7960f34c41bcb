/// Shows, after each callback of a turn, the table as it is then, and waits before the next.
final class Stepper {
  private let show: (ControllerBinding) -> Void
  private let awaitKey: (_ step: Int) -> Bool
  private var count = 0
  private var isWaiting = true

  /// - Parameters:
  ///   - show: Prints the table of a controller.
  ///   - awaitKey: Waits until the next step is asked for; false where the rest
  ///     is to follow without a pause.
  init(show: @escaping (ControllerBinding) -> Void, awaitKey: @escaping (Int) -> Bool) {
    self.show = show
    self.awaitKey = awaitKey
  }

  /// Is told that a callback is about to be sent.
  func callbackWillBegin() {
    if count > 0, isWaiting { isWaiting = awaitKey(count) }
    count += 1
  }

  /// Shows what a callback left.
  func callbackDidEnd(of controller: ControllerBinding) { show(controller) }
}
