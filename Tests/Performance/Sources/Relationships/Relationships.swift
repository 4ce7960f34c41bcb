import FetchedResults
import Foundation

/// Times adding and removing single members of to-many relationships with 1,000, 4,000 and 16,000
/// members, and prints a table; ends with status 1 where the cost of one grows with their number.
@main
struct Relationships {
  /// How much dearer one change of the longest list may be than one of the shortest: memory that
  /// no longer fits the caches costs more, and the logarithm grows by a third.
  private static let mostGrowth = 2.0
  private static let counts = [1_000, 4_000, 16_000]

  static func main() throws {
    print("nanoseconds a change, by the number of members; the last column is the growth")
    print(row(["", "1000", "4000", "16000", "growth"]))
    var isGood = true
    for key in ["books", "shelf", "marked"] {
      for order in Order.allCases {
        var adding: [Double] = []
        var removing: [Double] = []
        for count in counts {
          let best = try Self.best(key, order, count)
          adding.append(best.adding)
          removing.append(best.removing)
        }
        isGood = report("add \(key), \(order)", adding) && isGood
        isGood = report("remove \(key), \(order)", removing) && isGood
      }
    }
    exit(isGood ? 0 : 1)
  }

  /// The order in which members are added and removed.
  private enum Order: CaseIterable {
    case first, last, shuffled

    func of(_ objects: [ManagedObject]) -> [ManagedObject] {
      switch self {
      case .first: objects.reversed()
      case .last: objects
      case .shuffled: objects.shuffled()
      }
    }
  }

  private static func best(
    _ key: String, _ order: Order, _ count: Int
  ) throws -> (adding: Double, removing: Double) {
    var best = (adding: Double.infinity, removing: Double.infinity)
    for _ in 0..<(32_000 / count) {
      let shelf = try Shelf()
      let author = shelf.context.insert(shelf.author)
      let books = (0..<count).map { _ in shelf.context.insert(shelf.book) }
      let (coming, going) = (order.of(books), order.of(books).reversed())
      shelf.context.processPendingChanges()
      let adding = try seconds { for book in coming { try author.add(book, to: key) } }
      precondition(author[key].list?.count == count)
      let removing = try seconds { for book in going { try author.remove(book, from: key) } }
      precondition(author[key].list?.isEmpty == true)
      best.adding = min(best.adding, adding / Double(count))
      best.removing = min(best.removing, removing / Double(count))
    }
    return best
  }

  /// Authors with books: without an order, with an order, and with an order but no inverse.
  private struct Shelf {
    let author: EntityDescription
    let book: EntityDescription
    let context: ManagedObjectContext

    init() throws {
      author = try EntityDescription(
        name: "Author", attributes: [],
        relationships: [
          RelationshipDescription(
            name: "books", destination: "Book", inverse: "author", isToMany: true),
          RelationshipDescription(
            name: "shelf", destination: "Book", inverse: "owner", isToMany: true, isOrdered: true),
          RelationshipDescription(
            name: "marked", destination: "Book", isToMany: true, isOrdered: true),
        ])
      book = try EntityDescription(
        name: "Book", attributes: [],
        relationships: [
          RelationshipDescription(name: "author", destination: "Author", inverse: "books"),
          RelationshipDescription(name: "owner", destination: "Author", inverse: "shelf"),
        ])
      context = ManagedObjectContext(
        coordinator: PersistentStoreCoordinator(
          managedObjectModel: try ManagedObjectModel(entities: [author, book])))
    }
  }

  private static func report(_ name: String, _ times: [Double]) -> Bool {
    let growth = (times.last ?? 0) / (times.first ?? 1)
    print(row([name] + times.map { digits($0 * 1e9) } + [digits(growth)]))
    return growth <= mostGrowth
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

  private static func digits(_ number: Double) -> String { String(format: "%.1f", number) }

  private static func row(_ cells: [String]) -> String {
    cells.enumerated().map { index, cell in
      let width = index == 0 ? 26 : 10
      let blanks = String(repeating: " ", count: max(0, width - cell.count))
      return index == 0 ? cell + blanks : blanks + cell
    }.joined()
  }
}
