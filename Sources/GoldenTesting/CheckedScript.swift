package import ScriptRuntime
package import ScriptSyntax

/// A script with all that can be said about it without running it.
///
/// `frc check` and the language server show the same findings.
package struct CheckedScript {
  package let script: ParsedScript
  package let directives: TestDirectives
  /// The problems of syntax, directives and names, also those in included files.
  package let findings: [Finding]
  /// The names that the script defines; nil if it has errors and they were not asked for.
  package let checker: Checker?

  /// Checks a script.
  ///
  /// - Parameters:
  ///   - environment: Provides the files that the script includes.
  ///   - knowsNames: Whether the names are looked up even if the script has syntax errors. Then they
  ///     are not findings, because a statement with an error would make others look wrong.
  package init(
    _ source: SourceText, environment: any ScriptEnvironment, knowsNames: Bool = false
  ) {
    script = ScriptParser.parse(source)
    directives = TestDirectives(script)
    let faults = script.diagnostics.map { Finding($0, in: source) }
    guard !script.hasErrors || knowsNames else {
      findings = faults
      checker = nil
      return
    }
    let checker = Checker(environment: environment)
    self.checker = checker
    let names = checker.check(script)
    findings =
      script.hasErrors
      ? faults : faults + directives.diagnostics.map { Finding($0, in: source) } + names
  }
}
