import ScriptSyntax
import Testing
#if canImport(Glibc)
import Glibc
#endif
@Test func scratch() throws {
  guard let f = fopen("/tmp/frc-syntax-scratch.frc", "r") else { return }
  var bytes: [UInt8] = []
  while true { let c = fgetc(f); if c == EOF { break }; bytes.append(UInt8(c)) }
  let source = SourceText(name: "a.frc", bytes: bytes)
  let script = ScriptParser.parse(source)
  for s in script.statements { print(String(describing: s.kind).replacing("ScriptSyntax.", with: "").replacing("PredicateSyntax.", with: "").prefix(300)) }
  print(DiagnosticRenderer().render(script.diagnostics, in: source))
}
