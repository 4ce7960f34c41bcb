import FetchedResults
import Foundation

/// Times one saved change of observed results among few and many rows, beside a fetch of the same
/// rows; ends with status 1 if the many take three times as long or more.
///
/// Arguments: the two numbers of rows (default 10000 and 1000000).
@main
struct Observers {
  static func main() throws {
    let counts = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let (few, many) = counts.count == 2 ? (counts[0], counts[1]) : (10_000, 1_000_000)
    print("microseconds; a change is a save of one moved object, and the end of its turn")
    print(row(["", "\(few) rows", "\(many) rows", "ratio", "target"]))
    let small = try Subject(few)
    let large = try Subject(many)
    let ratio = report(
      "saved change", try small.changeTime(), try large.changeTime(), target: "< 3")
    _ = report("fetch of the rows", try small.fetchTime(), try large.fetchTime(), target: "-")
    guard small.published == large.published, small.published > 0 else {
      print("published \(small.published) and \(large.published) times")
      exit(1)
    }
    exit(ratio < 3 ? 0 : 1)
  }

  private static func report(
    _ name: String, _ small: Double, _ large: Double, target: String
  ) -> Double {
    let ratio = large / small
    print(
      row([
        name, String(format: "%.1f", small), String(format: "%.1f", large),
        String(format: "%.2f", ratio), target,
      ]))
    return ratio
  }

  private static func row(_ cells: [String]) -> String {
    cells.enumerated().map { index, cell in
      let width = index == 0 ? 20 : 14
      let space = String(repeating: " ", count: max(0, width - cell.count))
      return index == 0 ? cell + space : space + cell
    }.joined()
  }
}

/// An observer of some rows in sections, and what it publishes.
private final class Subject {
  private let context: ManagedObjectContext
  private let objects: [ManagedObject]
  private let observed: ObservedResults
  private(set) var published = 0
  private var state: UInt64 = 1

  private static let rounds = 400
  private static let changes = 20

  init(_ count: Int) throws {
    let book = try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription(name: "rank", type: .integer64, defaultValue: 0),
        AttributeDescription(name: "genre", type: .integer64, defaultValue: 0),
      ])
    context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(entities: [book])))
    for index in 0..<count {
      let object = context.insert(book)
      object["rank"] = .int(Int64(index))
      object["genre"] = .int(Int64(index % 100))
    }
    try context.save()
    objects = try context.fetch(FetchRequest(entity: book))
    observed = try ObservedResults(
      fetchRequest: FetchRequest(
        entity: book, sortDescriptors: [FetchSortDescriptor(key: "rank")]),
      sectionNameKeyPath: "genre", managedObjectContext: context, isolation: nil)
    observed.observe { [unowned self] publication in
      if publication.difference != nil { published += 1 }
    }
  }

  private func random(below count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }

  /// The best time of a change, of several groups.
  func changeTime() throws -> Double {
    var best = Double.infinity
    for _ in 0..<Self.rounds / Self.changes {
      let start = ContinuousClock.now
      for _ in 0..<Self.changes {
        objects[random(below: objects.count)]["rank"] = .int(Int64(random(below: objects.count)))
        try context.save()
        context.processPendingChanges()
      }
      best = min(best, (ContinuousClock.now - start).microseconds / Double(Self.changes))
    }
    return best
  }

  /// The best time of a fetch, which would give the same rows.
  func fetchTime() throws -> Double {
    var best = Double.infinity
    for _ in 0..<3 {
      let start = ContinuousClock.now
      observed.refetch()
      best = min(best, (ContinuousClock.now - start).microseconds)
    }
    return best
  }
}

extension Duration {
  fileprivate var microseconds: Double {
    Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
  }
}
