import FetchedResults
import Foundation
import Testing

/// The fast nodes mean what the general ones mean.
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

    for seed in 0..<UInt64(20_000) {
      var random = SeededRandom(seed: seed)
      let values = Self.keys.map { random.value(of: $0.type) }
      let (format, arguments) = random.comparison(keys: Self.keys.map(\.name))
      guard let predicate = try? FetchPredicate(format: format, argumentArray: arguments) else {
        Issue.record("seed \(seed): \(format)")
        return
      }

      let fast = outcome {
        try predicate.compile(for: entity, environment: environment)
          .matches(
            Snapshot(ContiguousArray(values)), of: ObjectID(entity: entity, number: 1))
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

  private func outcome(_ evaluate: () throws -> Bool) -> String {
    do {
      return "\(try evaluate())"
    } catch {
      return "\(error)"
    }
  }
}

private struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0xD134_2543_DE82_EF95 &+ 1 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let mixed = (state ^ (state >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    return mixed ^ (mixed >> 29)
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  mutating func value(of type: AttributeType) -> Value {
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

  private mutating func anyValue() -> Value {
    value(of: pick([.string, .integer64, .double, .date, .boolean, .decimal]))
  }

  mutating func comparison(keys: [String]) -> (format: String, arguments: [Value]) {
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
