import Basics
package import FetchedResults
import GRDB
import Platform

/// A store in a SQLite file of Core Data's layout.
///
/// A save is one transaction. The class is not `Sendable`, because every store belongs to its
/// coordinator. Other processes may use the file at the same time.
package final class SQLiteStore: SQLStore {
  /// The version of the layout in `Z_METADATA` that this code knows.
  static let layoutVersion: Int64 = 1
  /// The highest number that is accepted for a row or as the last given one.
  ///
  /// It leaves room to count further.
  static let lastNumber: Int64 = 1 << 62

  package let identifier: String
  let source: StoreSource
  let functions: SQLStringFunctions
  let busyWait: BusyHandler
  private let readers: [EntityDescription: RowReader]
  let external: ExternalData
  /// Where the file is.
  let path: String
  /// The copy that is brought up to date when others write; nil until it is followed.
  var followed: FollowedStore?
  /// What the file was like when the copy was lost, because it could not be read or followed.
  var lostMark: FileMark?
  /// Which state of the file was copied first; nil if the file itself is used.
  var copyMark: CopyMark?
  /// The stamp of the file that was copied; nil if the file itself is used, or if part of its state
  /// was in its log.
  var copiedStamp: StoreStamp?
  /// The identity of the file, which does not depend on its name.
  let identity: FileStatus.Identity?
  /// The copy that is used if the file must not change.
  private let copy: PrivateCopy?
  private let numbers: NumberSource
  /// The last number of each root entity when the file was opened.
  private var firstLastNumbers: [EntityDescription: Int64] = [:]
  /// The objects that existed when the file was opened and were deleted from here.
  private var deleted: [EntityDescription: Set<Int64>] = [:]
  private var saves = 0
  package var transactionAuthor = TransactionAuthor()
  package private(set) var ownTransactions = TransactionNumbers()
  /// Nil if the file keeps no history.
  var history: HistoryTables?
  /// SQLite's number of the file's schema, when that had no history.
  var schemaWithoutHistory: Int64?
  package internal(set) var foreignSaves = 0
  /// SQLite's counter of other connections' changes, when it was last read.
  private var dataVersion: Int64?

  /// Opens a file, or creates it if there is none.
  ///
  /// - Parameters:
  ///   - model: The entities of the objects in it.
  ///   - path: Where the file is.
  ///   - name: What to call it in errors.
  ///   - isReadOnly: Whether neither the file nor the files that SQLite keeps beside it may change
  ///     by a byte. A copy is read then.
  ///   - migration: What to do with a file of an older model.
  ///   - durability: What a save waits for.
  /// - Throws: ``StoreError/unusable(store:reason:)`` if the file is not a store, does not fit the
  ///   model, or cannot be opened or created, and ``StoreError/migration(store:_:)`` if it cannot
  ///   be migrated.
  package convenience init(
    model: ManagedObjectModel, path: String, name: String, isReadOnly: Bool = false,
    migration: StoreMigration = .none, durability: StoreDurability = .full
  ) throws(StoreError) {
    try self.init(
      model: model, path: path, name: name, isReadOnly: isReadOnly, migration: migration,
      durability: durability, numbers: NumberSource())
  }

  /// Opens a file like ``init(model:path:name:isReadOnly:migration:durability:)``.
  ///
  /// - Parameter numbers: What gives the numbers of new objects.
  init(
    model: ManagedObjectModel, path: String, name: String, isReadOnly: Bool,
    migration: StoreMigration, durability: StoreDurability, numbers: NumberSource
  ) throws(StoreError) {
    self.path = path
    self.numbers = numbers
    external = ExternalData(besides: path)
    let stamp = isReadOnly ? StoreStamp(database: path) : nil
    do {
      let copy = isReadOnly ? try PrivateCopy(of: path) : nil
      self.copy = copy
      copyMark = copy?.mark
      // Nothing remains of the copy, even if its contents make the program crash.
      let opened = try OpenedFile.open(
        copy?.path ?? path, model: model, isReadOnly: isReadOnly, migration: migration
      ) { copy?.removeName() }
      source = StoreSource(
        queue: opened.queue, layout: opened.layout, log: StatementLog(), name: name)
      functions = opened.functions
      busyWait = opened.busyWait
      identifier = opened.identifier
      history = opened.history
      identity = try? FileStatus(path).identity
      var readers: [EntityDescription: RowReader] = [:]
      for table in opened.layout.tables {
        readers[table.root] = try RowReader(table, opened.layout, external)
      }
      self.readers = readers
      // The stamp differs if the file was written while it was copied.
      copiedStamp = isReadOnly && stamp == StoreStamp(database: path) ? stamp : nil
    } catch {
      throw StoreError(error, store: name)
    }
    do {
      if !isReadOnly { try source.read { try $0.setDurability(durability) } }
      // From here on, the first check after another process's save notices it.
      try source.read { try noticeSaves($0) }
      for table in source.layout.tables {
        let root = table.root
        let last = try lastUsedNumber(in: root)
        numbers.begin(root, after: last)
        firstLastNumbers[root] = last
      }
    } catch {
      throw StoreError(error, store: name)
    }
  }

  var isReadOnly: Bool { copy != nil }

  /// What a save waits for, as SQLite says it.
  package var durability: StoreDurability {
    let level = try? source.read {
      try $0.statement("PRAGMA synchronous", isCounted: false).firstInteger()
    }
    return level == 0 ? .off : level == 1 ? .normal : .full
  }

  package var waitsForOthers: Bool {
    get { busyWait.patience > 0 }
    set { busyWait.patience = newValue ? Int(OpenedFile.patience * 1000) : 0 }
  }

  /// A number that changes with each save, here or in another process.
  ///
  /// Another process's save counts when it is noticed.
  package var generation: Int {
    try? source.read { try noticeSaves($0, isCounted: true) }
    return saves + foreignSaves
  }

  /// Checks whether other processes have saved.
  ///
  /// Call it after a read: if no process has saved by then, none had saved when the rows were read.
  func noticeSaves(_ connection: StoreConnection, isCounted: Bool = false) throws {
    let statement = try connection.statement("PRAGMA data_version", isCounted: isCounted)
    let version = try statement.firstInteger()
    if let dataVersion, dataVersion != version { foreignSaves += 1 }
    dataVersion = version ?? dataVersion
  }

  /// Notes that the file is followed to another state, which contexts learn of.
  func noteFollowedSave() {
    saves += 1
    dataVersion = nil
    copiedStamp = nil
  }

  package func readingOneState<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try source.read { connection in
        try connection.holding("BEGIN") {
          try noticeSaves(connection)
          return try body()
        }
      }
    } catch let error as DatabaseError {
      throw StoreError(error, store: name)
    }
  }

  package func writingAlone<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try source.read { connection in
        try connection.holding("BEGIN IMMEDIATE") { try body() }
      }
    } catch let error as DatabaseError {
      throw StoreError(error, store: name)
    }
  }
}

