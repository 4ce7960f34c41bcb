import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

/// A store in memory and one in a file give the same results, whatever is done to them.
///
/// Every other file is as Core Data writes it.
@Suite("Stores answer alike")
struct StoreConformanceTests {
  @Test("random saves, conflicts and fetches")
  func random() throws {
    for seed in LawSeeds(seconds: 0.6) {
      var pair = try StorePair(seed: seed, isOfCoreData: seed % 2 == 1)
      for step in 0..<60 {
        let failure = try pair.step()
        if let failure {
          Issue.record("seed \(seed), step \(step): \(failure)")
          return
        }
      }
    }
  }

  /// The contexts are recreated now and then, so that controllers have unread rows, in batches of
  /// several sizes.
  @Test("controllers over faults tell and show the same")
  func controllers() throws {
    for seed in LawSeeds(seconds: 0.5, from: 70_000) {
      var pair = try StorePair(seed: seed, isWatched: true, isOfCoreData: seed % 2 == 1)
      for step in 0..<80 {
        if let failure = try pair.step() {
          Issue.record("seed \(seed), step \(step): \(failure)")
          return
        }
      }
    }
  }

  /// Returns what both stores give for the same statements, if it is the same.
  private func same<Result: Equatable>(
    of model: () throws -> ManagedObjectModel = { try Library.model() },
    _ body: (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    let folder = StoreFolder()
    let results = try [
      PersistentStoreCoordinator(managedObjectModel: model()), folder.coordinator(model()),
    ].map { try body(ManagedObjectContext(coordinator: $0)) }
    try #require(results[0] == results[1])
    return results[0]
  }

  /// The numbers of a statement are in the order of its rows or in none, and fill several statements.
  @Test(
    "rows are found by numbers in any order, and nil by those of no row",
    arguments: [
      [1, 2, 3], [0, 2, 9], [3, 1, 2], [2, 2, 1], [7, 7, 8], [-1, 3, 1, 3], [],
      Array(1...1_500), (1...1_500).reversed(),
    ] as [[Int64]])
  func rowsByNumber(numbers: [Int64]) throws {
    let titles = try same { context in
      let objects = try (1...1_200).map { index in
        let book = try context.insert("Book")
        try book.setValue(.string("\(index)"), forKey: "title")
        return book
      }
      try context.save()
      for object in objects where object.objectID.number % 5 == 4 { context.delete(object) }
      try context.save()
      let entity = objects[0].entity
      let rows = try context.persistentStoreCoordinator.store.rows(numbers, in: entity)
      let place = try #require(entity.attributes.firstIndex { $0.name == "title" })
      return rows.map { $0?.snapshot[place] }
    }

    #expect(
      titles
        == numbers.map { (1...1_200).contains($0) && $0 % 5 != 4 ? .string("\($0)") : nil })
  }

  @Test("both sides of its relationships have an object that is saved after a batch deleted it")
  func savedAfterBatchDelete() throws {
    let members = try same { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      let author = try context.insert("Author")
      let tag = try context.insert("Tag")
      let book = try context.insert("Book")
      book["author"] = .object(author.objectID)
      book["tags"] = .list([.object(tag.objectID)])
      try context.save()
      try context.execute(BatchDeleteRequest(fetchRequest: FetchRequest(entity: book.entity)))
      book["pages"] = 1
      try context.save()
      let fresh = ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
      return try ["Author", "Tag", "Book"].map { try fresh.lines($0) }
    }
    #expect(members[0].count == 1 && members[0][0].contains("Book/1"), "\(members)")
    #expect(members[1].count == 1 && members[1][0].contains("Book/1"), "\(members)")
    #expect(members[2].count == 1 && members[2][0].contains("Author/1"), "\(members)")
  }

  @Test("a condition on the list of a related object counts what a batch deleted, as the list does")
  func countAfterBatchDelete() throws {
    let found = try same { context in
      let author = try context.insert("Author")
      for pages in [0, 3] {
        let book = try context.insert("Book", ["pages": .int(Int64(pages))])
        book["author"] = .object(author.objectID)
      }
      try context.save()
      var books = FetchRequest(
        entity: try context.entity("Book"))
      books.predicate = try FetchPredicate(format: "pages == 0")
      try context.execute(BatchDeleteRequest(fetchRequest: books))
      books.predicate = try FetchPredicate(format: "author.books.@count > 1")
      let found = try context.fetch(books).map(\.objectID.description)
      #expect(author.members(at: 0).count == 2)
      #expect(try context.count(for: books) == found.count)
      return found
    }
    #expect(found == ["Book/2"])
  }

