import Foundation
import RepositoryFiles
import Testing

/// `frc replay` and `frc swift` as shell commands.
struct ReplayCommandTests {
  private static let crash = """
    entity Book { title: String, shelf: String }
    controller books = Book sort by shelf, title section by shelf
    table view = books { sectionInsert nothing }
    insert Book(title: "a", shelf: "A")
    fetch books
    show books
    insert Book(title: "b", shelf: "B")

    """

  @Test("a log of frc run is replayed, and its script and page do the same")
  func events() throws {
    let program = try FRCProgram(["crash.frc": Self.crash])
    try program.write(
      program.run("run", "--format", "json", "crash.frc").output, to: "crash.log")

    let replay = try program.run(
      "replay", "crash.log", "--script", "again.frc", "--html", "again.html")

    #expect(replay.status == 1)
    #expect(replay.errors == "")
    #expect(replay.output.contains("line 4: missing-section-operation"))
    #expect(replay.output.contains("rule section-filled"))
    let again = try program.run("run", "again.frc")
    #expect((again.output + again.errors).contains("invalid number of sections"))
    #expect(try program.run("check", "again.frc").status == 0)
    #expect(try program.read("again.html").contains("invalid number of sections"))
  }

  @Test("the text and the JSON that an example prints are replayed with the same status")
  func examples() throws {
    let program = try FRCProgram()
    let folder = RepositoryFiles.url("Examples").path

    let result = try program.shell(
      """
      for form in text json; do
        mkdir $form; tar -C '\(folder)' --exclude=.build -cf - . | tar -C $form -xf -
        (cd $form; find . -name '*.frc' | while read -r script; do
          (cd "$(dirname "$script")"; frc run --format $form "$(basename "$script")") \\
            </dev/null >"$script.log" 2>/dev/null
          frc replay "$script.log" >"$script.said" 2>&1
          echo "$script $?"
        done) | sort >$form.txt &
      done
      wait; wc -l <text.txt; diff text.txt json.txt
      """)

    #expect(result.status == 0, "\(result.output)")
    #expect((Int(result.output.filter(\.isNumber)) ?? 0) > 50, "\(result.output)")
  }

  @Test("a log without a mistake exits with 0")
  func clean() throws {
    let program = try FRCProgram()
    try program.write(
      Self.crash.replacing("sectionInsert nothing", with: "update reloadRows"), to: "right.frc")
    try program.write(
      program.run("run", "--format", "json", "right.frc").output, to: "right.log")

    let replay = try program.run("replay", "right.log")

    #expect(replay.status == 0)
    #expect(replay.output.contains("The log is consistent"))
  }

  @Test("a file that is the log itself is not written")
  func outputOverInput() throws {
    let program = try FRCProgram(["crash.frc": Self.crash])
    let log = try program.run("run", "--format", "json", "crash.frc").output
    try program.write(log, to: "crash.log")
    #expect(try program.shell("ln -s crash.log link.log").status == 0)

    let lines = [
      "crash.log --script crash.log", "crash.log --html link.log", "link.log --script crash.log",
      "- --html crash.log < crash.log", "crash.log --script a.frc --html crash.log",
    ]
    for line in lines {
      let replay = try program.shell("frc replay \(line)")
      #expect(replay.status == 2, "\(line)")
      #expect(replay.output == "", "\(line)")
      #expect(replay.errors.contains("log': it is the same file as '"), "\(line)")
    }
    let twice = try program.run("replay", "crash.log", "--script", "b.frc", "--html", "./b.frc")
    #expect(twice.status == 2)
    let reason = "another output is written to the same file; name another"
    #expect(twice.errors == "frc: error: cannot write './b.frc': \(reason)\n")
    #expect(try program.read("crash.log") == log)
    #expect(throws: (any Error).self) { try program.read("a.frc") }
  }

  @Test("what is no log gives one line and exits with 2")
  func wrongInput() throws {
    let program = try FRCProgram()
    try program.write([0, 1, 2, 3], to: "binary.log")
    try program.write([0x61, 0xFF, 0x0A], to: "latin.log")
    try program.write("", to: "empty.log")
    try program.write("{\"a\":1}\n", to: "other.log")
    try program.write("{\"event\":\"will\nbooks willChangeContent\n", to: "half.log")
    try program.write("nothing here\n", to: "prose.log")
    let names = ["binary.log", "latin.log", "empty.log", "other.log", "half.log", "prose.log"]
    for name in names + ["none.log", "."] {
      let replay = try program.run("replay", name)
      #expect(replay.status == 2, "\(name)")
      #expect(replay.output == "", "\(name)")
      #expect(replay.errors.hasPrefix("frc: error: "), "\(name)")
      #expect(replay.errors.split(separator: "\n").count == 1, "\(replay.errors)")
    }
    try program.write("books willChangeContent\n", to: "a.log")
    #expect(try program.run("replay", "a.log", "--pattern", "{kind}").status == 2)
    #expect(try program.run("replay", "a.log", "--script", "a.frc").status == 2)
  }

