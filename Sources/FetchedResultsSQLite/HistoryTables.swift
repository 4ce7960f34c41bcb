import FetchedResults
import Foundation
import GRDB
import GRDBSQLite

/// Core Data's tables of a store's history, as a file has them.
///
/// `ATRANSACTION` has a row for each save, and `ACHANGE` one for each object that a save changed.
/// `ATRANSACTIONSTRING` has each text that transactions refer to once. Files of iOS 11 and macOS
/// 10.13 do not have it: there, the transactions have the texts themselves.
struct HistoryTables {
  /// The columns of `ATRANSACTION`.
  ///
  /// Files of older systems have fewer.
  private let transactionColumns: Set<String>
  private let changeColumns: Set<String>

  /// The numbers of the three tables in `Z_PRIMARYKEY`, which also lists the entities.
  enum Number {
    static let change: Int64 = 16001
    static let transaction: Int64 = 16002
    static let string: Int64 = 16003
    static let all = change...string
  }

  /// The names of the indexes, which no index of an entity may have.
  enum IndexName {
    static let changes = "ACHANGE_ZTRANSACTIONID_INDEX"
    static let strings = "Z_TRANSACTIONSTRING_UNIQUE_NAME"
    static let all = [changes, strings]
  }

  /// - Returns: Nil if the file has no history.
  /// - Throws: `UnusableFile.history` if it has one with other columns.
  init?(_ schema: StoreSchema) throws(UnusableFile) {
    guard let transactions = schema.columns["ATRANSACTION"] else { return nil }
    guard let changes = schema.columns["ACHANGE"] else { throw .history }
    transactionColumns = Set(transactions.keys)
    changeColumns = Set(changes.keys)
    guard transactionColumns.isSuperset(of: ["Z_PK", "ZTIMESTAMP"]),
      changeColumns.isSuperset(
        of: ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"])
    else { throw .history }
    if let strings = schema.columns["ATRANSACTIONSTRING"] {
      guard Set(strings.keys).isSuperset(of: ["Z_PK", "ZNAME"]) else { throw .history }
    } else if !transactionColumns.isDisjoint(with: Self.texts.map { "Z\($0)TS" }) {
      throw .history
    }
  }

  /// The texts of a transaction, by their columns' names.
  private static let texts = ["AUTHOR", "CONTEXTNAME", "PROCESSID"]

  private static let tables = """
    CREATE TABLE ACHANGE (
      Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
      ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
    CREATE TABLE ATRANSACTION (
      Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
      ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT,
      ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR,
      ZQUERYGEN BLOB );
    CREATE TABLE ATRANSACTIONSTRING (
      Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
    CREATE INDEX \(IndexName.changes) ON ACHANGE (ZTRANSACTIONID);
    CREATE UNIQUE INDEX \(IndexName.strings)
      ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC);
    """

  /// Makes the tables in a file that has none.
  static func create(in database: Database) throws {
    try database.execute(sql: tables)
    for (number, name) in [
      (Number.change, "CHANGE"), (Number.transaction, "TRANSACTION"),
      (Number.string, "TRANSACTIONSTRING"),
    ] {
      try database.execute(
        sql: "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
          + "VALUES (?, ?, 0, 0)",
        arguments: [number, name])
    }
  }
}

// MARK: - Writing

extension HistoryTables {
  /// Notes a save, inside its transaction.
  ///
  /// - Returns: The number of the new history transaction.
  func write(
    _ changes: [StoreChange], by author: TransactionAuthor, _ layout: StoreLayout,
    in connection: StoreConnection
  ) throws -> Int64 {
    let transaction = try reserve(1, of: Number.transaction, "ATRANSACTION", in: connection)
    var columns = ["Z_PK", "Z_ENT", "Z_OPT", "ZTIMESTAMP"]
    var values: [DatabaseValue] = [
      transaction.databaseValue, Number.transaction.databaseValue, Int64(1).databaseValue,
      author.moment.timeIntervalSinceReferenceDate.databaseValue,
    ]
    for (name, text) in [
      ("AUTHOR", author.name), ("CONTEXTNAME", author.contextName),
      ("PROCESSID", author.processName),
    ] {
      guard let text else { continue }
      if transactionColumns.contains("Z\(name)TS") {
        columns.append("Z\(name)TS")
        values.append(try number(ofText: text, in: connection).databaseValue)
      } else if transactionColumns.contains("Z\(name)") {
        columns.append("Z\(name)")
        values.append(text.databaseValue)
      }
    }
    try insert(columns, values, into: "ATRANSACTION", in: connection)
    var next = try reserve(Int64(changes.count), of: Number.change, "ACHANGE", in: connection)
    let hasColumns = changeColumns.contains("ZCOLUMNS")
    let statement = try connection.statement(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID"
        + (hasColumns
          ? ", ZCOLUMNS) VALUES (?, ?, ?, ?, ?, ?, ?, ?)" : ") VALUES (?, ?, ?, ?, ?, ?, ?)"))
    var orders: [EntityDescription: [Int]] = [:]
    for change in changes {
      let id = change.objectID
      guard let entity = layout[id.entity]?.number else { continue }
      statement.bind([
        next, Number.change, 1, Int64(change.historyType.rawValue), entity, id.number, transaction,
      ])
      if hasColumns {
        if let places = change.updatedPlaces {
          let order = orders[id.entity] ?? id.entity.historyPlaces
          orders[id.entity] = order
          statement.bind(Self.bitmap(of: places, order).databaseValue, at: 7)
        } else {
          statement.bindNull(at: 7)
        }
      }
      try statement.execute()
      next += 1
    }
    return transaction
  }

