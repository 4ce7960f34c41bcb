import FetchedResultsMacros
import Foundation
import Testing

/// A client that imports only this module uses the short names.
@Suite("Controllers of managed classes")
struct ControllerTests {
  @Test("requests sort, limit and count", arguments: Library.Kind.allCases)
  func requests(_ kind: Library.Kind) throws {
    let library = try Library(kind)
    for (title, pages) in [("b2", 1), ("a", 3), ("b10", 2)] {
      _ = Book(title: title, pages: pages, in: library.context)
    }
    try library.renew()
    var request = FetchRequest<Book>(sortBy: [.init(\.title, .localizedStandardCompare)])
    #expect(try library.context.fetch(request).map(\.title) == ["a", "b2", "b10"])
    request.sortDescriptors = [.init(\.pages, order: .reverse)]
    request.fetchLimit = 2
    #expect(try library.context.fetch(request).map(\.title) == ["a", "b10"])
    #expect(try library.context.count(for: request) == 2)
    request.predicate = try FetchPredicate(format: "title BEGINSWITH %@", "b")
    #expect(try library.context.fetchObjectIDs(request).map(\.number) == [3, 1])
    let byAuthor = FetchRequest<Book>(sortBy: [.init(key: "author.name"), .init(\.title)])
    #expect(try library.context.fetch(byAuthor).map(\.title) == ["a", "b10", "b2"])
  }

  @Test("sections and objects are of the class", arguments: Library.Kind.allCases)
  func sections(_ kind: Library.Kind) throws {
    let library = try Library(kind)
    for (title, genre) in [("b", Genre.travel), ("a", .fiction), ("c", .fiction)] {
      _ = Book(title: title, genre: genre, in: library.context)
    }
    try library.renew()
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest<Book>(sortBy: [.init(\.genre), .init(\.title)]),
      managedObjectContext: library.context, sectionNameKeyPath: \.genre)
    #expect(controller.fetchedObjects == nil && controller.objects == [])
    try controller.performFetch()
    #expect(controller.objects.map(\.title) == ["a", "c", "b"])
    let sections = try #require(controller.sections)
    #expect(sections.map(\.name) == ["fiction", "travel"])
    #expect(sections.map { $0.objects.map(\.title) } == [["a", "c"], ["b"]])
    #expect(sections.map(\.numberOfObjects) == [2, 1] && sections[0].indexTitle == "F")
    #expect(controller.sectionIndexTitles == ["F", "T"])
    let place = ResultsIndexPath(section: 0, row: 1)
    #expect(controller[place].title == "c")
    #expect(controller.indexPath(forObject: controller[place]) == place)
    #expect(throws: FetchedResultsError.self) {
      try controller.object(at: ResultsIndexPath(section: 5, row: 0))
    }
  }

  @Test("a closure receives each batch", arguments: Library.Kind.allCases)
  func closure(_ kind: Library.Kind) throws {
    let library = try Library(kind)
    let book = Book(title: "b", in: library.context)
    try library.context.save()
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest<Book>(sortBy: [.init(\.genre), .init(\.title)]),
      managedObjectContext: library.context, sectionNameKeyPath: \.genre)
    var batches: [String] = []
    controller.onChange = { changes in
      batches.append(
        (changes.sections.map { "\($0.type) \($0.name) \($0.index)" }
          + changes.objects.map {
            "\($0.type) \($0.object.title) \($0.indexPath?.description ?? "") "
              + "\($0.newIndexPath?.description ?? "")"
          }).joined(separator: ", "))
    }
    try controller.performFetch()
    book.title = "c"
    library.context.processPendingChanges()
    let other = Book(title: "a", genre: .travel, in: library.context)
    library.context.processPendingChanges()
    other.delete()
    library.context.processPendingChanges()
    controller.onChange = nil
    book.title = "d"
    library.context.processPendingChanges()
    #expect(
      batches == [
        "update c [0, 0] [0, 0]", "insert travel 1, insert a  [1, 0]",
        "delete travel 1, delete a [1, 0] ",
      ])
  }

  @Test("a delegate receives typed objects")
  func delegate() throws {
    final class Recorder: FetchedResultsControllerDelegate {
      var lines: [String] = []
      var implementedMethods: FetchedResultsDelegateMethods { [.changes, .sectionIndexTitle] }

      func controllerWillChangeContent(_ controller: FetchedResultsController<Book>) {
        lines.append("will \(controller.objects.count)")
      }

      func controller(
        _ controller: FetchedResultsController<Book>, didChange object: Book,
        at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
        newIndexPath: ResultsIndexPath?
      ) {
        lines.append("\(type) \(object.title)")
      }

      func controller(
        _ controller: FetchedResultsController<Book>,
        didChange section: ManagedResultsSection<Book>, atSectionIndex sectionIndex: Int,
        for type: FetchedResultsChangeType
      ) {
        lines.append("\(type) section \(section.name)")
      }

      func controllerDidChangeContent(_ controller: FetchedResultsController<Book>) {
        lines.append("did \(controller.objects.count)")
      }

      func controller(
        _ controller: FetchedResultsController<Book>,
        sectionIndexTitleForSectionName sectionName: String
      ) -> String? { "#" + sectionName }
    }
    let library = try Library(.memory)
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest<Book>(sortBy: [.init(\.genre)]),
      managedObjectContext: library.context, sectionKey: "genre")
    let recorder = Recorder()
    controller.delegate = recorder
    try controller.performFetch()
    _ = Book(title: "a", in: library.context)
    library.context.processPendingChanges()
    #expect(recorder.lines == ["will 0", "insert section fiction", "insert a", "did 1"])
    #expect(controller.sectionIndexTitles == ["#fiction"])
  }

  @Test("a delegate that lists no methods is not called to find out which it has")
  func unlisted() throws {
    final class Differences: FetchedResultsControllerDelegate {
      var lines: [String] = []

      func controllerWillChangeContent(_ controller: FetchedResultsController<Book>) {
        lines.append("will")
      }

      func controller(
        _ controller: FetchedResultsController<Book>,
        didChangeContentWith difference: CollectionDifference<ObjectID>
      ) {
        lines.append("difference of \(difference.count)")
      }
    }
    final class Ends: FetchedResultsControllerDelegate {
      var lines: [String] = []

      func controllerDidChangeContent(_ controller: FetchedResultsController<Book>) {
        lines.append("did \(controller.objects.count)")
      }
    }
    let library = try Library(.memory)
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest<Book>(sortBy: [.init(\.title)]),
      managedObjectContext: library.context)
    let (differences, ends) = (Differences(), Ends())
    controller.delegate = differences
    try controller.performFetch()
    #expect(differences.lines == [])
    _ = Book(title: "a", in: library.context)
    library.context.processPendingChanges()
    #expect(differences.lines == ["difference of 1"])

    controller.delegate = ends
    #expect(ends.lines == [])
    _ = Book(title: "b", in: library.context)
    library.context.processPendingChanges()
    #expect(ends.lines == ["did 2"])
  }

  @Test("a task awaits a fetch that another process may delay", arguments: Library.Kind.allCases)
  @MainActor
  func asynchronous(_ kind: Library.Kind) async throws {
    let library = try Library(kind)
    for title in ["b", "a"] { _ = Book(title: title, in: library.context) }
    try await library.context.save()
    let request = FetchRequest<Book>(sortBy: [.init(\.title)])
    #expect(try await library.context.fetch(request).map(\.title) == ["a", "b"])
    #expect(try await library.context.count(for: request) == 2)
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: library.context)
    try await controller.performFetch()
    #expect(controller.objects.map(\.title) == ["a", "b"])
  }
}
