import FetchedResultsMacros
import FetchedResultsSQLite
import Foundation
import Observation
import Testing

private enum Fold: String, CaseIterable {
  case once
  case unfolded = ""
}

@Managed private final class Leaflet {
  var fold: Fold = .once
}

@Suite("typed observers")
struct ObserverTests {
  private let library: Library

  init() throws { library = try Library(.memory) }

  @discardableResult
  private func add(
    _ title: String, subtitle: String? = nil, pages: Int = 0, genre: Genre = .fiction,
    rank: Rank = .low
  ) -> Book {
    let book = Book(title: title, pages: pages, genre: genre, rank: rank, in: library.context)
    book.subtitle = subtitle
    return book
  }

  private func save() throws {
    try library.context.save()
    library.context.processPendingChanges()
  }

  @Test("results change after a save, and not before")
  func saves() throws {
    let books = try ResultsObserver<Book, Never>(
      sortBy: [SortDescriptor(\.title)], modelContext: library.context)
    add("Emma")
    library.context.processPendingChanges()
    #expect(books.results.isEmpty)

    try library.context.save()
    #expect(books.results.isEmpty)
    library.context.processPendingChanges()
    #expect(books.results.map(\.title) == ["Emma"])
    #expect(books.sections == nil)
    #expect(books.lastChange?.objects.map(\.reason) == [.created])
    #expect("\(books.debugDescription)" == "ResultsObserver<Book>: 1 results")
  }

  @Test("updates turns: results change with each turn")
  func turns() throws {
    let books = try ResultsObserver<Book, Never>(modelContext: library.context, updates: .turns)
    add("Emma")
    library.context.processPendingChanges()
    #expect(books.results.count == 1)
  }

  @Test("the section key goes first, whatever the sort order is, and nil is the section \"\"")
  func sections() throws {
    add("Emma", subtitle: "b")
    add("Dune", subtitle: "a")
    add("Ubik", subtitle: "b")
    add("Zoo")
    let books = try ResultsObserver<Book, String>(
      sortBy: [SortDescriptor(\.title)], sectionBy: \.subtitle, modelContext: library.context)
    let sections = try #require(books.sections)
    #expect(sections.sectionTitles == ["", "a", "b"])
    #expect(sections.map { $0.map(\.title) } == [["Zoo"], ["Dune"], ["Emma", "Ubik"]])
    #expect(sections.contains(sectionTitle: "a") && !sections.contains(sectionTitle: "c"))
    #expect(sections.index(ofSectionTitled: "b") == 2)
    #expect(sections[sectionTitle: "b"]?.id == "b")
    #expect(sections[sectionTitle: "c"] == nil)
    #expect(books.sectionBy == \Book.subtitle)

    let emma = try #require(books.element(at: IndexPath(indexes: [2, 0])))
    #expect(emma.title == "Emma")
    #expect(books.indexPath(for: emma) == IndexPath(indexes: [2, 0]))
    #expect(books.element(at: IndexPath(indexes: [3, 0])) == nil)
    #expect(books.element(at: IndexPath(indexes: [0])) == nil)

    books.sortBy = [SortDescriptor(\.title, order: .reverse)]
    #expect(books.sections?.map { $0.map(\.title) } == [["Zoo"], ["Dune"], ["Ubik", "Emma"]])
    // What was taken before stays.
    #expect(sections.map { $0.map(\.title) } == [["Zoo"], ["Dune"], ["Emma", "Ubik"]])
    #expect(sections != books.sections)
  }

  @Test("without sections there are no index paths of Apple's kind")
  func flat() throws {
    let book = add("Emma")
    let books = try ResultsObserver<Book, Never>(modelContext: library.context)
    #expect(books.results.map(\.title) == ["Emma"])
    #expect(books.indexPath(for: book) == nil)
    #expect(books.element(at: IndexPath(indexes: [0, 0])) == nil)
    #expect(books.element(at: ResultsIndexPath(section: 0, row: 0)) == book)
  }

