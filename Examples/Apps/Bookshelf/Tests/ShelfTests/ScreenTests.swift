import Foundation
import Terminal
import Testing

@testable import Shelf

extension AppTests {
  @Suite("The screen")
  @MainActor
  struct ScreenTests {
    let keys = "/ search  a add  e edit  d delete  u undo  r redo  i impor"

    @Test("books come in sections, and a search narrows the list")
    func addAndSearch() async throws {
      let app = try RunningApp(columns: 58, rows: 9)
      app.type("aDune\nHerbert\nFuture\n")
      app.type("aEmma\nAusten\nClassics\n")
      app.type("aPersuasion\nAusten\nClassics\n")
      try await app.expect(
        """
        Bookshelf                                          3 books
        Classics (2)
          Emma, Austen
        > Persuasion, Austen
        Future (1)
          Dune, Herbert

        Added Persuasion
        \(keys)
        """)

      app.type("/aUS")
      try await app.expect(
        """
        Bookshelf: aUS                                     2 books
        Classics (2)
          Emma, Austen
        > Persuasion, Austen



        Search: aUS_
        Enter keeps the search  Esc ends it
        """)

      app.type("x")
      try await app.wait { $0.contains("0 books") }
      app.type("\u{1B}")
      try await app.wait { $0.contains("3 books") }
      try await app.quit()
    }

    @Test("an edit moves a book and its section, and undo and redo follow it")
    func editAndUndo() async throws {
      let app = try RunningApp(columns: 58, rows: 9)
      app.type("aEmma\nAusten\nClassics\naDune\nHerbert\nFuture\n")
      try await app.wait { $0.contains("> Dune") }
      app.type("e\n\n")
      for _ in "Future" { app.press(.backspace) }
      app.type("Classics")
      try await app.expect(
        """
        Bookshelf                                          2 books
        Classics (1)
          Emma, Austen
        Future (1)
        > Dune, Herbert
        Title: Dune
        Author: Herbert
        Shelf: Classics_
        Enter next field, then save  Esc cancel
        """)
      app.type("\n")
      let edited = """
        Bookshelf                                          2 books
        Classics (2)
        > Dune, Herbert
          Emma, Austen



        """
      try await app.expect("\(edited)\nChanged Dune\n\(keys)")
      app.type("u")
      try await app.expect(
        """
        Bookshelf                                          2 books
        Classics (1)
          Emma, Austen
        Future (1)
        > Dune, Herbert


        Undone
        \(keys)
        """)
      app.type("r")
      try await app.expect("\(edited)\nDone again\n\(keys)")
      app.type("d")
      try await app.wait { $0.contains("1 book\n") && $0.contains("> Emma") }
      app.type("d")
      try await app.wait { $0.contains("0 books") }
      app.type("u")
      try await app.wait { $0.contains("> Emma") }
      try await app.quit()
    }

    @Test("a form needs a title, and Escape leaves everything as it was")
    func form() async throws {
      let app = try RunningApp()
      app.type("a\nHerbert\n\n")
      try await app.wait { $0.contains("Title: _") }
      app.type("\u{1B}")
      try await app.wait { $0.contains("0 books") && !$0.contains("Title") }
      app.type("aUlysses\n\n\n")
      try await app.wait { $0.contains("Unsorted (1)\n> Ulysses\n") }
      try await app.quit()
    }

    @Test("the selected book stays visible, at the ends and in a smaller window")
    func scrolling() async throws {
      let app = try RunningApp(columns: 40, rows: 8)
      for number in 10..<40 { app.type("aBook \(number)\n\nShelf \(number % 3)\n") }
      try await app.wait { $0.contains("30 books") && $0.contains("> Book 39") }
      app.press(.end)
      try await app.wait { $0.contains("> Book 38") && !$0.contains("Shelf 2") }
      app.press(.home)
      try await app.wait { $0.contains("Shelf 0 (10)\n> Book 12") }
      app.press(.pageDown)
      try await app.wait { $0.contains("\n> Book 27") }
      app.app.send.yield(.resize(TerminalSize(columns: 40, rows: 5)))
      try await app.wait { $0.contains("\n> Book 27") }
      for rows in 0..<5 {
        app.app.send.yield(.resize(TerminalSize(columns: 3, rows: rows)))
        try await app.wait { $0.components(separatedBy: "\n").count == max(1, rows) }
      }
      try await app.quit()
    }

    @Test("an import runs in the background and reports; a missing file is named")
    func importing() async throws {
      let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).tsv").path
      let lines = (1...2_345).map { "Book \($0)\tAuthor \($0 % 50)\tShelf \($0 % 7)" }
      try Data((lines.joined(separator: "\r\n") + "\n\nno tabs").utf8).write(
        to: URL(fileURLWithPath: path))
      defer { try? FileManager.default.removeItem(atPath: path) }

      let app = try RunningApp(columns: 150)
      app.type("i\(path)\n")
      try await app.wait { $0.contains("Imported 2346 books") && $0.contains(" 2346 books") }
      app.type("u")
      try await app.wait { $0.contains("Nothing to undo") }
      app.type("i/dev/null/books\n")
      try await app.wait { $0.contains("The import failed: ") }
      try await app.quit()
    }

    @Test("a file that has no books can be cancelled")
    func cancelling() async throws {
      let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).tsv").path
      try Data("\n\n".utf8).write(to: URL(fileURLWithPath: path))
      defer { try? FileManager.default.removeItem(atPath: path) }
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        for try await _ in BookFile(path: path) {}
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("an escape sequence in a title does not reach the terminal")
    func controlCharacters() {
      #expect("a\u{1B}[2Jb\u{202E}c".fitted(to: 80) == "a\u{FFFD}[2Jb\u{FFFD}c")
      #expect("書店で".fitted(to: 5) == "書店")
      #expect("👩‍🚀x".fitted(to: 3) == "👩‍🚀x")
    }
  }
}
