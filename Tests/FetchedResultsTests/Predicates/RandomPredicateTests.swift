import FetchedResults
import Foundation
import PredicateSyntax
import RandomLaws
import Testing

/// Laws over random predicates and random objects.
@Suite("Random predicates on random objects")
struct RandomPredicateTests {
  private static let environment: EvaluationEnvironment = {
    var environment = EvaluationEnvironment(now: { Date(timeIntervalSinceReferenceDate: 1) })
    environment.random = { 0.5 }
    return environment
  }()

  @Test("the normal form parses to an equal predicate, which evaluates alike, errors too")
  func roundTrip() throws {
    let entity = try EntityDescription(
      name: "Thing",
      attributes: try RandomPredicate.attributes.map {
        try AttributeDescription(name: $0.name, type: $0.type, isOptional: true)
      })
    var tally: [String: Int] = [:]

    for seed in LawSeeds(seconds: 0.6, atLeast: 200) {
      var random = RandomPredicate(seed: seed, hasKids: seed % 2 == 0)
      let tree = random.predicate(depth: 1 + random.pick(4))
      let predicate = FetchPredicate(
        tree: tree, arguments: random.arguments, variables: ["x": 1])
      let text = predicate.predicateFormat
      guard let parsed = try? FetchPredicate(format: text), parsed == predicate
      else {
        Issue.record("seed \(seed): \(text) does not parse to an equal predicate")
        return
      }

      let values = random.values()
      let kids = [random.values(), random.values()].prefix(random.pick(3))
      var outcomes = [predicate, parsed].map { Self.outcome(of: $0, values, kids) }
      if !random.hasKids {
        outcomes += [predicate, parsed].map { Self.outcome(of: $0, values, entity) }
      }

      tally[outcomes[0].count > 5 ? "error" : outcomes[0], default: 0] += 1
      guard Set(outcomes.prefix(2)).count == 1, Set(outcomes.dropFirst(2)).count <= 1 else {
        Issue.record("seed \(seed): \(text) of \(values), \(kids): \(outcomes)")
        return
      }
    }

    // The test means little if all predicates raise.
    let rounds = tally.values.reduce(0, +)
    for outcome in ["true", "false", "error"] where LawSeeds.areMany {
      #expect(tally[outcome, default: 0] > rounds / 20, "\(tally)")
    }
  }

  /// Evaluates an object by key, with kids.
  private static func outcome(
    of predicate: FetchPredicate, _ values: [String: PropertyValue],
    _ kids: ArraySlice<[String: PropertyValue]>
  ) -> String {
    var entries = values.mapValues(PredicateValue.init)
    entries["kids"] = .list(kids.map { .dictionary($0.mapValues(PredicateValue.init)) })
    return outcome {
      try predicate.compile(environment: environment).matches(.dictionary(entries))
    }
  }

  /// Evaluates an object of an entity.
  private static func outcome(
    of predicate: FetchPredicate, _ values: [String: PropertyValue], _ entity: EntityDescription
  ) -> String {
    let snapshot = ObjectSnapshot(
      ContiguousArray(entity.attributes.map { values[$0.name] ?? .null }))
    return outcome {
      try predicate.compile(for: entity, environment: environment)
        .matches(snapshot, of: ObjectID(entity: entity, number: 1))
    }
  }

  /// Returns the result, or the error without its place.
  private static func outcome(_ evaluate: () throws -> Bool) -> String {
    do {
      return "\(try evaluate())"
    } catch let error as FetchedResults.InvalidPredicateError {
      return "error: \(error)"
    } catch {
      return "\(error)"
    }
  }
}