  @Test("each line's reading is shown, and a long log is read up to a limit")
  func reading() throws {
    let program = try FRCProgram()
    let lines = ["controllerWillChangeContent", "didChange: insert [0, 1]", "a row at [0, 2]", ""]
    try program.write(lines.joined(separator: "\n"), to: "a.log")

    let explained = try program.run("replay", "a.log", "--explain-reading")
    try program.write(
      lines[0] + "\n" + String(repeating: "x", count: 2_000) + "\n", to: "long.log")
    let cut = try program.run("replay", "long.log", "--limit", "1kB")

    #expect(explained.status == 0)
    #expect(
      explained.output.hasPrefix(
        """
        1: callback: controller willChangeContent
        2: callback: controller didChange object insert -> [0, 1]
        3: not understood: it names a change or an index path, and has no known form

        a.log: 1 batch of controller, 1 callback
        """))
    #expect(explained.output.contains("3 lines: 2 read, 0 ignored, 1 not understood"))
    #expect(cut.output.contains("Reading stopped before line 2, at the limit of 1 kB"))
    #expect(try program.run("replay", "a.log", "--limit", "much").status == 2)
  }

  @Test("a crash text as an argument, in a script and on standard input is answered")
  func crashText() throws {
    let program = try FRCProgram()
    let text = "attempt to delete row 3 from section 0 which only contains 3 rows before the update"

    let answer = try program.run(text)
    try program.write("# a note\n" + text + "\n", to: "crash.txt")

    #expect(answer.status == 1)
    #expect(answer.output.hasPrefix("UITableView raised: \(text)\n"))
    #expect(answer.output.contains("(A table follows)\n\nThis script does it again:\n\n# Line 1"))
    #expect(answer.output.contains("frc replay LOG --script again.frc --html again.html"))
    for (result, name) in [
      (try program.run("run", "crash.txt"), "crash.txt"),
      (try program.run(input: text), "stdin"), (try program.run("-e", text), "-e"),
      (try program.run("play", "crash.txt", "-o", "page.html"), "crash.txt"),
    ] {
      #expect(result.status == 2)
      #expect(result.output == "")
      #expect(
        result.errors.hasPrefix(
          "\(name): this is a crash text or a log, not a script\nUITableView raised: \(text)\n"))
      #expect(result.errors.contains("This script does it again:\n\n# Line 1"))
      #expect(!result.errors.contains("error:"))
    }
    try program.write(text + "\n", to: "my crash.txt")
    let quoted = "  frc replay \"my crash.txt\" --script again.frc --html again.html"
    #expect(try program.run("run", "my crash.txt").errors.contains(quoted))
    // A report has other lines first. In a script, an exception is printed or expected.
    let report = "OS Version: iOS 13\n\nException Type: EXC_CRASH\n\n\(text)\n"
    #expect(try program.run(input: report).errors.hasPrefix("stdin: this is a crash text"))
    for script in [
      "insret Book\n#> console: \(text)\n", "insret Book\nprint \"\(text)\"\n",
      "insret Book\nprint 1\nNSRangeException: x\n",
    ] {
      #expect(try program.run(input: script).errors.hasPrefix("stdin:1:1: error:"))
    }
    #expect(try program.run("nosuch").status == 2)
    #expect(try program.run("-e", "attempt to delete Book").errors.contains("error:"))
  }

  @Test(
    "a sentence alone is answered on the command line and as a script",
    arguments: [
      "keypath shelf.code not found in entity Book", "invalid number of rows in section 0",
      "attempt to delete and reload the same index path", "A fetch request must have an entity",
      "The context is still dirty after 1000 attempts.", "Index out of range",
      "-[Book titel]: unrecognized selector sent to instance 0x6",
      "Collection <__NSArrayM: 0x6> was mutated while being enumerated.",
      "Could not cast value of type 'NSManagedObject' (0x1) to 'App.Book' (0x2).",
      "the entity Book is not key value coding-compliant for the key titel.",
    ])
  func bareSentence(_ text: String) throws {
    let program = try FRCProgram()
    let answer = try program.run(text)
    #expect(answer.status == 1 && answer.output.contains("aised: "), "\(answer)")
    let script = try program.run(input: text)
    #expect(script.errors.hasPrefix("stdin: this is a crash text"), "\(script.errors)")
  }

  @Test("README.md begins with a crash text, frc's answer, and a script that does it again")
  func readme() throws {
    let blocks = try Self.blocks(of: "README.md")
    let program = try FRCProgram()

    let answer = try program.run(try #require(blocks.first))

    #expect(answer.output.hasPrefix(blocks[1] + "\n\nThis script does it again:\n"))
    let script = blocks[2].split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(answer.output.contains(script.joined(separator: "\n")))
  }

  /// Returns the contents of the first blocks of code in a page.
  private static func blocks(of page: String) throws -> [String] {
    var blocks: [String] = []
    var isInside = false
    for line in try RepositoryFiles.text(page)
      .split(separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("```") {
        isInside.toggle()
        if isInside { blocks.append("") }
      } else if isInside {
        blocks[blocks.count - 1] += (blocks[blocks.count - 1].isEmpty ? "" : "\n") + line
      }
    }
    try #require(blocks.count > 2)
    return blocks
  }

  @Test("control characters of a log do not reach a terminal")
  func escapes() throws {
    let program = try FRCProgram()
    try program.write(
      "books willChangeContent\nbooks didChange object delete \"\u{1B}[31mred\" [0, 0]\n"
        + "books didChange object delete \"\u{1B}[31mred\" [0, 0]\nbooks didChangeContent\n",
      to: "red.log")

    let replay = try program.run("replay", "red.log")

    #expect(replay.status == 1)
    #expect(!replay.output.contains("\u{1B}"))
  }

  @Test("frc swift prints the recorder, and asks which file is wanted")
  func recorder() throws {
    let program = try FRCProgram()

    let recorder = try program.run("swift", "--recorder")

    #expect(recorder.status == 0)
    #expect(recorder.output.contains("final class FetchedResultsRecorder"))
    let imports = recorder.output.split(separator: "\n").filter { $0.hasPrefix("import ") }
    #expect(imports == ["import CoreData", "import Foundation"])
    let neither = try program.run("swift")
    #expect(neither.status == 2)
    #expect(neither.errors.contains("name one file: --recorder, --fuzzer or --observer-probe"))
  }
}
