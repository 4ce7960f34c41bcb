import FetchedResults
import GRDB
import PredicateSyntax

/// Writes a predicate's condition as SQL.
///
/// Values are collected in the order of their parameters. One builder writes one condition.
final class SQLConditionBuilder {
  private let layout: StoreLayout
  private let isThreeValued: Bool
  /// Whether AND and OR lists are split into nested halves, which keeps the depth of a long
  /// statement within SQLite's limit.
  private let isInHalves: Bool
  private(set) var arguments: [DatabaseValue] = []
  private var aliases = 0

  /// The longest list of values in a statement.
  private static let longestList = 500
  /// The largest number of joined tables.
  ///
  /// SQLite's own limit is slightly higher.
  fileprivate static let mostJoins = 60

  init(_ layout: StoreLayout, isThreeValued: Bool, isInHalves: Bool) {
    self.layout = layout
    self.isThreeValued = isThreeValued
    self.isInHalves = isInHalves
  }

  /// The table that a condition applies to, with the tables it joins.
  final class Scope {
    let entity: EntityDescription
    let alias: String
    /// The scope whose statement contains the joins.
    private let outer: Scope?
    private var ownJoins = ""
    private var joinCount = 0
    private var known: [Int: Scope] = [:]

    init(entity: EntityDescription, alias: String, in outer: Scope? = nil) {
      self.entity = entity
      self.alias = alias
      self.outer = outer
    }

    /// Whether the row may be missing, so that all its columns are null.
    var isOptional: Bool { outer != nil }

    var joins: String { ownJoins }

    /// - Returns: False if the statement has reached the limit of joins.
    func add(_ join: String) -> Bool {
      if let outer { return outer.add(join) }
      ownJoins += join
      joinCount += 1
      return joinCount <= SQLConditionBuilder.mostJoins
    }

    func scope(_ ordinal: Int, make: () -> Scope?) -> Scope? {
      if let scope = known[ordinal] { return scope }
      known[ordinal] = make()
      return known[ordinal]
    }
  }

  private func newAlias() -> String {
    aliases += 1
    return "t\(aliases)"
  }

  private func mark(_ value: some DatabaseValueConvertible) -> String {
    arguments.append(value.databaseValue)
    return "?"
  }

  // MARK: Questions

  /// - Returns: Nil if the condition cannot be written in SQL.
  func sql(_ test: StoreFilter.Test, _ scope: Scope) -> String? {
    switch test {
    case .constant(let value): return value ? "1" : "0"
    case .all(let parts): return sql(parts, " AND ", scope)
    case .any(let parts): return sql(parts, " OR ", scope)
    case .not(let part):
      guard let sql = sql(part, scope) else { return nil }
      return isThreeValued ? "NOT (\(sql))" : "(\(sql)) IS NOT TRUE"
    case .isNull(let attribute):
      return column(attribute, scope, isRead: false).map { "\($0) IS NULL" }
    case .integer(let attribute, let range):
      return column(attribute, scope).map { within(range, $0) }
    case .real(let attribute, let comparison, let bound):
      guard let column = column(attribute, scope) else { return nil }
      let sql = "\(column) \(sign(of: comparison)) \(mark(bound))"
      return scope.entity.attributes[attribute].type == .decimal && comparison.isGreater
        ? "(\(sql) AND typeof(\(column)) <> 'text')" : sql
    case .text(let attribute, let comparison, let bound):
      guard let column = column(attribute, scope), !bound.utf8.contains(0) else { return nil }
      return "\(column) \(sign(of: comparison)) \(mark(bound))"
    case .bytes(let attribute, let comparison, let bound):
      guard let column = column(attribute, scope) else { return nil }
      return "\(column) \(sign(of: comparison)) \(mark(bound))"
    case .attributes(let left, let comparison, let right):
      guard let left = column(left, scope), let right = column(right, scope) else { return nil }
      return compared(left, comparison, right)
    case .search(let attribute, let search):
      guard let column = column(attribute, scope), !search.pattern.utf8.contains(0) else {
        return nil
      }
      let sql = self.search(search, in: column)
      guard scope.entity.indexedAttributes.contains(attribute), let bounds = search.prefixBounds
      else { return sql }
      // An index finds a range of texts, and no result of a function.
      let lower = " AND \(column) >= \(mark(bounds.lower))"
      let upper = bounds.upper.map { " AND \(column) < \(mark($0))" } ?? ""
      return "(\(sql)\(lower)\(upper))"
    case .integers(let attribute, let values, let hasNull):
      return column(attribute, scope).flatMap { isAmong($0, values, hasNull) }
    case .strings(let attribute, let values, let hasNull):
      guard !values.contains(where: { $0.utf8.contains(0) }) else { return nil }
      return column(attribute, scope).flatMap { isAmong($0, values, hasNull) }
    case .reference(let ordinal, let numbers, let hasNull, let isInverted):
      return reference(ordinal, scope).flatMap { isAmong($0, numbers, hasNull) }
        .map { isInverted ? inverted($0) : $0 }
    case .identity(let numbers, let isInverted):
      return isAmong("\(scope.alias).Z_PK", numbers, false)
        .map { isInverted ? inverted($0) : $0 }
    case .related(let ordinal, let part):
      return related(ordinal, scope).flatMap { sql(part, $0) }
    case .member(let ordinal, let part):
      return members(ordinal, "1", part, scope).map { "EXISTS (\($0))" }
    case .memberCount(let ordinal, let part, let range):
      return memberCount(ordinal, part, range, scope)
    }
  }