  @Test("sections of any type that an attribute holds, and of a related object")
  func anySections() throws {
    let author = Author(name: "Jane", in: library.context)
    add("Emma", pages: 400, genre: .travel, rank: .high).author = author
    add("Dune", pages: 0)
    let pages = try ResultsObserver<Book, Int>(sectionBy: \.pages, modelContext: library.context)
    #expect(pages.sections?.sectionTitles == [0, 400])
    #expect(pages.sections?[sectionTitle: 400]?.map(\.title) == ["Emma"])
    let genres = try ResultsObserver<Book, Genre>(
      sectionBy: \.genre, modelContext: library.context)
    #expect(genres.sections?.sectionTitles == [.fiction, .travel])
    #expect(genres.sections?.index(ofSectionTitled: .travel) == 1)
    let ranks = try ResultsObserver<Book, Rank>(sectionBy: \.rank, modelContext: library.context)
    #expect(ranks.sections?.sectionTitles == [.low, .high])
    let dates = try ResultsObserver<Book, Date>(
      sectionBy: \.published, modelContext: library.context)
    #expect(dates.sections?.sectionTitles == [Date(timeIntervalSinceReferenceDate: 0)])
    let moods = try ResultsObserver<Book, Genre?>(
      sectionBy: \.mood, modelContext: library.context)
    #expect(moods.sections?.sectionTitles == [nil])
    #expect(moods.sections?[sectionTitle: nil]?.count == 2)
    let names = try ResultsObserver<Book, String>(
      sectionNameKeyPath: \.author.name, modelContext: library.context)
    #expect(names.sections?.sectionTitles == ["", "Jane"])
    #expect(names.sectionBy == nil)
  }