// MARK: - Numbers

extension SQLiteStore {
  package func reserveNumber(in root: EntityDescription) -> Int64 {
    let foreignSaves = foreignSaves
    return numbers.next(in: root, foreignSaves: foreignSaves) {
      // A context may have read rows that another program wrote by hand.
      foreignSaves > 0 ? try? lastUsedNumber(in: root) : try? lastSavedNumber(in: root)
    }
  }

  package func giveBack(_ given: ClosedRange<Int64>, in root: EntityDescription) {
    numbers.giveBack(given, in: root)
  }

  package func lastNumber(in root: EntityDescription) -> Int64 {
    max(numbers.last(in: root), (try? lastSavedNumber(in: root)) ?? 0)
  }

  package func hasHadObject(_ number: Int64, in root: EntityDescription) -> Bool {
    if number <= firstLastNumbers[root, default: 0] {
      return deleted[root]?.contains(number) ?? false
    }
    return number <= lastNumber(in: root)
  }

  /// Notes objects that were deleted.
  func noteDeletions(_ ids: some Sequence<ObjectID>) {
    var rest = Array(ids)[...]
    while let root = rest.first?.entity.root {
      let part = rest.prefix { $0.entity.root === root }
      rest = rest.dropFirst(part.count)
      let last = firstLastNumbers[root, default: 0]
      deleted[root, default: []].formUnion(part.lazy.map(\.number).filter { $0 <= last })
    }
  }

