import Basics
import FetchedResults
import Foundation
import GRDB
import GRDBSQLite

/// One fetch: it reads rows from SQL one by one, and evaluates the predicate on each.
struct StoreFetch {
  private let request: StoreRequest
  private let layout: StoreLayout
  private let reader: RowReader
  /// The condition that SQL checks.
  private let condition: SQLCondition
  /// The part of the predicate that is evaluated in memory.
  private let predicate: CompiledPredicate?
  private let choice: IndexChoice

  /// - Parameter asksSQL: Whether SQL may check a part of the predicate.
  init(
    _ request: StoreRequest, layout: StoreLayout, reader: RowReader, asksSQL: Bool = true
  ) {
    self.request = request
    self.layout = layout
    self.reader = reader
    let filter = asksSQL ? request.predicate?.filter : nil
    let asked = filter.flatMap { SQLCondition($0, of: request.entity, layout) }
    choice = IndexChoice(request, asked == nil ? nil : filter)
    let entities = SQLCondition(entitiesOf: request, layout, avoidsIndex: choice.avoidsEntities)
    condition = asked.map(entities.and) ?? entities
    predicate = asked != nil && filter?.isWhole == true ? nil : request.predicate
  }

  /// Returns the matching rows in the request's order.
  func rows(from source: StoreSource, on connection: StoreConnection) throws -> FoundRows {
    let order = sqlOrder
    if predicate == nil, let order {
      guard request.readsRows else { return try keys(order, on: connection) }
      do {
        return try wholeRows(order, source, on: connection)
      } catch is UnreadableRow {
        // One unreadable row must not prevent the others from being found.
        return try keys(order, on: connection)
      }
    }
    let statement = try connection.statement(
      reader.select + tail(order: order), isKept: false)
    statement.bind(condition.arguments)
    return try matching(statement, isSorted: order != nil, source)
      .window(offset: request.offset, limit: request.limit)
  }

  /// A description of the query.
  var query: StoreQuery {
    let order = sqlOrder
    let isWhole = predicate == nil && order != nil
    var sql = reader.select + tail(order: order)
    if isWhole { sql = request.readsRows ? sql + window : keysText(order ?? "") }
    return StoreQuery(
      sql: sql, binds: condition.arguments.map(PropertyValue.init), leavesRest: !isWhole)
  }

  /// Reads the rows with all their columns, in SQL's order.
  private func wholeRows(
    _ order: String, _ source: StoreSource, on connection: StoreConnection
  ) throws -> FoundRows {
    let statement = try connection.statement(
      reader.select + tail(order: order) + window, isKept: false)
    statement.bind(condition.arguments)
    // Both loops below append to these by themselves: a function that both called would check at
    // each row that nothing else accesses them.
    let sectionIndex = request.sectionIndex
    var numbers: [Int64] = []
    var sections: [FoundRows.Run] = []
    if let receiver = request.receiver {
      let numbersReceived = request.numbersReceived
      receiver.begin()
      try forEachWholeRow(of: statement, source) { row, number in
        if numbersReceived { numbers.append(number) }
        if let sectionIndex { sections.append(row.snapshot[sectionIndex], count: 1) }
        receiver.receive(row, number: number)
      }
      return FoundRows(received: numbers, sections: sectionIndex.map { _ in sections })
    }
    var rows = ReadRows()
    try forEachWholeRow(of: statement, source) { row, number in
      numbers.append(number)
      if let sectionIndex { sections.append(row.snapshot[sectionIndex], count: 1) }
      rows.append(row, number: number)
    }
    var found = FoundRows(numbers: numbers, sections: sectionIndex.map { _ in sections })
    found.rows = rows
    return found
  }

