import FetchedResults
import Foundation

/// Times predicates on one core and prints a table; ends with status 1 where a
/// target is missed.
///
/// A predicate is counted over a list of saved objects again and again; what
/// the same list takes with TRUEPREDICATE is the walk over it, and is taken
/// off. Argument: how many objects (default 200000).
@main
struct Predicates {
  /// A predicate and the evaluations a second that it must reach, in millions.
  struct Contest {
    let name: String
    let format: String
    let target: Double
  }

  static let contests = [
    Contest(name: "integer comparison", format: "pages > 500", target: 5),
    Contest(name: "string ==", format: "title == 'Book 123'", target: 5),
    Contest(name: "CONTAINS[cd], short ASCII", format: "title CONTAINS[cd] 'OOK 12'", target: 1),
    Contest(name: "CONTAINS[cd], not ASCII", format: "name CONTAINS[cd] 'ÉLÈVE'", target: 0.3),
    Contest(name: "LIKE[c]", format: "title LIKE[c] 'BOOK ?2*'", target: 0.3),
    Contest(name: "MATCHES", format: "title MATCHES 'Book [0-9]+2'", target: 0.3),
    Contest(
      name: "IN, strings", format: "title IN {'Book 1', 'Book 2', 'Book 3', 'Book 4'}", target: 0.3),
    Contest(
      name: "AND of three",
      format: "pages > 100 AND isAvailable == YES AND title CONTAINS[cd] 'ook'", target: 0.3),
  ]

  static func main() throws {
    let count = CommandLine.arguments.dropFirst().compactMap { Int($0) }.first ?? 200_000
    let shelf = try Shelf(count: count)
    let walk = try shelf.fastest(FetchPredicate(value: false))
    print("\(count) objects; millions of evaluations a second, the fastest of several runs")
    print(row(["predicate", "with the walk", "alone", "target"]))
    var missed: [String] = []
    for contest in contests {
      let time = try shelf.fastest(FetchPredicate(format: contest.format))
      let alone = Double(count) / max(time - walk, 1e-9) / 1e6
      print(row([contest.name] + [Double(count) / time / 1e6, alone, contest.target].map(digits)))
      if alone < contest.target { missed.append(contest.name) }
    }
    missed += try Parsing.measure()
    if missed.isEmpty { return }
    print("missed: " + missed.joined(separator: ", "))
    exit(1)
  }

  static func row(_ cells: [String]) -> String {
    cells.enumerated().map { index, cell in
      let pad = String(repeating: " ", count: max(0, (index == 0 ? 34 : 16) - cell.count))
      return index == 0 ? cell + pad : pad + cell
    }.joined()
  }

  static func digits(_ number: Double) -> String { String(format: "%.2f", number) }
}

/// Saved objects of one entity.
struct Shelf {
  private let context: ManagedObjectContext
  private let book: EntityDescription

  init(count: Int) throws {
    book = try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription(name: "title", type: .string),
        AttributeDescription(name: "name", type: .string),
        AttributeDescription(name: "pages", type: .integer64),
        AttributeDescription(name: "isAvailable", type: .boolean),
      ])
    let coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [book]))
    context = ManagedObjectContext(coordinator: coordinator)
    for index in 0..<count {
      let object = context.insert(book)
      object["title"] = .string("Book \(index % 1_000)")
      object["name"] = .string("L'élève no \(index % 1_000)")
      object["pages"] = .int(Int64(index * 7 % 1_000))
      object["isAvailable"] = .bool(index % 3 > 0)
    }
    try context.save()
  }

  /// Returns the shortest time in seconds that counting took.
  func fastest(_ predicate: FetchPredicate) throws -> Double {
    var request = FetchRequest(entity: book)
    request.predicate = predicate
    var best = Double.infinity
    let deadline = ContinuousClock.now + .seconds(2)
    var rounds = 0
    while rounds < 3 || ContinuousClock.now < deadline {
      let start = ContinuousClock.now
      _ = try context.count(for: request)
      best = min(best, (ContinuousClock.now - start) / .seconds(1))
      rounds += 1
    }
    return best
  }
}
