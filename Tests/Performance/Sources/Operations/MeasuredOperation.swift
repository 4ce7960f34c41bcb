import FetchedResults
import Foundation

/// An operation, and how its time may grow.
struct MeasuredOperation: Sendable {
  enum Growth: String, Sendable {
    /// Not at all, or by the logarithm of the rows.
    case logarithm = "log n"
    /// By the rows, and perhaps their logarithm.
    case rows = "n log n"

    /// The largest exponent of the number of rows that is accepted.
    ///
    /// It allows the logarithm to grow. It also allows a factor of 4, because many rows do not fit
    /// into the processor's caches.
    func mostExponent(from few: Int, to many: Int) -> Double {
      let range = log(Double(many) / Double(few))
      let extra = log(4 * log(Double(many)) / log(Double(few))) / range
      return switch self {
      case .logarithm: extra
      case .rows: 1 + extra
      }
    }
  }

  static let repetitions = 7

  let name: String
  let growth: Growth
  let kinds: [World.Kind]
  private let times: Int
  private let preparation: World.Preparation
  private let run: @Sendable (World) throws -> Void

  /// - Parameters:
  ///   - kinds: The stores that can do it.
  ///   - times: How often one measurement repeats the operation.
  ///   - preparation: What happens before, once.
  init(
    _ name: String, _ growth: Growth, of kinds: [World.Kind] = World.Kind.allCases,
    times: Int = 1, after preparation: World.Preparation = .none,
    _ run: @escaping @Sendable (World) throws -> Void
  ) {
    self.name = name
    self.growth = growth
    self.kinds = kinds
    self.times = times
    self.preparation = preparation
    self.run = run
  }

  /// The time of the operation in microseconds.
  func time(in world: World) throws -> Double {
    try world.prepare(preparation)
    var found: [Double] = []
    for repetition in 0...Self.repetitions {
      let start = coreTime
      for _ in 0..<times { try run(world) }
      // The first run reads what the others find in memory.
      if repetition > 0 { found.append((coreTime - start) / Double(times)) }
    }
    return max(found.sorted()[found.count / 2], 0.001)
  }

  /// The processor time so far in microseconds.
  private var coreTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}

extension MeasuredOperation {
  static let all: [MeasuredOperation] = reading + turns + saving + fetching + requests

  private static let reading = [
    MeasuredOperation("object(at:)", .logarithm, times: 1000, after: .fetched) {
      _ = try $0.controller.object(at: $0.randomPath())
    },
    MeasuredOperation("indexPath(forObject:)", .logarithm, times: 1000, after: .tracked) {
      _ = $0.controller.indexPath(forObject: try $0.randomObject())
    },
    MeasuredOperation("sections[i].numberOfObjects", .logarithm, times: 1000, after: .fetched) {
      guard let sections = $0.controller.sections else { return }
      _ = sections[$0.random(below: sections.count)].numberOfObjects
    },
    MeasuredOperation("sectionIndexTitles", .logarithm, times: 10, after: .fetched) {
      _ = $0.controller.sectionIndexTitles
    },
    MeasuredOperation("all fetchedObjects", .rows, after: .fetched) {
      for index in 0..<$0.count { _ = $0.controller.fetchedObjects?[index].objectID }
    },
    MeasuredOperation("existingObject(with:)", .logarithm, times: 1000, after: .read) {
      _ = try $0.context.existingObject(with: $0.randomID())
    },
    MeasuredOperation("value(forKey:)", .logarithm, times: 1000, after: .read) {
      _ = try $0.randomObject().value(forKey: "title")
    },
  ]

  private static let turns = [
    MeasuredOperation("an update, tracked", .logarithm, times: 50, after: .tracked) {
      try $0.randomObject()["pages"] = .int(Int64($0.random(below: 1000)))
      $0.context.processPendingChanges()
    },
    MeasuredOperation("a move, tracked", .logarithm, times: 50, after: .tracked) {
      try $0.move()
      $0.context.processPendingChanges()
    },
    MeasuredOperation("an insert, tracked", .logarithm, times: 50, after: .tracked) {
      $0.insert()
      $0.context.processPendingChanges()
    },
    MeasuredOperation("a delete, tracked", .logarithm, times: 20, after: .tracked) {
      $0.context.delete(try $0.randomObject())
      $0.context.processPendingChanges()
    },
    MeasuredOperation("a hundred moves, tracked", .logarithm, times: 2, after: .tracked) {
      for _ in 0..<100 { try $0.move() }
      $0.context.processPendingChanges()
    },
    MeasuredOperation(
      "a move, as a difference", .logarithm, times: 20,
      after: .trackedByDifferences
    ) {
      try $0.move()
      $0.context.processPendingChanges()
    },
    MeasuredOperation("a move, as a snapshot", .rows, after: .trackedBySnapshots) {
      try $0.move()
      $0.context.processPendingChanges()
    },
    MeasuredOperation("a move, observed", .logarithm, times: 20, after: .observed) {
      try $0.move()
      try $0.context.save()
      $0.context.processPendingChanges()
    },
    MeasuredOperation("undo() and redo()", .logarithm, times: 10, after: .undoable) {
      try $0.move()
      $0.context.processPendingChanges()
      $0.context.undo()
      $0.context.processPendingChanges()
      $0.context.redo()
      $0.context.processPendingChanges()
    },
    MeasuredOperation("rollback() of a change", .logarithm, times: 20, after: .tracked) {
      try $0.move()
      $0.context.rollback()
      $0.context.processPendingChanges()
    },
    MeasuredOperation("refresh(_:mergeChanges:)", .logarithm, times: 20, after: .tracked) {
      $0.context.refresh(try $0.randomObject(), mergeChanges: false)
      $0.context.processPendingChanges()
    },
    MeasuredOperation(
      "a move beside n unsaved objects", .logarithm, of: [.memory], times: 20,
      after: .changed
    ) {
      try $0.move()
      $0.context.processPendingChanges()
    },
  ]

