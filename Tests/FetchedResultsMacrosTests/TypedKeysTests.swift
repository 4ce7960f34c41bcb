import FetchedResultsMacros
import Foundation
import Observation
import Synchronization
import Testing

/// Key paths over the properties of entities, and what takes them.
@Suite("Typed keys")
struct TypedKeysTests {
  @Test("sorts and sections follow relationships", arguments: Library.Kind.allCases)
  func related(_ kind: Library.Kind) throws {
    let library = try Library(kind)
    let context = library.context
    for name in ["b", "a"] {
      let author = Author(name: name, in: context)
      for title in ["2", "1"] { _ = Book(title: name + title, author: author, in: context) }
    }
    _ = Book(title: "none", in: context)
    try library.renew()
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest<Book>(sortBy: [.init(\.author.name), .init(\.title)]),
      managedObjectContext: library.context, sectionNameKeyPath: \.author.name)
    #expect(controller.sectionNameKeyPath == "author.name" && controller.cacheName == nil)
    controller.tracksRelatedObjects = true
    try controller.performFetch()
    #expect(controller.objects.map(\.title) == ["none", "a1", "a2", "b1", "b2"])
    #expect(controller.sections?.map(\.name) == ["", "a", "b"])

    let observed = ObservableSections(of: controller)
    let changed = Mutex(false)
    withObservationTracking {
      _ = observed.sections
    } onChange: {
      changed.withLock { $0 = true }
    }
    controller.objects[1].author?.name = "c"
    library.context.processPendingChanges()
    let hasChanged = changed.withLock { $0 }
    #expect(hasChanged)
    #expect(observed.sections.map(\.identifier) == ["", "b", "c"])
    #expect(observed.object(at: ResultsIndexPath(section: 1, row: 0))?.title == "b1")
    #expect(observed.object(at: ResultsIndexPath(section: 5, row: 0)) == nil)
    #expect(observed.lastChange != nil && controller.trackingError == nil)

