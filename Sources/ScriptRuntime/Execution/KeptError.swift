/// The error of a callback or of a transient attribute.
///
/// These run during a turn, where no error can be thrown. So the error is kept, and the statement
/// whose turn it is throws it.
final class KeptError {
  @exclusivity(unchecked) private var error: ScriptError?

  var isEmpty: Bool { error == nil }

  func keep(_ error: ScriptError) { self.error = error }

  func keepIfFirst(_ error: ScriptError) { self.error = self.error ?? error }

  func forget() { error = nil }

  /// Throws and forgets the kept error.
  func rethrow() throws(ScriptError) {
    guard let error else { return }
    self.error = nil
    throw error
  }
}
