import SwiftDiagnostics
import SwiftSyntax

/// A message about wrong use of a macro, or a fix for it.
struct ManagedMessage: DiagnosticMessage, FixItMessage {
  let message: String
  let name: String

  init(_ name: String, _ message: String) {
    self.name = name
    self.message = message
  }

  var diagnosticID: MessageID { MessageID(domain: "FetchedResultsMacros", id: name) }
  var fixItID: MessageID { diagnosticID }
  var severity: DiagnosticSeverity { .error }
}

extension Diagnostic {
  /// Returns an error at a node.
  static func error(
    _ name: String, at node: some SyntaxProtocol, _ message: String, fixIts: [FixIt] = []
  ) -> Diagnostic {
    Diagnostic(node: Syntax(node), message: ManagedMessage(name, message), fixIts: fixIts)
  }
}

extension FixIt {
  /// Returns a fix that replaces a node with another one.
  static func replacing(
    _ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ message: String
  ) -> FixIt {
    FixIt(
      message: ManagedMessage("fix", message),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }
}