  private func lastSavedNumber(in root: EntityDescription) throws -> Int64 {
    try source.read { try lastSavedNumber(in: root, $0) }
  }

  /// Returns the last number given according to the file, or the highest number of a row.
  ///
  /// A program that writes rows by hand may not update the former.
  private func lastUsedNumber(in root: EntityDescription) throws -> Int64 {
    guard let table = layout.table(of: root)?.name, let number = layout[root]?.number else {
      return 0
    }
    return try source.read { connection in
      let statement = try connection.statement(
        "SELECT Z_MAX, (SELECT MAX(Z_PK) FROM \(table.quotedForSQL)) "
          + "FROM Z_PRIMARYKEY WHERE Z_ENT = ?", isKept: false)
      statement.bind(number, at: 0)
      var last: Int64 = 0
      try statement.forEachRow { row in
        let used = row.exactInteger(1) ?? 0
        guard used <= Self.lastNumber else {
          throw UnreadableRow(table: table, number: used, column: "Z_PK", problem: .outOfRange)
        }
        last = max(used, try Self.checkedLastNumber(row.exactInteger(0), of: number))
      }
      return last
    }
  }

  /// Returns an entity's `Z_MAX`, or 0 if that is not a number.
  private static func checkedLastNumber(
    _ last: Int64?, of entity: Int64
  ) throws(UnreadableRow) -> Int64 {
    guard let last else { return 0 }
    guard 0...lastNumber ~= last else {
      throw UnreadableRow(
        table: "Z_PRIMARYKEY", number: entity, column: "Z_MAX", problem: .outOfRange)
    }
    return last
  }

  private func lastSavedNumber(
    in root: EntityDescription, _ connection: StoreConnection
  ) throws -> Int64 {
    let statement = try connection.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
    guard let number = layout[root]?.number else { return 0 }
    statement.bind(number, at: 0)
    return try Self.checkedLastNumber(try statement.firstInteger(), of: number)
  }

  var queue: DatabaseQueue { source.queue }
  var layout: StoreLayout { source.layout }
  private var name: String { source.name }
}

// MARK: - Reading

extension SQLiteStore {
  package func row(_ number: Int64, in root: EntityDescription) throws(StoreError) -> StoreRow? {
    try rows([number], in: root)[0]
  }

  package func rows(
    _ numbers: [Int64], in root: EntityDescription
  ) throws(StoreError) -> [StoreRow?] {
    guard let reader = readers[root], !numbers.isEmpty else {
      return Array(repeating: nil, count: numbers.count)
    }
    do {
      return try source.read { connection in
        try connection.readingOneState(isSplit: numbers.count > Self.numbersInStatement) {
          let rows = try rows(numbers, reader, connection)
          try noticeSaves(connection)
          return rows
        }
      }
    } catch {
      throw StoreError(error, store: name)
    }
  }

  private func rows(
    _ numbers: [Int64], _ reader: RowReader, _ connection: StoreConnection
  ) throws -> [StoreRow?] {
    // Most callers ask for different rows in the order in which SQLite finds them. A dictionary
    // would take longer than SQLite.
    let isOrdered = zip(numbers, numbers.dropFirst()).allSatisfy(<)
    var rows: [StoreRow?] = Array(repeating: nil, count: isOrdered ? numbers.count : 0)
    var found: [Int64: StoreRow] = [:]
    var next = 0
    var start = 0
    while start < numbers.count {
      let part = numbers[start..<min(numbers.count, start + Self.numbersInStatement)]
      try read(part, reader, connection) { number, row in
        guard isOrdered else {
          found[number] = row
          return
        }
        if next == numbers.count || numbers[next] != number {
          next = numbers.partitioningIndex { $0 >= number }
          guard next < numbers.count, numbers[next] == number else { return }
        }
        rows[next] = row
        next += 1
      }
      start = part.endIndex
    }
    return isOrdered ? rows : numbers.map { found[$0] }
  }