  /// Calls `body` with each row that is not excluded, and its number.
  ///
  /// Nothing of it counts a reference for each row, except for what the row keeps.
  @inline(__always)
  private func forEachWholeRow(
    of statement: PreparedStatement, _ source: StoreSource,
    _ body: (consuming StoreRow, Int64) -> Void
  ) throws {
    let isExcluded = request.isExcluded
    // Rows of which nothing is read later need no batches.
    let only = MemberBatch(source)
    var members = only
    var inBatch = 0
    var untilCheck = 0
    try statement.forEachRow { row in
      if untilCheck == 0 {
        try request.checkCancelled()
        untilCheck = Self.rowsBetweenChecks
      }
      untilCheck -= 1
      let number = try reader.checkedNumber(of: row)
      if isExcluded(number) { return }
      guard reader.readsLater else {
        return body(try reader.storeRow(row, number: number, members: only), number)
      }
      // The first access to one row's relationship reads it for the whole batch.
      if inBatch == Self.rowsInBatch {
        members = MemberBatch(source)
        inBatch = 0
      }
      inBatch += 1
      body(try reader.storeRow(row, number: number, members: members), number)
    }
  }

  private static var rowsInBatch: Int { 256 }

  /// How many rows are read before the fetch may be cancelled again, some microseconds later.
  private static var rowsBetweenChecks: Int { 16 }

  /// The SQL of limit and offset, if SQL alone selects the rows.
  private var window: String {
    guard request.limit > 0 || request.offset > 0 else { return "" }
    let limit = request.limit > 0 ? request.limit : -1
    return " LIMIT \(limit)" + (request.offset > 0 ? " OFFSET \(request.offset)" : "")
  }

  private func keysText(_ order: String) -> String {
    let section = request.sectionIndex.flatMap { sectionColumn($0) }
    let columns = ["t0.Z_PK", section?.name].compactMap(\.self).joined(separator: ", ")
    return "SELECT \(columns) FROM \(reader.table.name.quotedForSQL) t0" + tail(order: order)
      + window
  }

  /// Returns how many rows match.
  func count(from source: StoreSource, on connection: StoreConnection) throws -> Int {
    guard predicate == nil else { return try rows(from: source, on: connection).numbers.count }
    let statement = try connection.statement(
      "SELECT COUNT(*) FROM \(reader.table.name.quotedForSQL) t0" + tail(order: nil),
      isKept: false)
    statement.bind(condition.arguments)
    return Int(try statement.firstInteger() ?? 0)
  }

  private func tail(order: String?) -> String {
    condition.joins + (condition.sql.isEmpty ? "" : " WHERE \(condition.sql)")
      + (order.map { " ORDER BY \($0)" } ?? "")
  }

  /// Reads only the rows' keys, in SQL's order.
  ///
  /// The section's column is read with them, because the sort has its value available. A separate
  /// statement that counts by section would sort the rows again.
  private func keys(_ order: String, on connection: StoreConnection) throws -> FoundRows {
    let section = request.sectionIndex.flatMap { sectionColumn($0) }
    let statement = try connection.statement(keysText(order), isKept: false)
    statement.bind(condition.arguments)
    var numbers: [Int64] = []
    guard let sectionIndex = request.sectionIndex else {
      try statement.forEachRow { row in
        try request.checkCancelled()
        let number = try reader.checkedNumber(of: row)
        if !request.isExcluded(number) { numbers.append(number) }
      }
      return FoundRows(numbers: numbers)
    }
    var runs = SectionRuns(type: request.entity.attributes[sectionIndex].type)
    try statement.forEachRow { row in
      try request.checkCancelled()
      let number = try reader.checkedNumber(of: row)
      if request.isExcluded(number) { return }
      numbers.append(number)
      guard runs.count(row, section == nil ? nil : 1) else {
        throw UnreadableRow(
          table: reader.table.name, number: number, column: section?.column ?? "",
          problem: row.isBrokenText(1) ? .brokenText : .otherType)
      }
    }
    return FoundRows(numbers: numbers, sections: runs.finish())
  }

