import Foundation
import Testing

/// `frc play` as a shell command.
struct PlayCommandTests {
  private static let books = """
    entity Book { title: String }
    controller books = Book sort by title
    fetch books
    insert Book(title: "Dune")

    """

  /// A page reads the lists after each statement, which must not turn a fault into an object.
  private static let faults = """
    store sqlite "faults.sqlite"
    entity Book { title: String }
    insert 4 Book(title: "book \\(i)")
    save
    reset
    controller books = Book sort by title batch 2
    fetch books
    objects Book
    """

  @Test("a page has the events that --format json prints", arguments: [Self.books, Self.faults])
  func page(_ script: String) throws {
    let program = try FRCProgram(["books.frc": script])
    let events = try program.run("run", "--format", "json", "books.frc").output

    try program.expect("play", "books.frc", "-o", "page.html")

    let page = try program.read("page.html")
    #expect(page.contains("<title>books.frc</title>"))
    for line in events.split(separator: "\n") {
      #expect(page.contains(line.dropLast() + ",\"text\":["), "\(line)")
    }
  }

  @Test("a script that does not parse gets no page; one that fails plays until then")
  func errors() throws {
    let program = try FRCProgram()
    try program.write("print 1\nprint (\n", to: "bad.frc")
    try program.write("print 1\nprint x\nprint 3\n", to: "fails.frc")

    let bad = try program.run("play", "bad.frc", "-o", "bad.html")
    #expect(bad.status == 2)
    #expect(bad.errors.hasPrefix("bad.frc:"))
    #expect(throws: (any Error).self) { try program.read("bad.html") }
    #expect(try program.run("play", "fails.frc", "-o", "fails.html").status == 0)
    #expect(try program.read("fails.html").contains("unknown name 'x'"))
    #expect(try program.run("play", "none.frc", "-o", "none.html").status == 2)
    #expect(try program.run("play", "fails.frc", "-o", "nowhere/a.html").status == 1)
    #expect(try program.run("play", "fails.frc", "-o", "a.html", "--turn", "1").status == 2)
  }

  @Test("one page can go to standard output, several need a folder, and - is never a file")
  func standardOutput() throws {
    let program = try FRCProgram(["books.frc": Self.books, "more.frc": Self.books, "file": "mine"])
    #expect(try program.run("play", "books.frc", "-o", "page.html").status == 0)

    try program.expect("play", "books.frc", "-o", "-", output: try program.read("page.html"))
    #expect(
      try program.run("play", "--svg", "books.frc", "-o", "-").output.hasPrefix("<svg"))
    let site = try program.run("play", "books.frc", "more.frc", "-o", "-")
    #expect(site.status != 0)
    #expect(site.errors.contains("-o -: several pages are written; name a folder for them"))
    for command in [["export", "books.frc", "-o"], ["lesson", "handout", "books.frc", "-o"]] {
      let refused = try program.run(command + ["-"])
      #expect(refused.status != 0)
      #expect(refused.errors.contains("-o -: "))
      #expect(refused.errors.contains("name a folder for them"))
    }
    let refused = try program.run("replay", "books.frc", "--script", "-")
    #expect(refused.errors.contains("--script -: what is found is printed there; name a file"))
    let tap = try program.run("test", "books.frc", "--report", "tap=-")
    #expect(tap.output.contains("TAP version 14"), "\(tap)")
    #expect(throws: (any Error).self) { try program.read("-") }

