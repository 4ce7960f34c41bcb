import Foundation

/// A suite like a large team's: 60 scripts with fixtures, includes, a matrix, patterns, expected
/// failures, tags and golden files.
struct LargeSuite {
  let program: FRCProgram

  /// Writes the scripts.
  init() throws {
    program = try FRCProgram()
    try program.write(
      """
      # What all scripts share.
      entity Author { name: String, books: [Book] }
      entity Book { title: String, pages: Int = 0, author: Author? inverse books }
      """ + "\n", to: "t/fixtures/model.frc")
    try program.write(
      "include \"model.frc\"\ninsert 3 Book(title: \"Book \\(i)\", pages: i * 10)\n",
      to: "t/fixtures/books.frc")
    try program.write("paths = [\"t\"]\nfixtures = [\"fixtures/\"]\n", to: "frc.toml")
    for number in 0..<10 {
      for (name, text) in Self.scripts(number) {
        try program.write(text, to: "t/topic-\(number)/\(name)")
      }
    }
  }

  /// Returns the six scripts of a topic, and the golden file of one.
  private static func scripts(_ number: Int) -> [(String, String)] {
    [
      (
        "changes.frc",
        """
        # A row that passes another one moves.
        include "../fixtures/books.frc"
        controller books = Book where pages < \(100 + number) sort by title
        fetch books
        Book/1.title = "Book 4"
        #> books willChangeContent
        #> books didChange object move Book/1 "Book 4" [0, 0] -> [0, 2]
        #> books didChangeContent
        Book/2.pages = \(number)
        #> books willChangeContent
        #> books didChange object update Book/2 "Book 2" [0, 0]
        #> books didChangeContent
        print \(number) * 2
        #> \(number * 2)

        """
      ),
      (
        "stores.frc",
        """
        #@ tag store
        #@ matrix store=memory,sqlite
        include "../fixtures/books.frc"
        save
        count Book where pages > 10
        #> 2
        for b in fetch Book sort by pages desc { print b.title }
        #> Book 3
        #> Book 2
        #> Book 1

        """
      ),
      (
        "patterns.frc",
        """
        print "run \(number) took 0.25 s"
        #> run [int] took [number] s
        for i in 1...9 { print i }
        #> 1
        #> …
        #> 9
        print "path /tmp/\(number)/x"
        #> path [..]/x

        """
      ),
      (
        "known.frc",
        """
        #@ xfail a known mistake
        print \(number)
        #> \(number + 1)

        """
      ),
      (
        "tagged.frc",
        """
        #@ tag slow, order
        #@ timeout 20s
        #@ unordered
        for i in 1...3 { print "line \\(i)" }
        #> line 3
        #> line 1
        #> line 2

        """
      ),
      (
        "whole.frc",
        """
        include "../fixtures/model.frc"
        try print Book/99.title
        print "topic \(number)"

        """
      ),
      (
        "whole.golden",
        "error: there is no Book/99; there are no objects of Book\ntopic \(number)\n"
      ),
    ]
  }

  /// Writes a file with one change.
  ///
  /// - Throws: An error if the file does not contain the text.
  func change(_ file: String, _ old: String, to new: String) throws {
    let text = try program.read(file)
    guard let range = text.range(of: old) else { throw Missing(text: old, file: file) }
    try program.write(text.replacingCharacters(in: range, with: new), to: file)
  }

  struct Missing: Error {
    let text: String
    let file: String
  }

  /// The scripts and golden files with their bytes.
  func files() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let folder = program.folder.appendingPathComponent("t")
    let enumerator = FileManager.default.enumerator(atPath: folder.path)
    while let path = enumerator?.nextObject() as? String {
      let file = folder.appendingPathComponent(path)
      guard ["frc", "golden"].contains(file.pathExtension) else { continue }
      files["t/" + path] = Array(try Data(contentsOf: file))
    }
    return files
  }
}
