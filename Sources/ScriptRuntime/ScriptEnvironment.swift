package import ScriptSyntax

/// What a script's run takes from its surroundings.
///
/// The interpreter itself opens no file, reads no clock and knows no terminal.
package protocol ScriptEnvironment: AnyObject {
  /// Returns a script's text.
  ///
  /// - Parameters:
  ///   - path: As the script writes it.
  ///   - includer: The name of the source that says `include`.
  /// - Returns: The text under a name that is always the same for one file,
  ///   so that a file that includes itself is found.
  /// - Throws: ``UnreadableSource``.
  func source(at path: String, includedFrom includer: String) throws(UnreadableSource) -> SourceText

  /// Whether the user asked for the running statement to stop.
  var isInterrupted: Bool { get }
}

/// A file that cannot be read, and why, in words.
package struct UnreadableSource: Error, Hashable, Sendable {
  package let reason: String

  package init(reason: String) { self.reason = reason }
}
