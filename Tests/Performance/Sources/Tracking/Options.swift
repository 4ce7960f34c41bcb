import FetchedResults
import Foundation

/// Times the two options that Apple's controller lacks, at a million rows: a limit that is kept,
/// and tracked related objects.
enum Options {
  static func measure(rows: Int, repetitions: Int = 200) throws {
    print("\n\(rows) rows; ms, median")
    let list = try OptionList(rows: rows)
    var plain: [String: Double] = [:]
    func report(
      _ name: String, keeps: Bool, _ times: [Double], _ counter: OptionCounter
    ) {
      let title = keeps ? "keep limit 100: \(name)" : "no limit: \(name)"
      let median = Self.report(title, times, counter, plain: keeps ? plain[name] : nil)
      if !keeps { plain[name] = median }
    }
    for keeps in [false, true] {
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
      report("the first row leaves", keeps: keeps, deletes, counter)
      let inserts = try times(repetitions) {
        list.insert(key: -1)
      } turn: {
        list.context.processPendingChanges()
      }
      report("a row comes in first", keeps: keeps, inserts, counter)
      let others = try times(repetitions) {
        list.touch(rows / 2)
      } turn: {
        list.context.processPendingChanges()
      }
      report("a row in the middle changes", keeps: keeps, others, counter)
    }
    try measureRelated(list, repetitions: repetitions)
  }

  private static func measureRelated(_ list: OptionList, repetitions: Int) throws {
    var plain: Double?
    for tracks in [false, true] {
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
      plain = report(
        tracks
          ? "track related: an owner of 100 rows changes" : "an owner and its 100 rows change",
        moves, counter, plain: plain)
      _ = controller
    }
  }

  /// Times an edit together with its turn.
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

  /// Prints the median of some times, and its ratio to a plain change's.
  @discardableResult
  private static func report(
    _ name: String, _ times: [Double], _ counter: OptionCounter, plain: Double?
  ) -> Double {
    let calls = Double(counter.changes) / Double(times.count)
    counter.changes = 0
    let median = times[times.count / 2]
    let ratio = plain.map { String(format: "  %.2f times a plain change", median / $0) } ?? ""
    print(
      name.padding(toLength: 48, withPad: " ", startingAt: 0)
        + String(format: "%.4f  %.1f callbacks each", median, calls) + ratio)
    return median
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

/// Rows that share an owner in groups of a hundred.
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

  /// Gives an owner another rank, which moves its rows.
  func rerank(_ place: Int, touchesRows: Bool) throws {
    let owner = owners[place]
    // The rank must differ from the one in earlier runs.
    let rank = owner["rank"].int ?? 0
    owner["rank"] = .int((rank + Int64(owners.count * 2 / 5) + 1) % Int64(owners.count))
    guard touchesRows, case .list(let members)? = try? owner.value(forKey: "rows") else { return }
    for case .object(let id) in members {
      let object = context.object(with: id)
      object["key"] = object["key"]
    }
  }
}
