import GoldenTesting
import ScriptSyntax
import ScriptWorlds
import Testing

@testable import frc

/// The results of earlier runs, and the files by which tests are found again.
@Suite("The last run")
struct LastRunTests {
  private let passed = Self.outcome(of: "print 1\n#> 1\n")
  private let failed = Self.outcome(of: "print 1\n#> 2\n")

  private static func outcome(of text: String) -> GoldenOutcome {
    GoldenRunner(environment: ScriptFiles())
      .run(GoldenTest(source: SourceText(name: "test.frc", text: text)))
  }

  @Test("a record of runs forgets nothing that another run did not see again")
  func record() throws {
    var run = LastRun()
    run.note(passed, at: "a", isPart: false)
    run.note(failed, at: "b", isPart: false)
    #expect(["a", "b", "c"].filter(run.isToDo) == ["b", "c"])
    #expect(["a", "b", "c"].filter(run.knows) == ["a", "b"])

    // One of its blocks passed, but others may still fail.
    run.note(passed, at: "b", isPart: true)
    #expect(run.isToDo("b"))
    run.note(failed, at: "a", isPart: true)
    #expect(run.isToDo("a"))
    run.note(passed, at: "a", isPart: false)
    run.noteNotRun("a")
    run.noteNotRun("c")
    run.noteNotRun("b")
    #expect(["a", "b", "c"].filter(run.isToDo) == ["a", "b", "c"])

    let read = try #require(LastRun(json: Array(run.json.utf8)))
    #expect(read == run)
    #expect(read.json == run.json)
  }

  @Test(
    "a damaged record is none",
    arguments: ["", "{", "[]", #"{"version":2,"tests":{}}"#, #"{"version":1,"tests":[1]}"#])
  func damaged(text: String) {
    #expect(LastRun(json: Array(text.utf8)) == nil)
  }

  @Test("a record that a later version wrote has verdicts to be found out again")
  func laterRecord() {
    let text = #"{"version":1,"tests":{"ä\n":{"verdict":"dreamt","more":1}}}"#

    let run = LastRun(json: Array(text.utf8))
    #expect(run?.isToDo("%C3%A4%0A") == true)
    #expect(run?.knows("%C3%A4%0A") == true)
  }

  @Test("names that an earlier version wrote without percent-encoding are known")
  func plainNames() {
    let names = ["\u{e9} b.frc", "50%.frc", "%C3%A4.frc"]
    let tests = names.map { #""\#($0)":{"verdict":"passed"}"# }.joined(separator: ",")
    let text = #"{"version":1,"tests":{\#(tests)}}"#

    let run = LastRun(json: Array(text.utf8))
    #expect(run?.paths.sorted() == ["%C3%A4.frc", "%C3%A9 b.frc", "50%25.frc"])
  }

  @Test("the files that a script names are found in blocks, and computed ones are noticed")
  func uses() {
    func uses(_ text: String) -> FileUses {
      FileUses(ScriptParser.parse(SourceText(name: "a.frc", text: text)))
    }
    let all = uses(
      """
      include "a.frc"
      if true { try include "b.frc" }
      perform { import "c.csv" into Book }
      model "d.xcdatamodeld"
      store sqlite "e.sqlite" readonly
      """)
    let computed = uses("for i in 1...2 { include \"x\\(i).frc\" }\nlet f = \"y\"\n")

    #expect(all.scripts == ["a.frc", "b.frc"])
    #expect(all.others == ["c.csv", "d.xcdatamodeld", "e.sqlite"])
    #expect(all.isComplete)
    #expect(!computed.isComplete)
    #expect(uses("print 1").isComplete)
  }
}

@Suite("A recorded run")
struct RecordedRunTests {
  @Test("files whose names differ only in Unicode form have a time each")
  func nameForms() {
    var run = RecordedRun()
    let lines = ["\u{e9}", "e\u{301}"].enumerated().map { number, name in
      #"{"event":"test","file":"\#(name).frc","seconds":\#(number)}"#
    }
    let isReport = run.add(lines.joined(separator: "\n"))

    #expect(isReport)
    #expect(run.seconds(of: "\u{e9}.frc") == 0)
    #expect(run.seconds(of: "e\u{301}.frc") == 1)
  }

  @Test("later reports stand for earlier ones; other lines do not count")
  func reports() {
    var run = RecordedRun()

    let isFirst = run.add(
      """
      {"event":"failure","kind":"output","file":"a.frc","line":1,"message":"x"}
      {"event":"test","file":"a.frc","verdict":"failed","seconds":1.5}
      {"event":"test","file":"b.frc","verdict":"failed","seconds":2}
      {"event":"summary","passed":0,"failed":2}
      """)
    let isSecond = run.add(
      "{\"event\":\"test\",\"file\":\"a.frc\",\"verdict\":\"passed\",\"seconds\":3}\n")

    #expect(isFirst && isSecond)
    #expect(["a.frc", "b.frc", "c.frc"].map(run.seconds) == [3, 2, nil])
  }

  @Test("a script is found however its path is written")
  func paths() {
    var run = RecordedRun()

    _ = run.add(
      #"""
      {"event":"test","file":"./t//a.frc","verdict":"failed","seconds":1}
      {"event":"test","file":"/t/b.frc","verdict":"failed","seconds":2}
      """#)

    #expect(["t/a.frc", "./t/./a.frc", "/t/a.frc"].map(run.seconds) == [1, 1, nil])
    #expect(["t/b.frc", "//t/b.frc"].map(run.seconds) == [nil, 2])
  }

  @Test("of a run that was killed the last line may be cut off")
  func killed() {
    var run = RecordedRun()

    let isReport = run.add(
      #"{"event":"test","file":"a.frc","verdict":"passed","seconds":2}"# + "\n{\"event\":\"te")

    #expect(isReport)
    #expect(run.seconds(of: "a.frc") == 2)
  }

  @Test("the report of a run without tests is one")
  func empty() {
    var run = RecordedRun()

    let isReport = run.add(
      #"{"event":"summary","passed":0,"failed":0,"skipped":0,"expectedFailures":0,"updated":0}"#)

    #expect(isReport)
  }

  @Test(
    "what is no report is none",
    arguments: [
      "", "{}", "a: b", #"{"event":"summary"}"#,
      #"{"event":"summary","passed":1,"failed":0,"skipped":0,"expectedFailures":0}"#,
    ])
  func others(text: String) {
    var run = RecordedRun()

    let isReport = run.add(text)

    #expect(!isReport)
  }
}
