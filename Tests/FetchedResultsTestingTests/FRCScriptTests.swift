import FetchedResultsTesting
import Testing

@Suite("Golden scripts as cases of a test")
struct FRCScriptTests {
  @Test("a script passes", arguments: FRCScript.all(in: "Scripts"))
  func script(_ script: FRCScript) throws { try script.run() }
}