  private static let saving = [
    MeasuredOperation("save() of a change", .logarithm, times: 20, after: .tracked) {
      try $0.move()
      try $0.context.save()
    },
    MeasuredOperation("save() of an insert", .logarithm, times: 20, after: .tracked) {
      $0.insert()
      try $0.context.save()
    },
    MeasuredOperation("save() of a delete", .logarithm, times: 10, after: .tracked) {
      $0.context.delete(try $0.randomObject())
      try $0.context.save()
    },
    MeasuredOperation("save() of a child's change", .logarithm, times: 10, after: .tracked) {
      let child = ManagedObjectContext(parent: $0.context)
      try child.existingObject(with: $0.randomID())["title"] = .string("child")
      try child.save()
      $0.context.processPendingChanges()
    },
    MeasuredOperation("a merge of another's save", .logarithm, times: 10, after: .tracked) {
      let other = $0.otherContext()
      try other.existingObject(with: $0.randomID())["title"] = .string("other")
      try other.save()
      if let save = other.lastSave { $0.context.mergeChanges(fromContextDidSave: save) }
      $0.context.processPendingChanges()
    },
    // The first hundreds of calls after the preparation wait for malloc, which sorts 10,000 freed
    // parts of memory in each. The run that is not measured has to be longer than that.
    MeasuredOperation("obtainPermanentIDs(for:)", .logarithm, times: 1000) {
      try $0.context.obtainPermanentIDs(for: [$0.insert()])
    },
    MeasuredOperation("save() of all objects", .rows) {
      for object in try $0.allObjects() { object["pages"] = .int(Int64($0.random(below: 1000))) }
      try $0.context.save()
    },
    MeasuredOperation("reset(), and a fetch of all", .rows) {
      $0.context.reset()
      _ = try $0.allObjects()
    },
    MeasuredOperation("refreshAllObjects()", .rows, after: .read) {
      $0.context.refreshAllObjects()
      $0.context.processPendingChanges()
    },
  ]

  private static let fetching = [
    MeasuredOperation("performFetch()", .rows) { try $0.controller.performFetch() },
    MeasuredOperation("fetch(_:), sorted", .rows) { _ = try $0.context.fetch($0.request()) },
    MeasuredOperation("fetch(_:) by an index", .logarithm, of: [.file], times: 20) {
      _ = try $0.context.fetch($0.request(number: $0.random(below: $0.count)))
    },
    MeasuredOperation("fetchObjectIDs(_:)", .rows) {
      _ = try $0.context.fetchObjectIDs($0.request())
    },
    MeasuredOperation("count(for:)", .rows) { _ = try $0.context.count(for: $0.request()) },
    MeasuredOperation("fetchDictionaries(_:), grouped", .rows) { world in
      var request = FetchRequest(entity: world.book)
      request.propertiesToFetch = ["genre", FetchedProperty("number", function: .count)]
      request.propertiesToGroupBy = ["genre"]
      _ = try world.context.fetchDictionaries(request)
    },
  ]

  private static let requests = [
    MeasuredOperation("a batch update of one row", .logarithm, of: [.file], times: 10) {
      _ = try $0.context.execute(
        BatchUpdateRequest(
          entity: $0.book,
          predicate: FetchPredicate(format: "number == \($0.random(below: $0.count))"),
          propertiesToUpdate: ["pages": .value(7)]))
    },
    MeasuredOperation("a batch delete of one row", .logarithm, of: [.file], times: 10) {
      _ = try $0.context.execute(
        BatchDeleteRequest(fetchRequest: $0.request(number: $0.random(below: $0.count))))
    },
    MeasuredOperation("a batch insert of one row", .logarithm, of: [.file], times: 10) {
      _ = try $0.context.execute(
        BatchInsertRequest(
          entity: $0.book, objects: [["number": 1, "title": "a", "genre": "b"]]))
    },
    MeasuredOperation(
      "fetchHistory(after:) of one save", .logarithm, of: [.file], times: 5,
      after: .recorded
    ) {
      let token = try $0.context.fetchHistory().last?.token
      $0.insert()
      try $0.context.save()
      _ = try $0.context.fetchHistory(after: token)
      _ = try $0.context.deleteHistory(before: token)
    },
  ]
}
