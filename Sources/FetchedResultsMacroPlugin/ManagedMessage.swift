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

  /// Returns a fix that removes a modifier or an attribute, and the space after it.
  static func removing(_ node: some SyntaxProtocol, _ message: String) -> FixIt {
    var end = node.endPosition
    // An attribute may have a line of its own.
    if let next = node.lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate),
      next.leadingTrivia.allSatisfy(\.isWhitespace)
    {
      end = next.positionAfterSkippingLeadingTrivia
    }
    return replacing(
      node.positionAfterSkippingLeadingTrivia..<end, of: node, with: "", message)
  }

  /// Returns a fix that removes a node and the space before it.
  static func removingEnd(_ node: some SyntaxProtocol, _ message: String) -> FixIt {
    replacing(node.rangeWithSpaceBefore, of: node, with: "", message)
  }

  /// Returns a fix that replaces a part of the file that a node is in.
  static func replacing(
    _ range: Range<AbsolutePosition>, of node: some SyntaxProtocol, with text: String,
    _ message: String
  ) -> FixIt {
    replacing([(range, text)], of: node, message)
  }

  /// Returns a fix that replaces several parts of the file that a node is in.
  static func replacing(
    _ parts: [(range: Range<AbsolutePosition>, text: String)], of node: some SyntaxProtocol,
    _ message: String
  ) -> FixIt {
    FixIt(
      message: ManagedMessage("fix", message),
      changes: parts.map { .replaceText(range: $0.range, with: $0.text, in: Syntax(node)) })
  }
}

extension SyntaxProtocol {
  /// The place of the node, with the space before it but not with the space after it.
  var rangeWithSpaceBefore: Range<AbsolutePosition> {
    let before = previousToken(viewMode: .sourceAccurate)
    return (before?.endPositionBeforeTrailingTrivia ?? position)..<endPositionBeforeTrailingTrivia
  }
}
