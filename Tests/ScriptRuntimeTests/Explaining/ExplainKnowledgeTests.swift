import Basics
import Foundation
import RandomLaws
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

@testable import FetchedResults

/// `explain` prints no earlier value that the context did not have.
///
/// Its output is compared with values that the test recorded before the turn.
@Suite("What explain knows")
struct ExplainKnowledgeTests {
  @Test("values before are those that were seen")
  func knowledge() throws {
    for seed in LawSeeds(seconds: 0.5, from: 1) {
      let world = try KnowledgeWorld()
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<80 {
        let turn = KnowledgeWorld.turn(&generator)
        let faults = try world.faults(of: turn)
        if !faults.isEmpty {
          Issue.record("seed \(seed): \(turn): \(faults.joined(separator: "; "))")
          return
        }
      }
    }
  }

  @Test("objects that were read, and those that were not, both come up")
  func coverage() throws {
    let all: Set = [
      "unread", "known", "new", "related", "beyond-limit", "started-matching", "assignment",
      "merge", "refresh", "no turn",
    ]
    var seen: Set<String> = []
    for seed in 1...4 where !seen.isSuperset(of: all) {
      let world = try KnowledgeWorld()
      var generator = SeededGenerator(seed: UInt64(seed))
      for _ in 0..<60 { _ = try world.faults(of: KnowledgeWorld.turn(&generator)) }
      seen.formUnion(world.seen)
    }

    #expect(all.subtracting(seen) == [])
  }

  @Test("a lie is found", arguments: KnowledgeLie.allCases)
  func lie(_ lie: KnowledgeLie) throws {
    for seed in 1...8 {
      let world = try KnowledgeWorld()
      var generator = SeededGenerator(seed: UInt64(seed))
      for _ in 0..<60 {
        let faults = try world.faults(of: KnowledgeWorld.turn(&generator), telling: lie)
        if !faults.isEmpty { return }
      }
    }
    Issue.record("\(lie) was believed")
  }
}

/// A wrong statement that `explain` could print about an object.
enum KnowledgeLie: CaseIterable {
  case oldValue, newValue, oldName, newName, inventedValue, omission
  case predicateBefore, predicateAfter, inventedAnswer, knownBefore, unknownBefore, cause

  /// Returns the output with the wrong statement, where it fits.
  func told(of entry: [String: Any]) -> [String: Any] {
    var entry = entry
    var keys = entry["keys"] as? [[String: Any]] ?? []
    var predicate = entry["predicate"] as? [String: Any] ?? [:]
    let name = keys.firstIndex { $0["key"] as? String == "author.name" }
    let own = keys.firstIndex { $0["key"] as? String != "author.name" }
    let isUnknown = entry["beforeKnown"] as? Bool == false
    switch self {
    case .oldValue: if let own, keys[own]["old"] != nil { keys[own]["old"] = "q" }
    case .newValue: if let own { keys[own]["new"] = "q" }
    case .oldName: if let name, keys[name]["old"] != nil { keys[name]["old"] = "q" }
    case .newName: if let name { keys[name]["new"] = "q" }
    case .inventedValue: if isUnknown { keys = [["key": "title", "old": "a", "new": "z"]] }
    case .omission: if own != nil { keys = [] }
    case .predicateBefore:
      if let before = predicate["before"] as? Bool { predicate["before"] = !before }
    case .predicateAfter:
      if let after = predicate["after"] as? Bool { predicate["after"] = !after }
    case .inventedAnswer: if isUnknown, !predicate.isEmpty { predicate["before"] = false }
    case .knownBefore: entry["beforeKnown"] = nil
    case .unknownBefore: if !keys.isEmpty { entry["beforeKnown"] = false }
    case .cause: if entry["cause"] != nil { entry["cause"] = "undo" }
    }
    if entry["keys"] != nil || !keys.isEmpty { entry["keys"] = keys }
    if !predicate.isEmpty { entry["predicate"] = predicate }
    return entry
  }
}

/// Two contexts on one store, and controllers on one of them.
private final class KnowledgeWorld {
  private typealias Values = [String: String]