  private func sql(
    _ tests: [StoreFilter.Test], _ operation: String, _ scope: Scope
  ) -> String? {
    var parts: [String] = []
    for test in tests {
      guard let sql = sql(test, scope) else { return nil }
      parts.append("(\(sql))")
    }
    return isInHalves ? inHalves(parts[...], operation) : parts.joined(separator: operation)
  }

  private func inHalves(_ parts: ArraySlice<String>, _ operation: String) -> String {
    guard parts.count > 2 else { return parts.joined(separator: operation) }
    let middle = (parts.startIndex + parts.endIndex) / 2
    let halves = [parts[..<middle], parts[middle...]].map { "(\(inHalves($0, operation)))" }
    return halves.joined(separator: operation)
  }

  private func inverted(_ sql: String) -> String {
    isThreeValued ? "NOT (\(sql))" : "(\(sql)) IS NOT TRUE"
  }

  private func sign(of comparison: StoreFilter.Comparison) -> String {
    switch comparison {
    case .equal: "="
    case .notEqual: isThreeValued ? "<>" : "IS NOT"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  private func compared(
    _ left: String, _ comparison: StoreFilter.Comparison, _ right: String
  ) -> String {
    let plain = "\(left) \(sign(of: comparison)) \(right)"
    if isThreeValued { return plain }
    return switch comparison {
    case .equal: "\(left) IS \(right)"
    case .lessOrEqual, .greaterOrEqual: "\(plain) OR (\(left) IS NULL AND \(right) IS NULL)"
    case .notEqual, .less, .greater: plain
    }
  }

  private func within(_ range: StoreFilter.IntegerRange, _ value: String) -> String {
    if range.lower == range.upper {
      let sign = range.isInverted ? sign(of: .notEqual) : "="
      return "\(value) \(sign) \(mark(range.lower))"
    }
    if !range.isInverted {
      if range.upper == .max, range.lower > .min {
        let bound = range.isStrict ? range.lower - 1 : range.lower
        return "\(value) \(range.isStrict ? ">" : ">=") \(mark(bound))"
      }
      if range.lower == .min, range.upper < .max {
        let bound = range.isStrict ? range.upper + 1 : range.upper
        return "\(value) \(range.isStrict ? "<" : "<=") \(mark(bound))"
      }
    }
    let sql = "(\(value) BETWEEN \(mark(range.lower)) AND \(mark(range.upper)))"
    return range.isInverted ? inverted(sql) : sql
  }

  private func isAmong(
    _ value: String, _ values: [some DatabaseValueConvertible], _ hasNull: Bool
  ) -> String? {
    guard values.count <= Self.longestList else { return nil }
    let isNull = hasNull ? "\(value) IS NULL" : nil
    if values.isEmpty { return isNull ?? "0" }
    let sql =
      values.count == 1
      ? "\(value) = \(mark(values[0]))"
      : "\(value) IN (\(values.map { mark($0) }.joined(separator: ", ")))"
    return isNull.map { "(\(sql)) OR \($0)" } ?? sql
  }

  private func search(_ search: TextSearch, in column: String) -> String {
    let call = SQLStringFunctions.call(search, column, mark(search.pattern))
    guard case .relation(let relation) = search.operation else { return call }
    return "\(call) \(sign(of: relation)) 0"
  }

  // MARK: Columns and tables

  /// - Parameter isRead: Whether the column's value is compared. This is not possible for data that
  ///   may be in an external file.
  private func column(_ attribute: Int, _ scope: Scope, isRead: Bool = true) -> String? {
    guard let columns = layout[scope.entity]?.attributes, columns.indices.contains(attribute),
      !isRead || !scope.entity.attributes[attribute].allowsExternalBinaryDataStorage
    else { return nil }
    return columns[attribute].map { "\(scope.alias).\($0.quotedForSQL)" }
  }

  private func reference(_ ordinal: Int, _ scope: Scope) -> String? {
    guard case .toOne(let column, _, _)? = placement(ordinal, scope) else { return nil }
    return "\(scope.alias).\(column.quotedForSQL)"
  }

  private func placement(_ ordinal: Int, _ scope: Scope) -> RelationshipPlacement? {
    guard let placements = layout[scope.entity]?.relationships,
      placements.indices.contains(ordinal)
    else { return nil }
    return placements[ordinal]
  }

  private func destination(_ ordinal: Int, _ scope: Scope) -> (EntityDescription, String)? {
    guard let entity = try? scope.entity.link(at: ordinal).destination,
      let table = layout[entity]?.table
    else { return nil }
    return (entity, table.quotedForSQL)
  }

  /// Returns the scope of a to-one relationship's object, whose table is joined once.
  private func related(_ ordinal: Int, _ scope: Scope) -> Scope? {
    scope.scope(ordinal) {
      guard let column = reference(ordinal, scope),
        let (entity, table) = destination(ordinal, scope)
      else { return nil }
      let alias = newAlias()
      guard scope.add(" LEFT OUTER JOIN \(table) \(alias) ON \(column) = \(alias).Z_PK") else {
        return nil
      }
      return Scope(entity: entity, alias: alias, in: scope)
    }
  }

  /// Returns a statement that selects something from the objects of a to-many relationship.
  private func members(
    _ ordinal: Int, _ selection: String, _ test: StoreFilter.Test?, _ scope: Scope
  ) -> String? {
    guard let (entity, table) = destination(ordinal, scope) else { return nil }
    let inner = Scope(entity: entity, alias: newAlias())
    let alias = inner.alias
    let selection = selection.replacing("%", with: alias)
    var from: String
    let owner: String
    switch placement(ordinal, scope) {
    case .fromOther(_, let column, _):
      from = "\(table) \(alias)"
      owner = "\(alias).\(column.quotedForSQL)"
    case .join(let join, let own, let other, _):
      let members = newAlias()
      from =
        "\(join.quotedForSQL) \(members) JOIN \(table) \(alias) "
        + "ON \(alias).Z_PK = \(members).\(other.quotedForSQL)"
      owner = "\(members).\(own.quotedForSQL)"
    case .toOne, nil: return nil
    }
    var condition = "\(owner) = \(scope.alias).Z_PK"
    if let test {
      guard let asked = sql(test, inner) else { return nil }
      condition += " AND (\(asked))"
    }
    from += inner.joins
    return "SELECT \(selection) FROM \(from) WHERE \(condition)"
  }

  private func memberCount(
    _ ordinal: Int, _ test: StoreFilter.Test?, _ range: StoreFilter.IntegerRange, _ scope: Scope
  ) -> String? {
    guard var count = members(ordinal, "COUNT(%.Z_PK)", test, scope).map({ "(\($0))" }) else {
      return nil
    }
    // Without an object there is no number. SUBQUERY differs: it treats nil as an empty collection.
    if scope.isOptional, test == nil {
      count = "(CASE WHEN \(scope.alias).Z_PK IS NOT NULL THEN \(count) END)"
    }
    return within(range, count)
  }
}

extension StoreFilter.Comparison {
  /// Whether the comparison selects larger values.
  ///
  /// A decimal that is not a number is text in a file, and SQL sorts every text after every number.
  fileprivate var isGreater: Bool {
    switch self {
    case .greater, .greaterOrEqual: true
    case .equal, .notEqual, .less, .lessOrEqual: false
    }
  }
}

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
  ///
  /// - Parameter avoidsIndex: Whether SQLite must not use the index of entities for it.
  init(
    entitiesOf request: StoreRequest, _ layout: StoreLayout, avoidsIndex: Bool = false
  ) {
    self.init(entitiesOf: request.entity.root, layout, where: request.includes)
    if avoidsIndex, !sql.isEmpty { sql = "+" + sql }
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
