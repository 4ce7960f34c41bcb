import FetchedResultsMacros
import Foundation

/// A class that is compared with the engine's own objects.
@Managed final class Book {
  var title: String
  var pages = 0
  var price = 0.0
  var subtitle: String?
}

/// Times typed against untyped access in one run and prints a table; ends with status 1 where a
/// target is missed.
///
/// Both sides work on the same objects, in turns, and the best time of each counts. Argument: how
/// many objects (default 20000).
@main
struct Typed {
  static func main() throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
    let model = try ManagedObjectModel(for: Book.self)
    let context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: model))
    for index in 0..<count {
      _ = Book(
        title: "Book \(index)", pages: index % 1000, price: Double(index), in: context)
    }
    try context.save()
    let books = try context.fetch(FetchRequest<Book>())
    let objects = books.map(\.managedObject)
    print("nanoseconds an object; the target is the most that typed may take of untyped")
    print(row(["", "untyped", "typed", "ratio", "target"]))
    let results = [
      try contest(
        "read an integer", 1.5, count, { Untyped.pages(of: objects) },
        {
          var sum = 0
          for book in books { sum &+= book.pages }
          return sum
        }),
      try contest(
        "read a string", 1.5, count, { Untyped.titles(of: objects) },
        {
          var sum = 0
          for book in books { sum &+= book.title.utf8.count }
          return sum
        }),
      try contest(
        "read an optional", 1.5, count, { Untyped.subtitles(of: objects) },
        {
          var sum = 0
          for book in books where book.subtitle == nil { sum &+= 1 }
          return sum
        }),
      try fetches(context, count),
      try changes(context, books),
    ]
    exit(results.contains(false) ? 1 : 0)
  }

  private static func fetches(_ context: ManagedObjectContext, _ count: Int) throws -> Bool {
    let predicate = try FetchPredicate(format: "pages > 100")
    let typed = FetchRequest<Book>(predicate: predicate, sortBy: [.init(\.title)])
    let untyped = typed.request(in: context)
    // The results of a fetch are released before the next one, outside of the measured time.
    var objects: [ManagedObject] = []
    var books: [Book] = []
    return try contest(
      "fetch", 1.2, count,
      {
        objects = try Untyped.fetch(untyped, in: context)
        return objects.count
      },
      {
        books = try context.fetch(typed)
        return books.count
      },
      released: {
        objects = []
        books = []
      })
  }

  private static func changes(_ context: ManagedObjectContext, _ books: [Book]) throws -> Bool {
    let request = FetchRequest<Book>(sortBy: [.init(\.pages), .init(\.title)])
    let changed = stride(from: 0, to: books.count, by: 20).map { books[$0] }
    let untyped = try Untyped.Tracking(request.request(in: context), context)
    let typed = try FetchedResultsController(fetchRequest: request, managedObjectContext: context)
    var count = 0
    // Each side changes the same objects in turns of one change, while the other side has no
    // delegate.
    return try contest(
      "tracked change", 1.2, changed.count,
      {
        untyped.start()
        defer { untyped.stop() }
        return untyped.change(changed.map(\.managedObject))
      },
      prepared: { try typed.performFetch() },
      {
        typed.onChange = { count += $0.objects.count }
        defer { typed.onChange = nil }
        count = 0
        for book in changed {
          book.pages = (book.pages + 500) % 1000
          context.processPendingChanges()
        }
        return count
      })
  }

  /// Times both sides alternately, prints a line, and returns whether the target is reached.
  private static func contest(
    _ name: String, _ target: Double, _ count: Int, _ untyped: () throws -> Int,
    prepared: () throws -> Void = {}, _ typed: () throws -> Int, released: () -> Void = {}
  ) rethrows -> Bool {
    var best = (untyped: Double.infinity, typed: Double.infinity)
    try prepared()
    for _ in 0..<15 {
      var found = (0, 0)
      best.untyped = min(best.untyped, try seconds { found.0 = try untyped() })
      released()
      best.typed = min(best.typed, try seconds { found.1 = try typed() })
      released()
      precondition(found.0 == found.1, "\(name): both sides find the same")
    }
    let ratio = best.typed / best.untyped
    print(
      row([
        name, digits(best.untyped / Double(count) * 1e9), digits(best.typed / Double(count) * 1e9),
        digits(ratio), digits(target),
      ]))
    return ratio <= target
  }

  private static func seconds(_ work: () throws -> Void) rethrows -> Double {
    let start = now
    try work()
    return now - start
  }

  /// The processor time of this thread, on which other programs have little influence.
  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func digits(_ number: Double) -> String { String(format: "%.2f", number) }

  private static func row(_ cells: [String]) -> String {
    cells.enumerated().map { index, cell in
      let width = index == 0 ? 18 : 10
      let blanks = String(repeating: " ", count: max(0, width - cell.count))
      return index == 0 ? cell + blanks : blanks + cell
    }.joined()
  }
}