  /// The kinds of cases that have occurred so far.
  private(set) var seen: Set<String> = []
  private var lines: [String] = []
  private var interpreter: Interpreter?
  /// The names by which rows of `named` are placed, recorded when they were placed.
  private var placed: [Int: String] = [:]
  /// The output of the last `explain`.
  private var last: [String] = []
  /// How often contexts processed changes in this turn.
  private var processings = 0
  /// How many batches of this turn change a task, in the context of the controllers.
  private var batches: [Int: Int] = [:]

  private static let controllers = ["open", "few", "fewOpen", "named"]
  private static let script = """
    entity Author { name: String, tasks: [Task] inverse author }
    entity Task { title: String, done: Bool = NO, n: Int = 0, author: Author? inverse tasks }
    set policy overwrite
    context bg policy overwrite
    perform { insert Author(name: "x"); insert Author(name: "y") }
    perform { insert 8 Task(title: "t\\(i)", done: i % 2 == 0, n: i % 3) }
    perform { Task/1.author = Author/1; Task/2.author = Author/2; Task/3.author = Author/1 }
    save
    reset
    controller open = Task where done == NO sort by title
    controller few = Task sort by title limit 2
    controller fewOpen = Task where done == NO AND n > 0 sort by title limit 2
    controller named = Task where author.name != nil sort by author.name, title
    fetch open
    fetch few
    fetch fewOpen
    fetch named
    """

  init() throws {
    let interpreter = Interpreter(environment: ScriptFiles()) { [unowned self] event in
      lines += event.jsonLines
    }
    self.interpreter = interpreter
    interpreter.keepReasons()
    try run(Self.script)
    watch()
    for number in rows(of: "named") { placed[number] = stored(number).map(name) }
    last = try explained()
  }

  /// Records from now on what contexts process, independently of the log of `explain`.
  private func watch() {
    for (name, context) in session?.contexts ?? [] {
      let log = context.onProcessing
      context.onProcessing = { [unowned self] batch, cameAndWent in
        log?(batch, cameAndWent)
        processings += 1
        guard name == "main" else { return }
        for object in batch.objects where object.entity === task {
          batches[Int(object.objectID.number), default: 0] += 1
        }
      }
    }
  }

  private func explained() throws -> [String] {
    lines = []
    try run("explain")
    return lines
  }

  private func run(_ text: String) throws {
    let script = ScriptParser.parse(SourceText(name: "test", text: text))
    try #require(script.diagnostics.map(\.message) == [])
    try interpreter?.run(script)
  }

  /// Returns a statement in one of the contexts.
  ///
  /// It fails if its object no longer exists.
  static func turn(_ generator: inout SeededGenerator) -> String {
    let task = "Task/\(Int.random(in: 1...9, using: &generator))"
    let author = Int.random(in: 1...2, using: &generator)
    let letter = ["a", "k", "t4", "z"].randomElement(using: &generator) ?? "a"
    let value = Bool.random(using: &generator) ? "YES" : "NO"
    switch Int.random(in: 0..<16, using: &generator) {
    case 0...1: return "try perform bg { \(task).done = \(value); save }"
    case 2: return "try perform bg { \(task).title = \"\(letter)\"; save }"
    case 3: return "try perform bg { \(task).n = \(author); \(task).done = NO; save }"
    case 4: return "try perform bg { \(task).author = Author/\(author); save }"
    case 5...7: return "try merge bg into main"
    case 8: return "try \(task).title = \"\(letter)\""
    case 9: return "try \(task).n = \(task).n"
    case 10: return "try \(task).done = \(value)"
    case 11: return "try refresh \(task)"
    case 12: return "try refresh \(task) merging"
    case 13: return "try Author/\(author).name = \"\(letter)\""
    case 14: return "try save"
    default: return "try perform bg { insert Task(title: \"\(letter)\"); save }"
    }
  }

  // MARK: Outside of explain

  private var session: Session? { interpreter?.session }

  private var task: EntityDescription? {
    session?.coordinator.managedObjectModel.entitiesByName["Task"]
  }

  /// Returns the values of each task in the context, or in a row of its controllers.
  private func known(before turn: String) -> [Int: Values] {
    let held = Set(Self.controllers.flatMap(rows))
    var known: [Int: Values] = [:]
    for number in 1...40 {
      // Before a row is changed, contexts that show it read it. A statement reads the object that
      // it names.
      known[number] =
        registered(number)
        ?? (held.contains(number) || Self.reads(turn, number) ? stored(number) : nil)
    }
    return known
  }