  /// How many row numbers one statement lists.
  static var numbersInStatement: Int { 1000 }

  private func read(
    _ numbers: ArraySlice<Int64>, _ reader: RowReader, _ connection: StoreConnection,
    _ body: (Int64, StoreRow) -> Void
  ) throws {
    let marks = String(repeating: "?, ", count: numbers.count - 1) + "?"
    let condition = numbers.count == 1 ? "= ?" : "IN (\(marks))"
    let statement = try connection.statement("\(reader.select) WHERE t0.Z_PK \(condition)")
    statement.bind(numbers)
    let members = MemberBatch(source)
    try statement.forEachRow { row in
      let number = try reader.checkedNumber(of: row)
      body(number, try reader.storeRow(row, number: number, members: members))
    }
  }

  /// True, because one statement costs as much as many rows.
  package var readsInBatches: Bool { true }

  package func fetch(_ request: StoreRequest) throws(FetchError) -> FoundRows {
    guard let reader = readers[request.entity.root] else {
      return FoundRows(numbers: [], sections: request.sectionIndex.map { _ in [] })
    }
    return try answer(request, reader) { try $0.rows(from: source, on: $1) }
  }

  package func query(for request: StoreRequest) -> StoreQuery? {
    readers[request.entity.root].map {
      StoreFetch(request, layout: layout, reader: $0).query
    }
  }

  package func count(_ request: StoreRequest) throws(FetchError) -> Int {
    guard let reader = readers[request.entity.root] else { return 0 }
    return try answer(request, reader) { try $0.count(from: source, on: $1) }
  }

  /// Answers a request in SQL.
  ///
  /// If one of the SQL functions failed, memory answers instead, so that an excessive pattern
  /// raises an error with its position.
  private func answer<Answer>(
    _ request: StoreRequest, _ reader: RowReader,
    _ ask: (StoreFetch, StoreConnection) throws -> Answer
  ) throws(FetchError) -> Answer {
    do {
      return try source.read { connection in
        functions.begin(locale: request.locale)
        let answer = try ask(StoreFetch(request, layout: layout, reader: reader), connection)
        guard functions.hasFailed else { return answer }
        return try ask(
          StoreFetch(request, layout: layout, reader: reader, asksSQL: false), connection)
      }
    } catch let error as FetchedResults.InvalidPredicateError {
      throw FetchError.predicate(error)
    } catch let error as FetchError {
      throw error
    } catch {
      throw FetchError.store(StoreError(error, store: name))
    }
  }

  package func objectIDs(of entity: EntityDescription) throws(StoreError) -> [ObjectID] {
    guard let table = layout[entity]?.table else { return [] }
    do {
      return try source.read { connection in
        let statement = try connection.statement(
          "SELECT t0.Z_PK, t0.Z_ENT FROM \(table.quotedForSQL) t0 ORDER BY t0.Z_PK")
        var ids: [ObjectID] = []
        try statement.forEachRow { row in
          let number = row.integer(0)
          guard let exact = layout.entities[row.integer(1)] else {
            throw UnreadableRow(table: table, number: number, entity: row, at: 1)
          }
          guard number > 0 else {
            throw UnreadableRow(table: table, number: number, column: "Z_PK", problem: .outOfRange)
          }
          if exact.isKindOf(entity: entity) {
            ids.append(ObjectID(entity: exact, number: number))
          }
        }
        return ids
      }
    } catch {
      throw StoreError(error, store: name)
    }
  }
}

