import Foundation
import Testing

/// `frc export` as a shell command.
struct ExportCommandTests {
  private static let books = """
    entity Book { title: String }
    controller books = Book sort by title
    fetch books
    insert Book(title: "Dune")
    """

  /// Statements that take minutes, but no more steps than a script may have.
  private static let slow = """
    entity A { n: Int }
    insert 5000 A(n: 1)
    repeat 900000 { let x = fetch A sort by n }

    """

  @Test("the package is written, and what is left out is said with its line and the reason")
  func package() throws {
    let program = try FRCProgram()
    try program.write(Self.books, to: "books.frc")
    try program.write(Self.books + "\nquirk samePathMove on", to: "quirk.frc")

    let run = try program.run("export", "books.frc", "quirk.frc", "-o", "Kit")

    #expect(run.status == 0)
    #expect(run.output == "exported 1 of 2 scripts to Kit\n")
    #expect(run.errors == "quirk.frc:5: left out: a quirk is a choice of frc\n")
    let files = FileManager.default.enumerator(atPath: program.folder.path + "/Kit")?.allObjects
    let names = Set((files ?? []).compactMap { $0 as? String })
    #expect(names.contains("Package.swift"))
    #expect(names.contains("Tests/ConformanceTests/Scripts/books.swift"))
  }

  @Test("the exit status is 1 where nothing can be exported")
  func nothing() throws {
    let program = try FRCProgram(["one.frc": "print 1"])

    let run = try program.run("export", "one.frc", "-o", "Kit")

    #expect(run.status == 1)
    #expect(!FileManager.default.fileExists(atPath: program.folder.path + "/Kit"))
  }

  @Test("the exit status is 1 where a script could not be run, and the others are exported")
  func unreadable() throws {
    let program = try FRCProgram()
    try program.write(Self.books, to: "suite/good.frc")
    try program.write("", to: "suite/frc.toml")
    try program.write("print 1\n", to: "other.frc")
    let link = "cannot read 'suite/o.frc': '"
    for (bad, make, errors) in [
      ("bad", "echo 'prnt 1' > suite/bad.frc", "suite/bad.frc: left out: the script has errors\n"),
      ("o", "ln -s ../other.frc suite/o.frc", link),
      (
        "slow",
        "printf '%s' '\(Self.slow)' > suite/slow.frc",
        "suite/slow.frc: timed out"
      ),
    ] {
      let run = try program.shell(
        "\(make); frc export suite/good.frc suite/\(bad).frc -o Kit --timeout 2s")

      #expect(run.status == 1)
      #expect(run.output == "exported 1 of 2 scripts to Kit\n")
      #expect(run.errors.contains(errors), "\(run.errors)")
    }
  }

  @Test(
    "nothing is said of a script that a signal stopped", arguments: ["INT", "TERM"],
    [
      "export loop.frc -o Kit", "export good.frc loop.frc -o Kit", "lesson check lesson.frc",
    ])
  func stopped(signal: String, command: String) throws {
    let program = try FRCProgram()
    try program.write(Self.books, to: "good.frc")
    try program.write(Self.slow + "print 1\n#> 1\n", to: "loop.frc")
    try program.write(
      """
      #@ lesson predict An endless lesson
      # A lesson has a text.
      entity Book { title: String }
      controller books = Book sort by title
      fetch books
      \(Self.slow)
      #@ task What does the controller say?
      insert Book(title: "Dune")
      #> books willChangeContent
      #> books didChange object insert Book/1 "Dune" -> [0, 0]
      #> books didChangeContent
      #@ why The book is new.
      #@ wrong created It is an insert.
      #| update Book/1 [0, 0]
      #@ hint Think.
      #@ hint Look at the row.
      #@ hint Write insert Book/1 and the place [0, 0].
      """, to: "lesson.frc")

    try program.expect(
      shell: "timeout --preserve-status -s \(signal) 1 frc \(command)",
      status: signal == "INT" ? 130 : 143)
  }

  @Test("a folder with other files is refused, and an earlier package is replaced")
  func folders() throws {
    let program = try FRCProgram()
    try program.write(Self.books, to: "books.frc")
    try program.write(Self.books, to: "more.frc")
    try program.write("mine", to: "Notes/todo.txt")

    let refused = try program.run("export", "books.frc", "-o", "Notes")
    let forced = try program.run("export", "books.frc", "-o", "Notes", "--force")
    let again = try program.run("export", "more.frc", "-o", "Notes")

    #expect(refused.status == 1)
    #expect(refused.errors.contains("the folder is not empty"))
    #expect(forced.status == 0)
    #expect(again.status == 0)
    let scripts = program.folder.path + "/Notes/Tests/ConformanceTests/Scripts"
    #expect(try FileManager.default.contentsOfDirectory(atPath: scripts) == ["more.swift"])
    #expect(FileManager.default.fileExists(atPath: program.folder.path + "/Notes/todo.txt"))
  }

  @Test(
    "the reason why the folder of a package cannot be made or used is given",
    arguments: [
      ("/", "the folder is not empty, and frc export did not write it; name another one, or"),
      ("books.frc/Kit", "the folder 'books.frc/Kit' cannot be made: not a directory\n"),
      ("link", "the folder 'link' cannot be made: a file has this name; name another folder\n"),
    ])
  func unusableFolders(_ folder: String, _ reason: String) throws {
    let program = try FRCProgram(["books.frc": Self.books])

    let run = try program.shell("ln -s missing link; frc export books.frc -o \(folder)")

    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("frc: error: cannot write to '\(folder)': \(reason)"), "\(run)")
  }

  @Test("another export removes the files of an earlier one, and no others")
  func ownFiles() throws {
    let program = try FRCProgram()
    let folder = "Kit/Tests/ConformanceTests/Scripts"
    try program.write(Self.books, to: "books.frc")
    try program.write(Self.books, to: "more.frc")
    try program.write(
      """
      entity Book { title: String }
      observer list = Book sort by title
      insert Book(title: "Dune")
      save
      """, to: "seen.frc")
    let first = try program.run("export", "more.frc", "seen.frc", "-o", "Kit")
    #expect(first.output == "exported 2 of 2 scripts to Kit\n", "\(first)")
    let exported = try program.read("\(folder)/more.swift")
    try program.write("import XCTest\n", to: "\(folder)/Mine.swift")
    // One that somebody copied to change it.
    try program.write(exported, to: "\(folder)/copy.swift")

    let second = try program.run("export", "books.frc", "-o", "Kit")

    #expect(second.status == 0, "\(second)")
    let names = try FileManager.default.contentsOfDirectory(
      atPath: program.folder.path + "/" + folder)
    #expect(names.sorted() == ["Mine.swift", "books.swift", "copy.swift"])
  }

  @Test("a link among the package's folders is refused, and nothing is written where it leads")
  func links() throws {
    let program = try FRCProgram()
    try program.write(Self.books, to: "books.frc")
    try program.write("", to: "Kit/.frc-conformance")
    try program.write("", to: "Elsewhere/empty")
    try FileManager.default.createSymbolicLink(
      atPath: program.folder.path + "/Kit/Tests", withDestinationPath: "../Elsewhere")

    let run = try program.run("export", "books.frc", "-o", "Kit")

    #expect(run.status == 1)
    #expect(run.errors.contains("is a link out of the folder"))
    let elsewhere = program.folder.path + "/Elsewhere"
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere) == ["empty"])
  }
}
