import ScriptSyntax

func parse(_ text: String, as setting: ScriptParser.Setting = .file) -> ParsedScript {
  ScriptParser.parse(SourceText(name: "test.frc", text: text), as: setting)
}

/// Returns the diagnostics of a text as they are displayed.
func messages(_ text: String, as setting: ScriptParser.Setting = .file) -> String {
  let script = parse(text, as: setting)
  return DiagnosticRenderer().render(script.diagnostics, in: script.source)
}

/// Returns only the message lines, without the source lines below them.
func heads(_ text: String) -> [String] {
  let script = parse(text)
  return script.diagnostics.map { diagnostic in
    "\(script.source.position(of: diagnostic.range.lowerBound)) \(diagnostic.message)"
  }
}

/// Returns the statements of a text in a short form, or its errors if it has any.
func shapes(_ text: String, as setting: ScriptParser.Setting = .file) -> [String] {
  let script = parse(text, as: setting)
  guard script.diagnostics.isEmpty else {
    return script.diagnostics.map { "\($0.severity): \($0.message)" }
  }
  return script.statements.map(\.shape)
}

/// Returns the only expression after `print`, in its normal form.
func expression(_ text: String) -> String {
  shapes("print " + text).map { $0.hasPrefix("print ") ? String($0.dropFirst(6)) : $0 }
    .joined(separator: "; ")
}
