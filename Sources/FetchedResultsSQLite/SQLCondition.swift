import FetchedResults
import GRDB

/// The part of a statement behind `WHERE`, with what its marks stand for.
///
/// Where it stands on its own, what is unknown to SQL counts as false, as in
/// memory; below NOT it is made false first.
struct SQLCondition {
  private(set) var sql = ""
  private(set) var arguments: [DatabaseValue] = []

  private init(_ sql: String, _ arguments: [DatabaseValue] = []) {
    self.sql = sql
    self.arguments = arguments
  }

  /// The entities that are wanted; empty where there are no others in the
  /// table.
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

  /// Values that attributes of an entity must have.
  ///
  /// - Returns: Nil where no row can have one of them.
  init?(
    _ entity: EntityDescription, having values: [Value], at places: [Int], _ layout: StoreLayout
  ) {
    var condition = SQLCondition(entitiesOf: entity.root, layout) { $0.isKind(of: entity) }
    for (value, place) in zip(values, places) {
      guard entity.attributes.indices.contains(place),
        let stored = entity.attributes[place].type.stored(value),
        let column = Self.column(place, layout[entity]?.attributes ?? [])
      else { return nil }
      condition = condition.and(SQLCondition("\(column) IS ?", [stored]))
    }
    self = condition
  }

  /// What is asked of attributes.
  ///
  /// - Parameter columns: The column of each attribute; nil for one without.
  /// - Returns: Nil where an attribute has no column, or SQLite would not get
  ///   the whole of a string.
  init?(_ test: AttributeFilter.Test, columns: [String?]) {
    switch test {
    case .all(let tests):
      guard let condition = Self(tests, joinedBy: " AND ", columns) else { return nil }
      self = condition
    case .any(let tests):
      guard let condition = Self(tests, joinedBy: " OR ", columns) else { return nil }
      self = condition
    case .not(let test):
      guard let condition = Self(test, columns: columns) else { return nil }
      self.init("(\(condition.sql)) IS NOT TRUE", condition.arguments)
    case .isNull(let attribute):
      guard let column = Self.column(attribute, columns) else { return nil }
      self.init("\(column) IS NULL")
    case .integer(let attribute, let lower, let upper, let isInverted):
      guard let column = Self.column(attribute, columns) else { return nil }
      if lower == upper {
        self.init("\(column) \(isInverted ? "IS NOT" : "=") ?", [lower.databaseValue])
      } else {
        self.init(
          "(\(column) BETWEEN ? AND ?)" + (isInverted ? " IS NOT TRUE" : ""),
          [lower.databaseValue, upper.databaseValue])
      }
    case .real(let attribute, let comparison, let bound):
      guard let column = Self.column(attribute, columns) else { return nil }
      self.init("\(column) \(comparison.sql) ?", [bound.databaseValue])
    case .text(let attribute, let comparison, let bound):
      guard let column = Self.column(attribute, columns), !bound.utf8.contains(0) else {
        return nil
      }
      self.init("\(column) \(comparison.sql) ?", [bound.databaseValue])
    }
  }

  private init?(
    _ tests: [AttributeFilter.Test], joinedBy operation: String, _ columns: [String?]
  ) {
    let parts = tests.compactMap { Self($0, columns: columns) }
    guard parts.count == tests.count else { return nil }
    self.init(
      parts.map { "(\($0.sql))" }.joined(separator: operation), parts.flatMap(\.arguments))
  }

  private static func column(_ attribute: Int, _ columns: [String?]) -> String? {
    guard columns.indices.contains(attribute) else { return nil }
    return columns[attribute].map { "t0.\($0.quotedForSQL)" }
  }

  /// Both, where either may be empty.
  func and(_ other: SQLCondition) -> SQLCondition {
    if sql.isEmpty { return other }
    return SQLCondition("\(sql) AND (\(other.sql))", arguments + other.arguments)
  }
}

extension AttributeFilter.Comparison {
  fileprivate var sql: String {
    switch self {
    case .equal: "="
    case .notEqual: "IS NOT"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}
