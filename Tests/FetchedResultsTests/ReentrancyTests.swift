import EngineWorlds
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
    shelf.insertInTurn("c", "C", pages: 1)
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
    #expect(delegate.received() == ["will", "did"])
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

    #expect(delegate.received() == ["will", "update a [0, 0] -> [0, 0]", "did"])
  }

  @Test("performFetch in willChangeContent: the pair is closed, and nothing is reported twice")
  func refetchInWillChange() throws {
    var isDone = false
    delegate.reaction = { [shelf] callback, controller in
      guard callback == .willChange, !isDone else { return }
      isDone = true
      shelf.insertInTurn("x", "A", pages: 9)
      try? controller.performFetch()
    }
    change()
    #expect(delegate.takeHistory() == ["will", "did"])
    #expect(controller.shown == ["A: a, x", "C: c"])

    a["pages"] = 2
    #expect(delegate.received() == ["will", "update a [0, 0] -> [0, 0]", "did"])
    #expect(controller.shown == ["A: a, x", "C: c"])
  }

  @Test("a performFetch in willChangeContent that is cancelled loses no changes")
  func cancelledRefetch() throws {
    var error: FetchedResultsError?
    delegate.reaction = { [shelf, delegate] _, controller in
      delegate.reaction = nil
      shelf.insertInTurn("x", "A", pages: 9)
      shelf.context.environment.isCancelled = { true }
      do {
        try controller.performFetch()
      } catch let thrown {
        error = thrown as? FetchedResultsError
      }
      shelf.context.environment.isCancelled = { false }
    }
    change()
    #expect(error == .fetch(.cancelled))
    #expect(
      delegate.history == [
        "will", "delete b [1, 0]", "delete section 1 'B'", "insert section 1 'C'",
        "insert x -> [0, 1]", "insert c -> [1, 0]", "did",
      ])
    #expect(controller.shown == ["A: a, x", "C: c"])
  }

  @Test("a delegate that is removed in a callback receives nothing more", arguments: 0..<5)
  func removedDelegate(after place: Int) throws {
    var left = place
    delegate.reaction = { _, controller in
      if left == 0 { controller.delegate = nil }
      left -= 1
    }
    change()
    #expect(delegate.takeHistory().count == place + 1)
    // It was removed before the results changed, or after that.
    #expect(controller.shown == (place == 0 ? ["A: a", "B: b"] : ["A: a", "C: c"]))

    delegate.reaction = nil
    controller.delegate = delegate
    shelf.insertInTurn("x", "A", pages: 9)
    #expect(delegate.history == ["will", "insert x -> [0, 1]", "did"])
  }

  @Test("a delegate that takes over in willChangeContent receives the batch, later only the next")
  func replacedDelegate() throws {
    for place in 0..<5 {
      controller.delegate = delegate
      try controller.performFetch()
      let second = RecordingDelegate()
      var left = place
      delegate.reaction = { _, controller in
        if left == 0 { controller.delegate = second }
        left -= 1
      }
      shelf.insert("c", .string("C\(place)"), pages: 1)
      shelf.insertInTurn("d", .string("D\(place)"), pages: 1)
      #expect(delegate.takeHistory().count == place + 1)
      #expect(second.takeHistory().count == (place == 0 ? 6 : 0))

      shelf.insertInTurn("e", "E", pages: .int(Int64(place)))
      #expect(second.history.first == "will" && second.history.last == "did")
    }
  }

  @Test("delegates that replace each other in each willChangeContent come to an end")
  func endlessReplacing() {
    let second = RecordingDelegate()
    delegate.reaction = { callback, controller in
      if callback == .willChange { controller.delegate = second }
    }
    second.reaction = { [unowned delegate] callback, controller in
      if callback == .willChange { controller.delegate = delegate }
    }
    change()
    #expect(delegate.history.dropLast(5) == Array(repeating: "will", count: 6)[...])
    #expect(delegate.history.last == "did")
    #expect(second.history == Array(repeating: "will", count: 5))
    #expect(controller.shown == ["A: a", "C: c"])
  }

  @Test("a delegate that is removed and set again in willChangeContent receives the batch once")
  func delegateSetAgain() {
    delegate.reaction = { [unowned delegate] callback, controller in
      guard callback == .willChange else { return }
      controller.delegate = nil
      controller.delegate = delegate
    }
    shelf.insertInTurn("x", "A", pages: 9)
    #expect(delegate.history == ["will", "insert x -> [0, 1]", "did"])
  }

  @Test("changes after a performFetch in willChangeContent are reported on the new results")
  func changeAfterRefetch() throws {
    var isDone = false
    delegate.reaction = { [shelf] callback, controller in
      guard callback == .willChange, !isDone else { return }
      isDone = true
      try? controller.performFetch()
      shelf.insertInTurn("x", "A", pages: 9)
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

  /// Keeps the sections that an observer makes of what it is told, and the changes that did not fit.
  private final class Follower {
    var sections: [FetchedResultsSnapshot.Section] = []
    var mismatches: [any Error] = []
    var count = 0

    func follow(_ controller: FetchedResultsController) {
      controller.observe { difference in
        self.count += 1
        do { try difference.apply(to: &self.sections) } catch { self.mismatches.append(error) }
      }
    }

    func expect(_ controller: FetchedResultsController, _ comment: Comment) {
      #expect(mismatches.isEmpty, comment)
      #expect(sections == controller.sectionIDs, comment)
    }
  }

  /// What a callback or an observer does, with the controller of the callback.
  private var reactions: [(name: Comment, run: (FetchedResultsController) throws -> Void)] {
    let shelf = shelf
    return [
      ("fetch", { try $0.performFetch() }),
      (
        "nested turn",
        { _ in
          shelf.insertInTurn("x", "A", pages: 9)
        }
      ),
      (
        "save",
        { _ in
          shelf.insert("y", "0", pages: 9)
          try shelf.context.save()
        }
      ),
      (
        "nested turn and fetch",
        {
          shelf.insertInTurn("z", "B", pages: 9)
          try $0.performFetch()
        }
      ),
      ("reset", { _ in shelf.context.reset() }),
    ]
  }

  @Test("observers are told each change once, in order, whatever a delegate does in a callback")
  func observersAfterDelegate() throws {
    let snapshots = SnapshotDelegate()
    for (name, run) in reactions {
      for place in 0..<4 {
        let comment: Comment = "\(name) in callback \(place)"
        controller.delegate = place == 3 ? snapshots : delegate
        try controller.performFetch()
        let (early, late) = (Follower(), Follower())
        early.follow(controller)
        var list: ObservableSections?
        var left = place
        let react = { [controller] in
          left -= 1
          guard left == -1 || place == 3 && list == nil else { return }
          late.follow(controller)
          list = ObservableSections(of: controller)
          try? run(controller)
        }
        delegate.reaction = { _, _ in react() }
        snapshots.reaction = react
        shelf.insert("n", "N", pages: 1)
        shelf.insertInTurn("m", "M", pages: 1)
        delegate.reaction = nil
        snapshots.reaction = {}
        early.expect(controller, comment)
        late.expect(controller, comment)
        #expect(list?.sections == controller.sectionIDs, comment)
        if controller.fetchedObjects == nil { try controller.performFetch() }

        shelf.insertInTurn("o", "A", pages: 7)
        early.expect(controller, comment)
        late.expect(controller, comment)
        #expect(list?.sections == controller.sectionIDs, comment)
      }
    }
  }

  @Test("observers are told each change once, in order, whatever an observer before them does")
  func observersAfterObserver() throws {
    for (name, run) in reactions {
      for isFetch in [true, false] {
        let comment: Comment = "\(name) at \(isFetch ? "a fetch" : "a batch")"
        if controller.fetchedObjects == nil { try controller.performFetch() }
        var mustReact = false
        let first = controller.observe { [controller] _ in
          guard mustReact else { return }
          mustReact = false
          try? run(controller)
        }
        let follower = Follower()
        follower.follow(controller)
        let list = ObservableSections(of: controller)
        mustReact = true
        if isFetch {
          try controller.performFetch()
        } else {
          shelf.insertInTurn("n", "N", pages: 1)
        }
        #expect(!mustReact)
        follower.expect(controller, comment)
        #expect(list.sections == controller.sectionIDs, comment)
        first.cancel()
      }
    }
  }

  @Test("an observer that begins inside a callback is not told again what it was given")
  func observerInCallback() {
    let follower = Follower()
    delegate.reaction = { [delegate] callback, controller in
      guard case .object = callback else { return }
      delegate.reaction = nil
      follower.follow(controller)
      #expect(follower.sections == controller.sectionIDs)
    }
    change()
    #expect(follower.count == 1)
    follower.expect(controller, "once")
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

private final class SnapshotDelegate: FetchedResultsControllerDelegate {
  let implementedMethods = FetchedResultsDelegateMethods.snapshot
  var reaction: () -> Void = {}

  func controller(
    _ controller: FetchedResultsController, didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    reaction()
  }
}
