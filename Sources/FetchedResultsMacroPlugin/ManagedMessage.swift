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
  /// Returns a fix that replaces the text of a node, but not the spaces and comments around it.
  static func replacing(
    _ node: some SyntaxProtocol, with text: String, _ message: String
  ) -> FixIt {
    replacing(node.trimmedRange, of: node, with: text, message)
  }

  /// Returns a fix that removes a modifier and the space after it.
  static func removing(_ modifier: DeclModifierSyntax, _ message: String) -> FixIt {
    replacing(
      modifier.positionAfterSkippingLeadingTrivia..<modifier.endPosition, of: modifier, with: "",
      message)
  }

  /// Returns a fix that replaces a part of the file that a node is in.
  static func replacing(
    _ range: Range<AbsolutePosition>, of node: some SyntaxProtocol, with text: String,
    _ message: String
  ) -> FixIt {
    FixIt(
      message: ManagedMessage("fix", message),
      changes: [.replaceText(range: range, with: text, in: Syntax(node))])
  }
}
