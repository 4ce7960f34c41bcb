import GoldenTesting
import ScriptWorlds
import Testing

/// Scripts that exceed a limit.
@Suite("Limits of a run")
struct RunLimitTests {
  private func outcome(
    of text: String, timeout: Duration = .seconds(60), memory: Int = 1 << 30,
    output: Int = 100 << 20
  ) -> GoldenOutcome {
    let test = prepared(text)
    let runner = GoldenRunner(
      environment: ScriptFiles(), timeout: TimeLimit(timeout, setBy: "--timeout"),
      limits: [
        ByteLimit(.memory, bytes: memory, setBy: "--max-memory"),
        ByteLimit(.output, bytes: output, setBy: "'max-output' in frc.toml"),
      ])
    return test.outcome(of: runner.runs(of: test))
  }

  @Test("a loop's variables do not count when the loop has gone on, nor do replaced values")
  func loopVariables() {
    let long = String(repeating: "x", count: 10_000)
    for body in ["let x = \"\(long)\"", "let x = n\nfor y in [\"\(long)\"] { let z = y }"] {
      let script = "let n = 1\nrepeat 1000 {\n\(body)\n}\nlet x = \"\(long)\"\n"
      let replaced = String(repeating: "let x = \"\(long)\"\n", count: 200)
      #expect(outcome(of: script + replaced, memory: 1 << 20).words == [])
    }
  }

  @Test("objects and texts that take more memory than a run may end it where they do")
  func memory() {
    for script in [
      "entity Book { title: String }\nprint 1\n#> 1\ninsert 10000000 Book(title: \"x\")\nprint 2\n",
      "entity Book { title: String }\nprint 1\n#> 1\n"
        + "repeat 1000000 { batch insert 1000 Book(title: \"x\") }\nprint 2\n",
    ] {
      let outcome = outcome(of: script, memory: 1 << 20)

      #expect(outcome.words.suffix(2) == ["4 memoryLimit", "5 unreached"])
      #expect(
        outcome.failures.dropLast().last?.description
          == "takes more than 1 MB of memory; raise the limit with --max-memory")
    }
  }

  @Test("variables and assignments count, too")
  func variables() {
    let doubled = (1...16).map { "let a\($0) = a\($0 - 1) + a\($0 - 1)\n" }.joined()
    let outcome = outcome(of: "let a0 = \"0123456789\"\n" + doubled + "print 1\n", memory: 1 << 20)

    #expect(outcome.words == ["18 memoryLimit"])
  }

  @Test("a run that prints more than it may ends, and keeps what it printed")
  func output() {
    let outcome = outcome(
      of: "print 1\n#> 1\nrepeat 1000000000 { print \"0123456789\" }\n", output: 1000)

    #expect(outcome.words.contains("3 outputLimit"))
    #expect(outcome.blocks[1].output.count == 91)
    #expect(
      outcome.failures.last?.description
        == "prints more than 1000 bytes; raise the limit with 'max-output' in frc.toml")
  }

  @Test("'try' and 'xfail' excuse no limit")
  func unexcused() {
    let script = "entity Book { title: String }\ntry insert 10000000 Book(title: \"x\")\n"

    #expect(outcome(of: script, memory: 1 << 20).words == ["2 memoryLimit"])
    #expect(outcome(of: "#@ xfail known\n" + script, memory: 1 << 20).verdict == .failed)
    let above = script.replacing("try", with: "#@ xfail known\ntry")
    #expect(outcome(of: above, memory: 1 << 20).words == ["3 memoryLimit"])
    let printing = "let a = 1\n#@ xfail known\nrepeat 100 { print \"0123456789\" }\n"
    #expect(outcome(of: printing, output: 500).words.contains("3 outputLimit"))
  }

  @Test("sizes are read in powers of 1,024")
  func sizes() {
    #expect(Int(wordsOfBytes: "64kB") == 65_536)
    #expect(Int(wordsOfBytes: "500MB") == 500 << 20)
    #expect(Int(wordsOfBytes: "2GB") == 2 << 30)
    for words in ["", "1", "MB", "0MB", "-1MB", "1.5GB", "1TB", "99999999999999GB"] {
      #expect(Int(wordsOfBytes: words) == nil, "\(words)")
    }
  }

  @Test(
    "work inside one step looks at the time",
    arguments: [
      // These are 40^6 comparisons for one object.
      """
      entity A { name: String = "", bs: [B] }
      entity B { k: Int = 0, a: A? inverse bs }
      insert A(name: "a")
      insert 40 B(k: i, a: A/1)
      count A where SUBQUERY(bs, $u, SUBQUERY(bs, $v, SUBQUERY(bs, $w, SUBQUERY(bs, $x, SUBQUERY(bs, $y, \
      SUBQUERY(bs, $z, $z.k == -1).@count > 0).@count > 0).@count > 0).@count > 0).@count > 0).@count > 0

      """,
      // A comparison has a hundred patterns, each of which is given up only after seconds.
      """
      entity Book { title: String }
      insert Book(title: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
      insert Book(title: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
      print 1
      repeat 1000 { try count Book where title MATCHES "(a+)+b" }

      """,
      // The same patterns as validation rules of attributes.
      "entity V { \((0..<99).map { "a\($0): String? matching \"(a+)+b\"" }.joined(separator: ", ")) }\n"
        + "let a = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"\n"
        + "insert V(\((0..<99).map { "a\($0): a" }.joined(separator: ", ")))\nprint 1\nrepeat 1000 { try save }\n",
    ])
  func time(script: String) {
    let outcome = outcome(of: script, timeout: .milliseconds(300))

    #expect(outcome.words.last == "5 timeout")
    #expect(outcome.duration < .seconds(20))
  }
}