  private func registered(_ number: Int) -> Values? {
    guard let session, let task else { return nil }
    return session.context.registered(Int64(number), in: task).map { values($0.snapshot, of: task) }
  }

  private func stored(_ number: Int) -> Values? {
    guard let session, let task else { return nil }
    let row = try? session.coordinator.store.row(Int64(number), in: task)
    return row.map { values($0.snapshot, of: task) }
  }

  private func values(_ snapshot: ObjectSnapshot, of entity: EntityDescription) -> Values {
    Dictionary(
      uniqueKeysWithValues: entity.propertyNames.enumerated().map {
        ($1, snapshot[$0].description)
      })
  }

  /// Returns the current name of a task's author.
  private func name(_ values: Values) -> String {
    guard let session, let author = session.coordinator.managedObjectModel.entitiesByName["Author"],
      let number = values["author"].flatMap({ Int64($0.dropFirst("Author/".count)) })
    else { return "nil" }
    let known = session.context.registered(number, in: author)?.snapshot
    let stored = try? session.coordinator.store.row(number, in: author)?.snapshot
    return (known ?? stored).flatMap { self.values($0, of: author)["name"] } ?? "nil"
  }

  /// Whether a statement in the context itself names a task.
  private static func reads(_ turn: String, _ number: Int) -> Bool {
    !turn.contains("bg")
      && turn.split(whereSeparator: { $0 == " " || $0 == "." }).contains("Task/\(number)")
  }

  private func rows(of controller: String) -> [Int] {
    let objects = session?.controllers[controller]?.controller.fetchedObjects
    return objects.map { $0.numbers.map(Int.init) } ?? []
  }

  /// Returns the tasks that a merge inserts.
  private func arrivals(of turn: String) -> Set<Int> {
    let save = session?.contexts.first { $0.name == "bg" }?.context.lastSave
    guard turn.contains("merge bg"), let save else { return [] }
    return Set(save.insertedObjectIDs.map { Int($0.number) })
  }

  // MARK: Comparing

  private typealias Entry = [String: Any]

