import FetchedResults
import GRDB

/// The part of a statement after `WHERE`, with the values of its parameters and the tables it
/// joins.
///
/// At the top level, SQL's unknown counts as false, as it does in memory. Below NOT, it is turned
/// into false first.
struct SQLCondition {
  private(set) var sql = ""
  private(set) var arguments: [DatabaseValue] = []
  /// The joins, which follow the table of the objects, with a space before them.
  private(set) var joins = ""

  init(_ sql: String, _ arguments: [DatabaseValue] = [], joins: String = "") {
    self.sql = sql
    self.arguments = arguments
    self.joins = joins
  }

  /// A condition on the request's entities; empty if the table has no others.
  init(entitiesOf request: StoreRequest, _ layout: StoreLayout) {
    self.init(entitiesOf: request.entity.root, layout, where: request.includes)
  }

  private init(
    entitiesOf root: EntityDescription, _ layout: StoreLayout,
    where isWanted: (EntityDescription) -> Bool
  ) {
    let family = layout.entities.filter { $0.value.root === root }
    let wanted = family.filter { isWanted($0.value) }.map(\.key).sorted()
    guard wanted.count < family.count else { return }
    sql = "t0.Z_ENT IN (\(wanted.map(String.init).joined(separator: ", ")))"
  }

  /// A condition that attributes of an entity have given values.
  ///
  /// Data matches always if it may be in an external file.
  ///
  /// - Returns: Nil if no row can have one of the values.
  init?(
    _ entity: EntityDescription, having values: [PropertyValue], at places: [Int],
    _ layout: StoreLayout
  ) {
    var condition = SQLCondition(entitiesOf: entity.root, layout) { $0.isKindOf(entity: entity) }
    let columns = layout[entity]?.attributes ?? []
    for (value, place) in zip(values, places) {
      guard entity.attributes.indices.contains(place), columns.indices.contains(place),
        let stored = entity.attributes[place].type.stored(value), let column = columns[place]
      else { return nil }
      let name = "t0.\(column.quotedForSQL)"
      if entity.attributes[place].allowsExternalBinaryDataStorage, !value.isNull {
        condition = condition.and(SQLCondition("\(name) IS NOT NULL"))
      } else {
        condition = condition.and(SQLCondition("\(name) IS ?", [stored]))
      }
    }
    self = condition
  }

  /// Returns the conjunction of two conditions, of which either may be empty.
  func and(_ other: SQLCondition) -> SQLCondition {
    let both = sql.isEmpty ? other.sql : other.sql.isEmpty ? sql : "\(sql) AND (\(other.sql))"
    return SQLCondition(both, arguments + other.arguments, joins: joins + other.joins)
  }
}

extension SQLCondition {
  /// Creates the condition for a predicate on the objects of an entity.
  ///
  /// - Returns: Nil if a part of the predicate has no column, if SQLite could not receive the whole
  ///   of a string, or if the statement would be too large for SQLite.
  init?(_ filter: StoreFilter, of entity: EntityDescription, _ layout: StoreLayout) {
    let test = filter.test.flattened
    let size = test.size
    let isInHalves = size > Self.mostInLine
    guard size <= Self.mostQuestions, test.depth(isInHalves: isInHalves) <= Self.greatestDepth
    else { return nil }
    let builder = SQLConditionBuilder(
      layout, isThreeValued: filter.isThreeValued, isInHalves: isInHalves)
    let scope = SQLConditionBuilder.Scope(entity: entity, alias: "t0")
    guard let sql = builder.sql(test, scope),
      builder.arguments.count <= Self.mostArguments
    else { return nil }
    self.init(sql, builder.arguments, joins: scope.joins)
  }

  private static let mostQuestions = 5000
  private static let mostArguments = 30_000
  /// The largest number of conditions in one flat chain.
  ///
  /// SQLite refuses more, as nested too deeply.
  private static let mostInLine = 300
  /// The greatest depth of a condition.
  ///
  /// SQLite's parser keeps 100 symbols at a time, and the rest is for the text around the condition
  /// and for the innermost part.
  private static let greatestDepth = 70
}

extension StoreFilter.Test {
  /// The same condition, with nested AND or OR of one kind merged into one list.
  fileprivate var flattened: Self {
    switch self {
    case .all(let parts):
      .all(
        parts.map(\.flattened).flatMap { if case .all(let inner) = $0 { inner } else { [$0] } })
    case .any(let parts):
      .any(
        parts.map(\.flattened).flatMap { if case .any(let inner) = $0 { inner } else { [$0] } })
    case .not(let part): .not(part.flattened)
    case .related(let ordinal, let part): .related(ordinal, part.flattened)
    case .member(let ordinal, let part): .member(ordinal, part.flattened)
    case .memberCount(let ordinal, let part, let range):
      .memberCount(ordinal, part?.flattened, range)
    case .constant, .isNull, .integer, .real, .text, .bytes, .attributes, .search, .integers,
      .strings, .reference, .identity:
      self
    }
  }

  /// The largest number of symbols that SQLite's parser has to keep until it reads the innermost
  /// condition.
  fileprivate func depth(isInHalves: Bool) -> Int {
    switch self {
    case .all(let parts), .any(let parts):
      // `expr AND (`, once for each half of a half.
      let levels = isInHalves ? Int.bitWidth - (parts.count | 1).leadingZeroBitCount : 1
      return 3 * levels + (parts.map { $0.depth(isInHalves: isInHalves) }.max() ?? 0)
    // `NOT (`
    case .not(let part): return 2 + part.depth(isInHalves: isInHalves)
    case .related(_, let part): return part.depth(isInHalves: isInHalves)
    // `EXISTS (SELECT 1 FROM t WHERE expr AND (`
    case .member(_, let part): return 12 + part.depth(isInHalves: isInHalves)
    // `(CASE WHEN expr THEN (SELECT COUNT(x) FROM t WHERE expr AND (`
    case .memberCount(_, let part, _): return 20 + (part?.depth(isInHalves: isInHalves) ?? 0)
    case .constant, .isNull, .integer, .real, .text, .bytes, .attributes, .search, .integers,
      .strings, .reference, .identity:
      return 0
    }
  }
}

extension StoreFilter.Test {
  /// The number of conditions that it consists of.
  fileprivate var size: Int {
    switch self {
    case .all(let parts), .any(let parts): parts.reduce(1) { $0 + $1.size }
    case .not(let part), .related(_, let part), .member(_, let part): 1 + part.size
    case .memberCount(_, let part, _): 1 + (part?.size ?? 0)
    case .constant, .isNull, .integer, .real, .text, .bytes, .attributes, .search, .integers,
      .strings, .reference, .identity:
      1
    }
  }
}
