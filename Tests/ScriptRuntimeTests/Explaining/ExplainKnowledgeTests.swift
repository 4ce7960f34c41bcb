import Foundation
import ScriptRuntime
import ScriptSyntax
import SeededRandom
import Testing

@testable import FetchedResults

/// `explain` states no value before a turn that the context did not have: what it
/// prints is compared with values that the test noted before the turn.
@Suite("What explain knows")
struct ExplainKnowledgeTests {
  private static let isLong = ProcessInfo.processInfo.environment["FRC_LONG"] != nil

  @Test("values before are those that were seen", arguments: 1...(isLong ? 200 : 12))
  func knowledge(seed: Int) throws {
    let world = try KnowledgeWorld()
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<80 {
      let turn = KnowledgeWorld.turn(&generator)
      let faults = try world.faults(of: turn)
      if !faults.isEmpty {
        Issue.record("seed \(seed): \(turn): \(faults.joined(separator: "; "))")
        return
      }
    }
  }

  @Test("objects that were read, and those that were not, both come up")
  func coverage() throws {
    var seen: Set<String> = []
    for seed in 1...8 {
      let world = try KnowledgeWorld()
      var generator = SeededGenerator(seed: UInt64(seed))
      for _ in 0..<60 { _ = try world.faults(of: KnowledgeWorld.turn(&generator)) }
      seen.formUnion(world.seen)
    }

    #expect(
      seen.isSuperset(of: [
        "unread", "known", "related", "beyond-limit", "started-matching", "assignment", "merge",
        "refresh",
      ]), "\(seen.sorted())")
  }
}

/// Two contexts on one store, and controllers on one of them.
private final class KnowledgeWorld {
  private typealias Values = [String: String]

  /// What came up so far.
  private(set) var seen: Set<String> = []
  private var lines: [String] = []
  private var interpreter: Interpreter?
  /// The names by which rows of `named` are placed, noted when they were.
  private var placed: [Int: String] = [:]

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
    let interpreter = Interpreter(environment: NoFiles()) { [unowned self] event in
      lines += EventFormatter.json.lines(for: event)
    }
    self.interpreter = interpreter
    interpreter.keepReasons()
    try run(Self.script)
    notePlaces(of: rows(of: "named"))
  }

  private func run(_ text: String) throws {
    let script = ScriptParser.parse(SourceText(name: "test", text: text))
    try #require(script.diagnostics.map(\.message) == [])
    try interpreter?.run(script)
  }

  /// A statement in one of the contexts; it fails where its object is gone.
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

  private var task: EntityDescription? { session?.coordinator.managedObjectModel["Task"] }

  /// The values that the context, or a row of its controllers, has of each task.
  private func known(before turn: String) -> [Int: Values] {
    guard let session, let task else { return [:] }
    let context = session.context
    let held = Set(Self.controllers.flatMap(rows))
    var known: [Int: Values] = [:]
    for number in 1...40 {
      if let object = context.registered(Int64(number), in: task) {
        known[number] = values(object.snapshot)
      } else if held.contains(number) || Self.reads(turn, number),
        let row = try? session.coordinator.store.row(Int64(number), in: task)
      {
        // Whoever is about to change a row tells those who show it, and a statement
        // reads the object that it names.
        known[number] = values(row.snapshot)
      }
    }
    return known
  }

  private func values(_ snapshot: Snapshot) -> Values {
    let names = task?.attributes.map(\.name) ?? []
    return Dictionary(
      uniqueKeysWithValues: names.enumerated().map { ($1, snapshot[$0].description) })
  }

  /// Whether a statement of the context itself names a task.
  private static func reads(_ turn: String, _ number: Int) -> Bool {
    !turn.contains("bg")
      && turn.split(whereSeparator: { $0 == " " || $0 == "." }).contains("Task/\(number)")
  }

  private func rows(of controller: String) -> [Int] {
    let objects = session?.controllers[controller]?.controller.fetchedObjects
    return objects.map { $0.numbers.map(Int.init) } ?? []
  }

  private func notePlaces(of numbers: [Int]) {
    guard let session, let task else { return }
    for number in numbers {
      let object = session.context.object(Int64(number), in: task)
      let author = (try? object?.value(forKey: "author"))?.objectID
      let name = author.flatMap { session.context.object(with: $0) }?["name"]
      placed[number] = name?.description ?? "nil"
    }
  }

  // MARK: Comparing

  /// What is wrong in what `explain` prints of a turn.
  func faults(of turn: String) throws -> [String] {
    let known = known(before: turn)
    try run(turn)
    lines = []
    try run("explain")
    let printed = try lines.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let entries = printed.filter { Self.controllers.contains($0["controller"] as? String ?? "") }
    var faults: [String] = []
    for entry in entries {
      let ids =
        [entry["object"] as? String].compactMap { $0 } + (entry["objects"] as? [String] ?? [])
      let numbers = ids.filter { $0.hasPrefix("Task/") }.compactMap { Int($0.dropFirst(5)) }
      guard numbers.count == 1, entry["rule"] as? String != "other-context" else { continue }
      let again = entries.count {
        $0["object"] as? String == entry["object"] as? String
          && $0["controller"] as? String == entry["controller"] as? String
      }
      // A second batch of one turn begins with what the first has left.
      guard entry["object"] == nil || again == 1 else { continue }
      faults += fault(in: entry, of: numbers[0], known[numbers[0]], turn).map { "\($0): \(entry)" }
    }
    let changed = entries.compactMap { $0["object"] as? String }.filter { $0.hasPrefix("Task/") }
    notePlaces(of: changed.compactMap { Int($0.dropFirst(5)) })
    return faults
  }

  private func fault(
    in entry: [String: Any], of number: Int, _ known: Values?, _ turn: String
  ) -> [String] {
    let rule = entry["rule"] as? String ?? ""
    let controller = entry["controller"] as? String ?? ""
    var faults: [String] = []
    for key in entry["keys"] as? [[String: Any]] ?? [] {
      guard let name = key["key"] as? String, let old = key["old"] else { continue }
      if name == "author.name" {
        seen.insert("related")
        if Self.text(old) != placed[number] { faults.append("another name before") }
      } else if name != "author", Self.text(old) != known?[name] {
        faults.append("\(name) was \(known?[name] ?? "unknown")")
      }
    }
    guard !["created", "already-fetched"].contains(rule) else { return faults }
    let isUnknown = entry["beforeKnown"] as? Bool == false
    seen.insert(isUnknown ? "unread" : "known")
    if isUnknown != (known == nil) {
      faults.append("it is \(isUnknown ? "" : "not ")called unknown")
    }
    let before = (entry["predicate"] as? [String: Any])?["before"] as? Bool
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
    if let cause = entry["cause"] as? String {
      seen.insert(cause)
      let expected =
        turn.contains("merge bg")
        ? "merge"
        : turn.contains("refresh") ? "refresh" : turn.contains("Task/") ? "assignment" : cause
      if cause != expected { faults.append("another cause") }
    }
    return faults
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