    var request = FetchRequest<Book>()
    request.prefetch(\.author)
    request.prefetch(\.shelf.books)
    #expect(request.relationshipKeyPathsForPrefetching == ["author", "shelf.books"])
  }

  @Test("an object has a value, also over a relationship")
  func values() throws {
    let library = try Library(.memory)
    let jane = Author(name: "Jane", in: library.context)
    let book = Book(title: "Emma", author: jane, in: library.context)
    #expect(book.hasValue(for: \.author.name) && book.hasValue(for: \.author))
    #expect(!book.hasValue(for: \.author.nickname) && !book.hasValue(for: \.shelf.label))
    #expect(book.author?.hasValue(for: \.books) == true)
  }

  @Test("batch requests insert, change and delete rows", arguments: Library.Kind.allCases)
  func batches(_ kind: Library.Kind) throws {
    let library = try Library(kind)
    let context = library.context
    let books: [[ManagedSetting<Book>]] = (1...4).map { number in
      [
        .set(\.title, to: "Book \(number)"), .set(\.pages, to: number), .set(\.subtitle, to: nil),
        .set(\.genre, to: .travel), .set(\.mood, to: .science), .set(\.rating, to: 2.5),
      ]
    }
    let inserted = try context.batchInsert(Book.self, books, resultType: .objectIDs)
    #expect(inserted.objectIDs?.count == 4)
    let updated = try context.batchUpdate(
      Book.self, where: try FetchPredicate(#Predicate<Book> { $0.pages > 2 }),
      .set(\.isRead, to: true), .set(\.mood, to: nil), adding: .init(10, to: \.pages),
      .init(0.5, to: \.rating), resultType: .count)
    #expect(updated.count == 2)
    try library.renew()
    let found = try library.context.fetch(FetchRequest<Book>(sortBy: [.init(\.pages)]))
    #expect(found.map(\.pages) == [1, 2, 13, 14] && found.map(\.rating) == [2.5, 2.5, 3, 3])
    #expect(found.map(\.isRead) == [false, false, true, true])
    #expect(found.map(\.mood) == [.science, .science, nil, nil] && found[0].genre == .travel)
    let deleted = try library.context.batchDelete(
      FetchRequest<Book>(predicate: #Predicate { $0.isRead }), resultType: .count)
    #expect(deleted.count == 2)
    #expect(try library.context.count(for: FetchRequest<Book>()) == 2)
    #expect(throws: BatchRequestError.self) {
      try library.context.batchUpdate(Book.self, .set(\.author.name, to: "Jane"))
    }
  }

  @Test("a closure is not called after the delegate was released, until it is set to nil")
  func releasedDelegate() throws {
    final class Delegate: FetchedResultsControllerDelegate {
      var calls = 0
      func controllerDidChangeContent(_ controller: FetchedResultsController<Book>) { calls += 1 }
    }
    let library = try Library(.memory)
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest<Book>(sortBy: [.init(\.title)]),
      managedObjectContext: library.context)
    var batches = 0
    controller.onChange = { _ in batches += 1 }
    var delegate: Delegate? = Delegate()
    controller.delegate = delegate
    try controller.performFetch()
    func insert() {
      _ = Book(title: "Emma", in: library.context)
      library.context.processPendingChanges()
    }
    insert()
    #expect(delegate?.calls == 1 && batches == 0)
    delegate = nil
    insert()
    #expect(batches == 0)
    controller.delegate = nil
    insert()
    #expect(batches == 1 && controller.objects.count == 3)
  }

  @Test("a closure receives whole batches, also after a delegate that is removed in a callback")
  func removedDelegate() throws {
    final class Delegate: FetchedResultsControllerDelegate {
      var calls = 0

      func controller(
        _ controller: FetchedResultsController<Book>, didChange object: Book,
        at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
        newIndexPath: ResultsIndexPath?
      ) {
        calls += 1
        controller.delegate = nil
      }
    }
    let library = try Library(.memory)
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest<Book>(sortBy: [.init(\.title)]),
      managedObjectContext: library.context)
    var batches: [[String]] = []
    controller.onChange = { batches.append($0.objects.map(\.object.title)) }
    let delegate = Delegate()
    controller.delegate = delegate
    try controller.performFetch()
    for titles in [["Dune", "Emma"], ["Solaris", "Ubik"]] {
      for title in titles { _ = Book(title: title, in: library.context) }
      library.context.processPendingChanges()
    }
    #expect(delegate.calls == 1 && controller.objects.count == 4)
    #expect(batches == [["Solaris", "Ubik"]])
  }

  @Test("the changes of an object, until its context is reset")
  @MainActor
  func changes() async throws {
    let container = PersistentContainer(
      managedObjectModel: try ManagedObjectModel(for: Book.self, Author.self, Shelf.self))
    let context = try container.newContext()
    let (book, other) = (Book(title: "Emma", in: context), Book(title: "Dune", in: context))
    try await context.save()
    var iterator = book.changes.makeAsyncIterator()
    other.title = "Ubik"
    context.processPendingChanges()
    book.title = "Persuasion"
    context.processPendingChanges()
    #expect(await iterator.next() == .updated)
    try await context.save()
    let id = book.id
    try await container.performBackgroundTask { context in
      context.object(with: id, as: Book.self)?.title = "Sanditon"
      try context.save()
    }
    #expect(await iterator.next() == .refreshed)
    #expect(book.title == "Sanditon")
    context.reset()
    #expect(await iterator.next() == nil)
    var later = book.changes.makeAsyncIterator()
    #expect(await later.next() == nil)
  }

  @Test(
    "a type that no attribute holds is refused in one sentence",
    arguments: ["enum Kind { case plain }", "struct Kind: Codable { static let plain = Kind() }"])
  func unstorable(_ type: String) throws {
    let text = """
      import FetchedResultsMacros
      \(type)
      @Managed final class Thing { var kind: Kind = .plain }
      @Managed final class Other { var kind: Kind? }
      """
    let messages = try Compilation(["Kinds.swift": text]).diagnostics.filter(\.isError)
      .map(\.message)
    #expect(
      !messages.isEmpty
        && messages.allSatisfy {
          $0.hasSuffix(
            "no attribute holds this type; give an enumeration a raw value, or store Data")
        }, "\(messages)")
  }

  @Test("the compiler refuses what is not a property of the entity")
  func refused() throws {
    let sort = #"write \.title or \.author.name, without a root and '?'"#
    let sections = #"write \.genre or \.author.name, without a root and '?'"#
    let lines: [(code: String, message: String)] = [
      (#"_ = FetchSort<Book>(\.author?.name)"#, sort),
      (#"_ = FetchSort<Book>(\.isLong)"#, sort),
      (#"_ = FetchSort<Book>(\Book.title)"#, sort),
      (#"_ = FetchSort<Book>(\.titel)"#, "has no member 'titel'"),
      (#"_ = try sectioned(by: \.titel)"#, "has no member 'titel'"),
      (
        #"_ = try FetchedResultsController(fetchRequest: books, managedObjectContext: context, sectionNameKeyPath: \.author?.name)"#,
        sections
      ),
      (
        #"_ = try FetchedResultsController(fetchRequest: books, managedObjectContext: context, sectionNameKeyPath: \.titel)"#,
        "has no member 'titel'"
      ),
      (#"_ = ManagedSetting<Book>.set(\.pages, to: "two")"#, "cannot convert value of type"),
    ]
    let start = #"""
      import FetchedResultsMacros
      @Managed final class Author { var name: String; var books: [Book] }
      @Managed final class Book {
        var title: String
        var pages = 0
        @Relationship var author: Author?
        var isLong: Bool { pages > 300 }
      }
      func sectioned(by keyPath: KeyPath<Book.ManagedKeys, some ManagedPath>) throws {}
      func use(_ context: ManagedObjectContext, _ books: FetchRequest<Book>) throws {

      """#
    let text = start + lines.map(\.code).joined(separator: "\n") + "\n}\n"
    let found = try Compilation(["Keys.swift": text]).diagnostics.filter(\.isError)
    let first = start.utf8.count
    var offset = first
    for line in lines {
      let range = offset..<offset + line.code.utf8.count
      let messages = found.filter { range.contains($0.place) }.map(\.message)
      #expect(
        messages.contains { $0.contains(line.message) }, "\(line.code): \(messages)")
      offset = range.upperBound + 1
    }
    #expect(found.allSatisfy { $0.place >= first }, "\(found.map(\.message))")
  }
}
