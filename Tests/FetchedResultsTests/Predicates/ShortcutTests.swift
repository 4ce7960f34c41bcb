import Basics
import EngineWorlds
import FetchedResults
import Foundation
import RandomLaws
import Testing

/// The fast nodes have the same results as the general ones.
@Suite("Shortcuts of compiled predicates")
struct ShortcutTests {
  private static let keys: [(name: String, type: AttributeType)] = [
    ("s", .string), ("i", .integer64), ("d", .double), ("t", .date), ("b", .boolean),
    ("m", .decimal),
  ]

  @Test("a compiled predicate agrees with one that asks by key")
  func agreement() throws {
    let entity = try EntityDescription(
      name: "Thing",
      attributes: try Self.keys.map {
        try AttributeDescription(name: $0.name, type: $0.type, isOptional: true)
      })
    let environment = EvaluationEnvironment()

    for seed in LawSeeds(seconds: 0.6, atLeast: 100) {
      var random = SeededGenerator(seed: seed)
      let values = Self.keys.map { random.value(of: $0.type) }
      let (format, arguments) = random.comparison(keys: Self.keys.map(\.name))
      guard let predicate = try? FetchPredicate(format: format, argumentArray: arguments) else {
        Issue.record("seed \(seed): \(format)")
        return
      }

      let fast = outcome {
        try predicate.compile(for: entity, environment: environment)
          .matches(
            ObjectSnapshot(ContiguousArray(values)), of: ObjectID(entity: entity, number: 1))
      }
      let entries = zip(Self.keys, values).map { ($0.name, $1) }
      let general = outcome {
        try predicate.evaluate(
          with: Dictionary(entries) { first, _ in first }, environment: environment)
      }

      guard fast == general else {
        Issue.record("seed \(seed): \(predicate) of \(values): \(fast) is not \(general)")
        return
      }
    }
  }

  @Test("a predicate across to-one relationships agrees with one that asks by key")
  func relatedAgreement() throws {
    let attributes = try Self.keys.map {
      try AttributeDescription(name: $0.name, type: $0.type, isOptional: true)
    }
    let thing = try EntityDescription(
      name: "Thing", attributes: attributes, relationships: [.toOne("other", "Thing")])
    // One more attribute changes the relationship's index.
    let part = try EntityDescription(
      name: "Part", superentity: thing, attributes: [.optional("extra", .string)])
    let model = try ManagedObjectModel(entities: [thing, part])
    defer { withExtendedLifetime(model) {} }
    let environment = EvaluationEnvironment()

    for seed in LawSeeds(seconds: 0.6, atLeast: 100) {
      var random = SeededGenerator(seed: seed)
      let things = Things(thing, part, Self.keys, &random)
      let (format, arguments) = random.related(keys: Self.keys.map(\.name), things.ids)
      let predicate = try FetchPredicate(format: format, argumentArray: arguments)

      let fast = outcome {
        try predicate.compile(for: thing, environment: environment, graph: things)
          .matches(things.snapshots[0], of: things.ids[0])
      }
      let general = outcome {
        try predicate.compile(environment: environment).matches(.subject(things.subject(0)))
      }

      guard fast == general else {
        Issue.record("seed \(seed): \(predicate) of \(things.snapshots): \(fast), not \(general)")
        return
      }
    }
  }

  private func outcome(_ evaluate: () throws -> Bool) -> String {
    do {
      return "\(try evaluate())"
    } catch {
      // A number compared with a decimal attribute is read as a decimal, and prints 1 for 1.0.
      return "\(error)".replacing(".0", with: "")
    }
  }
}

/// A few objects that may be related to each other.
private final class Things: ObjectGraph {
  let ids: [ObjectID]
  private(set) var snapshots: [ObjectSnapshot] = []