  @Test("each title occurs once, also that of an empty text, of zero and of a decimal NaN")
  func unusualTitles() throws {
    for (title, price) in [("Emma", Decimal.nan), ("Dune", 9)] { add(title).price = price }
    let prices = try ResultsObserver<Book, Decimal>(
      sectionBy: \.price, modelContext: library.context)
    #expect(prices.sections?.sectionTitles.map(\.description).sorted() == ["9", "NaN"])
    for weight in [0, -0.0] { add("Ubik").weight = weight }
    let weights = try ResultsObserver<Book, Double>(
      sectionBy: \.weight, modelContext: library.context)
    #expect(weights.sections?.sectionTitles == [0, 1.5])
    #expect(weights.sections?.index(ofSectionTitled: -0.0) == 0)

    let context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(for: Leaflet.self)))
    let leaflets = [Fold.once, .unfolded].map { Leaflet(fold: $0, in: context) }
    let folds = try ResultsObserver<Leaflet, Fold>(sectionBy: \.fold, modelContext: context)
    #expect(folds.sections?.sectionTitles == [.unfolded, .once])
    #expect(folds.sections?[sectionTitle: .unfolded]?.first == leaflets[1])
  }

  @Test("a reader that sets the filter or the order inside onChange changes what comes next")
  func setInside() throws {
    for pages in 0..<6 { add("\(pages)", pages: pages) }
    let books = try ResultsObserver<Book, Never>(modelContext: library.context)
    /// Calls `body` once, when the results are about to change.
    func reacting(_ body: @escaping () -> Void) {
      nonisolated(unsafe) var body: (() -> Void)? = body
      withObservationTracking {
        _ = books.results
      } onChange: {
        let now = body
        body = nil
        now?()
      }
    }
    reacting { books.sortBy = [SortDescriptor(\.pages, order: .reverse)] }
    books.filterBy = #Predicate { $0.pages < 3 }
    #expect(books.results.map(\.title) == ["2", "1", "0"])
    #expect(books.sortBy.count == 1 && books.filterBy != nil)

    reacting { books.filterBy = #Predicate { $0.pages > 3 } }
    books.filterBy = #Predicate { $0.pages < 2 }
    #expect(books.results.map(\.title) == ["1", "0"])
    add("-1", pages: -1)
    try save()
    #expect(books.results.map(\.title) == ["1", "0", "-1"])

    reacting { books.filterBy = #Predicate { $0.pages > 4 } }
    add("-2", pages: -2)
    try save()
    #expect(books.results.map(\.title) == ["5"] && books.lastChange == nil)
    add("7", pages: 7)
    try save()
    #expect(books.results.map(\.title) == ["7", "5"])
  }

  @Test("objects without a value are in a section of their own, or the titles are refused")
  func sectionWithoutValue() throws {
    for (title, age) in [("Emma", 0), ("Dune", 5)] {
      add(title).author = Author(name: "Jane", age: age, in: library.context)
    }
    add("Ubik")
    let ages = try ResultsObserver<Book, Int?>(
      sectionNameKeyPath: \.author.age, modelContext: library.context)
    #expect(ages.sections?.sectionTitles == [nil, 0, 5])
    #expect(ages.sections?[sectionTitle: nil]?.map(\.title) == ["Ubik"])
    #expect(ages.sections?[sectionTitle: 0]?.map(\.title) == ["Emma"])

    let error = #expect(throws: SectionTitleError.self) {
      try ResultsObserver<Book, Int>(
        sectionNameKeyPath: \.author.age, modelContext: library.context)
    }
    #expect(
      error?.localizedDescription == "'author.age' may have no value, for which Int has no title; "
        + "use Int? as the type of the titles")
  }

  @Test("a filter fetches at once, and one that cannot be translated changes nothing")
  func filter() throws {
    add("Emma", pages: 400)
    add("Dune", pages: 10)
    let books = try ResultsObserver<Book, Never>(
      filterBy: #Predicate { $0.pages > 100 }, modelContext: library.context)
    #expect(books.results.map(\.title) == ["Emma"])
    books.filterBy = #Predicate { $0.pages < 100 }
    #expect(books.results.map(\.title) == ["Dune"])
    #expect(books.lastChange == nil && books.fetchError == nil)

    books.filterBy = #Predicate { $0.isLong }
    #expect(books.fetchError != nil)
    #expect(books.results.map(\.title) == ["Dune"])
    books.sortBy = [SortDescriptor(\.authorName)]
    #expect(books.fetchError as? FetchError != nil)
    #expect(books.sortBy.isEmpty)
    books.filterBy = nil
    #expect(books.fetchError == nil && books.results.count == 2)
    #expect(books.fetchDescriptor.predicate == nil)
  }

  @Test("a property that is not stored cannot be a section key or a sort key")
  func computed() throws {
    #expect(throws: FetchError.self) {
      try ResultsObserver<Book, String>(sectionBy: \.authorName, modelContext: library.context)
    }
    #expect(throws: FetchError.self) {
      try ResultsObserver<Book, Never>(
        sortBy: [SortDescriptor(\.authorName)], modelContext: library.context)
    }
  }

  @Test("a limit holds after changes, and a text is sorted as a file browser sorts it")
  func descriptor() throws {
    for title in ["Ubik 10", "Ubik 9", "emma"] { add(title) }
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
    #expect(try library.context.fetch(descriptor).map(\.title) == ["emma", "Ubik 9", "Ubik 10"])
    let exact = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title, comparator: .lexical)])
    #expect(try library.context.fetch(exact).map(\.title) == ["Ubik 10", "Ubik 9", "emma"])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try library.context.fetchCount(descriptor) == 2)
    try save()
    let books = try ResultsObserver<Book, Never>(
      fetchDescriptor: descriptor, modelContext: library.context)
    #expect(books.results.map(\.title) == ["Ubik 9", "Ubik 10"])
    add("Dune")
    try save()
    #expect(books.results.map(\.title) == ["emma", "Ubik 9"])
    #expect(books.lastChange?.objects.map(\.reason) == [.leftLimit, .enteredLimit])
  }

  @Test("a row deleted in the window reads as its last values")
  func window() throws {
    let book = add("Emma")
    try save()
    let books = try ResultsObserver<Book, Never>(modelContext: library.context)
    let before = books.results
    library.context.delete(book)
    try library.context.save()
    #expect(books.results.map(\.title) == ["Emma"] && books.results[0].isDeleted)
    library.context.processPendingChanges()
    #expect(books.results.isEmpty)
    #expect(before.map(\.title) == ["Emma"])
  }

  @Test("withObservationTracking is called before results change, and only then")
  func tracking() throws {
    let books = try ResultsObserver<Book, Never>(modelContext: library.context)
    final class Calls { var count = 0 }
    let calls = Calls()
    nonisolated(unsafe) let counted = calls
    func track() {
      withObservationTracking {
        _ = books.results
      } onChange: {
        counted.count += 1
      }
    }
    track()
    add("Emma")
    library.context.processPendingChanges()
    #expect(calls.count == 0)
    try save()
    #expect(calls.count == 1)
    track()
    try save()
    #expect(calls.count == 1)
    books.filterBy = nil
    #expect(calls.count == 2)
  }

  @MainActor
  @Test("on an actor, results publish themselves, also what other contexts save")
  func actors() async throws {
    let container = PersistentContainer(
      managedObjectModel: try ManagedObjectModel(for: Book.self, Author.self, Shelf.self))
    let books = try ResultsObserver<Book, String>(
      sectionBy: \.title, modelContainer: container)
    let counts = Observations { books.results.count }
    var iterator = counts.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    _ = Book(title: "Emma", in: books.modelContext)
    try await books.modelContext.save()
    #expect(books.results.isEmpty)
    #expect(await iterator.next() == 1)
    try await container.performBackgroundTask { context in
      _ = Book(title: "Dune", in: context)
      try context.save()
    }
    #expect(await iterator.next() == 2)
    #expect(books.sections?.sectionTitles == ["Dune", "Emma"])
  }

  @MainActor
  @Test(
    "an observer and its context may go while others save; one that stays sees everything",
    .timeLimit(.minutes(10)))
  func goneWhileSaving() async throws {
    // A wait that never ends is stopped by the limit. Other tests use the same threads meanwhile.
    func wait() async throws {
      try Task.checkCancellation()
      await Task.yield()
    }
    let container = PersistentContainer(
      managedObjectModel: try ManagedObjectModel(for: Book.self, Author.self, Shelf.self))
    let kept = try ResultsObserver<Book, Never>(modelContainer: container)
    for round in 0..<40 {
      var observer: ResultsObserver<Book, String>? = try ResultsObserver(
        sectionBy: \.title, modelContainer: container)
      weak let context = observer?.modelContext
      _ = Book(title: "own \(round)", in: try #require(context))
      async let saved: Void = container.performBackgroundTask { context in
        _ = Book(title: "other \(round)", in: context)
        try context.save()
      }
      // The turn of some is over, of some it is not, and some have never saved.
      if round % 3 > 0 { try await context?.save() }
      if round % 3 == 1 { await Task.yield() }
      observer = nil
      try await saved
      while context != nil { try await wait() }
    }
    while kept.results.count < 66 { try await wait() }
    #expect(Set(kept.results.map(\.title)).count == 66)
  }

  @MainActor
  @Test("a slow reader on another actor gets one composed difference")
  func slowReader() async throws {
    let container = PersistentContainer(
      managedObjectModel: try ManagedObjectModel(for: Book.self, Author.self, Shelf.self))
    let books = try ResultsObserver<Book, Never>(modelContainer: container)
    let changes = books.changes
    for number in 0..<5 {
      _ = Book(title: "\(number)", in: books.modelContext)
      try await books.modelContext.save()
      books.modelContext.processPendingChanges()
    }
    let read = await Task.detached {
      var iterator = changes.makeAsyncIterator()
      return await iterator.next()
    }.value
    #expect(read?.replacement?.first?.itemIdentifiers.count == 5)
    var iterator = changes.makeAsyncIterator()
    for number in 5..<9 {
      _ = Book(title: "\(number)", in: books.modelContext)
      try await books.modelContext.save()
      books.modelContext.processPendingChanges()
    }
    #expect(await iterator.next()?.objects.count == 4)
  }
}

