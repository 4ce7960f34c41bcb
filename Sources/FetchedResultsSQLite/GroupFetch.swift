import FetchedResults
import GRDB

/// A fetch of dictionaries as one statement, for requests that SQL and memory compute in the same way.
struct GroupFetch {
  private let groups: StoreGroups
  private let layout: StoreLayout
  private let condition: SQLCondition
  private let choice: IndexChoice
  private let columns: [Int: String]

  /// - Returns: Nil if SQL could return another result than memory.
  init?(_ groups: StoreGroups, layout: StoreLayout) {
    let entity = groups.request.entity
    guard let placement = layout[entity] else { return nil }
    let filter = groups.request.predicate?.filter
    choice = IndexChoice(groups.request, filter)
    var condition = SQLCondition(
      entitiesOf: groups.request, layout, avoidsIndex: choice.avoidsEntities)
    if groups.request.predicate != nil {
      guard let filter, filter.isWhole, let asked = SQLCondition(filter, of: entity, layout)
      else { return nil }
      condition = condition.and(asked)
    }
    var columns: [Int: String] = [:]
    for place in groups.keys + groups.aggregates.map(\.place) {
      let attribute = entity.attributes[place]
      guard attribute.type.isSameInSQL, !attribute.allowsExternalBinaryDataStorage,
        let column = placement.attributes[place]
      else { return nil }
      columns[place] = column
    }
    // SQL adds floating-point numbers in a different way.
    guard
      groups.aggregates.allSatisfy({ $0.function.isExact(of: entity.attributes[$0.place].type) })
    else { return nil }
    self.groups = groups
    self.layout = layout
    self.condition = condition
    self.columns = columns
  }

  private func column(_ place: Int) -> String { "t0.\((columns[place] ?? "").quotedForSQL)" }

  private var sql: String {
    let table = (layout[groups.request.entity]?.table ?? "").quotedForSQL
    let keys = groups.keys.map(column)
    let number = groups.isGrouped ? "MIN(t0.Z_PK)" : choice.number
    var sql =
      "SELECT " + ([number] + keys + groups.aggregates.flatMap(terms)).joined(separator: ", ")
      + " FROM \(table) t0\(condition.joins)"
    if !condition.sql.isEmpty { sql += " WHERE \(condition.sql)" }
    if groups.isGrouped, !keys.isEmpty { sql += " GROUP BY " + keys.joined(separator: ", ") }
    return sql + " ORDER BY 1"
  }

  /// Returns the SQL terms for a function.
  ///
  /// An average is made of a sum and a count.
  private func terms(_ aggregate: StoreGroups.Aggregate) -> [String] {
    let column = column(aggregate.place)
    return switch aggregate.function {
    case .count: ["COUNT(\(column))"]
    case .sum: ["IFNULL(SUM(\(column)), 0)"]
    case .min: ["MIN(\(column))"]
    case .max: ["MAX(\(column))"]
    case .average: ["SUM(\(column))", "COUNT(\(column))"]
    }
  }

  /// - Returns: Nil if a sum does not fit into 64 bits.
  func run(on connection: StoreConnection) throws -> [FoundGroup]? {
    let statement = try connection.statement(sql, isKept: false)
    statement.bind(condition.arguments)
    var found: [FoundGroup] = []
    do {
      try statement.forEachRow { row in
        try groups.request.checkCancelled()
        // SQL returns one row even if no rows match.
        if row.isNull(0) { return }
        found.append(try group(row))
      }
    } catch let error as DatabaseError where error.message == "integer overflow" {
      return nil
    }
    return found
  }

  private func group(_ row: SelectedRow) throws -> FoundGroup {
    let attributes = groups.request.entity.attributes
    let first = row.integer(0)
    var position: Int32 = 1
    func value(of place: Int) throws -> PropertyValue {
      defer { position += 1 }
      guard let value = attributes[place].type.value(of: row.value(position)) else {
        throw UnreadableRow(
          table: layout[groups.request.entity]?.table ?? "", number: first,
          column: columns[place] ?? "",
          problem: row.isBrokenText(position) ? .brokenText : .otherType)
      }
      return value
    }
    let keys = try groups.keys.map(value)
    var aggregates: [PropertyValue] = []
    for aggregate in groups.aggregates {
      switch aggregate.function {
      case .count, .sum:
        aggregates.append(.int(row.integer(position)))
        position += 1
      case .min, .max: aggregates.append(try value(of: aggregate.place))
      case .average:
        let count = row.integer(position + 1)
        let sum = Double(row.integer(position))
        aggregates.append(count == 0 ? .null : .double(sum / Double(count)))
        position += 2
      }
    }
    return FoundGroup(first: first, keys: keys, aggregates: aggregates)
  }
}

extension AttributeType {
  /// Whether SQL groups and compares values as memory does.
  fileprivate var isSameInSQL: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .date, .string, .uuid, .binaryData, .double:
      true
    case .float, .decimal, .uri: false
    }
  }
}

extension FetchedProperty.Function {
  /// Whether SQL computes the same as memory.
  fileprivate func isExact(of type: AttributeType) -> Bool {
    switch self {
    case .count, .min, .max: true
    case .sum, .average:
      switch type {
      case .integer16, .integer32, .integer64: true
      case .double, .float, .decimal, .string, .boolean, .date, .uuid, .uri, .binaryData: false
      }
    }
  }
}