  init(
    _ thing: EntityDescription, _ part: EntityDescription,
    _ keys: [(name: String, type: AttributeType)], _ random: inout SeededGenerator
  ) {
    ids = (1...4).map { number in
      ObjectID(entity: Bool.random(using: &random) ? thing : part, number: number)
    }
    for id in ids {
      var values = keys.map { random.value(of: $0.type) }
      if id.entity === part { values.append("x") }
      values.append(Int.random(in: 0..<4, using: &random) == 0 ? .null : .object(random.pick(ids)))
      snapshots.append(ObjectSnapshot(ContiguousArray(values)))
    }
  }

  /// The last object no longer exists.
  func currentSnapshot(of id: ObjectID) -> ObjectSnapshot? {
    id.number == 4 ? nil : snapshots[Int(id.number) - 1]
  }

  /// An object whose values are read by key.
  struct Subject: PredicateSubject {
    let things: Things
    let id: ObjectID

    var identity: PropertyValue { .object(id) }

    func value(forKey key: String) -> PredicateValue {
      guard let snapshot = things.currentSnapshot(of: id) else { return .null }
      let index = id.entity.propertyIndex(named: key) ?? 0
      guard case .object(let other) = snapshot[index] else {
        return PredicateValue(snapshot[index])
      }
      return .subject(Subject(things: things, id: other))
    }
  }

  func subject(_ index: Int) -> Subject { Subject(things: self, id: ids[index]) }
}

extension SeededGenerator {
  /// Creates a comparison at the end of a path.
  fileprivate mutating func related(
    keys: [String], _ ids: [ObjectID]
  ) -> (format: String, arguments: [PropertyValue]) {
    let path = pick(["other", "other.other", "other.other.other"])
    guard Int.random(in: 0..<3, using: &self) == 0 else {
      let (format, arguments) = comparison(keys: keys.map { path + "." + $0 })
      return (format, arguments)
    }
    let objects: [PropertyValue] = [.object(pick(ids)), .object(pick(ids)), .null]
    return pick([
      (path + " == %@", [pick(objects)]), (path + " != %@", [pick(objects)]),
      (path + " IN %@", [.list([pick(objects), pick(objects)])]),
      (path + " IN %@", [.list([pick(objects), 1])]), (path + " == %@", [1]),
      (path + " == SELF", []), (path + ".i > i", []), ("NOT " + path + ".s == %@", ["abc"]),
    ])
  }

  fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  fileprivate mutating func value(of type: AttributeType) -> PropertyValue {
    if Int.random(in: 0..<5, using: &self) == 0 { return .null }
    switch type {
    case .string: return pick(["", "abc", "ABC", "éa", "ab", "abcabc", "e\u{301}a", "1"])
    case .integer64: return pick([0, 1, 2, -1, .int(.max), .int(.min)])
    case .double: return pick([0, 1.0, 1.5, -1.5, .double(.nan), .double(.infinity)])
    case .date: return .date(Date(timeIntervalSinceReferenceDate: pick([0, 1, 1.5])))
    case .boolean: return .bool(pick([true, false]))
    default: return .decimal(pick([0, 1, Decimal(string: "1.5") ?? 0]))
    }
  }

  fileprivate mutating func anyValue() -> PropertyValue {
    value(of: pick([.string, .integer64, .double, .date, .boolean, .decimal]))
  }

  fileprivate mutating func comparison(keys: [String]) -> (
    format: String, arguments: [PropertyValue]
  ) {
    let key = pick(keys)
    let sign = pick([
      "==", "!=", "<", "<=", ">", ">=", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "IN",
      "BETWEEN",
    ])
    let options = sign == "BETWEEN" ? "" : pick(["", "", "[c]", "[d]", "[cd]", "[n]", "[l]"])
    var argument = anyValue()
    if sign == "IN" || sign == "BETWEEN" {
      argument = .list((0..<pick([1, 2, 2, 3])).map { _ in anyValue() })
    }
    return Bool.random(using: &self)
      ? ("\(key) \(sign)\(options) %@", [argument])
      : ("%@ \(sign)\(options) \(key)", [argument])
  }
}