  private func insert(
    _ columns: [String], _ values: [DatabaseValue], into table: String,
    in connection: StoreConnection
  ) throws {
    let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    try connection.execute(
      "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))", values)
  }

  /// Returns the first of some numbers that no row of a table has had, and notes them as given.
  private func reserve(
    _ count: Int64, of entity: Int64, _ table: String, in connection: StoreConnection
  ) throws -> Int64 {
    let last = try Self.last(of: entity, table, in: connection)
    guard last <= SQLiteStore.lastNumber else {
      throw UnreadableRow(
        table: "Z_PRIMARYKEY", number: entity, column: "Z_MAX", problem: .outOfRange)
    }
    try connection.execute(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
      [(last + count).databaseValue, entity.databaseValue])
    return last + 1
  }

  /// Returns the highest number that a row of a table has or has had; 0 if there was none.
  static func last(
    of entity: Int64, _ table: String, in connection: StoreConnection, isCounted: Bool = true
  ) throws -> Int64 {
    let statement = try connection.statement(
      "SELECT MAX(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0), "
        + "IFNULL((SELECT MAX(Z_PK) FROM \(table)), 0))", isCounted: isCounted)
    statement.bind(entity, at: 0)
    return max(0, try statement.firstInteger() ?? 0)
  }

  /// Returns the number of a text, and adds the text if no transaction had it yet.
  private func number(ofText text: String, in connection: StoreConnection) throws -> Int64 {
    let statement = try connection.statement("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
    statement.bind(text, at: 0)
    if let number = try statement.firstInteger() { return number }
    let number = try reserve(1, of: Number.string, "ATRANSACTIONSTRING", in: connection)
    try insert(
      ["Z_PK", "Z_ENT", "Z_OPT", "ZNAME"],
      [
        number.databaseValue, Number.string.databaseValue, Int64(1).databaseValue,
        text.databaseValue,
      ], into: "ATRANSACTIONSTRING", in: connection)
    return number
  }

  /// Encodes properties as a bitmap for `ZCOLUMNS`: one bit for each stored property in order of
  /// their names, starting at the highest bit of the first byte.
  static func bitmap(of places: [Int], _ order: [Int]) -> Data {
    let places = Set(places)
    var bytes = Data(repeating: 0, count: (order.count + 7) / 8)
    for (bit, place) in order.enumerated() where places.contains(place) {
      bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
    }
    return bytes
  }

  /// Returns the names of the properties in a bitmap; nil if a bit has no property.
  static func names(in bytes: UnsafeRawBufferPointer, of entity: EntityDescription) -> [String]? {
    let order = entity.historyPlaces
    let names = entity.propertyNames
    var found: [String] = []
    for bit in 0..<bytes.count * 8 where bytes[bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 {
      guard bit < order.count else { return nil }
      found.append(names[order[bit]])
    }
    return found
  }
}

// MARK: - Reading

extension HistoryTables {
  /// Returns the transactions after a number, oldest first.
  ///
  /// Changes of entities that are not in the model are left out.
  func transactions(
    after number: Int64, author: String?, storeID: String, _ layout: StoreLayout,
    in connection: StoreConnection
  ) throws -> [PersistentHistoryTransaction] {
    var changes = try self.changes(after: number, layout, in: connection)
    let texts = Self.texts.map(textExpression)
    let statement = try connection.statement(
      "SELECT t.Z_PK, t.ZTIMESTAMP, \(texts.joined(separator: ", ")) FROM ATRANSACTION t "
        + "WHERE t.Z_PK > ? ORDER BY t.Z_PK")
    statement.bind(number, at: 0)
    var found: [PersistentHistoryTransaction] = []
    try statement.forEachRow { row in
      let number = row.integer(0)
      let text = { (column: Int32) in row.isNull(column) ? nil : row.text(column) }
      let name = text(2)
      if let author, author != name { return }
      found.append(
        PersistentHistoryTransaction(
          storeID: storeID, transactionNumber: number,
          timestamp: Date(timeIntervalSinceReferenceDate: row.real(1)),
          author: TransactionAuthor(
            name: name, contextName: text(3), processName: text(4)),
          changes: changes.removeValue(forKey: number) ?? []))
    }
    return found
  }

  /// Returns the SQL for a text of a transaction: a row of the table of texts, or a column of the
  /// transaction itself.
  private func textExpression(_ name: String) -> String {
    let reference =
      transactionColumns.contains("Z\(name)TS")
      ? "(SELECT s.ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.Z\(name)TS)" : nil
    let own = transactionColumns.contains("Z\(name)") ? "t.Z\(name)" : nil
    switch (reference, own) {
    case (let reference?, let own?): return "IFNULL(\(reference), \(own))"
    case (let only?, nil), (nil, let only?): return only
    case (nil, nil): return "NULL"
    }
  }

  /// Returns the changes of all transactions after a number, by the transaction's number.
  private func changes(
    after number: Int64, _ layout: StoreLayout, in connection: StoreConnection
  ) throws -> [Int64: [PersistentHistoryChange]] {
    let statement = try connection.statement(
      "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, "
        + (changeColumns.contains("ZCOLUMNS") ? "ZCOLUMNS" : "NULL")
        + " FROM ACHANGE WHERE ZTRANSACTIONID > ? ORDER BY ZTRANSACTIONID, Z_PK")
    statement.bind(number, at: 0)
    var changes: [Int64: [PersistentHistoryChange]] = [:]
    try statement.forEachRow { row in
      let number = row.integer(0)
      func unreadable(
        _ column: String, _ problem: UnreadableRow.Problem = .otherType
      ) -> UnreadableRow {
        UnreadableRow(table: "ACHANGE", number: number, column: column, problem: problem)
      }
      guard let type = row.exactInteger(1) else { throw unreadable("ZCHANGETYPE") }
      guard let kind = PersistentHistoryChangeType(rawValue: Int(clamping: type)) else {
        throw unreadable("ZCHANGETYPE", .outOfRange)
      }
      guard let entityNumber = row.exactInteger(2) else { throw unreadable("ZENTITY") }
      guard let entity = layout.entities[entityNumber] else { return }
      guard let object = row.exactInteger(3) else { throw unreadable("ZENTITYPK") }
      guard 1...SQLiteStore.lastNumber ~= object else { throw unreadable("ZENTITYPK", .outOfRange) }
      let isUpdate = kind == .update && row.type(5) == SQLITE_BLOB
      changes[row.integer(4), default: []].append(
        PersistentHistoryChange(
          changeID: number, changedObjectID: ObjectID(entity: entity, number: object),
          changeType: kind,
          updatedProperties: isUpdate ? Self.names(in: row.bytes(5), of: entity) : nil))
    }
    return changes
  }
}

/// Changes the history of a file to the entities, numbers and properties of the new model.
struct MigratedHistory {
  let run: MigrationRun

  private static let function = "frc_columns"

  func rewrite() throws {
    guard let columns = run.old.schema.columns["ACHANGE"] else { return }
    for entity in run.plan.removed {
      guard let number = run.old.layout[entity]?.number else { continue }
      try run.execute("DELETE FROM ACHANGE WHERE ZENTITY = ?", [number.databaseValue])
    }
    if columns["ZCOLUMNS"] != nil { try rewriteColumns() }
    var numbers: [String] = []
    var offsets: [String] = []
    for mapping in run.plan.mappings {
      guard let before = run.old.layout[mapping.old]?.number,
        let after = run.layout[mapping.new]?.number,
        let offset = run.tables.offset(from: mapping.old, to: mapping.new)
      else { continue }
      if before != after { numbers.append("WHEN \(before) THEN \(after)") }
      if offset != 0 { offsets.append("WHEN \(before) THEN \(offset)") }
    }
    var assignments: [String] = []
    if !offsets.isEmpty {
      assignments.append(
        "ZENTITYPK = ZENTITYPK + CASE ZENTITY \(offsets.joined(separator: " ")) ELSE 0 END")
    }
    if !numbers.isEmpty {
      assignments.append(
        "ZENTITY = CASE ZENTITY \(numbers.joined(separator: " ")) ELSE ZENTITY END")
    }
    guard !assignments.isEmpty else { return }
    try run.execute("UPDATE ACHANGE SET \(assignments.joined(separator: ", "))")
  }

  /// Rewrites which properties each update changed.
  private func rewriteColumns() throws {
    var translations: [Int64: (EntityMapping, [Int: Int])] = [:]
    for mapping in run.plan.mappings {
      guard let number = run.old.layout[mapping.old]?.number else { continue }
      translations[number] = (mapping, places(of: mapping))
    }
    let isExact = run.old.isExact
    let known = translations
    let translation = DatabaseFunction(Self.function, argumentCount: 2) { values in
      guard isExact, let number = Int64.fromDatabaseValue(values[0]),
        case .blob(let data) = values[1].storage, let (mapping, places) = known[number]
      else { return nil }
      let order = mapping.old.historyPlaces
      var found: [Int] = []
      for bit in 0..<min(data.count * 8, order.count)
      where data[data.startIndex + bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 {
        if let place = places[order[bit]] { found.append(place) }
      }
      return HistoryTables.bitmap(of: found, mapping.new.historyPlaces)
    }
    run.database.add(function: translation)
    defer { run.database.remove(function: translation) }
    try run.execute(
      "UPDATE ACHANGE SET ZCOLUMNS = \(Self.function)(ZENTITY, ZCOLUMNS) "
        + "WHERE ZCOLUMNS IS NOT NULL")
  }

  /// Returns the new place of each old property in a snapshot.
  private func places(of mapping: EntityMapping) -> [Int: Int] {
    var places: [Int: Int] = [:]
    for (index, source) in mapping.attributes.enumerated() {
      if case .column(let before, _)? = source { places[before] = index }
    }
    for (ordinal, source) in mapping.relationships.enumerated() {
      if case .same(let before)? = source {
        places[mapping.old.attributes.count + before] = mapping.new.attributes.count + ordinal
      }
    }
    return places
  }
}
