package import ScriptSyntax

/// A message and the source that it is about, which an `include` may have
/// brought.
package struct Finding {
  package let diagnostic: Diagnostic
  package let source: SourceText

  package init(_ diagnostic: Diagnostic, in source: SourceText) {
    self.diagnostic = diagnostic
    self.source = source
  }

  init(_ error: ScriptError) { self.init(error.diagnostic, in: error.source) }
}
