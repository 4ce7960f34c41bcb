import EngineWorlds
import FetchedResults
import Testing

@Suite("child contexts")
struct ChildContextTests {
  let library: SeveralContexts
  let main, edit: ManagedObjectContext
  let a: ManagedObject

  init() throws {
    library = try SeveralContexts()
    main = library.main
    edit = library.edit
    a = library.insert("A", pages: 10, in: main)
    try main.save()
  }

  @Test("a child sees its parent's unsaved state, as fetch and as object")
  func reading() throws {
    library.insert("B", pages: 5, in: main)
    a["pages"] = 11
    let gone = library.insert("C", in: main)
    main.delete(gone)

    #expect(try edit.fetch(library.shelf.request(sort: "pages")).map(\.label) == ["B", "A"])
    #expect(a.seen(in: edit)?["pages"] == 11)
    #expect(gone.seen(in: edit) == nil)
    #expect(try edit.count(for: library.shelf.request(sort: "title")) == 2)
  }

  @Test("a fetch in a child ends no turn of its parent")
  func parentTurn() throws {
    let (_, delegate) = try library.tracked(in: main, sort: "pages")
    library.insert("B", in: main)

    _ = try edit.fetch(library.shelf.request(sort: "title"))

    #expect(delegate.history == [])
    #expect(main.hasUnprocessedChanges)
  }

  @Test("a save whose parent cannot be read changes nothing, and a later one is an update")
  func unreadableParent() throws {
    let store = FailingStore(InMemoryStore(identifier: "failing"))
    let coordinator = PersistentStoreCoordinator(
      managedObjectModel: library.shelf.coordinator.managedObjectModel, store: store)
    let main = ManagedObjectContext(coordinator: coordinator)
    let object = main.insert(library.shelf.book)
    object["title"] = "A"
    try main.save()
    main.reset()
    let (controller, delegate) = try library.tracked(in: main, sort: "pages", section: "pages")
    let edit = ManagedObjectContext(parent: main)
    let edited = try #require(object.seen(in: edit))
    edited["pages"] = 30

    var failures = 0
    while edit.hasChanges, failures < 20 {
      store.failing(after: failures, times: 1) {
        do { try edit.save() } catch { failures += 1 }
      }
      #expect(edit.hasChanges == store.hasFailed, "after \(failures) failures")
      #expect(main.hasChanges != store.hasFailed, "after \(failures) failures")
      _ = coordinator.takeReadFailure()
    }
    main.processPendingChanges()

    #expect(failures > 0)
    #expect(main.insertedObjects.isEmpty)
    #expect(main.updatedObjects.map(\.objectID) == [object.objectID])
    #expect(
      delegate.takeHistory() == [
        "will", "delete section 0 '0'", "insert section 0 '30'", "move A [0, 0] -> [0, 0]", "did",
      ])
    #expect(controller.shown == ["30: A"])
  }

  @Test("a child's changes are its own until it saves, and then unsaved ones of the parent")
  func saving() throws {
    let (controller, delegate) = try library.tracked(in: main, sort: "pages")
    a.seen(in: edit)?["pages"] = 30
    let b = library.insert("B", pages: 20, in: edit)
    edit.processPendingChanges()
    main.processPendingChanges()
    #expect(delegate.history == [])
    #expect(a["pages"] == 10)

    try edit.save()
    #expect(delegate.history == [])
    #expect(
      delegate.received() == ["will", "insert B -> [0, 0]", "update A [0, 0] -> [0, 1]", "did"])
    #expect(controller.shown == [": B, A"])
    #expect(!edit.hasChanges)
    #expect(main.insertedObjects.map(\.objectID) == [b.objectID])
    #expect(try library.shelf.coordinator.row(of: a)?["pages"] == 10)
    try main.save()
    #expect(try library.shelf.coordinator.row(of: b)?["pages"] == 20)
  }

  @Test("only attributes that changed in the child go to the parent")
  func attributes() throws {
    let child = try #require(a.seen(in: edit))
    a["pages"] = 99
    child["title"] = "child"

    try edit.save()

    #expect(a["title"] == "child")
    #expect(a["pages"] == 99)
  }

  @Test("a child's deletion deletes in the parent")
  func deleting() throws {
    let (_, delegate) = try library.tracked(in: main, sort: "pages")
    edit.delete(try #require(a.seen(in: edit)))
    try edit.save()
    #expect(delegate.received() == ["will", "delete A [0, 0]", "did"])
    #expect(a.isDeleted)
    try main.save()
    #expect(try library.shelf.coordinator.row(of: a) == nil)
  }

  @Test("a child's rollback leaves the parent alone, a parent's rollback the child's values")
  func rollingBack() throws {
    a["pages"] = 11
    let child = try #require(a.seen(in: edit))
    child["title"] = "child"
    edit.rollback()
    #expect(child["title"] == "A")
    #expect(child["pages"] == 11)

    main.rollback()

    #expect(a["pages"] == 10)
    #expect(child["pages"] == 11)
    edit.refresh(child, mergeChanges: false)
    #expect(child["pages"] == 10)
  }

  @Test("a child's controller stays as it is while the parent changes, until a refresh")
  func tracking() throws {
    library.insert("B", pages: 20, in: main)
    let (controller, delegate) = try library.tracked(in: edit, sort: "pages")
    a["pages"] = 30
    main.processPendingChanges()
    #expect(controller.shown == [": A, B"])
    library.insert("C", pages: 25, in: edit)
    #expect(delegate.received() == ["will", "insert C -> [0, 2]", "did"])

    edit.refreshAllObjects()
    #expect(
      delegate.received() == [
        "will", "move A [0, 0] -> [0, 2]", "update B [0, 1] -> [0, 0]", "did",
      ])
    #expect(controller.shown == [": B, C, A"])
  }

  @Test("an object that the parent deleted is a conflict of the child's save")
  func conflict() throws {
    let child = try #require(a.seen(in: edit))
    child["title"] = "child"
    main.delete(a)

    #expect(throws: MergeConflictError.self) { try edit.saveThrowingCause() }
    edit.mergePolicy = .overwrite
    try edit.save()

    #expect(!a.isDeleted)
    #expect(a["title"] == "child")
  }

  @Test("a child of a child reads and saves through both")
  func grandchild() throws {
    let inner = ManagedObjectContext(parent: edit)
    a.seen(in: edit)?["pages"] = 12
    #expect(a.seen(in: inner)?["pages"] == 12)
    a.seen(in: inner)?["title"] = "inner"
    library.insert("B", in: inner)

    try inner.save()
    #expect(a.seen(in: edit)?["title"] == "inner")
    #expect(a["title"] == "A")
    try edit.save()

    #expect(a["title"] == "inner")
    #expect(a["pages"] == 12)
    #expect(main.insertedObjects.map(\.label) == ["B"])
  }
}

extension PersistentStoreCoordinator {
  /// Returns an object's saved values, by name.
  func row(of object: ManagedObject) throws -> [String: PropertyValue]? {
    guard let row = try store.row(object.objectID.number, in: object.entity.root) else {
      return nil
    }
    return Dictionary(
      uniqueKeysWithValues: object.entity.attributes.enumerated().map {
        ($1.name, row.snapshot[$0])
      })
  }
}
