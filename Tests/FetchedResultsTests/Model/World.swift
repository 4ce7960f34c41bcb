import Basics
import EngineWorlds
import FetchedResults

/// A random world: a context, a second record of its objects, and several controllers whose reports
/// are compared with the naive model's.
final class World {
  /// An object's values in their simplest form.
  struct Values: Equatable {
    var k: Int
    var t: Int
    /// The name of the section; nil for none.
    var s: String?
    /// The section's place, for sections that are not the first sort key.
    var b: Int
  }

  /// A record of an object: its current values, those when it was last processed, and those in the
  /// store.
  ///
  /// Each is nil if the object does not exist there.
  struct Thing {
    var now: Values?
    var processed: Values?
    var saved: Values?
    var isTouched = true
    var isPending = true
  }

  /// The objects of a world, and the kinds of changes.
  struct Shape {
    var rows: Int
    var operations: ClosedRange<Int>
    var keys: Int
    var sections: Int
    /// Whether delegates are removed and set again, so that rows become stale.
    var togglesDelegates = false
  }

  let shape: Shape
  let context: ManagedObjectContext
  let entity: EntityDescription
  var things: [Int64: Thing] = [:]
  var objects: [Int64: ManagedObject] = [:]
  var watchers: [Watcher] = []
  var random: SeededGenerator
  /// The place of each section, in worlds that sort by `b`.
  var bases: [String?: Int] = [:]
  /// The changes of the current batch, for the report of a failure.
  var trail: [String] = []
  var seed: UInt64 = 0
  var failures: [String] = []
  /// Controllers whose delegates change the context, and how often they still may.
  var meddlers: [Meddler] = []
  var budget = 0

  /// - Parameter isEmpty: Whether the rows are inserted later.
  init(shape: Shape, seed: UInt64, isEmpty: Bool = false) throws {
    self.shape = shape
    random = SeededGenerator(seed: seed)
    entity = try EntityDescription(
      name: "Thing",
      attributes: [
        .init("k", .integer64), .init("t", .integer64), .optional("s", .string),
        .init("b", .integer64),
      ])
    context = try ManagedObjectContext(of: [entity])
    if isEmpty { return }
    for _ in 0..<shape.rows { insert() }
    if random.chance(2) { try save() } else { process() }
  }
}

// MARK: - Operations, each done twice

extension World {
  var liveNumbers: [Int64] { things.filter { $0.value.now != nil }.keys.sorted() }

  func randomSection() -> String? {
    let index = Int.random(in: 0..<shape.sections, using: &random)
    return index == 0 && shape.sections > 2 ? nil : ["", "A", "B", "C", "D", "E", "F", "G"][index]
  }

  private func base(of section: String?) -> Int {
    // Nil and the empty name are the same section, at the same place.
    let section = section == "" ? nil : section
    if let base = bases[section] { return base }
    let base = freeBase()
    bases[section] = base
    return base
  }

  /// Returns a place that no other section has.
  ///
  /// Rarely, it returns one that is taken, because rows of two sections at one place are usually
  /// out of order.
  private func freeBase() -> Int {
    let all = 0..<shape.sections * 3
    let free = all.filter { !bases.values.contains($0) }
    return (random.chance(30) ? Array(all) : free).randomElement(using: &random) ?? 0
  }

  private func randomKey() -> Int { Int.random(in: 0..<shape.keys, using: &random) }

  func insert() {
    let section = randomSection()
    let values = Values(k: randomKey(), t: randomKey(), s: section, b: base(of: section))
    let object = context.insert(entity)
    let number = object.objectID.number
    objects[number] = object
    things[number] = Thing(now: values)
    write(values, to: object)
    trail.append("insert \(number) \(values)")
  }

  func update(_ number: Int64, _ change: (inout Values) -> Void) {
    guard var values = things[number]?.now, let object = objects[number] else { return }
    change(&values)
    things[number]?.now = values
    things[number]?.isTouched = true
    things[number]?.isPending = true
    write(values, to: object)
    trail.append("update \(number) \(values)")
  }

  func delete(_ number: Int64) {
    guard things[number]?.now != nil, let object = objects[number] else { return }
    things[number]?.now = nil
    things[number]?.isTouched = true
    things[number]?.isPending = true
    context.delete(object)
    trail.append("delete \(number)")
  }

  private func write(_ values: Values, to object: ManagedObject) {
    object["k"] = .int(Int64(values.k))
    object["t"] = .int(Int64(values.t))
    object["s"] = values.s.map(PropertyValue.string) ?? .null
    object["b"] = .int(Int64(values.b))
  }

  /// Does one random thing.
  func act() {
    let live = liveNumbers
    guard let number = live.randomElement(using: &random) else { return insert() }
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<4: insert()
    case 4..<7: delete(number)
    case 7..<10: update(number) { $0.k = randomKey() }
    case 10..<12: update(number) { $0.t = randomKey() }
    case 12..<14:
      let section = randomSection()
      update(number) { ($0.s, $0.b) = (section, base(of: section)) }
    case 14: update(number) { _ in }
    case 15:
      insert()
      if let last = liveNumbers.last { delete(last) }
    case 16..<18: rebase(isWhole: !random.chance(8))
    default: swap(number, live)
    }
  }

  /// Exchanges the values of two objects, so that their rows pass each other.
  private func swap(_ number: Int64, _ live: [Int64]) {
    guard let other = live.randomElement(using: &random), let values = things[number]?.now,
      let otherValues = things[other]?.now
    else { return }
    update(number) { $0 = otherValues }
    update(other) { $0 = values }
  }

  /// Gives a section another place.
  ///
  /// If it is not whole, some of its rows stay behind.
  private func rebase(isWhole: Bool) {
    let section = randomSection()
    let base = freeBase()
    bases[section == "" ? nil : section] = base
    for number in liveNumbers {
      guard let values = things[number]?.now, (values.s ?? "") == (section ?? "") else { continue }
      if isWhole || random.chance(2) { update(number) { $0.b = base } }
    }
  }
}

// MARK: - Ends of a turn

extension World {
  func process() {
    context.processPendingChanges()
    settle()
  }

  func save() throws {
    trail.append("save")
    try context.save()
    settle()
    for (number, thing) in things where thing.isPending {
      things[number]?.saved = thing.now
      things[number]?.isPending = false
    }
    for watcher in watchers { watcher.expectSave() }
  }

  func rollback() {
    trail.append("rollback")
    context.rollback()
    for (number, thing) in things where thing.isPending {
      things[number]?.now = thing.saved
      things[number]?.isTouched = true
      things[number]?.isPending = false
    }
  }

  /// Records that all changes were processed, and notifies the watchers.
  private func settle() {
    let touched = things.filter { $0.value.isTouched }
    var changed: Set<Int64> = []
    for (number, thing) in touched {
      if thing.processed != nil || thing.now != nil { changed.insert(number) }
      things[number]?.processed = thing.now
      things[number]?.isTouched = false
    }
    guard !changed.isEmpty else { return }
    for watcher in watchers { watcher.expectBatch(changed) }
    for (number, thing) in touched
    where thing.now == nil && thing.saved == nil && !thing.isPending {
      things[number] = nil
      objects[number] = nil
    }
  }
}
