import Basics
import EngineWorlds
import FetchedResults
import Testing

@Suite("observed results")
struct ObservedResultsTests {
  private let shelf: BookShelf

  init() throws { shelf = try BookShelf() }

  private func observed(
    by sort: FetchSortDescriptor = FetchSortDescriptor(key: "title"), section: String? = "genre",
    updates: ObservedResults.Updates = .saves
  ) throws -> ObservedResults {
    try ObservedResults(
      fetchRequest: FetchRequest(entity: shelf.book, sortDescriptors: [sort]),
      sectionNameKeyPath: section, managedObjectContext: shelf.context, updates: updates,
      isolation: nil)
  }

  private func titles(_ books: ObservedResults) -> [PropertyValue] {
    books.rows.map { $0["title"] }
  }

  @Test("a save publishes at the end of its turn, with one difference of all batches before")
  func composed() throws {
    let books = try observed()
    var published: [ObservedResults.Publication] = []
    books.observe { published.append($0) }
    let emma = shelf.add("Emma", genre: "b")
    shelf.context.processPendingChanges()
    shelf.add("Dune", genre: "a")
    shelf.context.processPendingChanges()
    emma["genre"] = "c"
    try shelf.context.save()
    #expect(published.isEmpty && books.rows.isEmpty)
    #expect(books.unpublishedDifference?.objects.count == 2)

    shelf.context.processPendingChanges()
    #expect(published.map(\.newCount) == [2] && published.map(\.oldCount) == [0])
    let difference = try #require(published.first?.difference)
    #expect(difference.insertedSections.map(\.name) == ["a", "c"])
    #expect(difference.objects.map(\.reason) == [.created, .created])
    #expect(titles(books) == ["Dune", "Emma"])
    #expect(books.fetchRequest.sortDescriptors.map(\.key) == ["genre", "title"])
    #expect(books.sortDescriptors.map(\.key) == ["title"])
  }

  @Test("a sort by the section key that ignores case keeps each section's rows together")
  func caseOfNames() throws {
    for title in ["a", "B", "A", "a", "b"] { shelf.add(title, genre: "") }
    let books = try observed(
      by: FetchSortDescriptor(key: "title", selector: .caseInsensitiveCompare), section: "title")
    #expect(titles(books) == ["A", "a", "a", "B", "b"])
    books.setSortDescriptors([
      FetchSortDescriptor(key: "title", ascending: false, selector: .caseInsensitiveCompare)
    ])
    #expect(books.fetchError == nil)
    #expect(titles(books) == ["B", "b", "A", "a", "a"])
  }

  @Test("a rollback publishes nothing, and so does a value that is the old one again")
  func rollback() throws {
    let emma = shelf.add("Emma", genre: "b")
    shelf.add("Dune", genre: "a")
    try shelf.context.save()
    let books = try observed()
    var count = 0
    books.observe { _ in count += 1 }
    emma["genre"] = "a"
    shelf.context.processPendingChanges()
    shelf.context.rollback()
    shelf.context.processPendingChanges()
    emma["title"] = "Emma 2"
    shelf.context.processPendingChanges()
    emma["title"] = "Emma"
    try shelf.context.save()
    shelf.context.processPendingChanges()
    #expect(count == 0)
  }

  @Test("an object that comes and goes between two publications is not kept")
  func draft() throws {
    let books = try observed()
    // While this is unsaved, nothing is published.
    shelf.add("Emma", genre: "a")
    shelf.context.processPendingChanges()
    weak var first: ManagedObject?
    for round in 0..<10 {
      let object = shelf.add("Dune", genre: "b")
      if round == 0 { first = object }
      shelf.context.processPendingChanges()
      shelf.context.delete(object)
      shelf.context.processPendingChanges()
    }
    #expect(first == nil)
    #expect(books.rows.isEmpty)
    #expect(books.unpublishedDifference?.objects.map(\.reason) == [.created])
  }

