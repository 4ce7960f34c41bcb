import FetchedResults
import GRDB

/// One fetch: rows streamed from SQL, the predicate evaluated on each.
struct StoreFetch {
  private let request: StoreRequest
  private let layout: StoreLayout
  private let reader: RowReader
  /// What SQL asks of the rows.
  private let condition: SQLCondition
  /// What is left of the predicate to evaluate in memory.
  private let predicate: CompiledPredicate?

  /// - Parameter asksSQL: Whether SQL may be asked a part of the predicate.
  init(
    _ request: StoreRequest, layout: StoreLayout, reader: RowReader, asksSQL: Bool = true
  ) {
    self.request = request
    self.layout = layout
    self.reader = reader
    var condition = SQLCondition(entitiesOf: request, layout)
    var predicate = request.predicate
    if asksSQL, let filter = predicate?.filter,
      let asked = SQLCondition(filter, of: request.entity, layout)
    {
      condition = condition.and(asked)
      if filter.isWhole { predicate = nil }
    }
    self.condition = condition
    self.predicate = predicate
  }

  /// Returns the matching rows' numbers in the request's order.
  func numbers(in database: Database) throws -> [Int64] {
    let order = sqlOrder
    let sql =
      (predicate == nil && order != nil
        ? "SELECT t0.Z_PK FROM \(reader.table.name.quotedForSQL) t0" : reader.select)
      + condition.joins
      + (condition.sql.isEmpty ? "" : " WHERE \(condition.sql)")
      + (order.map { " ORDER BY \($0)" } ?? "")
    let rows = try Row.fetchCursor(
      database, sql: sql, arguments: StatementArguments(condition.arguments))
    if predicate == nil, order != nil {
      var numbers: [Int64] = []
      while let row = try rows.next() {
        try request.checkCancelled()
        let number = reader.number(of: row)
        if !request.isExcluded(number) { numbers.append(number) }
      }
      return numbers
    }
    return try matching(rows, isSorted: order != nil, database)
  }

  private func matching(
    _ rows: RowCursor, isSorted: Bool, _ database: Database
  ) throws -> [Int64] {
    var found: [(number: Int64, snapshot: Snapshot)] = []
    var numbers: [Int64] = []
    var members = FetchedMembers(MemberReader(layout: layout, database: database))
    while let row = try rows.next() {
      try request.checkCancelled()
      let number = reader.number(of: row)
      if request.isExcluded(number) { continue }
      let read = try reader.storeRow(row) { entity, ordinal in
        // A sort alone looks at no relationship.
        predicate == nil ? [] : try members.members(of: number, entity, ordinal)
      }
      if let predicate {
        let id = ObjectID(entity: read.entity, number: number)
        guard try predicate.matches(read.snapshot, of: id) else { continue }
      }
      if isSorted {
        numbers.append(number)
      } else {
        found.append((number, read.snapshot))
      }
    }
    if isSorted { return numbers }
    request.order.sort(&found)
    return found.map(\.number)
  }

  /// The order in SQL, where SQL compares as memory does: numbers, dates and
  /// strings by their bytes, nil before everything.
  private var sqlOrder: String? {
    guard !request.order.needsKeys, let placement = layout[request.entity] else { return nil }
    var terms: [String] = []
    for key in request.order.keys {
      guard let column = placement.attributes[key.attribute] else { return nil }
      let name = "t0.\(column.quotedForSQL)"
      let direction = key.ascending ? "" : " DESC"
      if !key.strings.isPlain, request.entity.attributes[key.attribute].type == .string {
        terms.append("NSCoreDataSortKey(\(name), '\(key.selector.rawValue)')" + direction)
        continue
      }
      switch request.entity.attributes[key.attribute].type {
      case .integer16, .integer32, .integer64, .double, .float, .boolean, .date, .string: break
      case .decimal, .uuid, .uri, .binaryData: return nil
      }
      terms.append(name + direction)
    }
    return (terms + ["t0.Z_PK"]).joined(separator: ", ")
  }
}

/// The members of each relationship that a fetch came by, read at once for all
/// rows.
private struct FetchedMembers {
  private struct Key: Hashable {
    let entity: EntityDescription
    let ordinal: Int
  }

  private let reader: MemberReader
  private var known: [Key: [Int64: [ObjectID]]] = [:]

  init(_ reader: MemberReader) { self.reader = reader }

  mutating func members(
    of number: Int64, _ entity: EntityDescription, _ ordinal: Int
  ) throws -> [ObjectID] {
    let key = Key(entity: entity, ordinal: ordinal)
    if let members = known[key] { return members[number] ?? [] }
    let members = try reader.allMembers(entity, ordinal)
    known[key] = members
    return members[number] ?? []
  }
}