  private func sectionColumn(_ index: Int) -> (column: String, name: String)? {
    guard let columns = layout[request.entity]?.attributes, columns.indices.contains(index),
      let column = columns[index]
    else { return nil }
    return (column, "t0.\(column.quotedForSQL)")
  }

  private func matching(
    _ statement: PreparedStatement, isSorted: Bool, _ source: StoreSource
  ) throws -> FoundRows {
    var found: [SortableRow] = []
    let members = MemberBatch(source, isOfAll: true)
    let nothing = ObjectSnapshot([])
    try statement.forEachRow { row in
      try request.checkCancelled()
      let number = try reader.checkedNumber(of: row)
      if request.isExcluded(number) { return }
      let read = try reader.storeRow(row, number: number, members: members)
      if let predicate {
        let id = ObjectID(entity: read.entity, number: number)
        guard try predicate.matches(read.snapshot, of: id) else { return }
      }
      // What SQL has checked or sorted is not needed again.
      let isEnough = isSorted && request.sectionIndex == nil
      found.append(
        SortableRow(number: number, snapshot: isEnough ? nothing : kept(read.snapshot)))
    }
    if !isSorted { request.order.sort(&found) }
    return FoundRows(found, sectionIndex: request.sectionIndex)
  }

  /// Returns the values of a row that the sort and the sections need.
  private func kept(_ snapshot: ObjectSnapshot) -> ObjectSnapshot {
    request.order.compared(snapshot, and: request.sectionIndex)
  }

  /// The order in SQL, if SQL and memory compare in the same way: numbers, dates, strings, UUIDs and data by
  /// their bytes, with nil first.
  private var sqlOrder: String? {
    guard !request.order.needsKeys, let placement = layout[request.entity] else { return nil }
    // A column does not hold the data if it is in an external file.
    let places = request.order.keys.map(\.attribute) + [request.sectionIndex].compactMap(\.self)
    let attributes = request.entity.attributes
    if places.contains(where: {
      attributes.indices.contains($0) && attributes[$0].allowsExternalBinaryDataStorage
    }) {
      return nil
    }
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
      // A decimal that is not a number is text in a file, and comes first in memory.
      case .decimal:
        terms.append("CASE WHEN typeof(\(name)) = 'text' THEN -9e999 ELSE \(name) END\(direction)")
        continue
      case .integer16, .integer32, .integer64, .double, .float, .boolean, .date, .string,
        .uuid, .binaryData:
        break
      // A file may have a text that is read back as another URL.
      case .uri: return nil
      }
      terms.append(name + direction)
    }
    return (terms + [terms.isEmpty ? choice.number : "t0.Z_PK"]).joined(separator: ", ")
  }
}

/// The keys that give the order of an ordered relationship's members.
enum OrderKeys {
  /// The first key that Core Data gives, and the gap it leaves between two keys.
  private static let (first, step): (Int64, Int64) = (2048, 1024)

  /// Returns the members whose key has to change, with the new key.
  ///
  /// As many members as possible keep their keys; the others are new, or were moved. If there is no
  /// room between two keys, all members get new keys.
  ///
  /// - Parameters:
  ///   - wanted: The members in order.
  ///   - found: The keys that the file has.
  /// - Complexity: O(*n* log *n*) where members were moved, else O(*n*).
  static func changes(
    _ wanted: [ObjectID], found: [ObjectID: Int64]
  ) -> [(member: ObjectID, key: Int64)] {
    var keys = kept(wanted.map { found[$0] })
    if !fill(&keys) { keys = wanted.indices.map { first + Int64($0) * step } }
    return zip(wanted, keys).compactMap { member, key in
      guard let key, found[member] != key else { return nil }
      return (member, key)
    }
  }