extension SQLiteStore {
  package func objectIDs(
    of entity: EntityDescription, leadingTo ids: [ObjectID], at ordinal: Int
  ) throws(StoreError) -> [ObjectID] {
    guard let table = layout[entity]?.table, let query = referenceQuery(entity, ordinal) else {
      return []
    }
    do {
      return try source.read { connection in
        try connection.readingOneState(isSplit: ids.count > Self.numbersInStatement) {
          var found: [Int64: EntityDescription] = [:]
          var start = 0
          while start < ids.count {
            let part = ids[start..<min(ids.count, start + Self.numbersInStatement)]
            start = part.endIndex
            let marks = Array(repeating: "?", count: part.count).joined(separator: ", ")
            let statement = try connection.statement("\(query) IN (\(marks))")
            statement.bind(part.map(\.number))
            try statement.forEachRow { row in
              guard let exact = layout.entities[row.integer(1)] else {
                throw UnreadableRow(table: table, number: row.integer(0), entity: row, at: 1)
              }
              if exact.isKindOf(entity: entity) { found[row.integer(0)] = exact }
            }
          }
          return found.keys.sorted().compactMap { number in
            found[number].map { ObjectID(entity: $0, number: number) }
          }
        }
      }
    } catch {
      throw StoreError(error, store: name)
    }
  }

  /// Returns a statement for a relationship without an inverse that selects the number and entity
  /// of its owners, up to the place for the destination.
  private func referenceQuery(_ entity: EntityDescription, _ ordinal: Int) -> String? {
    guard let placement = layout[entity] else { return nil }
    let select = "SELECT t0.Z_PK, t0.Z_ENT FROM"
    let table = placement.table.quotedForSQL
    switch placement.relationships[ordinal] {
    case .toOne(let column, _, _)?:
      return "\(select) \(table) t0 WHERE t0.\(column.quotedForSQL)"
    case .join(let join, let own, let other, _)?:
      return "\(select) \(join.quotedForSQL) t1 JOIN \(table) t0 "
        + "ON t0.Z_PK = t1.\(own.quotedForSQL) WHERE t1.\(other.quotedForSQL)"
    // The inverse stores the relationship.
    case .fromOther?, nil: return nil
    }
  }

  package func rows(
    of entity: EntityDescription, having values: [PropertyValue], at places: [Int]
  ) throws(StoreError) -> [Int64] {
    guard let condition = SQLCondition(entity, having: values, at: places, layout),
      let table = layout[entity]?.table
    else { return [] }
    var numbers: [Int64] = []
    do {
      try source.read { connection in
        let statement = try connection.statement(
          "SELECT t0.Z_PK FROM \(table.quotedForSQL) t0 WHERE \(condition.sql) "
            + "ORDER BY t0.Z_PK")
        statement.bind(condition.arguments)
        try statement.forEachRow { numbers.append($0.integer(0)) }
      }
    } catch {
      throw StoreError(error, store: name)
    }
    guard places.contains(where: { entity.attributes[$0].allowsExternalBinaryDataStorage }) else {
      return numbers
    }
    let rows = try rows(numbers, in: entity.root)
    return zip(numbers, rows).filter { _, row in
      guard let row else { return false }
      return zip(places, values).allSatisfy { row.snapshot[$0] == $1 }
    }.map(\.0)
  }
}

// MARK: - What was done

extension SQLiteStore {
  package var activity: StoreActivity { source.log.activity }

  package var keepsStatements: Bool {
    get { source.log.isKept }
    set { source.log.isKept = newValue }
  }

  package func takeStatements() -> [StoreStatement] { source.log.takeStatements() }

  package func takeReadFailure() -> StoreError? { source.log.takeFailure() }
}

// MARK: - Writing

extension SQLiteStore {
  package func save(_ changes: [StoreChange]) throws(StoreError) {
    let roots = roots(of: changes.lazy.map(\.objectID))
    var transaction: Int64?
    // An object that is brought back keeps its earlier number.
    let new = changes.lazy.filter { $0.isInsertion && $0.version == 1 }.map(\.objectID)
    try writeClaiming(new, roots) { connection in
      try RowWriter(layout: layout, connection: connection, external: external)
        .write(changes)
      transaction = try noteHistory(of: changes, in: connection)
    }
    // A filter would copy each change, which takes a twentieth of the save of new objects.
    let deletions = changes.indices.filter { changes[$0].snapshot == nil }
    if !deletions.isEmpty { noteDeletions(deletions.map { changes[$0].objectID }) }
    didWrite(asTransaction: transaction)
  }

