/// The error of a callback or of a transient attribute.
///
/// They run in the midst of a turn, where no error can be thrown. It is kept
/// for the statement whose turn it is, which fails with it.
final class KeptError {
  @exclusivity(unchecked) private var error: ScriptError?

  var isEmpty: Bool { error == nil }

  func keep(_ error: ScriptError) { self.error = error }

  func keepIfFirst(_ error: ScriptError) { self.error = self.error ?? error }

  func forget() { error = nil }

  /// Throws the error, which then is kept no longer.
  func rethrow() throws(ScriptError) {
    guard let error else { return }
    self.error = nil
    throw error
  }
}