    for command in [
      ["play", "books.frc", "more.frc"], ["lesson", "handout", "books.frc", "more.frc"],
    ] {
      try program.expect(
        command + ["-o", "file"], status: 1,
        errors: "frc: error: cannot make the folder 'file': a file has this name; "
          + "name another folder\n")
    }
    #expect(try program.read("file") == "mine")
  }

  @Test("an output that is a script or the store, also through a link, is refused")
  func outputOverInput() throws {
    let program = try FRCProgram(["books.frc": Self.books])
    let links = try program.shell("ln -s books.frc link.frc && ln books.frc hard.frc")
    #expect(links.status == 0)

    for output in ["books.frc", "./books.frc", "link.frc", "hard.frc"] {
      for option in [[], ["--svg"]] {
        let words = "it is the same file as 'books.frc', which is read; name another"

        try program.expect(
          ["play", "books.frc", "-o", output] + option, status: 2,
          errors: "frc: error: cannot write '\(output)': \(words)\n")
      }
    }
    try program.write("mine", to: "app.sqlite")
    try program.expect(
      "play", "books.frc", "--store", "app.sqlite", "-o", "./app.sqlite", status: 2,
      errors: "frc: error: cannot write './app.sqlite': it is the same file as 'app.sqlite', "
        + "which is read; name another\n")
    #expect(try program.read("app.sqlite") == "mine")
    // The page of a script in a folder can be a link to it.
    try program.write(Self.books, to: "site/a.frc")
    #expect(try program.shell("ln -s a.frc site/a.html").status == 0)
    let site = try program.run("play", "site", "-o", ".")
    #expect(site.status == 1)
    #expect(site.errors.contains("it is the same file as 'site/a.frc', which is read"))
    #expect(try program.read("books.frc") == Self.books)
    #expect(try program.read("site/a.frc") == Self.books)
    // An earlier page is replaced.
    for _ in 1...2 {
      #expect(try program.run("play", "books.frc", "-o", "page.html").status == 0)
    }
  }

  /// Returns the processor time that a process and its children have used; nil if it has ended.
  private static func processorTime(of process: Int32) -> Duration? {
    guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return nil
    }
    // The name may have blanks. The four times after it are in hundredths of a second.
    let fields = line[(line.lastIndex(of: ")") ?? line.startIndex)...].split(separator: " ")
    return .milliseconds(fields.dropFirst(12).prefix(4).reduce(0) { $0 + 10 * (Int($1) ?? 0) })
  }

  /// A long turn: the callbacks, their explanations, the rows of the list, and the page.
  @Test("a signal ends it soon, whatever it does", arguments: [1.0, 2, 3, 4])
  func interrupted(seconds: Double) throws {
    let program = try FRCProgram()
    try program.write(
      """
      entity Book { title: String, pages: Int = 0 }
      controller books = Book sort by pages, title section by pages
      fetch books
      insert 100000 Book(title: "Book \\(i)", pages: i % 50)

      """ + String(repeating: "update Book { pages += 1 }\n", count: 300), to: "long.frc")
    let process = program.process(
      ["play", "long.frc", "-o", "page.html", "--timeout", "2min", "--max-memory", "4GB"])
    try FRCProgram.start(process)
    usleep(UInt32(seconds * 1_000_000))
    try #require(process.isRunning)
    let start = try #require(Self.processorTime(of: process.processIdentifier))
    process.terminate()
    var end = start
    while process.isRunning {
      end = Self.processorTime(of: process.processIdentifier) ?? end
      usleep(2000)
    }
    #expect(process.terminationStatus == 128 + SIGTERM)
    // It takes about 50 ms. Other programs may keep the processor busy, so this is the time that
    // the program has used.
    #expect(end - start < .milliseconds(500))
    #expect(throws: (any Error).self) { try program.read("page.html") }
  }

  @Test("a folder becomes a site: a page for each script, each named in the index")
  func site() throws {
    let program = try FRCProgram(["scripts/a b.frc": "# First steps.\n" + Self.books])
    try program.write(Self.books, to: "scripts/deep/c.frc")

    #expect(try program.run("play", "scripts", "-o", "site").status == 0)

    let index = try program.read("site/index.html")
    #expect(index.contains("href=\"scripts/a%20b.html\""))
    #expect(index.contains("<p>First steps.</p>"))
    #expect(index.contains("href=\"scripts/deep/c.html\""))
    #expect(try program.read("site/scripts/deep/c.html").contains("href=\"../../index.html\""))
  }

  @Test("a script is played on the store that it requires, and without what tests skip")
  func directives() throws {
    let program = try FRCProgram()
    let blocks = Self.books + "print 1\n#> 1\n\n#@ skip slow\nprint 2\n#> 2\n\nprint 3\n#> 3\n"
    try program.write(blocks, to: "s/blocks.frc")
    try program.write("#@ skip not yet\nprint 7\n", to: "s/none.frc")

    let site = try program.run("play", "s", "-o", "site")
    #expect(site == .init(status: 0, output: "", errors: "s/none.frc:1: skipped: not yet\n"))
    let page = try program.read("site/s/blocks.html")
    #expect(page.contains("\"text\":[\"1\"]"))
    #expect(!page.contains("\"text\":[\"2\"]"))
    #expect(page.contains("\"text\":[\"3\"]"))
    #expect(!(try program.read("site/index.html").contains("none.html")))
    #expect(throws: (any Error).self) { try program.read("site/s/none.html") }
    try program.expect(
      "play", "s/none.frc", "-o", "none.html", status: 2, errors: "s/none.frc:1: skipped: not yet\n"
    )

    try program.write("#@ requires sqlit\nprint 1\n", to: "s/wrong.frc")
    let wrong = try program.run("play", "s/wrong.frc", "-o", "wrong.html")
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("s/wrong.frc:1:"), "\(wrong.errors)")

    let sql = "set sql on\nfetch Book\n"
    try program.write("#@ requires sqlite\nentity Book { title: String }\n" + sql, to: "sql.frc")
    #expect(try program.run("play", "sql.frc", "-o", "sql.html").status == 0)
    #expect(try program.read("sql.html").contains("FROM \\\"ZBOOK\\\""))
    #expect(try program.shell("ls").output == "s\nsite\nsql.frc\nsql.html\n")
  }

  @Test("a script is played on a copy of the store that --store names")
  func copiedStore() throws {
    let program = try FRCProgram()
    let model = "entity Book { title: String, cover: Data? }\n"
    let statements = model + "count Book\ninsert Book(title: \"new\")\nsave\n"
    try program.write("store sqlite \"own.sqlite\"\n" + statements, to: "own.frc")
    try program.write(statements, to: "s.frc")
    try program.write("# A\n```frc\n\(statements)```\n# B\n```frc\n\(statements)```\n", to: "s.md")
    try program.expect("run", "s.frc", "s.frc", "--store", "real.sqlite", output: "0\n1\n")
    try program.write("it is no store", to: "text.sqlite")
    let before = try program.shell("ls; cksum real.sqlite").output

    for script in ["s.frc", "s.md"] {
      for options in [[], ["--cache-dir", "caches"]] {
        let play = try program.run(
          ["play", script, "-o", "-", "--store", "real.sqlite"] + options)
        #expect(play.status == 0, "\(play.errors)")
        let counts = play.output.components(separatedBy: "\"text\":[\"2\"]").count - 1
        #expect(counts == (script == "s.md" ? 2 : 1))
      }
    }
    let new = try program.run("play", "s.frc", "-o", "-", "--store", "none.sqlite")
    #expect(new.output.contains("\"text\":[\"0\"]"))
    let wrong = try program.run("play", "s.frc", "-o", "-", "--store", "text.sqlite")
    #expect(wrong.output.contains("cannot use the store 'text.sqlite'"), "\(wrong.output)")
    let cached = try program.run("play", "own.frc", "-o", "-", "--cache-dir", "caches")
    #expect(cached.status == 0, "\(cached.errors)")

    #expect(try program.shell("rm -rf caches; ls; cksum real.sqlite").output == before)
  }

  @Test("a Markdown file is played as its sessions")
  func markdown() throws {
    let program = try FRCProgram()
    try program.write(
      "# One\n```frc\n\(Self.books)```\n# Two\n```frc\n\(Self.books)```\n", to: "guide.md")

    #expect(try program.run("play", "guide.md", "-o", "guide.html").status == 0)

    let page = try program.read("guide.html")
    #expect(page.components(separatedBy: "\"session\":true").count == 2)
    #expect(!page.contains("\"event\":\"error\""))
  }

  @Test("a picture is of the last turn that has one, or of the turn that is asked for")
  func picture() throws {
    let program = try FRCProgram()
    try program.write(Self.books + "insert Book(title: \"Emma\")\nprint 1\n", to: "books.frc")

    #expect(try program.run("play", "--svg", "books.frc", "-o", "last.svg").status == 0)
    #expect(
      try program.run("play", "--svg", "books.frc", "--turn", "4", "-o", "first.svg").status == 0)

    #expect(try program.read("last.svg").contains("insert Book/2"))
    #expect(try program.read("first.svg").contains("insert Book/1"))
    let table = "entity A { n: Int }\ncontroller quiet = A sort by n\ntable view = books\n"
    try program.write(Self.books + table, to: "two.frc")
    try program.write("print 1\n", to: "none.frc")
    for (arguments, message) in [
      ("books.frc --turn 1", "--turn 1: the statement does not cause a callback"),
      ("books.frc --turn 99", "--turn 99: there is no such statement; there are 6"),
      ("books.frc --turn 0", "--turn 0: there is no such statement; there are 6"),
      ("none.frc", "no statement of 'none.frc' causes a callback"),
      ("two.frc --controller quiet", "no statement of 'two.frc' causes a callback of 'quiet'"),
      (
        "two.frc --controller quiet --turn 4",
        "--turn 4: the statement does not cause a callback of 'quiet'"
      ),
      (
        "two.frc --controller nope --turn 4",
        "--controller: there is no controller 'nope'; there are books, quiet"
      ),
      (
        "two.frc --controller view",
        "--controller: there is no controller 'view'; there are books, quiet"
      ),
      (
        "none.frc --controller nope",
        "--controller: there is no controller 'nope'; there is none"
      ),
    ] {
      try program.expect(
        shell: "frc play --svg -o a.svg \(arguments)", status: 2, errors: "frc: error: \(message)\n"
      )
    }
  }
}
