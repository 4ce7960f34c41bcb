import FetchedResults
import Testing

@Suite("relationships across contexts")
struct RelatedContextsTests {
  let bookcase: Bookcase
  let main, background, child: ManagedObjectContext
  let lem, herbert, dune: ManagedObject

  init() throws {
    bookcase = try Bookcase()
    main = bookcase.context
    background = ManagedObjectContext(coordinator: bookcase.coordinator)
    child = ManagedObjectContext(parent: main)
    lem = bookcase.insertAuthor("Lem")
    herbert = bookcase.insertAuthor("Herbert")
    dune = bookcase.insertBook("Dune", by: herbert)
    try main.save()
  }

  private func seen(_ object: ManagedObject, in context: ManagedObjectContext) throws
    -> ManagedObject
  {
    try #require(context.findObject(with: object.objectID))
  }

  private func stored(_ object: ManagedObject, _ key: String) throws -> PropertyValue {
    let reader = ManagedObjectContext(coordinator: bookcase.coordinator)
    return try seen(object, in: reader)[key]
  }

  private func mergeBackground() throws {
    main.mergeChanges(fromContextDidSave: try #require(background.lastSave))
    main.processPendingChanges()
  }

  @Test("a merge adds to a list with unsaved objects, and takes none of them out")
  func mergedLists() throws {
    let solaris = bookcase.insertBook("Solaris", by: lem)
    main.processPendingChanges()
    let eden = background.insert(bookcase.book)
    eden["author"] = .object(lem.objectID)
    try background.save()

    try mergeBackground()

    #expect(lem["books"] == .list([.object(solaris.objectID), .object(eden.objectID)]))
    try main.save()
    #expect(try stored(lem, "books") == lem["books"])
  }

  @Test(
    "of two new authors of one book the policy takes one, and both authors' lists follow",
    arguments: [
      MergePolicy.mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump, .rollback,
    ])
  func conflict(policy: MergePolicy) throws {
    let dick = bookcase.insertAuthor("Dick")
    try main.save()
    _ = try background.fetch(FetchRequest(entity: bookcase.book))
    dune["author"] = .object(lem.objectID)
    try seen(dune, in: background)["author"] = .object(dick.objectID)
    try background.save()

    main.mergePolicy = policy
    try main.save()

    let isOurs = policy == .overwrite || policy == .mergeByPropertyObjectTrump
    #expect(try stored(dune, "author") == .object((isOurs ? lem : dick).objectID))
    for author in [lem, dick, herbert] {
      let isAuthor = author === (isOurs ? lem : dick)
      #expect(try stored(author, "books") == .list(isAuthor ? [.object(dune.objectID)] : []))
    }
  }

  @Test("a merged deletion takes unsaved objects with it where its rule cascades, else lets go")
  func mergedDeletion() throws {
    for rule in [RelationshipDescription.DeleteRule.cascade, .nullify] {
      let bookcase = try Bookcase(booksRule: rule)
      let main = bookcase.context
      let lem = bookcase.insertAuthor("Lem")
      try main.save()
      let background = ManagedObjectContext(coordinator: bookcase.coordinator)
      let solaris = bookcase.insertBook("Solaris", by: lem)
      background.delete(try seen(lem, in: background))
      try background.save()

      main.mergeChanges(fromContextDidSave: try #require(background.lastSave))
      main.processPendingChanges()

      #expect(solaris.isDeleted == (rule == .cascade))
      if rule == .nullify { #expect(solaris["author"] == .null) }
    }
  }

  @Test(
    "a merged batch delete leaves saved objects alone, whether or not the deleted was read",
    arguments: [RelationshipDescription.DeleteRule.cascade, .nullify, .deny, .noAction])
  func mergedBatchDelete(rule: RelationshipDescription.DeleteRule) throws {
    for isRead in [true, false] {
      let bookcase = try Bookcase(booksRule: rule)
      let main = bookcase.context
      let lem = bookcase.insertAuthor("Lem")
      let eden = bookcase.insertBook("Eden", by: lem)
      try main.save()
      if !isRead { main.reset() }
      let book = try #require(try main.fetch(FetchRequest(entity: bookcase.book)).first)
      let solaris = isRead ? bookcase.insertBook("Solaris", by: lem) : nil
      let result = try main.execute(
        BatchDeleteRequest(
          fetchRequest: FetchRequest(entity: bookcase.author), resultType: .objectIDs))
      ManagedObjectContext.mergeChanges(fromRemoteContextSave: result.changes, into: [main])
      #expect(!book.isUpdated)
      #expect(try bookcase.titles(where: "author.name == 'Lem'").isEmpty)
      try main.save()

      #expect(!book.isDeleted)
      #expect(book["author"] == .object(lem.objectID))
      if let solaris { #expect(solaris.isDeleted == (rule == .cascade)) }
      let reader = ManagedObjectContext(coordinator: bookcase.coordinator)
      #expect(reader.findObject(with: eden.objectID)?["author"] == .object(lem.objectID))
    }
  }

  @Test(
    "what gets related to an object that others deleted is not deleted, and does not refer to it",
    arguments: [RelationshipDescription.DeleteRule.cascade, .nullify, .deny, .noAction])
  func relatedToDeleted(rule: RelationshipDescription.DeleteRule) throws {
    let bookcase = try Bookcase(booksRule: rule)
    let main = bookcase.context
    let (lem, dune) = (bookcase.insertAuthor("Lem"), bookcase.insertBook("Dune"))
    try main.save()
    let other = ManagedObjectContext(coordinator: bookcase.coordinator)
    other.delete(try seen(lem, in: other))
    try other.save()
    main.mergeChanges(fromContextDidSave: try #require(other.lastSave))
    main.processPendingChanges()

    lem["books"] = .list([.object(dune.objectID)])
    try main.save()
    #expect(!dune.isDeleted && dune["author"] == .null)
    let reader = ManagedObjectContext(coordinator: bookcase.coordinator)
    #expect(try seen(dune, in: reader)["author"] == .null)
  }

  @Test(
    "a merged batch delete shortens saved lists without unsaved changes, also for a rollback",
    arguments: [true, false])
  func listsAfterBatchDelete(isChanged: Bool) throws {
    if isChanged { herbert["name"] = "Frank" }
    let result = try main.execute(
      BatchDeleteRequest(
        fetchRequest: FetchRequest(entity: bookcase.book), resultType: .objectIDs))
    ManagedObjectContext.mergeChanges(fromRemoteContextSave: result.changes, into: [main])
    main.processPendingChanges()
    #expect(herbert["books"] == .list([]) && herbert.isUpdated == isChanged)

    main.rollback()
    main.processPendingChanges()
    #expect(herbert["books"] == .list([]) && !herbert.isUpdated)
    #expect(herbert["name"] == "Herbert")
  }

  @Test("what a rollback lets go of is no unsaved deletion if a reference to it ends then")
  func referenceToGone() throws {
    let result = try main.execute(
      BatchDeleteRequest(
        fetchRequest: FetchRequest(entity: bookcase.author), resultType: .objectIDs))
    ManagedObjectContext.mergeChanges(fromRemoteContextSave: result.changes, into: [main])
    main.processPendingChanges()
    #expect(main.deletedObjects.count == 2 && dune["author"] == .object(herbert.objectID))

    main.rollback()
    dune["author"] = .null
    #expect(main.deletedObjects.isEmpty)
    main.processPendingChanges()
    #expect(main.findObject(with: herbert.objectID) == nil)
    #expect(try bookcase.titles(where: "author == nil") == ["Dune"])
  }

  @Test("a deletion that wins over a newer row carries its rules out on what that led to")
  func deletionOfANewerRow() throws {
    main.delete(lem)
    let eden = background.insert(bookcase.book)
    eden["author"] = .object(lem.objectID)
    try background.save()

    main.mergePolicy = .overwrite
    try main.save()

    #expect(try stored(eden, "author") == .null)
  }

  @Test(
    "a deleted object leaves the list into which others put it, after its relationship was changed",
    arguments: [true, false], [true, false])
  func deletionOfAnObjectThatMoved(toNewAuthor isNew: Bool, isMerged: Bool) throws {
    let author = isNew ? background.insert(bookcase.author) : try seen(lem, in: background)
    try seen(dune, in: background)["author"] = .object(author.objectID)
    dune["author"] = .null
    main.delete(dune)
    main.processPendingChanges()
    try background.save()

    if isMerged {
      try mergeBackground()
      #expect(try seen(author, in: main)["books"] == .list([]))
    }
    main.mergePolicy = .overwrite
    try main.save()
    #expect(try stored(author, "books") == .list([]))
    #expect(try seen(author, in: main)["books"] == .list([]))
  }

  @Test("a deleted object leaves the object that others made its sequel")
  func deletionOfAnObjectThatGotASequel() throws {
    let (messiah, solaris) = (bookcase.insertBook("Messiah"), bookcase.insertBook("Solaris"))
    dune["sequel"] = .object(messiah.objectID)
    try main.save()
    try seen(dune, in: background)["sequel"] = .object(solaris.objectID)
    dune["sequel"] = .null
    main.delete(dune)
    main.processPendingChanges()
    try background.save()

    try mergeBackground()
    #expect(solaris["prequel"] == .null)
    main.rollback()
    main.processPendingChanges()
    #expect(dune["sequel"] == .object(solaris.objectID))
    #expect(solaris["prequel"] == .object(dune.objectID))
  }

  @Test("a child's save adds to the parent's list")
  func childSave() throws {
    let solaris = bookcase.insertBook("Solaris", by: lem)
    main.processPendingChanges()
    _ = try seen(lem, in: child)["books"]
    let eden = child.insert(bookcase.book)
    eden["author"] = .object(lem.objectID)
    lem["books"] = .list([])

    try child.save()

    #expect(lem["books"] == .list([.object(eden.objectID)]))
    #expect(solaris["author"] == .null)
    #expect(main.findObject(with: eden.objectID)?["author"] == .object(lem.objectID))
  }

  @Test("a child's predicate that crosses a relationship sees the child's related objects")
  func predicateInAChild() throws {
    try seen(herbert, in: child)["name"] = "Frank"
    let request = FetchRequest(
      entity: bookcase.book, predicate: try FetchPredicate(format: "author.name == 'Frank'"))
    #expect(try child.fetch(request).map(\.label) == ["Dune"])
    #expect(try main.fetch(request).isEmpty)

    let any = FetchRequest(
      entity: bookcase.author,
      predicate: try FetchPredicate(format: "ANY books.title == 'Messiah'"))
    try seen(dune, in: child)["title"] = "Messiah"
    #expect(try child.fetch(any).map(\.label) == ["Frank"])
    #expect(try main.fetch(any).isEmpty)

    let authors = FetchRequest(
      entity: bookcase.book, predicate: try FetchPredicate(format: "author.books.@count == 0"))
    let grandchild = ManagedObjectContext(parent: child)
    try seen(herbert, in: grandchild)["books"] = .list([])
    #expect(try grandchild.fetch(authors).isEmpty)
    #expect(try grandchild.fetch(request).isEmpty)
    #expect(try child.fetch(request).map(\.label) == ["Messiah"])
  }

  @Test("an undo takes back what its turn added to a list, and leaves what was merged since")
  func undo() throws {
    main.undoManager = UndoHistory()
    let solaris = bookcase.insertBook("Solaris", by: lem)
    main.processPendingChanges()
    try main.save()
    let eden = background.insert(bookcase.book)
    eden["author"] = .object(lem.objectID)
    try background.save()
    try mergeBackground()

    main.undo()
    main.processPendingChanges()
    #expect(solaris.isDeleted)
    #expect(lem["books"] == .list([.object(eden.objectID)]))

    main.redo()
    main.processPendingChanges()
    #expect(lem["books"] == .list([.object(solaris.objectID), .object(eden.objectID)]))
  }

  @Test("a row that a fetch placed by newer values keeps them, whatever has its number elsewhere")
  func pinnedRow() throws {
    bookcase.insertBook("Emma")
    try main.save()
    try seen(dune, in: background)["title"] = "Zelazny"
    try background.save()
    let (controller, delegate) = try bookcase.tracked(sort: "title")
    #expect(controller.shown == [": Emma, Dune"])

    #expect(lem.objectID.number == dune.objectID.number)
    lem["name"] = "Stanislaw"
    bookcase.insertBook("Akira")
    main.processPendingChanges()
    #expect(delegate.takeHistory() == ["will", "insert Akira -> [0, 0]", "did"])
    dune["author"] = .null
    main.processPendingChanges()

    #expect(delegate.history == ["will", "move Dune [0, 2] -> [0, 1]", "did"])
  }
}