  /// Returns the longest series of rising keys, with nil in place of the other keys.
  private static func kept(_ keys: [Int64?]) -> [Int64?] {
    let known = keys.indices.filter { keys[$0] != nil }
    let values = known.compactMap { keys[$0] }
    // Only one of two equal keys can stay, so the later one ranks lower.
    let order = values.indices.ordered { (values[$0], $1) < (values[$1], $0) }
    var ranks = [Int](repeating: 0, count: values.count)
    for (rank, index) in order.enumerated() { ranks[index] = rank }
    var kept = keys
    for (place, stays) in zip(known, KeptOrder.longest(newPositions: ranks)) where !stays {
      kept[place] = nil
    }
    return kept
  }

  /// Gives keys to the members that have none.
  ///
  /// - Returns: False if there is no room for them.
  private static func fill(_ keys: inout [Int64?]) -> Bool {
    var start = 0
    while start < keys.count {
      guard keys[start] == nil else {
        start += 1
        continue
      }
      let end = keys[start...].firstIndex { $0 != nil } ?? keys.endIndex
      let lower = start > 0 ? keys[start - 1] : nil
      let upper = end < keys.count ? keys[end] : nil
      guard let new = series(end - start, after: lower, before: upper) else { return false }
      keys.replaceSubrange(start..<end, with: new)
      start = end
    }
    return true
  }

  /// Returns keys between two others, spread as far apart as possible.
  private static func series(_ count: Int, after lower: Int64?, before upper: Int64?) -> [Int64]? {
    let count = Int64(count)
    let start: Int64
    var step = step
    if let upper {
      start = lower ?? 0
      let (width, overflow) = upper.subtractingReportingOverflow(start)
      // In a damaged file, two keys may be too far apart to subtract.
      if overflow { return nil }
      step = width / (count + 1)
      guard step > 0 else { return nil }
    } else {
      start = lower ?? first - step
      guard start <= Int64.max - (count + 1) * step else { return nil }
    }
    return (1...count).map { start + $0 * step }
  }
}

/// Counts consecutive rows that have the same value in a column.
struct SectionRuns {
  private let type: AttributeType
  private var runs: [FoundRows.Run] = []
  private var count = 0
  /// The bytes of the current run's value.
  private var bytes: [UInt8] = []
  private var number: UInt64 = 0
  private var kind: Int32 = 0

  init(type: AttributeType) { self.type = type }

  /// Counts a row.
  ///
  /// - Parameter column: The index of the value; nil if no row has one.
  /// - Returns: False if the column holds a value of another type.
  mutating func count(_ row: SelectedRow, _ column: Int32?) -> Bool {
    guard let column else {
      count += 1
      if runs.isEmpty { runs.append(FoundRows.Run(value: .null, count: 0)) }
      return true
    }
    let kind = row.type(column)
    // Only text has bytes. SQLite would have to convert a number.
    let isSame =
      switch kind {
      case SQLITE_INTEGER: number == UInt64(bitPattern: row.integer(column))
      case SQLITE_FLOAT: number == row.real(column).bitPattern
      case SQLITE_NULL: true
      default: bytesAre(row.bytes(column))
      }
    if count > 0, isSame, kind == self.kind {
      count += 1
      return true
    }
    close()
    guard let value = type.value(of: row.value(column)) else { return false }
    self.kind = kind
    count = 1
    runs.append(FoundRows.Run(value: value, count: 0))
    switch kind {
    case SQLITE_INTEGER: number = UInt64(bitPattern: row.integer(column))
    case SQLITE_FLOAT: number = row.real(column).bitPattern
    case SQLITE_NULL: break
    default: bytes = Array(row.bytes(column))
    }
    return true
  }

  /// Returns the runs.
  mutating func finish() -> [FoundRows.Run] {
    close()
    return runs
  }

  private func bytesAre(_ other: UnsafeRawBufferPointer) -> Bool {
    bytes.withUnsafeBytes { bytes in
      guard bytes.count == other.count else { return false }
      guard let a = bytes.baseAddress, let b = other.baseAddress else { return true }
      return memcmp(a, b, bytes.count) == 0
    }
  }

  private mutating func close() {
    if !runs.isEmpty { runs[runs.count - 1].count = count }
    count = 0
  }
}