  @Test("a published row that goes, comes and goes again keeps its last values")
  func returning() throws {
    let emma = shelf.add("Emma", genre: "a")
    try shelf.context.save()
    let books = try ObservedResults(
      fetchRequest: FetchRequest(
        entity: shelf.book, predicate: try FetchPredicate(format: "pages < 10")),
      managedObjectContext: shelf.context, isolation: nil)
    let rows = books.rows
    for pages: PropertyValue in [20, 5] {
      emma["pages"] = pages
      shelf.context.processPendingChanges()
    }
    shelf.context.delete(emma)
    try shelf.context.save()
    shelf.context.processPendingChanges()
    #expect(books.rows.isEmpty)
    #expect(rows.map { $0["title"] } == ["Emma"])
    #expect(rows.map(\.isDeleted) == [true])
  }

  @Test("rows that are kept keep their deleted objects, also after a fetch of other rows")
  func keptRows() throws {
    let emma = shelf.add("Emma", genre: "a")
    shelf.add("Dune", genre: "b")
    try shelf.context.save()
    let books = try observed()
    let rows = books.rows
    books.setPredicate(try FetchPredicate(format: "genre == 'b'"))
    shelf.context.delete(emma)
    try shelf.context.save()
    shelf.context.processPendingChanges()
    #expect(titles(books) == ["Dune"])
    #expect(rows.map { $0["title"] } == ["Emma", "Dune"])
    #expect(rows.map(\.isDeleted) == [true, false])
    #expect(rows.sections.map(\.name) == ["a", "b"])
  }

  @Test("rows can be read after each of many unsaved turns", .timeLimit(.minutes(1)))
  func manyTurns() throws {
    let emma = shelf.add("Emma", genre: "b")
    shelf.add("Dune", genre: "a")
    try shelf.context.save()
    let books = try observed()
    var count = 0
    for number in 0..<30_000 {
      shelf.add("\(number)", genre: "a")
      if number == 20_000 { shelf.context.delete(emma) }
      shelf.context.processPendingChanges()
      count += books.rows.count
    }
    #expect(count == 60_000)
    #expect(titles(books) == ["Dune", "Emma"])
    #expect(books.rows.map(\.isDeleted) == [false, true])
    #expect(books.rows.sections.map(\.name) == ["a", "b"])
    #expect(books.rows.indexPath(of: emma.objectID) == ResultsIndexPath(section: 1, row: 0))
    try shelf.context.save()
    shelf.context.processPendingChanges()
    #expect(books.rows.count == 30_001)
  }

  @Test("an object of another entity with the same number is no change of a row")
  func otherEntity() throws {
    let entities = try ["A", "B"].map {
      try EntityDescription(name: $0, attributes: [.init("title", .string)])
    }
    let context = try ManagedObjectContext(of: entities)
    let objects = entities.map { context.insert($0) }
    (objects[0]["title"], objects[1]["title"]) = ("new", "old")
    try context.save()
    let observed = try ObservedResults(
      fetchRequest: FetchRequest(entity: entities[1]), managedObjectContext: context,
      isolation: nil)
    var published: [ObservedResults.Publication] = []
    observed.observe { published.append($0) }
    (objects[0]["title"], objects[1]["title"]) = ("other", "new")
    try context.save()
    context.processPendingChanges()
    #expect(published.map { $0.difference?.objects.map(\.type) } == [[.update]])

    // A value that is the old one again is no change, whatever became of the other object.
    objects[0]["title"] = "third"
    objects[1]["title"] = "newer"
    context.processPendingChanges()
    objects[1]["title"] = "new"
    try context.save()
    context.processPendingChanges()
    #expect(published.count == 1)
  }

  @Test("a failed refetch keeps the results and the request")
  func failure() throws {
    shelf.add("Emma", genre: "a")
    let books = try observed()
    #expect(titles(books) == ["Emma"])
    books.setPredicate(try FetchPredicate(format: "nosuch == 1"))
    #expect(books.fetchError != nil && books.predicate == nil)
    #expect(titles(books) == ["Emma"])
    shelf.add("Dune", genre: "b")
    try shelf.context.save()
    shelf.context.processPendingChanges()
    #expect(titles(books) == ["Emma", "Dune"])
    books.setPredicate(try FetchPredicate(format: "genre == 'b'"))
    #expect(books.fetchError == nil && titles(books) == ["Dune"])
    books.setSortDescriptors([])
    #expect(books.fetchRequest.sortDescriptors.map(\.key) == ["genre"])
  }