  package func obtainNumbers(of ids: [ObjectID]) throws(StoreError) {
    try writeClaiming(ids, roots(of: ids)) { _ in }
  }

  /// Writes to the file, and first claims the numbers of new objects.
  private func writeClaiming(
    _ new: some Sequence<ObjectID>, _ roots: [EntityDescription],
    _ body: (StoreConnection) throws -> Void
  ) throws(StoreError) {
    var claimed: [(root: EntityDescription, last: Int64)] = []
    var isWritten = false
    defer {
      for (root, last) in claimed { numbers.endClaim(of: last, in: root, isWritten: isWritten) }
    }
    do {
      try write { connection in
        for root in roots {
          claimed.append((root, try claimNumbers(of: new, root, in: connection)))
        }
        try body(connection)
      }
      isWritten = true
    } catch {
      if case StoreError.numberTaken(let id) = error { passTakenNumbers(of: id.entity.root) }
      throw StoreError(error, store: name)
    }
  }

  /// Returns the root entities of objects in order of their numbers, so that each run executes the
  /// same statements.
  private func roots(of ids: some Sequence<ObjectID>) -> [EntityDescription] {
    var roots: Set<EntityDescription> = []
    var last: EntityDescription?
    // Most objects have the same root as the object before.
    for id in ids where id.entity.root !== last {
      last = id.entity.root
      roots.insert(id.entity.root)
    }
    return roots.ordered { layout[$0]?.number ?? 0 < layout[$1]?.number ?? 0 }
  }

  /// Writes to the file, in one transaction.
  func write(_ body: (StoreConnection) throws -> Void) throws {
    if isReadOnly { throw StoreError.readOnly(store: name) }
    try source.queue.unsafeReentrantWrite { database in
      let connection = StoreConnection(database: database, log: source.log)
      try connection.inTransaction {
        try body(connection)
        try checkIdentity()
      }
    }
  }

  /// Notes that something was written, with the history transaction's number if the file keeps a
  /// history.
  func didWrite(asTransaction transaction: Int64?) {
    if let transaction { ownTransactions.append(transaction) }
    saves += 1
  }

  func beginFunctions(locale: String) { functions.begin(locale: locale) }

  /// Whether an SQL function failed in the last fetch's statement, so that memory answered.
  var hasFailedFunction: Bool { functions.hasFailed }

  /// Throws if the path no longer leads to the open file, because changes written to another file
  /// would be lost.
  private func checkIdentity() throws(UnusableFile) {
    guard let now = try? FileStatus(path).identity else { throw .removed }
    if now != identity { throw .replaced }
  }

  /// Continues after the numbers that other processes have used.
  ///
  /// This handles one root entity. The new objects of another one keep their numbers until the next
  /// attempt checks them.
  private func passTakenNumbers(of root: EntityDescription) {
    guard let last = try? lastUsedNumber(in: root) else { return }
    numbers.note(lastOfFile: last, in: root)
  }

  /// Writes the numbers of a root entity that were given so far into the file, so that none is given
  /// again.
  ///
  /// - Returns: The last of them.
  private func claimNumbers(
    of new: some Sequence<ObjectID>, _ root: EntityDescription, in connection: StoreConnection
  ) throws -> Int64 {
    let last = try lastSavedNumber(in: root, connection)
    let given = numbers.claim(in: root, lastOfFile: last)
    do {
      if given.areSomeTaken {
        for id in new where id.entity.root === root && given.isTaken(id.number) {
          throw StoreError.numberTaken(id)
        }
      }
      if given.last > last, let entity = layout[root]?.number {
        try connection.execute(
          "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
          [given.last.databaseValue, entity.databaseValue])
      }
    } catch {
      numbers.endClaim(of: given.last, in: root, isWritten: false)
      throw error
    }
    return given.last
  }
}