  @Test("conditions on the list of a related object see a saved deletion that the list keeps")
  func keptInListAfterDeletion() throws {
    let model: () throws -> ManagedObjectModel = {
      try ManagedObjectModel(entities: [
        EntityDescription(
          name: "Author", attributes: [],
          relationships: [
            RelationshipDescription(
              name: "books", destination: "Book", inverse: "author", isToMany: true)
          ]),
        EntityDescription(
          name: "Book", attributes: [AttributeDescription(name: "title", type: .string)],
          relationships: [
            RelationshipDescription(
              name: "author", destination: "Author", inverse: "books", deleteRule: .noAction)
          ]),
      ])
    }
    let counts = try same(of: model) { context in
      let author = try context.insert("Author")
      let books = try ["Dune", "Emma"].map {
        try context.insert("Book", ["title": .string($0), "author": .object(author.objectID)])
      }
      try context.save()
      context.delete(books[0])
      try context.save()
      func counts() throws -> [Int] {
        let formats = [
          "author.books.@count == 1", "author.books.@count == 2", "ANY author.books.title == nil",
        ]
        return try formats.map { try context.lines("Book", where: $0).count }
      }
      let kept = try counts()
      context.reset()
      return try [kept, counts()]
    }
    #expect(counts == [[0, 1, 1], [1, 0, 0]])
  }

  @Test(
    "a list loses an object that a save deletes, and has it in its place when an undo is saved",
    arguments: [true, false], [true, false])
  func savedDeletionWithoutAction(isToMany: Bool, isSavedBefore: Bool) throws {
    let model: () throws -> ManagedObjectModel = {
      try ManagedObjectModel(entities: [
        EntityDescription(
          name: "Author", attributes: [],
          relationships: [
            RelationshipDescription(
              name: "books", destination: "Book", inverse: "authors", isToMany: true,
              isOrdered: true)
          ]),
        EntityDescription(
          name: "Book", attributes: [],
          relationships: [
            RelationshipDescription(
              name: "authors", destination: "Author", inverse: "books", isToMany: isToMany,
              deleteRule: .noAction)
          ]),
      ])
    }
    let lines = try same(of: model) { context in
      context.undoManager = UndoHistory()
      let author = try context.insert("Author")
      let books = try (1...3).map { _ in try context.insert("Book") }
      author["books"] = .list(books.map { .object($0.objectID) })
      if isSavedBefore { try context.save() }
      context.processPendingChanges()
      context.delete(books[1])
      try context.save()
      func saved() throws -> [String] {
        try ManagedObjectContext(coordinator: context.persistentStoreCoordinator).lines("Author")
      }
      let left = try saved()
      context.undo()
      try context.save()
      return try left + saved()
    }
    #expect(
      lines == [
        "Author/1 books: [Book/1, Book/3]", "Author/1 books: [Book/1, Book/2, Book/3]",
      ])
  }

  @Test(
    "a relationship that is its own inverse has both sides when an undone deletion is saved",
    arguments: [RelationshipDescription.DeleteRule.noAction, .nullify], [false, true])
  func savedDeletionOfFriend(rule: RelationshipDescription.DeleteRule, isOrdered: Bool) throws {
    let model: () throws -> ManagedObjectModel = {
      try ManagedObjectModel(entities: [
        EntityDescription(
          name: "Person", attributes: [],
          relationships: [
            RelationshipDescription(
              name: "friends", destination: "Person", inverse: "friends", isToMany: true,
              isOrdered: isOrdered, deleteRule: rule)
          ])
      ])
    }
    let lines = try same(of: model) { context in
      context.undoManager = UndoHistory()
      let people = try (1...4).map { _ in try context.insert("Person") }
      people[0]["friends"] = .list(people[1...].map { .object($0.objectID) })
      people[2]["friends"] = .list([people[0], people[2]].map { .object($0.objectID) })
      try context.save()
      context.processPendingChanges()
      context.delete(people[2])
      try context.save()
      context.undo()
      try context.save()
      let coordinator = context.persistentStoreCoordinator
      return try ManagedObjectContext(coordinator: coordinator).lines("Person")
    }
    #expect(
      lines == [
        "Person/1 friends: [Person/2, Person/3, Person/4]", "Person/2 friends: [Person/1]",
        "Person/3 friends: [Person/1, Person/3]", "Person/4 friends: [Person/1]",
      ])
  }

  @Test("a batch update refuses a sum that the type of its attribute cannot hold")
  func overflowingSum() throws {
    let limits: [(key: String, type: AttributeType, value: PropertyValue, more: PropertyValue)] = [
      ("volume", .integer16, .int(32767), 1), ("volume", .integer16, .int(-32768), -1),
      ("pages", .integer32, .int(2_147_483_647), 1),
    ]
    for (key, type, value, more) in limits {
      let left = try same { context in
        let manga = try context.insert("Manga", [key: value])
        try context.save()
        let request = { sum in
          BatchUpdateRequest(entity: manga.entity, propertiesToUpdate: [key: .sum(sum)])
        }
        #expect(
          throws: BatchRequestError.store(
            .overflow(entity: "Manga", attribute: key, type: type)), "\(key)"
        ) { try context.execute(request(more)) }
        try context.execute(request(0))
        let fresh = ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
        return try fresh.fetch(FetchRequest(entity: manga.entity)).map { $0[key] }
      }
      #expect(left == [type.value(from: value)], "\(key)")
    }
  }
}