@Suite("typed history observers")
struct HistoryObserverTests {
  private let container: PersistentContainer

  init() throws {
    container = PersistentContainer(
      managedObjectModel: try ManagedObjectModel(for: Book.self, Author.self, Shelf.self))
  }

  /// Saves an object in the background.
  private func save(author: String? = nil, isBook: Bool = true) async throws {
    try await container.performBackgroundTask { context in
      context.transactionAuthor = author
      if isBook { _ = Book(title: "Emma", in: context) } else { _ = Author(name: "J", in: context) }
      try context.save()
    }
  }

  @Test("it counts saves of a class by an author, as they are saved")
  func counting() async throws {
    let sync = try HistoryObserver(
      observedModels: [Book.self], authors: ["App"], modelContainer: container)
    var counts = Observations { sync.eventCounter }.makeAsyncIterator()
    #expect(await counts.next() == 0)
    try await save(author: "App")
    #expect(await counts.next() == 1)
    try await save(author: "Server")
    try await save(author: "App", isBook: false)
    await sync.update()
    #expect(sync.eventCounter == 1)
    #expect(sync.takeTransactions().map(\.author) == ["App"])
    #expect(sync.takeTransactions().isEmpty && sync.readError == nil)
  }

  @Test("a restarted observer misses nothing and counts nothing twice")
  func restart() async throws {
    let first = try HistoryObserver(modelContainer: container, checkingEvery: nil)
    var seen: [Int64] = []
    for round in 0..<4 {
      try await save()
      await first.update()
      if round == 1 { seen += first.take().transactions.map(\.transactionNumber) }
    }
    let (rest, tokens) = first.take()
    seen += rest.map(\.transactionNumber)
    try await save()
    let second = try HistoryObserver(
      historyTokens: tokens, modelContainer: container, checkingEvery: nil)
    try await save()
    await second.update()
    seen += second.take().transactions.map(\.transactionNumber)
    #expect(seen == [1, 2, 3, 4, 5, 6])
  }

  @Test("an observer without tokens begins at the present place")
  func present() async throws {
    let first = try HistoryObserver(modelContainer: container)
    try await save()
    await first.update()
    let second = try HistoryObserver(modelContainer: container)
    await second.update()
    #expect(second.eventCounter == 0 && second.takeTransactions().isEmpty)
    #expect(second.historyTokens == first.historyTokens)
  }
}
