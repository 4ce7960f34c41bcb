import FetchedResults
import ScriptSyntax

extension Interpreter {
  func defineModel(
    _ path: ExpressionSyntax, version: ExpressionSyntax?
  ) throws(ScriptError) {
    throw failure(.unavailable("model"), path.range)
  }

  func define(request name: Name, asStored stored: ExpressionSyntax) throws(ScriptError) {
    throw failure(.unavailable("model"), stored.range)
  }

  func showModel() {}
}