  /// Returns what is wrong in the output of `explain` for a turn.
  func faults(of turn: String, telling lie: KnowledgeLie? = nil) throws -> [String] {
    let known = known(before: turn)
    let arrivals = arrivals(of: turn)
    processings = 0
    batches = [:]
    try run(turn)
    let printed = try explained()
    defer { last = printed }
    guard processings > 0 else {
      // A statement without changes is not a turn, so the turn before it is explained again.
      seen.insert("no turn")
      return printed == last ? [] : ["a turn without a change: \(printed)"]
    }
    defer { for number in batches.keys { placed[number] = registered(number).map(name) } }
    var events = try printed.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? Entry)
    }
    var faults: [String] = []
    let title = events.first?["statement"] as? String ?? "?"
    if turn != "try \(title)" { faults.append("another turn: \(title)") }
    if let lie { events = events.map(lie.told) }
    for (number, count) in batches.sorted(by: { $0.key < $1.key }) {
      for controller in Self.controllers {
        let entries = events.filter {
          $0["controller"] as? String == controller && Self.isAbout($0, number)
        }
        guard let first = entries.first, let last = entries.last else { continue }
        faults += before(
          in: first, number, known[number], turn, isNew: arrivals.contains(number)
        ).map { "\($0): \(first)" }
        faults += after(in: last, number).map { "\($0): \(last)" }
        guard count == 1, let known = known[number] else { continue }
        faults += left(outOf: first, number, known).map { "\($0) is left out: \(first)" }
      }
    }
    let untouched = (1...40).filter { batches[$0] == nil }
    for entry in events where entry["rule"] as? String != "other-context" {
      guard let object = untouched.first(where: { Self.isAbout(entry, $0) }) else { continue }
      faults.append("Task/\(object) did not change: \(entry)")
    }
    return faults
  }

  /// Whether a line is about a single task.
  private static func isAbout(_ entry: Entry, _ number: Int) -> Bool {
    guard entry["rule"] as? String != "other-context" else { return false }
    let id = "Task/\(number)"
    return entry["object"] as? String == id || entry["objects"] as? [String] == [id]
  }

  private static func keys(_ entry: Entry) -> [(name: String, old: Any?, new: Any?)] {
    (entry["keys"] as? [Entry] ?? []).map { ($0["key"] as? String ?? "", $0["old"], $0["new"]) }
  }

  private func before(
    in entry: Entry, _ number: Int, _ known: Values?, _ turn: String, isNew: Bool
  ) -> [String] {
    let rule = entry["rule"] as? String ?? ""
    let controller = entry["controller"] as? String ?? ""
    let isUnknown = entry["beforeKnown"] as? Bool == false
    var faults: [String] = []
    for (name, old, _) in Self.keys(entry) {
      guard let old = old.map(Self.text) else { continue }
      let value = name == "author.name" ? placed[number] : known?[name]
      if name == "author.name" { seen.insert("related") }
      if old != value || isUnknown { faults.append("\(name) was \(value ?? "unknown")") }
    }
    if let cause = entry["cause"] as? String {
      seen.insert(cause)
      if !Self.causes(of: turn).contains(cause) { faults.append("another cause") }
    }
    let before = (entry["predicate"] as? Entry)?["before"] as? Bool
    if ["created", "already-fetched"].contains(rule) || (isNew && before == nil) {
      // A task that a merge inserts did not exist before, which is known.
      seen.insert("new")
      if before != nil || isUnknown { faults.append("it was nothing before") }
      return faults
    }
    seen.insert(isUnknown ? "unread" : "known")
    if isUnknown != (known == nil) {
      faults.append("it is \(isUnknown ? "" : "not ")called unknown")
    }
    let matched = known.map { Self.matches($0, controller) }
    switch controller {
    case "open", "fewOpen":
      if before != matched { faults.append("the predicate was \(String(describing: matched))") }
    default: if before != nil { faults.append("nothing was evaluated before") }
    }
    if rule == "started-matching" || rule == "beyond-limit" {
      seen.insert(rule)
      let isBeyond = controller == "few" || (controller == "fewOpen" && matched == true)
      if (rule == "beyond-limit") != isBeyond { faults.append("another rule") }
    }
    return faults
  }

  private func after(in entry: Entry, _ number: Int) -> [String] {
    guard let values = registered(number) else { return ["it is gone"] }
    var faults: [String] = []
    for (key, _, new) in Self.keys(entry) {
      guard let new = new.map(Self.text) else { continue }
      let value = key == "author.name" ? name(values) : values[key]
      if new != value { faults.append("\(key) is \(value ?? "unknown")") }
    }
    guard let after = (entry["predicate"] as? Entry)?["after"] as? Bool else { return faults }
    let controller = entry["controller"] as? String ?? ""
    let matches =
      controller == "named" ? name(values) != "nil" : Self.matches(values, controller)
    if after != matches { faults.append("the predicate is \(matches)") }
    return faults
  }

  /// Returns the properties that differ and are not printed.
  private func left(outOf entry: Entry, _ number: Int, _ known: Values) -> [String] {
    // A line without keys explains why nothing was sent, and not what changed.
    guard entry["keys"] != nil, let values = registered(number) else { return [] }
    let said = Set(Self.keys(entry).map(\.name))
    return known.keys.sorted().filter { known[$0] != values[$0] && !said.contains($0) }
  }

  /// Returns why an object may count as changed if its values are equal.
  private static func causes(of turn: String) -> [String] {
    if turn.contains("merge bg") { return ["merge"] }
    if turn.contains("refresh") { return ["refresh"] }
    // A save reads the rows again that it checks for conflicts.
    return turn.contains("Task/") ? ["assignment"] : ["conflict", "refresh"]
  }

  private static func matches(_ values: Values, _ controller: String) -> Bool {
    values["done"] == "false" && (controller == "open" || (Int(values["n"] ?? "") ?? 0) > 0)
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let text as String: text
    case let number as NSNumber:
      isBoolean(number) ? (number.boolValue ? "true" : "false") : number.stringValue
    default: "nil"
    }
  }

  private static func isBoolean(_ number: NSNumber) -> Bool {
    String(cString: number.objCType) == "c"
  }
}
