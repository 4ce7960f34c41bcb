import FetchedResults
import NaiveModel
import Testing

@Suite("merging another context's save")
struct MergingTests {
  let library: SeveralContexts
  let main, background: ManagedObjectContext
  let a, b: ManagedObject

  init() throws {
    library = try SeveralContexts()
    main = library.main
    background = library.background
    a = library.insert("A", pages: 10, in: main)
    b = library.insert("B", pages: 20, in: main)
    try main.save()
  }

  @Test("before the merge a controller hears and shows nothing of it")
  func unmerged() throws {
    let (controller, delegate) = try library.tracked(in: main, sort: "pages")

    library.insert("C", pages: 5, in: background)
    a.seen(in: background)?["pages"] = 30
    background.delete(try #require(b.seen(in: background)))
    try background.save()
    #expect(delegate.received() == [])
    #expect(controller.shown == [": A, B"])
    #expect(a["pages"] == 10)
    #expect(!b.isDeleted)
  }

  @Test("the merge reports inserts, deletes, moves and updates, each once")
  func merged() throws {
    let c = library.insert("C", pages: 15, in: main)
    try main.save()
    let (controller, delegate) = try library.tracked(in: main, sort: "pages")

    library.insert("D", pages: 5, in: background)
    a.seen(in: background)?["pages"] = 30
    background.delete(try #require(b.seen(in: background)))
    c.seen(in: background)?["price"] = 2
    try library.merge(saved: background, into: main)

    #expect(
      delegate.history == [
        "will", "delete B [0, 2]", "insert D -> [0, 0]", "update A [0, 0] -> [0, 2]",
        "move C [0, 1] -> [0, 1]", "did",
      ])
    #expect(controller.shown == [": D, C, A"])
    #expect(a["pages"] == 30)
    #expect(b.isDeleted)
    #expect(main.deletedObjects.map(\.objectID) == [b.objectID])
    #expect(main.insertedObjects.isEmpty && main.updatedObjects.isEmpty)
    try main.save()
    #expect(!main.hasChanges)
  }

  @Test("what others deleted and brought back is inserted, whether or not it was saved since")
  func broughtBack() throws {
    background.undoManager = UndoHistory()
    let (controller, delegate) = try library.tracked(in: main, sort: "pages")
    let theirs = try #require(a.seen(in: background))
    for isSaved in [false, true] {
      background.delete(theirs)
      background.processPendingChanges()
      try library.merge(saved: background, into: main)
      #expect(a.isDeleted)
      if isSaved { try main.save() }
      #expect(delegate.takeHistory() == ["will", "delete A [0, 0]", "did"])

      background.undo()
      try library.merge(saved: background, into: main)
      #expect(delegate.takeHistory() == ["will", "insert A -> [0, 0]", "did"])
      #expect(controller.shown == [": A, B"])
      #expect(!main.hasChanges)
    }
  }

  @Test("what happens to an object in the turn of its merge is reported, also if a fetch found it")
  func laterInTurn() throws {
    main.undoManager = UndoHistory()
    let (controller, delegate) = try library.tracked(in: main, sort: "pages", where: "pages < 100")
    let theirs = ["C", "D", "E", "F"].enumerated().map { index, title in
      library.insert(title, pages: .int(Int64(30 + index)), in: background)
    }
    try background.save()
    try controller.performFetch()
    main.processPendingChanges()

    if let save = background.lastSave { main.mergeChanges(fromContextDidSave: save) }
    let mine = try theirs.map { try #require($0.seen(in: main)) }
    mine[0]["pages"] = 5
    main.delete(mine[1])
    mine[2]["pages"] = 200
    #expect(
      delegate.received() == [
        "will", "delete D [0, 3]", "delete E [0, 4]", "move C [0, 2] -> [0, 0]", "did",
      ])
    #expect(controller.shown == [": C, A, B, F"])

    main.undo()
    main.processPendingChanges()

    #expect(controller.shown == [": A, B, C, D, E, F"])
    #expect(!main.hasChanges)
  }

  @Test("an object that is deleted in the turn of its merge counts as deleted")
  func deletedOnArrival() throws {
    var notified: [NotifiedObjects] = []
    let observation = main.observe {
      if case .objectsDidChange(let objects) = $0 { notified.append(objects) }
    }
    let c = library.insert("C", in: background)
    try background.save()

    if let save = background.lastSave { main.mergeChanges(fromContextDidSave: save) }
    main.delete(try #require(c.seen(in: main)))
    main.processPendingChanges()

    #expect(notified.map { $0.deleted.map(\.objectID) } == [[c.objectID]])
    #expect(notified.flatMap { $0.inserted } == [])
    observation.cancel()
  }

  @Test("objects that the context never read enter and leave by the predicate")
  func predicate() throws {
    let other = ManagedObjectContext(coordinator: library.shelf.coordinator)
    let (controller, delegate) = try library.tracked(in: other, sort: "title", where: "pages > 15")
    a.seen(in: background)?["pages"] = 50
    b.seen(in: background)?["pages"] = 0
    try library.merge(saved: background, into: other)

    #expect(delegate.history == ["will", "delete B [0, 0]", "insert A -> [0, 0]", "did"])
    #expect(controller.shown == [": A"])
  }

  @Test("unsaved attributes win, the others come in")
  func unsaved() throws {
    a["title"] = "mine"
    a.seen(in: background)?["title"] = "theirs"
    a.seen(in: background)?["pages"] = 99
    try library.merge(saved: background, into: main)

    #expect(a["title"] == "mine")
    #expect(a["pages"] == 99)
    #expect(main.updatedObjects.map(\.label) == ["mine"])
    try main.save()
    #expect(try library.shelf.coordinator.row(of: a)?["title"] == "mine")
  }

  @Test("an object that was deleted elsewhere goes, unsaved changes or not")
  func deletedElsewhere() throws {
    let (_, delegate) = try library.tracked(in: main, sort: "pages")
    a["title"] = "mine"
    main.processPendingChanges()
    delegate.forget()
    background.delete(try #require(a.seen(in: background)))
    try library.merge(saved: background, into: main)

    #expect(delegate.history == ["will", "delete mine [0, 0]", "did"])
    #expect(main.deletedObjects.map(\.objectID) == [a.objectID])
    #expect(main.updatedObjects.isEmpty)
    try main.save()
    #expect(main.findObject(with: a.objectID) == nil)
  }

  @Test("an object marked for deletion here stays so, and its deletion is no conflict")
  func deletedHere() throws {
    main.delete(a)
    a.seen(in: background)?["pages"] = 99
    try library.merge(saved: background, into: main)
    try main.save()

    #expect(try library.shelf.coordinator.row(of: a) == nil)
  }

  @Test("a fetch that found an object before the merge has it once, without a callback")
  func fetchedBefore() throws {
    let (controller, delegate) = try library.tracked(in: main, sort: "pages")
    library.insert("C", pages: 5, in: background)
    try background.save()
    try controller.performFetch()
    #expect(controller.shown == [": C, A, B"])

    try library.merge(background, into: main)

    #expect(delegate.history == [])
    #expect(controller.shown == [": C, A, B"])
  }

  @Test("of two controllers only the one that fetched before hears of an insert")
  func looked() throws {
    let (early, delegate) = try library.tracked(in: main, sort: "pages")
    let c = library.insert("C", pages: 5, in: background)
    try background.save()
    #expect(c.seen(in: main)?["pages"] == 5)
    let (late, lateDelegate) = try library.tracked(in: main, sort: "pages")

    try library.merge(background, into: main)

    #expect(delegate.history == ["will", "insert C -> [0, 0]", "did"])
    #expect(lateDelegate.history == [])
    #expect(early.shown == late.shown)
  }

  @Test("a second fetch places stale objects by the store's values")
  func stale() throws {
    let (controller, delegate) = try library.tracked(in: main, sort: "pages")
    a.seen(in: background)?["pages"] = 30
    try background.save()
    try controller.performFetch()
    #expect(controller.shown == [": B, A"])
    #expect(a["pages"] == 10)
    library.insert("C", pages: 25, in: main)
    #expect(delegate.received() == ["will", "insert C -> [0, 1]", "did"])

    try library.merge(background, into: main)

    #expect(delegate.history == ["will", "update A [0, 2] -> [0, 2]", "did"])
    #expect(controller.shown == [": B, C, A"])
  }

  @Test("INSERT-THEN-UPDATE: inserted, updated and saved elsewhere, one insert")
  func insertThenUpdate() throws {
    let (_, delegate) = try library.tracked(in: main, sort: "pages")
    let x = library.insert("x", pages: 1, in: background)
    background.processPendingChanges()
    x["price"] = 3
    try library.merge(saved: background, into: main)

    #expect(delegate.history == ["will", "insert x -> [0, 0]", "did"])
  }

  @Test("CS-insert-first by merge: the section before its object")
  func sectionFirst() throws {
    let library = try SeveralContexts()
    let (_, delegate) = try library.tracked(
      in: library.main, sort: "isAvailable", "title", section: "isAvailable")
    library.insert("n", in: library.background)["isAvailable"] = true
    try library.background.save()

    try library.merge(library.background, into: library.main)

    #expect(delegate.history == ["will", "insert section 0 '1'", "insert n -> [0, 0]", "did"])
  }

  @Test("PEY-reentrant by merge: a fetch in didChange reports the second merge inside the first")
  func reentrant() throws {
    let library = try SeveralContexts()
    let rows = (0..<4).map { library.insert("row\($0)", pages: .int($0), in: library.main) }
    try library.main.save()
    let (_, delegate) = try library.tracked(in: library.main, sort: "pages")
    library.insert("n", pages: -1, in: library.background)
    try library.background.save()
    let first = try #require(library.background.lastSave)
    library.background.delete(try #require(rows[3].seen(in: library.background)))
    for row in rows[..<3] { row.seen(in: library.background)?["price"] = 1 }
    try library.background.save()
    let second = try #require(library.background.lastSave)
    var isDone = false
    delegate.reaction = { callback, _ in
      guard callback == .didChange, !isDone else { return }
      isDone = true
      library.main.mergeChanges(fromContextDidSave: second)
      _ = try? library.main.fetch(library.shelf.request(sort: "title"))
    }

    library.main.mergeChanges(fromContextDidSave: first)
    #expect(
      delegate.received() == [
        "will", "insert n -> [0, 0]", "did",
        "will", "delete row3 [0, 4]", "update row0 [0, 1] -> [0, 1]",
        "update row1 [0, 2] -> [0, 2]", "update row2 [0, 3] -> [0, 3]", "did",
      ])
  }
}

@Suite("automatic merging")
struct AutomaticMergingTests {
  @Test("what was saved elsewhere is merged by the next turn, not by a fetch in this one")
  func nextTurn() throws {
    let library = try SeveralContexts()
    library.main.automaticallyMergesChangesFromParent = true
    let (controller, delegate) = try library.tracked(in: library.main, sort: "pages")
    library.insert("A", in: library.background)
    try library.background.save()
    library.insert("B", in: library.background)
    try library.background.save()
    _ = try library.main.count(for: library.shelf.request(sort: "title"))
    #expect(delegate.history == [])

    #expect(
      delegate.received() == ["will", "insert A -> [0, 0]", "insert B -> [0, 1]", "did"])
    #expect(controller.shown == [": A, B"])
  }

  @Test("switched off, nothing is merged")
  func off() throws {
    let library = try SeveralContexts()
    library.main.automaticallyMergesChangesFromParent = true
    let (_, delegate) = try library.tracked(in: library.main, sort: "pages")
    library.insert("A", in: library.background)
    try library.background.save()
    library.main.automaticallyMergesChangesFromParent = false

    #expect(delegate.received() == [])
  }

  @Test("a child merges what its parent saves, and what a sibling saves into the parent")
  func children() throws {
    let library = try SeveralContexts()
    let sibling = ManagedObjectContext(parent: library.main)
    library.edit.automaticallyMergesChangesFromParent = true
    let (_, delegate) = try library.tracked(in: library.edit, sort: "title")

    library.insert("A", in: library.main)
    try library.main.save()
    library.edit.processPendingChanges()
    library.insert("B", in: sibling)
    try sibling.save()
    #expect(
      delegate.received() == [
        "will", "insert A -> [0, 0]", "did", "will", "insert B -> [0, 1]", "did",
      ])
  }
}
