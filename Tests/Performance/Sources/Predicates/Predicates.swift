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
    Contest(name: "Boolean comparison", format: "isAvailable == YES", target: 5),
    Contest(name: "floating-point comparison", format: "price >= 4.5", target: 5),
    Contest(name: "date comparison", format: "at < CAST(500, 'NSDate')", target: 5),
    Contest(name: "BETWEEN", format: "pages BETWEEN {100, 500}", target: 5),
    Contest(name: "nil", format: "name != nil", target: 5),
    Contest(name: "string ==", format: "title == 'Book 123'", target: 5),
    Contest(name: "string ==[c]", format: "title ==[c] 'BOOK 123'", target: 5),
    Contest(name: "two attributes", format: "pages > year", target: 5),
    Contest(name: "to-one path", format: "author.age > 40", target: 1),
    Contest(name: "to-one path, string", format: "author.name == 'Author 7'", target: 1),
    Contest(name: "object", format: "author != nil", target: 5),
    Contest(name: "arithmetic", format: "pages * 2 + 1 > year", target: 1),
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
    print("\(count) objects; millions of evaluations a second of one core")
    print(row(["predicate", "with the walk", "alone", "target"]))
    var missed: [String] = []
    for contest in contests {
      let time = try shelf.fastest(FetchPredicate(format: contest.format))
      // Such a small difference only shows that it is small.
      let floor = walk / 10
      let alone = Double(count) / max(time - walk, floor) / 1e6
      print(
        row([
          contest.name, digits(Double(count) / time / 1e6),
          (time - walk < floor ? "over " : "") + digits(alone), digits(contest.target),
        ]))
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
        AttributeDescription(name: "price", type: .double),
        AttributeDescription(name: "at", type: .date),
        AttributeDescription(name: "year", type: .integer64),
      ],
      relationships: [RelationshipDescription(name: "author", destination: "Author")])
    let author = try EntityDescription(
      name: "Author",
      attributes: [
        AttributeDescription(name: "name", type: .string),
        AttributeDescription(name: "age", type: .integer64),
      ])
    let coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [book, author]))
    context = ManagedObjectContext(coordinator: coordinator)
    var authors: [ManagedObject] = []
    for index in 0..<100 {
      let object = context.insert(author)
      object["name"] = .string("Author \(index)")
      object["age"] = .int(Int64(index))
      authors.append(object)
    }
    for index in 0..<count {
      let object = context.insert(book)
      object["price"] = .double(Double(index % 100) / 10)
      object["at"] = .date(Date(timeIntervalSinceReferenceDate: Double(index % 1_000)))
      object["year"] = .int(Int64(index % 500))
      object["author"] = .object(authors[index % 100].objectID)
      object["title"] = .string("Book \(index % 1_000)")
      object["name"] = .string("L'élève no \(index % 1_000)")
      object["pages"] = .int(Int64(index * 7 % 1_000))
      object["isAvailable"] = .bool(index % 3 > 0)
    }
    try context.save()
  }

  /// Returns the shortest time for counting, in seconds.
  func fastest(_ predicate: FetchPredicate) throws -> Double {
    var request = FetchRequest(entity: book)
    request.predicate = predicate
    return try CoreTime.fastest(runs: 3, for: 0.5) { _ = try context.count(for: request) }
  }
}
