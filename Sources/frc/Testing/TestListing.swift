import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// Lists tests without running any.
struct TestListing {
  enum Form: String {
    case text
    case json
  }

  let form: Form
  let history: HistoryFile
  /// The stores of a test that names none.
  let stores: [TestStore]
  let permissions: Permissions

  /// Returns the lines about some tests, one for each.
  func lines(on tests: [PreparedTest]) -> [String] {
    switch form {
    case .text: return tests.map(\.test.source.name)
    case .json:
      let run = history.read() ?? LastRun()
      let reached = ReachedFiles(permissions)
      return tests.map { test in
        line(
          on: test, reached.reach(of: test),
          seconds: run.seconds(of: history.key(test.test.source.name)))
      }
    }
  }

  private func line(
    on test: PreparedTest, _ reach: ReachedFiles.Reach, seconds: Double?
  ) -> String {
    let directives = test.directives
    let blocks = test.script.groups.map { block in
      let line = block.lines.lowerBound
      let skip = directives.skippedBlocks[line].map { [("skip", JSON.string($0.text))] } ?? []
      let xfail = directives.xfailBlocks[line].map { [("xfail", JSON.string($0.text))] } ?? []
      return JSON.object(
        [
          ("line", number(line)), ("endLine", number(block.lines.upperBound)),
          ("expected", number(block.expected.count)),
        ] + skip + xfail)
    }
    let stores = directives.namesStores ? directives.stores : stores
    var fields: [(String, JSON)] = [
      ("file", .string(test.test.source.name)), ("blocks", .array(blocks)),
      ("tags", .array(directives.tags.sorted().map(JSON.string))),
      ("stores", .array(stores.map { .string($0.rawValue) })),
      ("includes", .array(reach.includes.map(JSON.string))),
    ]
    if let golden = test.test.golden { fields.append(("golden", .string(golden.name))) }
    if let skip = directives.skip { fields.append(("skip", .string(skip.text))) }
    if let xfail = directives.xfail { fields.append(("xfail", .string(xfail.text))) }
    if directives.namesTimeout {
      fields.append(("timeout", .number(directives.timeout.milliseconds)))
    }
    if let seconds { fields.append(("seconds", .number("\(seconds)"))) }
    return JSON.object(fields).description
  }

  private func number(_ value: Int) -> JSON { .number("\(value)") }
}
