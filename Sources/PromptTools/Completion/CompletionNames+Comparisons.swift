import FetchedResults
import PredicateSyntax
import ScriptRuntime
import ScriptSyntax

extension CompletionNames {
  /// Returns the comparisons that make sense after some keys, the most likely ones first.
  func comparisons(after keys: [String], on source: String) -> [String] {
    comparators(after: keys, on: source).map { $0.rawValue + " " }
  }

  private func comparators(
    after keys: [String], on source: String
  ) -> [PredicateTree.Comparator] {
    let all = PredicateTree.Comparator.allCases
    guard let key = keys.last else { return all }
    let ordered: [PredicateTree.Comparator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in,
    ]
    // `@count`, `@avg` and `@sum` give a number; `@max` and `@min` give a value of the attribute.
    if ["@count", "@avg", "@sum"].contains(key) { return ordered }
    guard let owner = owner(of: keys, on: source) else { return all }
    if let index = owner.attributeIndex(named: key) {
      switch owner.attributes[index].type {
      case .string:
        return [
          .equal, .notEqual, .contains, .beginsWith, .endsWith, .like, .matches, .in, .less,
          .lessOrEqual, .greater, .greaterOrEqual, .between,
        ]
      case .integer16, .integer32, .integer64, .double, .float, .decimal, .date: return ordered
      case .boolean, .binaryData: return [.equal, .notEqual]
      case .uuid, .uri: return [.equal, .notEqual, .in]
      }
    }
    guard let ordinal = owner.relationshipOrdinal(named: key),
      !owner.relationships[ordinal].isToMany
    else { return all }
    return [.equal, .notEqual, .in]
  }

  /// Returns the entity that the last key of a key path belongs to; nil if that is unknown.
  func owner(of keys: [String], on source: String) -> EntityDescription? {
    guard let last = keys.last else { return nil }
    guard keys.count > 1 else {
      return entity(of: source)
        ?? (source.isEmpty ? session.entities.first { $0.propertyIndex(named: last) != nil } : nil)
    }
    switch shape(of: Array(keys.dropLast()), on: source) {
    case .object(let entity), .objects(let entity): return entity
    case .list, .controller, .sections, .section, .string, .range, .unknown: return nil
    }
  }
}
