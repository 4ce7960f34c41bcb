import Testing

/// If the program crashes during a run, only one test fails.
@Suite("Crashes")
struct CrashTests {
  /// Runs three tests in one process, and sends it a signal while it runs the second.
  private func run(_ signal: String, _ arguments: String = "") throws -> (
    FRCProgram, FRCProgram.Result
  ) {
    let program = try FRCProgram(["t/a.frc": "print 1\n#> 1\n"])
    try program.write(
      """
      print "so far"
      #> so far
      print "and on"
      repeat 1000000000 { let x = 1 }
      #> done

      """, to: "t/b.frc")
    try program.write("print 3\n#> 3\n", to: "t/c.frc")
    let result = try program.shell(
      """
      mkdir tmp; export TMPDIR=$PWD/tmp
      frc test t -j 1 --report json=r.json --report junit=r.xml \(arguments) & test=$!
      for i in $(seq 200); do
        grep -q '"t/a.frc"' r.json 2>/dev/null && break; sleep 0.05
      done
      sleep 1; kill -\(signal) $(cat /proc/$test/task/*/children); wait $test; status=$?; ls tmp
      exit $status
      """)
    return (program, result)
  }

  @Test("the test fails with the signal and its output so far, and the others are run")
  func signalled() throws {
    let (program, result) = try run("SEGV")

    #expect(result.status == 1)
    #expect(
      result.output.contains("t/b.frc:4: frc crashed: SIGSEGV, Segmentation fault\n"),
      "\(result.output)")
    #expect(result.output.hasSuffix("2 passed, 1 failed\n"))
    let junit = try program.read("r.xml")
    #expect(junit.contains("frc crashed: SIGSEGV") && junit.hasSuffix("</testsuites>\n"))
    let json = try program.read("r.json")
    #expect(json.contains(#""kind":"crash","file":"t/b.frc","line":4"#))
    #expect(json.contains(#""file":"t/c.frc","verdict":"passed""#))
  }

  @Test("a process that is killed tells nothing more, and is one test's failure as well")
  func killed() throws {
    let (program, result) = try run("KILL", "--report markdown=r.md")

    // It is unknown which block ran, so none is blamed.
    #expect(
      result.output.hasPrefix(
        """
        t/b.frc: frc crashed: SIGKILL, Killed

        t/b.frc: failed: frc crashed: SIGKILL, Killed

        """), "\(result.output)")
    #expect(result.output.hasSuffix("2 passed, 1 failed\n"))
    let junit = try program.read("r.xml")
    #expect(junit.contains(#"message="t/b.frc: frc crashed: SIGKILL, Killed""#), "\(junit)")
    let json = try program.read("r.json")
    #expect(json.contains(#""kind":"crash","file":"t/b.frc","line":1,"endLine":4,"#), "\(json)")
    #expect(try program.read("r.md").contains("### `t/b.frc`: frc crashed"))
  }

  @Test("a process that is killed in a script of one block crashed in that block")
  func killedInOnlyBlock() throws {
    let program = try FRCProgram(["a.frc": "repeat 1000000000 { let x = 1 }\n"])
    let result = try program.shell(
      """
      frc test a.frc -j 1 & test=$!
      for i in $(seq 200); do
        cat /proc/$test/task/*/children | grep -q . && break; sleep 0.05
      done
      sleep 0.5; kill -KILL $(cat /proc/$test/task/*/children); wait $test
      """)

    #expect(result.output.contains("a.frc:1: frc crashed: SIGKILL"), "\(result.output)")
    #expect(result.output.contains("1 | repeat 1000000000"), "\(result.output)")
  }

  @Test("a process that does not react is ended after its time, and tells how far it came")
  func stopped() throws {
    let (_, result) = try run("STOP", "--timeout 2s")

    #expect(result.output.contains("timed out after 2 s"), "\(result.output)")
    #expect(result.output.hasSuffix("2 passed, 1 failed\n"))
  }

  @Test("an update runs its two rounds in two processes, and accepts nothing of a crash")
  func update() throws {
    // The second round runs until its time is up.
    let (program, result) = try run("SEGV", "--update --timeout 3s")

    #expect(result.output.contains("frc crashed"), "\(result.output)")
    #expect(try program.read("t/b.frc").contains("#> done"))
  }

  @Test("an update compares what two processes print, whose hashes differ")
  func updateProcesses() throws {
    let program = try FRCProgram(["a.frc": "repeat 400000 { let x = 1 }\nprint 1\n"])
    let result = try program.shell(
      """
      frc test a.frc -j 1 --timeout 60s --update >update.txt & test=$!
      while [ "$(cut -d' ' -f3 /proc/$test/stat 2>/dev/null || echo Z)" != Z ]; do
        cat /proc/$test/task/*/children 2>/dev/null; sleep 0.01
      done | tr ' ' '\\n' | sort -u | grep -c .
      wait $test
      """)

    #expect(result.status == 0)
    #expect(Int(result.output.filter(\.isNumber)) ?? 0 >= 2, "\(result.output)")
    #expect(try program.read("a.frc").contains("#> 1"))
  }
}
