import FetchedResults
import NaiveModel
import Testing

@Suite("several controllers on one context")
struct SeveralControllersTests {
  let shelf: Shelf
  private let log = Log()

  private final class Log {
    var lines: [String] = []
  }

  init() throws {
    shelf = try Shelf()
    shelf.insert("a", pages: 1)
  }

  private func listen(_ name: String, sort key: String = "pages") throws -> RecordingDelegate {
    let (_, delegate) = try shelf.tracked(sort: key)
    delegate.reaction = { [log] _, _ in
      log.lines.append("\(name) \(delegate.history.last ?? "")")
    }
    return delegate
  }

  @Test("they report in order of their creation, one whole batch after another")
  func order() throws {
    let first = try listen("first")
    let second = try listen("second", sort: "-pages")

    shelf.insertInTurn("b", pages: 2)

    #expect(
      log.lines == [
        "first will", "first insert b -> [0, 1]", "first did",
        "second will", "second insert b -> [0, 0]", "second did",
      ])
    withExtendedLifetime((first, second)) {}
  }

  @Test("the order is that of creation, not of performFetch or of delegates")
  func orderOfCreation() throws {
    let early = try shelf.controller(sort: "pages")
    let second = try listen("second")
    let first = RecordingDelegate()
    first.reaction = { [log] _, _ in log.lines.append("first \(first.history.last ?? "")") }
    early.delegate = first
    try early.performFetch()

    shelf.insertInTurn("b", pages: 2)

    #expect(
      log.lines.map { $0.prefix(while: { $0 != " " }) } == [
        "first", "first", "first", "second", "second", "second",
      ])
    withExtendedLifetime(second) {}
  }

  @Test("a fetch inside the first one's callback: each hears both batches, in order")
  func nested() throws {
    let first = try listen("first")
    let second = try listen("second")
    let report = first.reaction
    var isDone = false
    first.reaction = { [shelf] callback, controller in
      report?(callback, controller)
      guard callback == .didChange, !isDone else { return }
      isDone = true
      shelf.insert("c", pages: 3)
      _ = try? shelf.context.count(for: shelf.request(sort: "title"))
    }

    shelf.insertInTurn("b", pages: 2)

    #expect(
      log.lines == [
        "first will", "first insert b -> [0, 1]", "first did",
        "first will", "first insert c -> [0, 2]", "first did",
        "second will", "second insert b -> [0, 1]", "second did",
        "second will", "second insert c -> [0, 2]", "second did",
      ])
    withExtendedLifetime(second) {}
  }

  @Test("a batch decided late goes by the values of its time, not by those of a later batch")
  func lateDecision() throws {
    let b = shelf.insert("b", pages: 5)
    shelf.insert("d", pages: 7)
    let first = try listen("first")
    let second = try listen("second")
    var isDone = false
    first.reaction = { [shelf] callback, _ in
      guard callback == .didChange, !isDone else { return }
      isDone = true
      b["pages"] = 9
      shelf.context.processPendingChanges()
    }

    shelf.insertInTurn("c", pages: 6)

    #expect(
      log.lines == [
        "second will", "second insert c -> [0, 2]", "second did",
        "second will", "second move b [0, 1] -> [0, 3]", "second did",
      ])
    #expect(first.history == second.history)
  }

  @Test("a controller made inside a callback hears of later batches only")
  func createdInCallback() throws {
    let first = try listen("first")
    var made: RecordingDelegate?
    first.reaction = { [shelf] callback, _ in
      if callback == .willChange, made == nil {
        made = try? shelf.tracked(sort: "title").delegate
      }
    }

    shelf.insertInTurn("b")
    #expect(made?.history == [])
    shelf.insertInTurn("c")
    #expect(made?.history == ["will", "insert c -> [0, 2]", "did"])
  }

  @Test("a controller that is gone is not told, and those left still are")
  func gone() throws {
    var first: RecordingDelegate? = try listen("first")
    let second = try listen("second")
    first?.reaction = nil
    first = nil

    shelf.insertInTurn("b", pages: 2)

    #expect(second.history == ["will", "insert b -> [0, 1]", "did"])
    #expect(log.lines.count == 3)
  }
}