  @Test("a reset just before the results change publishes only what the next turn fetches")
  func resetBeforePublication() throws {
    let books = try observed()
    var published: [ObservedResults.Publication] = []
    books.observe { published.append($0) }
    books.willPublish = { [context = shelf.context, unowned books] in
      books.willPublish = nil
      context.reset()
    }
    shelf.add("Emma", genre: "a")
    try shelf.context.save()
    shelf.context.processPendingChanges()
    #expect(published.isEmpty && books.rows.isEmpty)
    shelf.context.processPendingChanges()
    #expect(published.map(\.newCount) == [1] && published.first?.difference == nil)
    #expect(titles(books) == ["Emma"])
  }

  @Test("saves of objects outside of the results are published on request only")
  func unrelated() throws {
    let emma = shelf.add("Emma", genre: "b")
    try shelf.context.save()
    let books = try observed()
    books.setPredicate(try FetchPredicate(format: "genre == 'a'"))
    var published: [ObservedResults.Publication] = []
    books.observe { published.append($0) }
    for fires in [false, true] {
      books.firesOnUnrelatedSaves = fires
      emma["title"] = .string("Emma \(fires)")
      shelf.context.processPendingChanges()
      #expect(published.isEmpty)
      try shelf.context.save()
      shelf.context.processPendingChanges()
    }
    #expect(published.map { $0.difference?.isEmpty } == [true])
    emma["title"] = "Emma 3"
    shelf.context.processPendingChanges()
    shelf.context.rollback()
    shelf.context.processPendingChanges()
    try shelf.context.save()
    shelf.context.processPendingChanges()
    #expect(published.count == 1)
  }

  @Test("the container, the context and the observer may go in any order")
  func orderOfDeath() async throws {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      let model = try BookShelf.model()
      let book = try BookShelf.book(of: model)
      var container: PersistentContainer? = PersistentContainer(managedObjectModel: model)
      var context = try container?.newContext(isolation: nil)
      var observed: ObservedResults? = try context.map {
        try ObservedResults(
          fetchRequest: FetchRequest(entity: book), managedObjectContext: $0, isolation: nil)
      }
      let changes = try #require(observed?.changes)
      context?.insert(book)["title"] = "Emma"
      try await context?.save()
      context?.processPendingChanges()
      let rows = try #require(observed?.rows)
      #expect(rows.count == 1)
      for index in order {
        switch index {
        case 0: container = nil
        case 1: context = nil
        default: observed = nil
        }
        context?.processPendingChanges()
      }
      #expect(container == nil && context == nil && observed == nil)
      for object in rows { #expect(object["title"] == "Emma") }
      var last = 0
      for await difference in changes { last = difference.replacement?.count ?? last }
      #expect(last == 1)
    }
  }

  @Test("a composed difference of a move and its way back is empty of moves")
  func inverse() throws {
    let emma = shelf.add("Emma", genre: "b")
    for title in ["Dune", "Ubik"] { shelf.add(title, genre: "b") }
    shelf.add("Zoo", genre: "c")
    let books = try observed(updates: .turns)
    var differences: [SectionedDifference] = []
    books.observe { $0.difference.map { differences.append($0) } }
    for genre in ["a", "c", "b"] as [PropertyValue] {
      emma["genre"] = genre
      shelf.context.processPendingChanges()
    }
    let whole = try differences[0].composed(with: differences[1]).composed(with: differences[2])
    #expect(whole.insertedSections.isEmpty && whole.deletedSections.isEmpty)
    #expect(whole.objects.map(\.type) == [.update])
    #expect(throws: SectionedDifference.MismatchError.self) {
      try differences[1].composed(with: differences[0])
    }
    let all = SectionedDifference(replacingBy: [])
    #expect(try differences[0].composed(with: all) == all)
  }
}
