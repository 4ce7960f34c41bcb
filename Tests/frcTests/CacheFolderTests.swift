import Foundation
import Testing

@Suite("Section caches between runs")
struct CacheFolderTests {
  private let frc: FRCProgram

  init() throws {
    frc = try FRCProgram()
    try frc.write(
      """
      store sqlite "a.sqlite"
      entity Book { title: String }
      controller books = Book sort by title cache "Demo"
      delegate books none
      fetch books
      caches
      """, to: "fetch.frc")
    try frc.write(
      """
      store sqlite "a.sqlite"
      entity Book { title: String }
      insert Book(title: "Dune")
      save
      """, to: "insert.frc")
  }

  private func run(_ script: String) throws -> FRCProgram.Result {
    try frc.run("run", script, "--cache-dir", "caches")
  }

  private var file: URL { frc.folder.appendingPathComponent("caches/Demo.frccache") }

  private static func warning(_ reason: String) -> String {
    """
    fetch.frc:5:7: warning: the section cache 'Demo' was computed again: \(reason)
    fetch books
          ^~~~~

    """
  }

  @Test("a run uses what the last one left, and says where it could not")
  func runs() throws {
    #expect(try run("fetch.frc").errors == "")
    #expect(FileManager.default.fileExists(atPath: file.path))
    #expect(try run("fetch.frc").errors == "")

    #expect(try run("insert.frc").errors == "")
    let stale = try run("fetch.frc")
    #expect(stale.errors == Self.warning("the store was saved since"))
    #expect(stale.output == "\"Demo\" Book, 1 object in 1 section, valid\n")
    #expect(stale.status == 0)
    #expect(try run("fetch.frc").errors == "")

    let bytes = try Data(contentsOf: file)
    try bytes.dropLast().write(to: file)
    #expect(try run("fetch.frc").errors == Self.warning("its file is cut off or too long"))
    try Data("text".utf8).write(to: file)
    #expect(try run("fetch.frc").errors == Self.warning("its file is not a section cache"))
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test("sections by related values that another process has changed since are not kept")
  func olderValues() throws {
    try frc.write(
      """
      store sqlite "related.sqlite"
      entity Author { name: String; books: [Book] inverse author }
      entity Book { title: String, author: Author? inverse books }
      if count(Book) == 0 {
        insert Book(title: "z", author: insert Author(name: "q"))
        insert Book(title: "y", author: insert Author(name: "p"))
        save
        for a in fetch Author sort by name { print a.name }
        extension "w" { Author/1.name = "a"; save }
      }
      controller books = Book sort by author.name section by author.name cache "Related"
      fetch books
      caches
      show books
      """, to: "related.frc")
    let first = try run("related.frc")
    #expect(
      first.output.contains(
        "2 objects in 2 sections, not valid: it was made with unsaved or older values\n"))
    let second = try run("related.frc")
    #expect(
      second.output.hasPrefix(
        "\"Related\" Book, 2 objects in 2 sections, valid\nsection 0 \"a\" 1 object\n"))
  }

  @Test(
    "sections by related values are kept again once everything that others saved is merged",
    arguments: [
      ("merge history into main", true), ("merge history by \"w\" into main", true),
      ("refresh all", true), ("reset", true), ("", false),
      ("merge history by \"other\" into main", false),
      ("merge history by \"other\" into main; merge history into main", false),
    ])
  func mergedValues(merge: String, isKept: Bool) throws {
    try frc.write(
      """
      store sqlite "merged.sqlite" history
      entity Author { name: String; books: [Book] inverse author }
      entity Book { title: String, author: Author? inverse books }
      insert Book(title: "z", author: insert Author(name: "q"))
      save
      controller books = Book sort by author.name section by author.name cache "Related"
      delegate books none
      fetch books
      extension "w" { Author/1.name = "a"; save }
      \(merge)
      fetch books
      caches
      insert Author(name: "b")
      save
      fetch books
      caches
      extension "w" { Author/1.name = "c"; save }
      fetch books
      caches
      """, to: "merged.frc")
    let result = try run("merged.frc")
    let line = "\"Related\" Book, 1 object in 1 section, "
    let older = "not valid: it was made with unsaved or older values\n"
    let state = isKept ? "valid\n" : older
    #expect(result.output == line + state + line + state + line + older)
    #expect(result.status == 0)
  }

  @Test("without --cache-dir the folder is that of the XDG base directories")
  func standardFolder() throws {
    let cache = frc.folder.appendingPathComponent("xdg").path
    _ = try frc.run(["run", "fetch.frc"], environment: ["XDG_CACHE_HOME": cache])
    #expect(FileManager.default.fileExists(atPath: cache + "/frc/Demo.frccache"))
    _ = try frc.run(["run", "fetch.frc"], environment: ["HOME": cache])
    #expect(FileManager.default.fileExists(atPath: cache + "/.cache/frc/Demo.frccache"))
  }

  @Test("a folder that cannot be used costs the cache alone")
  func unusableFolder() throws {
    try frc.write("a file", to: "caches")
    let result = try run("fetch.frc")
    #expect(result.output == "\"Demo\" Book, 0 objects in 1 section, valid\n")
    #expect(result.errors.contains("warning: the section cache 'Demo' was not written to"))
    #expect(result.errors.contains("it is not a folder"))
    #expect(result.status == 0)
  }

  @Test("a test keeps its caches in a folder of its own")
  func tests() throws {
    let result = try frc.run(
      ["test", "fetch.frc", "fetch.frc"], environment: ["XDG_CACHE_HOME": frc.folder.path])
    #expect(result.output.contains("\"Demo\" Book, 0 objects in 1 section, valid"))
    #expect(!FileManager.default.fileExists(atPath: frc.folder.path + "/frc"))
  }
}
