import EngineWorlds
import FetchedResults
import Testing

@Suite("uniqueness constraints")
struct UniquenessTests {
  let isbn: EntityDescription
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext

  init() throws {
    isbn = try EntityDescription(
      name: "Book", attributes: [.optional("isbn", .string), .optional("title", .string)],
      displayAttribute: "title", uniquenessConstraints: [["isbn"]])
    coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [isbn]))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  @discardableResult
  private func insert(_ isbn: PropertyValue, _ title: PropertyValue) -> ManagedObject {
    let object = context.insert(self.isbn)
    object["isbn"] = isbn
    object["title"] = title
    return object
  }

  private func titles() throws -> [String] {
    try context.fetch(FetchRequest(entity: isbn)).map(\.label)
  }

  @Test("a value that the store has already is an error that names both objects")
  func error() throws {
    insert("1", "A")
    try context.save()
    insert("1", "B")

    let error = #expect(throws: MergeConflictError.self) { try context.saveThrowingCause() }

    #expect(
      error?.description
        == "NSCocoaErrorDomain 133021: cannot save: Book/2 and Book/1 have the same 'isbn': \"1\"")
    #expect(context.insertedObjects.map(\.label) == ["B"])
  }

  @Test("two new objects with one value are an error too, nil is none")
  func within() throws {
    insert(nil, "A")
    insert(nil, "B")
    try context.save()
    insert("1", "C")
    insert("1", "D")
    #expect(throws: MergeConflictError.self) { try context.saveThrowingCause() }
  }

  @Test("a value that its owner gave up or took away with it is free")
  func freed() throws {
    let a = insert("1", "A")
    let b = insert("2", "B")
    try context.save()
    a["isbn"] = "3"
    context.delete(b)
    insert("1", "C")
    insert("2", "D")
    try context.save()
    #expect(try titles() == ["A", "C", "D"])
  }

  @Test("the store's side wins: a new object goes")
  func storeTrump() throws {
    insert("1", "A")
    try context.save()
    let b = insert("1", "B")
    context.mergePolicy = .mergeByPropertyStoreTrump
    try context.save()
    #expect(try titles() == ["A"])
    #expect(b.isDeleted)
  }

  @Test("the object's side wins: the one in the store takes over its values")
  func objectTrump() throws {
    let a = insert("1", "A")
    try context.save()
    insert("1", "B")
    insert("1", nil)
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    #expect(try titles() == ["B"])
    #expect(a["title"] == "B")
    #expect(try coordinator.row(of: a)?["title"] == "B")
  }

  @Test("of two saved objects the changed one keeps the value, or gets its old one back")
  func changed() throws {
    let a = insert("1", "A")
    let b = insert("2", "B")
    try context.save()
    b["isbn"] = "1"
    context.mergePolicy = .rollback
    try context.save()
    #expect(b["isbn"] == "2")

    b["isbn"] = "1"
    context.mergePolicy = .overwrite
    try context.save()
    #expect(try titles() == ["B"])
    #expect(a.isDeleted)
  }

  @Test("an object that is in the store stands before a new one, also where it changed itself")
  func savedFirst() throws {
    let a = insert("1", "A")
    try context.save()
    let b = insert("1", "B")
    a["title"] = "A2"
    context.mergePolicy = .mergeByPropertyStoreTrump
    try context.save()
    #expect(try titles() == ["A2"])
    #expect(b.isDeleted)
  }

  @Test("entities that each have their own constraint do not share it, what inherits it does")
  func inherited() throws {
    func attribute(_ name: String) throws -> AttributeDescription {
      try AttributeDescription(name: name, type: .string, isOptional: true)
    }
    let base = try EntityDescription(
      name: "Base", attributes: [attribute("code")], uniquenessConstraints: [["code"]])
    let left = try EntityDescription(
      name: "Left", superentity: base, attributes: [attribute("name")],
      uniquenessConstraints: [["name"]])
    let right = try EntityDescription(
      name: "Right", superentity: base, attributes: [attribute("name")],
      uniquenessConstraints: [["name"]])
    let context = try ManagedObjectContext(of: [base, left, right])
    context.insert(left)["name"] = "x"
    try context.save()
    let other = context.insert(right)
    other["name"] = "x"
    try context.save()

    other["code"] = "c"
    try context.save()
    context.insert(left)["code"] = "c"
    #expect(throws: MergeConflictError.self) { try context.saveThrowingCause() }
  }

  @Test("a save that fails undoes what it decided about unique values")
  func refusedDeletion() throws {
    let tag = try EntityDescription(
      name: "Tag", attributes: [.optional("code", .string)],
      relationships: [.toMany("items", "Item", inverse: "tag", deleteRule: .deny)],
      uniquenessConstraints: [["code"]])
    let item = try EntityDescription(
      name: "Item", attributes: [.optional("name", .string)],
      relationships: [.toOne("tag", "Tag", inverse: "items")])
    let context = try ManagedObjectContext(of: [tag, item])
    func codes() throws -> [PropertyValue] {
      try context.fetch(FetchRequest(entity: tag)).map { $0["code"] }
    }
    let (first, second) = (context.insert(tag), context.insert(tag))
    first["code"] = "a"
    second["code"] = "x"
    let member = context.insert(item)
    member["tag"] = .object(second.objectID)
    try context.save()
    context.mergePolicy = .mergeByPropertyObjectTrump

    // The decision deletes the second tag, which its item denies.
    first["code"] = "x"
    #expect(throws: SaveError.self) { try context.save() }
    #expect(context.deletedObjects.isEmpty)
    #expect(context.updatedObjects.map(\.objectID) == [first.objectID])
    #expect(member["tag"] == .object(second.objectID))

    first["code"] = "b"
    try context.save()
    #expect(try codes() == ["b", "x"])

    first["code"] = "x"
    member["tag"] = .null
    try context.save()
    #expect(try codes() == ["x"])
  }

  @Test(
    "wherever the store fails, a new object stays until a save succeeds",
    arguments: MergePolicy.allCases.filter { $0 != .error })
  func failingStore(policy: MergePolicy) throws {
    var successes = 0
    while true {
      let store = FailingStore(InMemoryStore(identifier: "failing"))
      let context = ManagedObjectContext(
        coordinator: PersistentStoreCoordinator(
          managedObjectModel: coordinator.managedObjectModel, store: store))
      context.insert(isbn)["isbn"] = "1"
      try context.save()
      context.mergePolicy = policy
      let new = context.insert(isbn)
      new["isbn"] = "1"
      var isSaved = true
      do {
        try store.failing(after: successes, times: 1) { try context.save() }
      } catch {
        isSaved = false
      }
      if !isSaved {
        #expect(context.insertedObjects.map(\.objectID) == [new.objectID], "call \(successes)")
        #expect(context.updatedObjects.isEmpty, "call \(successes)")
        new["isbn"] = "2"
        try context.save()
      }
      #expect(
        try context.count(for: FetchRequest(entity: isbn)) == (isSaved ? 1 : 2),
        "call \(successes)")
      if !store.hasFailed { break }
      successes += 1
    }
    #expect(successes > 1)
  }

  @Test("what a new object is related to is related to the one that takes over its values")
  func relationships() throws {
    let tag = try EntityDescription(
      name: "Tag", attributes: [.init("name", .string)],
      relationships: [
        .toMany("items", "Item", inverse: "tag"), .toMany("lists", "Item", inverse: "tags"),
      ], uniquenessConstraints: [["name"]])
    let item = try EntityDescription(
      name: "Item", attributes: [],
      relationships: [
        .toOne("tag", "Tag", inverse: "items"), .toMany("tags", "Tag", inverse: "lists"),
        .toOne("mark", "Tag"),
      ])
    let coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [tag, item]))
    let context = ManagedObjectContext(coordinator: coordinator)
    let saved = context.insert(tag)
    saved["name"] = "x"
    let old = context.insert(item)
    old["tag"] = .object(saved.objectID)
    try context.save()
    let new = context.insert(tag)
    new["name"] = "x"
    let added = context.insert(item)
    added["tag"] = .object(new.objectID)
    added["tags"] = .list([.object(new.objectID)])
    added["mark"] = .object(new.objectID)

    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()

    let reader = ManagedObjectContext(coordinator: coordinator)
    let stored = try #require(reader.findObject(with: added.objectID))
    #expect(stored["tag"] == .object(saved.objectID))
    #expect(stored["tags"] == .list([.object(saved.objectID)]))
    #expect(stored["mark"] == .null)
    let owner = try #require(reader.findObject(with: saved.objectID))
    #expect(owner["items"] == .list([.object(old.objectID), .object(added.objectID)]))
    #expect(owner["lists"] == .list([.object(added.objectID)]))
  }
}
