import EngineWorlds
import FetchedResults
import NaiveModel
import Testing

@Suite("optimistic locking")
struct MergeConflictTests {
  let library: SeveralContexts
  let main, background: ManagedObjectContext
  let a: ManagedObject

  init() throws {
    library = try SeveralContexts()
    main = library.main
    background = library.background
    a = library.insert("A", "Ace", pages: 10, in: main)
    try main.save()
  }

  /// Changes title and publisher in this context, and title and pages in the store.
  private func diverge() throws {
    a["title"] = "here"
    a["publisher"] = "Here"
    a.seen(in: background)?["title"] = "there"
    a.seen(in: background)?["pages"] = 99
    try background.save()
  }

  private func saved() throws -> [PropertyValue?] {
    let row = try library.shelf.coordinator.row(of: a)
    return [row?["title"], row?["publisher"], row?["pages"]]
  }

  @Test("under the error policy a save over a newer row fails and names both values")
  func error() throws {
    try diverge()

    let error = #expect(throws: MergeConflictError.self) { try main.saveThrowingCause() }

    #expect(
      error?.description
        == "NSCocoaErrorDomain 133020: cannot save: Book/1 was changed in the store since it was read: "
        + "'title' is \"here\" here and \"there\" in the store, "
        + "'publisher' is \"Here\" here and \"Ace\" in the store, "
        + "'pages' is 10 here and 99 in the store")
    #expect(try saved() == ["there", "Ace", 99])
    #expect(main.hasChanges)
    #expect(a["title"] == "here")
  }

  @Test(
    "each policy decides attribute by attribute, or for the whole object",
    arguments: [
      (MergePolicy.mergeByPropertyStoreTrump, ["there", "Here", 99] as [PropertyValue?]),
      (.mergeByPropertyObjectTrump, ["here", "Here", 99]),
      (.overwrite, ["here", "Here", 10]),
      (.rollback, ["there", "Ace", 99]),
    ])
  func policies(policy: MergePolicy, values: [PropertyValue?]) throws {
    try diverge()
    main.mergePolicy = policy

    try main.save()

    #expect(try saved() == values)
    #expect([a["title"], a["publisher"], a["pages"]] == values)
    #expect(!main.hasChanges)
    a["pages"] = 1
    try main.save()
    #expect(try saved()[2] == 1)
  }

  @Test("what a policy changes is reported with the next processing")
  func reported() throws {
    let b = library.insert("B", pages: 50, in: main)
    try main.save()
    let (_, delegate) = try library.tracked(in: main, sort: "pages")
    b["title"] = "B2"
    a["title"] = "here"
    a.seen(in: background)?["pages"] = 99
    try background.save()
    main.mergePolicy = .mergeByPropertyObjectTrump

    try main.save()
    #expect(
      delegate.takeHistory() == [
        "will", "update here [0, 0] -> [0, 0]", "update B2 [0, 1] -> [0, 1]", "did",
      ])
    #expect(delegate.received() == ["will", "move here [0, 0] -> [0, 1]", "did"])
  }

  @Test("after a merge or a refresh there is no conflict any more", arguments: [true, false])
  func caughtUp(byMerge: Bool) throws {
    try diverge()
    if byMerge {
      try library.merge(background, into: main)
    } else {
      main.refresh(a, mergeChanges: true)
    }

    try main.save()

    #expect(try saved() == ["here", "Here", 99])
  }

  @Test("a context that reads an object after the save meets no conflict")
  func readLater() throws {
    let other = ManagedObjectContext(coordinator: library.shelf.coordinator)
    try diverge()
    a.seen(in: other)?["publisher"] = "Other"
    try other.save()
    #expect(try saved() == ["there", "Other", 99])
  }

  @Test("changed here and deleted in the store: an error, gone, or back again")
  func deletedInStore() throws {
    a["title"] = "here"
    background.delete(try #require(a.seen(in: background)))
    try background.save()

    let error = #expect(throws: MergeConflictError.self) { try main.saveThrowingCause() }
    #expect(
      error?.description
        == "NSCocoaErrorDomain 133020: cannot save: Book/1 was changed here and deleted in the store"
    )

    main.mergePolicy = .mergeByPropertyObjectTrump
    try main.save()
    #expect(try saved() == ["here", "Ace", 10])
  }

  @Test("changed here and deleted in the store, under the policies of the store: it goes")
  func goesWithStore() throws {
    let (_, delegate) = try library.tracked(in: main, sort: "title")
    a["title"] = "here"
    background.delete(try #require(a.seen(in: background)))
    try background.save()
    main.mergePolicy = .mergeByPropertyStoreTrump
    main.processPendingChanges()
    delegate.forget()

    try main.save()
    #expect(delegate.received() == ["will", "delete here [0, 0]", "did"])
    #expect(a.isDeleted)
    #expect(try saved() == [nil, nil, nil])
  }

  @Test("deleted here and changed in the store: an error, deleted, or back again")
  func deletedHere() throws {
    let (_, delegate) = try library.tracked(in: main, sort: "title")
    main.delete(a)
    a.seen(in: background)?["pages"] = 99
    try background.save()

    let error = #expect(throws: MergeConflictError.self) { try main.saveThrowingCause() }
    #expect(
      error?.description
        == "NSCocoaErrorDomain 133020: cannot save: Book/1 was deleted here and changed in the store: "
        + "'pages' is 10 here and 99 in the store")
    main.mergePolicy = .rollback
    try main.save()
    main.processPendingChanges()

    #expect(!a.isDeleted)
    #expect(a["pages"] == 99)
    #expect(
      delegate.history == [
        "will", "delete A [0, 0]", "did", "will", "insert A -> [0, 0]", "did",
      ])
    main.delete(a)
    try main.save()
    #expect(try saved() == [nil, nil, nil])
  }

  @Test(
    "wherever the store fails, the changes stay as they were until a save succeeds",
    arguments: MergePolicy.allCases.filter { $0 != .error }, [false, true])
  func failingStore(policy: MergePolicy, isDeleted: Bool) throws {
    let book = try EntityDescription(name: "Book", attributes: [.optional("title", .string)])
    let model = try ManagedObjectModel(entities: [book])
    var successes = 0
    while true {
      let store = FailingStore(InMemoryStore(identifier: "failing"))
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model, store: store)
      let here = ManagedObjectContext(coordinator: coordinator)
      let there = ManagedObjectContext(coordinator: coordinator)
      let object = here.insert(book)
      object["title"] = "old"
      try here.save()
      object["title"] = "here"
      // So there is something to write under each policy.
      here.insert(book)
      let other = try #require(object.seen(in: there))
      if isDeleted { there.delete(other) } else { other["title"] = "there" }
      try there.save()

      here.mergePolicy = policy
      do {
        try store.failing(after: successes, times: 1) { try here.save() }
      } catch {
        #expect(object["title"] == "here", "call \(successes)")
        #expect(here.updatedObjects.map(\.objectID) == [object.objectID], "call \(successes)")
        #expect(here.deletedObjects.isEmpty, "call \(successes)")
        try here.save()
      }

      let winsHere = policy == .mergeByPropertyObjectTrump || policy == .overwrite
      let row = try coordinator.row(of: object)
      if isDeleted && !winsHere {
        #expect(row == nil, "call \(successes)")
      } else {
        #expect(row?["title"] == (winsHere ? "here" : "there"), "call \(successes)")
      }
      if !store.hasFailed { break }
      successes += 1
    }
    #expect(successes > 1)
  }

  @Test("deleted on both sides: no conflict, and nothing to save")
  func deletedTwice() throws {
    main.delete(a)
    background.delete(try #require(a.seen(in: background)))
    try background.save()

    try main.save()

    #expect(!main.hasChanges)
    #expect(main.findObject(with: a.objectID) == nil)
  }
}
