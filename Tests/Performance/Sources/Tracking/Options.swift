import FetchedResults
import Foundation

/// Times what Apple's controller cannot do: a limit that is kept, and related objects that are
/// tracked, at a million rows.
enum Options {
  static func measure(rows: Int, repetitions: Int = 200) throws {
    print("\n\(rows) rows; ms, median")
    let list = try OptionList(rows: rows)
    for keeps in [false, true] {
      let name = keeps ? "keep limit 100" : "no limit"
      let (controller, counter) = try list.controller(sort: ["key"]) {
        guard keeps else { return }
        $0.fetchRequest.fetchLimit = 100
        $0.keepsFetchLimit = true
      }
      let deletes = try times(repetitions) {
        if let first = controller.fetchedObjects?.first { list.context.delete(first) }
      } turn: {
        list.context.processPendingChanges()
      }
      report("\(name): the first row leaves", deletes, counter)
      let inserts = try times(repetitions) {
        list.insert(key: -1)
      } turn: {
        list.context.processPendingChanges()
      }
      report("\(name): a row comes in first", inserts, counter)
      let others = try times(repetitions) {
        list.touch(rows / 2)
      } turn: {
        list.context.processPendingChanges()
      }
      report("\(name): a row in the middle changes", others, counter)
    }
    try measureRelated(list, repetitions: repetitions)
  }

  private static func measureRelated(_ list: OptionList, repetitions: Int) throws {
    for tracks in [true, false] {
      let (controller, counter) = try list.controller(sort: ["owner.rank", "key"]) {
        $0.tracksRelatedObjects = tracks
      }
      var owner = 0
      let moves = try times(repetitions) {
        owner = (owner + 7) % list.owners.count
        try list.rerank(owner, touchesRows: !tracks)
      } turn: {
        list.context.processPendingChanges()
      }
      report(
        tracks
          ? "track related: an owner of 100 rows changes" : "the same by touching the 100 rows",
        moves, counter)
      _ = controller
    }
  }

  /// Times an edit with its turn.
  private static func times(
    _ repetitions: Int, _ edit: () throws -> Void, turn: () -> Void
  ) throws -> [Double] {
    var times: [Double] = []
    for _ in 0..<repetitions {
      let start = ContinuousClock.now
      try edit()
      turn()
      times.append((ContinuousClock.now - start) / .milliseconds(1))
    }
    return times.sorted()
  }

  private static func report(_ name: String, _ times: [Double], _ counter: OptionCounter) {
    let calls = Double(counter.changes) / Double(times.count)
    counter.changes = 0
    print(
      name.padding(toLength: 48, withPad: " ", startingAt: 0)
        + String(format: "%.4f  %.1f callbacks each", times[times.count / 2], calls))
  }
}

/// Counts the changes of rows.
final class OptionCounter: FetchedResultsControllerDelegate {
  let implementedMethods: FetchedResultsDelegateMethods = .changes
  var changes = 0

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    changes += 1
  }
}

/// Rows of which each hundred have an owner.
private final class OptionList {
  let context: ManagedObjectContext
  let owners: [ManagedObject]
  private let row: EntityDescription

  init(rows: Int) throws {
    row = try EntityDescription(
      name: "Row", attributes: [AttributeDescription(name: "key", type: .integer64)],
      relationships: [RelationshipDescription(name: "owner", destination: "Owner", inverse: "rows")]
    )
    let owner = try EntityDescription(
      name: "Owner", attributes: [AttributeDescription(name: "rank", type: .integer64)],
      relationships: [
        RelationshipDescription(name: "rows", destination: "Row", inverse: "owner", isToMany: true)
      ])
    context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(entities: [row, owner])))
    var owners: [ManagedObject] = []
    for number in 0..<max(rows / 100, 1) {
      let object = context.insert(owner)
      object["rank"] = .int(Int64(number))
      owners.append(object)
      var members: [ManagedObject] = []
      for place in 0..<100 {
        let member = context.insert(row)
        member["key"] = .int(Int64(number * 100 + place))
        members.append(member)
      }
      try object.add(members, to: "rows")
    }
    self.owners = owners
    try context.save()
  }

  func controller(
    sort keys: [String], _ prepare: (FetchedResultsController) -> Void
  ) throws -> (FetchedResultsController, OptionCounter) {
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest(
        entity: row, sortDescriptors: keys.map { FetchSortDescriptor(key: $0) }),
      managedObjectContext: context)
    prepare(controller)
    let counter = OptionCounter()
    controller.delegate = counter
    try controller.performFetch()
    return (controller, counter)
  }

  func insert(key: Int64) { context.insert(row)["key"] = .int(key) }

  func touch(_ number: Int) {
    let object = context.object(entity: row, number: Int64(number))
    object?["key"] = object?["key"] ?? .null
  }

  /// Gives an owner another rank, and with it its rows another place.
  func rerank(_ place: Int, touchesRows: Bool) throws {
    let owner = owners[place]
    owner["rank"] = .int(Int64((place * 31 + 17) % owners.count))
    guard touchesRows, case .list(let members)? = try? owner.value(forKey: "rows") else { return }
    for case .object(let id) in members {
      guard let object = context.object(with: id) else { continue }
      object["key"] = object["key"]
    }
  }
}
