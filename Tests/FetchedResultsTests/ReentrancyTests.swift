import FetchedResults
import NaiveModel
import Testing

@Suite("a delegate that changes and fetches inside a callback")
struct ReentrancyTests {
  let shelf: Shelf
  let a, b: ManagedObject
  let controller: FetchedResultsController
  let delegate: RecordingDelegate

  init() throws {
    shelf = try Shelf()
    a = shelf.insert("a", "A", pages: 1)
    b = shelf.insert("b", "B", pages: 1)
    (controller, delegate) = try shelf.tracked(sort: "publisher", "pages", section: "publisher")
  }

  /// Inserts X and fetches once, in the first callback for which `isPlace` is true.
  private func fetch(in isPlace: @escaping (Callback) -> Bool) {
    var isDone = false
    delegate.reaction = { [shelf] callback, _ in
      guard !isDone, isPlace(callback) else { return }
      isDone = true
      shelf.insert("x", "A", pages: 9)
      _ = try? shelf.context.count(for: shelf.request(sort: "title"))
    }
  }

  /// Makes a batch with an object delete, a section delete, a section insert and an object insert.
  private func change() {
    shelf.context.delete(b)
    shelf.insert("c", "C", pages: 1)
    shelf.context.processPendingChanges()
  }

  private let nested = ["will", "insert x -> [0, 1]", "did"]

  @Test("in didChangeContent: the nested batch follows")
  func inDidChange() {
    fetch { $0 == .didChange }
    change()
    #expect(
      delegate.history == [
        "will", "delete b [1, 0]", "delete section 1 'B'", "insert section 1 'C'",
        "insert c -> [1, 0]", "did",
      ] + nested)
    #expect(controller.shown == ["A: a, x", "C: c"])
  }

  @Test("in didChange object: a pair nested in the first")
  func inDidChangeObject() {
    fetch { if case .object = $0 { true } else { false } }
    change()
    #expect(
      delegate.history == ["will", "delete b [1, 0]"] + nested + [
        "delete section 1 'B'", "insert section 1 'C'", "insert c -> [1, 0]", "did",
      ])
    #expect(controller.shown == ["A: a, x", "C: c"])
  }

  @Test("in didChange section: a pair nested in the first")
  func inDidChangeSection() {
    fetch { if case .section = $0 { true } else { false } }
    change()
    #expect(
      delegate.history == ["will", "delete b [1, 0]", "delete section 1 'B'"] + nested + [
        "insert section 1 'C'", "insert c -> [1, 0]", "did",
      ])
  }

  @Test("in willChangeContent: the changes become part of the batch that was announced")
  func inWillChange() {
    fetch { $0 == .willChange }
    change()
    #expect(
      delegate.history == [
        "will", "delete b [1, 0]", "delete section 1 'B'", "insert section 1 'C'",
        "insert x -> [0, 1]", "insert c -> [1, 0]", "did",
      ])
    #expect(controller.shown == ["A: a, x", "C: c"])
  }

  @Test("in willChangeContent, changes that undo the batch: nothing between will and did")
  func undoneInWillChange() {
    let c = shelf.insert("c", "C", pages: 1)
    delegate.reaction = { [shelf] callback, _ in
      guard callback == .willChange else { return }
      shelf.context.delete(c)
      shelf.context.processPendingChanges()
    }
    shelf.context.processPendingChanges()
    #expect(delegate.history == ["will", "did"])
    #expect(controller.shown == ["A: a", "B: b"])
  }

  @Test("changes made in a callback without a fetch are reported in the next turn")
  func withoutFetch() {
    delegate.reaction = { [a] callback, _ in
      if callback == .didChange { a["pages"] = 5 }
    }
    change()
    delegate.reaction = nil
    delegate.forget()

    shelf.context.processPendingChanges()
    #expect(delegate.history == ["will", "update a [0, 0] -> [0, 0]", "did"])
  }

  @Test("performFetch in willChangeContent: the pair is closed, and nothing is reported twice")
  func refetchInWillChange() throws {
    var isDone = false
    delegate.reaction = { [shelf] callback, controller in
      guard callback == .willChange, !isDone else { return }
      isDone = true
      shelf.insert("x", "A", pages: 9)
      shelf.context.processPendingChanges()
      try? controller.performFetch()
    }
    change()
    #expect(delegate.takeHistory() == ["will", "did"])
    #expect(controller.shown == ["A: a, x", "C: c"])

    a["pages"] = 2
    shelf.context.processPendingChanges()
    #expect(delegate.history == ["will", "update a [0, 0] -> [0, 0]", "did"])
    #expect(controller.shown == ["A: a, x", "C: c"])
  }

  @Test("changes after a performFetch in willChangeContent are reported on the new results")
  func changeAfterRefetch() throws {
    var isDone = false
    delegate.reaction = { [shelf] callback, controller in
      guard callback == .willChange, !isDone else { return }
      isDone = true
      try? controller.performFetch()
      shelf.insert("x", "A", pages: 9)
      shelf.context.processPendingChanges()
    }
    change()
    #expect(delegate.history == ["will", "will", "insert x -> [0, 1]", "did", "did"])
    #expect(controller.shown == ["A: a, x", "C: c"])
  }

  @Test("a reset in a callback: the pair is closed, and the controller has no results")
  func resetInCallback() {
    delegate.reaction = { [shelf] callback, _ in
      if callback == .willChange { shelf.context.reset() }
    }
    change()
    #expect(delegate.history == ["will", "did"])
    #expect(controller.fetchedObjects == nil)
  }

  @Test("a delegate that lets its controller go inside a callback ends the reports safely")
  func releasedInCallback() throws {
    var held: FetchedResultsController? = try shelf.controller(sort: "title")
    let second = RecordingDelegate()
    held?.delegate = second
    try held?.performFetch()
    second.reaction = { _, _ in held = nil }
    change()
    #expect(second.history == ["will", "delete b [0, 1]", "insert c -> [0, 1]", "did"])
  }
}
