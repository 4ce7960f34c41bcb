package import ScriptSyntax

/// A message with its source, which may be an included file.
package struct Finding {
  package let diagnostic: Diagnostic
  package let source: SourceText

  package init(_ diagnostic: Diagnostic, in source: SourceText) {
    self.diagnostic = diagnostic
    self.source = source
  }

  init(_ error: ScriptError) { self.init(error.diagnostic, in: error.source) }
}
