import Basics
import FetchedResults
import Foundation
import RepositoryFiles
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

@testable import ScriptPages

@Suite("lists that are read by what changed")
struct FollowedListTests {
  /// Scripts that change many rows in all ways.
  static let goldens = RepositoryFiles.url("Tests/GoldenTests/Goldens")

  static let topics: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: goldens.path)) ?? []).sorted()

  @Test("there are goldens")
  func found() { #expect(Self.topics.count > 5) }

  @Test(
    "after each statement of the goldens, a list is as if it were read whole", arguments: topics)
  func goldens(topic: String) throws {
    let folder = Self.goldens.appendingPathComponent(topic)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    for name in names.filter({ $0.hasSuffix(".frc") }).sorted() {
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      _ = check(text, named: name)
    }
  }

  @Test("after each statement of random turns, a list is as if it were read whole")
  func random() {
    for seed in 0..<UInt64(2) {
      var random = SeededGenerator(seed: seed)
      var script = """
        entity Book { title: String, publisher: String, pages: Int = 0 }
        context other
        controller books = Book sort by publisher, title section by publisher
        controller plain = Book sort by pages, title where pages < 40
        table view = books
        fetch books
        fetch plain
        perform {
          for i in 0..<300 {
            insert Book(title: "Book \\(i)", publisher: "p\\(i % 7)", pages: i % 50)
          }
        }
        save

        """
      for turn in 0..<50 {
        script += Self.statement(turn, &random) + "\n"
      }
      #expect(check(script, named: "seed \(seed)") == 59)
    }
  }

  private static func statement(_ turn: Int, _ random: inout SeededGenerator) -> String {
    let book = "Book/\(Int.random(in: 1...300, using: &random))"
    return switch Int.random(in: 0..<12, using: &random) {
    case 0: "try delete \(book)"
    case 1: "save"
    case 2: "insert Book(title: \"New \(turn)\", publisher: \"p\(turn % 9)\")"
    case 3: "try refresh \(book)"
    case 4: "undo"
    case 5: turn % 20 == 0 ? "reset" : "save"
    case 6: turn % 10 == 0 ? "rollback" : "fetch plain"
    case 7: "try \(book).title = \"T\(turn)\""
    case 8: "perform { try \(book).publisher = \"p1\"; fetch Book where pages > 30 }"
    case 9: "for book in fetch Book where pages == \(turn % 50) { book.pages += 7 }"
    default: "try \(book).publisher = \"p\(turn % 8)\""
    }
  }

  /// Compares the lists of a recording with those of a run that reads all lists whole.
  ///
  /// - Returns: How many statements ran.
  private func check(_ text: String, named name: String) -> Int {
    let source = SourceText(name: name, text: text)
    let script = ScriptParser.parse(source)
    if script.hasErrors { return 0 }
    let recording = PlayRecorder(
      title: name, environment: StoreFiles(), evaluation: EvaluationEnvironment(),
      prepare: { _ in }
    ).record(script, shownAs: source)
    let interpreter = Interpreter(
      environment: StoreFiles(), evaluation: EvaluationEnvironment()
    ) { _ in }
    interpreter.prepare(for: script)
    var shown = ShownLists()
    var count = 0
    for (step, statement) in zip(recording.steps, script.statements) {
      for frame in step.frames { shown.apply(frame.change) }
      shown.apply(step.change)
      do {
        try interpreter.run(statement, in: source)
      } catch {
        return count
      }
      count += 1
      var whole = ShownLists()
      whole.apply(ListSampler().changes(in: interpreter.session))
      let isSame = shown == whole
      #expect(isSame, "\(name), line \(step.lines.lowerBound)")
    }
    _ = interpreter.close()
    return count
  }
}

/// What a page shows after some changes.
private struct ShownLists: Equatable {
  private struct List: Equatable {
    var head: ListHead?
    var items: [ListItem] = []
    var texts: [RowKey: RowText] = [:]
  }

  private var lists: [String: List] = [:]
  private var unsaved: [String: UnsavedCounts] = [:]

  mutating func apply(_ changes: ListChanges) {
    for (name, change) in changes.lists {
      guard let change else {
        lists[name] = nil
        continue
      }
      var list = lists[name] ?? List()
      if let head = change.head { list.head = head }
      list.items = Self.edited(list.items, by: change.edits)
      for (row, text) in change.texts { list.texts[row] = text }
      let present = Set(list.items)
      list.texts = list.texts.filter { present.contains(.row($0.key)) }
      lists[name] = list
    }
    for (context, counts) in changes.unsaved {
      unsaved[context] = counts == UnsavedCounts() ? nil : counts
    }
  }

  private static func edited(_ items: [ListItem], by edits: [ListEdit]) -> [ListItem] {
    if edits.isEmpty { return items }
    var rest = items[...]
    var edited: [ListItem] = []
    for edit in edits {
      switch edit {
      case .keep(let count):
        edited += rest.prefix(count)
        rest = rest.dropFirst(count)
      case .delete(let count): rest = rest.dropFirst(count)
      case .insert(let new): edited += new
      }
    }
    return edited + rest
  }
}
