import Basics
import FetchedResults
import FetchedResultsSQLite
import Foundation

// HistoryProbe FILE NUMBER SAVES
//
// Saves random changes into a file that other processes write, and merges their saves from the
// file's history. After each merge, it compares its controllers with new fetches.

guard CommandLine.arguments.count == 4, let number = Int(CommandLine.arguments[2]),
  let saves = Int(CommandLine.arguments[3])
else {
  print("usage: HistoryProbe FILE NUMBER SAVES")
  exit(2)
}
do {
  let writer = try Writer(
    URL(fileURLWithPath: CommandLine.arguments[1]), number: number)
  try writer.run(saves: saves)
  print(writer.summary)
} catch {
  print("process \(number): \(error)")
  exit(1)
}

/// What is wrong with a controller.
struct Breach: Error, CustomStringConvertible {
  let description: String
}

final class Writer {
  private let context: ManagedObjectContext
  private let controllers: [FetchedResultsController]
  private let listener = Listener()
  private let number: Int
  private var random: SeededGenerator
  private var counts = (saves: 0, conflicts: 0, merges: 0, transactions: 0)

  init(_ url: URL, number: Int) throws {
    self.number = number
    random = SeededGenerator(seed: UInt64(number))
    let coordinator = try PersistentStoreCoordinator(
      managedObjectModel: try SharedModel.make(), sqliteStoreAt: url, tracksHistory: true)
    context = ManagedObjectContext(coordinator: coordinator)
    context.transactionAuthor = "process \(number)"
    controllers = try [
      ("Item", "name", ["name", "rank"]), ("Item", nil, ["rank"]),
      ("Entry", nil, ["process", "index"]),
    ]
    .map { [context] name, section, keys in
      try FetchedResultsController(
        fetchRequest: FetchRequest(
          entity: try SharedModel.entity(name, in: context),
          predicate: section == nil && name == "Item"
            ? try FetchPredicate(format: "rank < 7") : nil,
          sortDescriptors: keys.map { FetchSortDescriptor(key: $0) }),
        managedObjectContext: context, sectionNameKeyPath: section)
    }
    for controller in controllers {
      controller.delegate = listener
      try controller.performFetch()
    }
  }

  var summary: String {
    "process \(number): \(counts.saves) saves, \(counts.conflicts) conflicts, "
      + "\(counts.merges) merges of \(counts.transactions) transactions, every controller as a fresh fetch"
  }

  func run(saves: Int) throws {
    for index in 0..<saves {
      try save(index)
      if random.chance(2) { try merge() }
    }
    try merge()
  }

  /// Saves random changes, inserts an entry, and increases the counter that all processes share.
  private func save(_ index: Int) throws {
    while true {
      try edit()
      let entry = context.insert(try SharedModel.entity("Entry", in: context))
      try entry.setValue(.int(Int64(number)), forKey: "process")
      try entry.setValue(.int(Int64(index)), forKey: "index")
      let counter = try context.fetch(
        FetchRequest(entity: try SharedModel.entity("Counter", in: context)))[0]
      guard case .int(let value) = counter["value"] else { throw Breach(description: "no number") }
      try counter.setValue(.int(value + 1), forKey: "value")
      do {
        try context.save()
        counts.saves += 1
        return
      } catch SaveError.conflict {
        counts.conflicts += 1
        context.rollback()
        try merge()
      }
    }
  }

  private func edit() throws {
    let entity = try SharedModel.entity("Item", in: context)
    for _ in 0..<random.number(0...3) {
      let items = try context.fetch(FetchRequest(entity: entity))
      switch random.number(0...5) {
      case 0...1 where items.count < 60, 0... where items.isEmpty:
        try change(context.insert(entity))
      case 2: items.randomElement(using: &random).map(context.delete)
      default: try items.randomElement(using: &random).map(change)
      }
    }
  }

  private func change(_ item: ManagedObject) throws {
    try item.setValue(.string(["a", "b", "c"].randomElement(using: &random) ?? ""), forKey: "name")
    try item.setValue(.int(Int64(random.number(0...9))), forKey: "rank")
  }

  /// Merges the saves of others, and compares within one state of the file.
  private func merge() throws {
    try context.persistentStoreCoordinator.store.readingOneState {
      counts.transactions += try context.mergeHistory().count
      context.processPendingChanges()
      counts.merges += 1
      for controller in controllers {
        if let error = controller.trackingError { throw error }
        let fresh = try FetchedResultsController(
          fetchRequest: controller.fetchRequest, managedObjectContext: context,
          sectionNameKeyPath: controller.sectionNameKeyPath)
        try fresh.performFetch()
        guard controller.lines == fresh.lines else {
          throw Breach(
            description: "tracked \(controller.lines)\nfresh   \(fresh.lines)")
        }
      }
    }
  }
}

/// A delegate that receives all calls.
final class Listener: FetchedResultsControllerDelegate {
  let implementedMethods = FetchedResultsDelegateMethods.changes
}

extension FetchedResultsController {
  /// The sections, the numbers of their objects, and the values that the predicate and the sorts
  /// use.
  fileprivate var lines: [String] {
    (sections.map(Array.init) ?? []).map { section in
      let values = section.objects.map { object in
        "\(object.objectID) "
          + object.entity.attributes.map { "\(object[$0.name])" }.joined(separator: " ")
      }
      return "\(section.name): \(values)"
    }
  }
}

enum SharedModel {
  static func make() throws -> ManagedObjectModel {
    func attribute(_ name: String, _ type: AttributeType) throws -> AttributeDescription {
      try AttributeDescription(name: name, type: type, isOptional: true)
    }
    return try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Item",
        attributes: [try attribute("name", .string), try attribute("rank", .integer64)]),
      EntityDescription(
        name: "Entry",
        attributes: [try attribute("process", .integer64), try attribute("index", .integer64)]),
      EntityDescription(name: "Counter", attributes: [try attribute("value", .integer64)]),
    ])
  }

  static func entity(
    _ name: String, in context: ManagedObjectContext
  ) throws -> EntityDescription {
    guard let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName[name]
    else {
      throw Breach(description: "no entity \(name)")
    }
    return entity
  }
}
