package import FetchedResults
import Foundation
import GRDB
import Platform

/// The result of rereading a file that other processes write.
package enum FollowedFile: Sendable {
  /// It was read again: what others have saved, or nil if only comparing all rows tells it.
  case read(ContextSave?)
  /// There is no file at the path.
  case removed
  /// There is another store at the path, or its tables have changed.
  case replaced
}

/// A store that is only read, and that others write: its copy, and what the copy's tables hold.
struct FollowedStore {
  let copy: FollowedCopy
  let tables: FollowedTables
  let mark: FileMark
}

extension SQLiteStore {
  /// Reads what has changed in the file since it was last read.
  ///
  /// The writer never waits for it. After the first call, the file's pages say which rows others
  /// have inserted, changed and deleted. Then contexts merge that as a save of another context.
  /// If the pages cannot say it, or cannot be read, there is a new copy, and contexts compare all
  /// rows.
  ///
  /// - Parameters:
  ///   - name: The path by which the user knows the file. Its links may lead to another file by
  ///     now; nil if it is the path of the store.
  ///   - willChange: Called with the objects that have changed, before this store has their new
  ///     rows.
  /// - Returns: Whether it is still the file that was opened. If not, nothing has changed here.
  /// - Throws: ``StoreError`` if it cannot be read, for example because other processes write to it
  ///   all the time. Also if the store was not opened read-only.
  /// - Complexity: O(*k*) in the bytes that were appended to SQLite's log. O(*n*) in the bytes of
  ///   the file the first time, after a checkpoint, and for a file without a log.
  package func readAgain(
    named name: String? = nil, willChange: ([ObjectID]) throws -> Void = { _ in }
  ) throws(StoreError) -> FollowedFile {
    guard isReadOnly else {
      throw .unusable(
        store: source.name, reason: "only a store that was opened read-only can be read again")
    }
    do {
      guard let status = try? FileStatus(name ?? path) else { return .removed }
      guard status.identity == identity else { return .replaced }
      if let followed {
        do {
          return try takeChanges(of: followed, willChange)
        } catch {
          // Whatever it was, the copy may lack changes from now on. A new one has everything.
          self.followed = nil
          copyMark = nil
          lostMark = followed.mark
        }
      }
      return try copyAgain()
    } catch UnusableFile.noFile {
      return .removed
    } catch {
      throw StoreError(error, store: source.name)
    }
  }

  private func takeChanges(
    of followed: FollowedStore, _ willChange: ([ObjectID]) throws -> Void
  ) throws -> FollowedFile {
    let changes = try followed.copy.changes()
    guard !changes.pages.isEmpty || changes.pageCount != followed.copy.pageCount else {
      try followed.copy.take(changes)
      return .read(ContextSave())
    }
    let rows = try RowDifference(followed.copy, changes, trees: followed.tables.trees).rows()
    let changed = try followed.tables.objects(of: rows)
    let own = Set(changed.updated + changed.deleted)
    var updated = changed.updated
    for (root, numbers) in changed.joined {
      let numbers = numbers.sorted()
      for (number, row) in zip(numbers, try self.rows(numbers, in: root)) {
        guard let row else { continue }
        let id = ObjectID(entity: row.entity, number: number)
        if !own.contains(id) { updated.append(id) }
      }
    }
    try willChange(updated + changed.deleted)
    try followed.copy.take(changes)
    noteDeletions(changed.deleted)
    noteFollowedSave()
    try source.read { try noticeSaves($0) }
    if changed.mayBeReplaced, try followed.copy.queue.read({ try FileMark($0) }) != followed.mark {
      return .replaced
    }
    return .read(
      ContextSave(inserted: changed.inserted, updated: updated, deleted: changed.deleted))
  }

  /// Reads from a new copy from now on.
  private func copyAgain() throws -> FollowedFile {
    // The old copy may have new and old pages now, so it is not asked.
    let old = try lostMark ?? queue.read { try FileMark($0) }
    let copy: FollowedCopy
    do {
      copy = try FollowedCopy(
        of: path, configuration: OpenedFile.configuration(functions, busyWait))
    } catch is Unfollowable {
      return try copyWithLog(old)
    }
    let new = try copy.queue.read { try FileMark($0) }
    guard old == new else { return .replaced }
    let isUnchanged = copyMark.map(copy.isEqual) ?? false
    followed = FollowedStore(
      copy: copy, tables: try copy.queue.read { try FollowedTables($0, layout) }, mark: new)
    source.use(copy.queue)
    (copyMark, lostMark) = (nil, nil)
    if isUnchanged {
      noteFollowedSave()
      try source.read { try noticeSaves($0) }
      return .read(ContextSave())
    }
    try noteUnknownSaves()
    return .read(nil)
  }

  /// Reads from a new copy that SQLite brings in order: a process ended in the middle of a
  /// transaction.
  private func copyWithLog(_ old: FileMark) throws -> FollowedFile {
    let copy = try PrivateCopy(of: path)
    let queue = try DatabaseQueue(
      path: copy.path, configuration: OpenedFile.configuration(functions, busyWait))
    let new = try queue.read { try FileMark($0) }
    copy.removeName()
    guard old == new else { return .replaced }
    copyMark = nil
    lostMark = new
    source.use(queue)
    try noteUnknownSaves()
    return .read(nil)
  }

  private func noteUnknownSaves() throws {
    copiedStamp = nil
    foreignSaves += 1
    try source.read { try noticeSaves($0) }
  }

  /// Whether a file holds a store.
  ///
  /// An empty file does not yet.
  package static func isStore(at path: String) -> Bool {
    guard let status = try? FileStatus(path), status.size > 0,
      let copy = try? PrivateCopy(of: path), let queue = try? DatabaseQueue(path: copy.path)
    else { return false }
    return (try? queue.read { try StoreSchema($0).isStore }) ?? false
  }
}

/// What distinguishes a store from others, and from itself with other tables.
struct FileMark: Equatable {
  let identifier: String?
  let schema: StoreSchema

  init(_ database: Database) throws {
    schema = try StoreSchema(database)
    guard schema.isStore else { throw UnusableFile.noStore }
    identifier = try Row.fetchOne(database, sql: "SELECT Z_UUID FROM Z_METADATA")?.text(0)
  }
}

extension SQLiteStore: HistoryStore {
  package var tracksHistory: Bool { history != nil }

  package func trackHistory() throws(StoreError) {
    guard history == nil else { return }
    if isReadOnly {
      throw StoreError.unusable(
        store: source.name,
        reason: "it keeps no history yet, and a history begins only in a store that is not "
          + "read-only")
    }
    do {
      history = try queue.writeWithoutTransaction { database in
        try database.inTransaction(.immediate) {
          // Another process may have created them first.
          if try HistoryTables(StoreSchema(database)) == nil {
            try HistoryTables.create(in: database)
          }
          return .commit
        }
        return try HistoryTables(StoreSchema(database))
      }
    } catch {
      throw StoreError(error, store: source.name)
    }
  }

  package func joinHistory() throws(StoreError) -> Bool {
    if history != nil { return true }
    history = try reading { connection in
      let schema = try connection.statement("PRAGMA schema_version", isCounted: false)
        .firstInteger()
      if schema == schemaWithoutHistory { return nil }
      let found = try HistoryTables(StoreSchema(connection.database))
      if found == nil { schemaWithoutHistory = schema }
      return found
    }
    return history != nil
  }

  package func lastTransactionNumber() throws(StoreError) -> Int64 {
    try reading { connection in
      try HistoryTables.last(
        of: HistoryTables.Number.transaction, "ATRANSACTION", in: connection, isCounted: false)
    }
  }

  package func transactions(
    after number: Int64?, author: String?
  ) throws(StoreError) -> [PersistentHistoryTransaction] {
    guard let history else { throw StoreError.noHistory(store: source.name) }
    return try reading { connection in
      // Others may also delete transactions in between.
      try connection.readingOneState {
        let first = try connection.statement("SELECT MIN(Z_PK) FROM ATRANSACTION").firstInteger()
        let last = try HistoryTables.last(
          of: HistoryTables.Number.transaction, "ATRANSACTION", in: connection)
        try checkHistory(after: number, first: first, last: last, store: source.name)
        return try history.transactions(
          after: number ?? 0, author: author, storeID: identifier, source.layout, in: connection)
      }
    }
  }

  package func deleteTransactions(before number: Int64) throws(StoreError) -> Int {
    guard history != nil else { throw StoreError.noHistory(store: source.name) }
    if isReadOnly { throw StoreError.readOnly(store: source.name) }
    var deleted = 0
    do {
      try queue.unsafeReentrantWrite { database in
        let connection = StoreConnection(database: database, log: source.log)
        try connection.inTransaction {
          try connection.execute(
            "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < ?", [number.databaseValue])
          let statement = try connection.statement("DELETE FROM ATRANSACTION WHERE Z_PK < ?")
          statement.bind(number, at: 0)
          deleted = try statement.execute()
        }
      }
    } catch {
      throw StoreError(error, store: source.name)
    }
    return deleted
  }

  package func noticeForeignSaves() throws(StoreError) -> Int {
    try reading { try noticeSaves($0) }
    return foreignSaves
  }

  private func reading<Result>(
    _ body: (StoreConnection) throws -> Result
  ) throws(StoreError) -> Result {
    do {
      return try source.read(body)
    } catch {
      throw StoreError(error, store: source.name)
    }
  }

  /// Notes the changes of a save in the file's history, if it keeps one.
  ///
  /// - Returns: The number of the new history transaction.
  func noteHistory(of changes: [StoreChange], in connection: StoreConnection) throws -> Int64? {
    guard let history, !changes.isEmpty else { return nil }
    return try history.write(changes, by: transactionAuthor, source.layout, in: connection)
  }
}

extension SQLiteStore {
  /// The largest file, in bytes, that is copied to find out which model fits.
  private static let mostCopied = 256 << 20

  /// Returns how much of a file each of some models describes, by tables and columns.
  ///
  /// Only the file's schema is read.
  ///
  /// - Parameter isReadOnly: Whether neither the file nor the files that SQLite keeps beside it may
  ///   change. If so, a copy is read, unless the file is too large.
  /// - Returns: For each model the number of columns and join tables, or nil if it does not fit.
  ///   Empty if the file cannot be read.
  package static func fits(
    of models: [ManagedObjectModel], path: String, isReadOnly: Bool
  ) -> [Int?] {
    guard let status = try? FileStatus(path), status.kind == .regular, status.size > 0 else {
      return []
    }
    if isReadOnly, status.size > mostCopied { return [] }
    do {
      let copy = isReadOnly ? try PrivateCopy(of: path) : nil
      let queue = try DatabaseQueue(path: copy?.path ?? path)
      return try queue.read { database in
        let schema = try StoreSchema(database)
        return models.map { model in
          guard let layout = try? StoreLayout(model, file: schema),
            (try? schema.check(layout)) != nil
          else { return nil }
          return layout.tables.reduce(layout.joins.count) { $0 + $1.columns.count }
        }
      }
    } catch {
      return []
    }
  }
}

extension SQLiteStore {
  package var stamp: StoreStamp? {
    isReadOnly ? copiedStamp : StoreStamp(database: path)
  }

  /// Writes the log into the file, if no other process uses it, and waits until a later write would
  /// be detected.
  package func checkpoint() -> StoreStamp? {
    if isReadOnly { return copiedStamp }
    try? queue.writeWithoutTransaction { database in
      let patience = busyWait.patience
      defer { busyWait.patience = patience }
      busyWait.patience = min(patience, 100)
      _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    if let stamp { return stamp }
    guard let status = try? FileStatus(path) else { return nil }
    // If another machine's clock runs ahead, a time in the future is not waited for.
    Thread.sleep(forTimeInterval: min(2, max(0, status.secondsUntilCertain)))
    return stamp
  }
}

/// What the tables of a followed file hold, to tell which objects their rows are of.
struct FollowedTables {
  /// What the rows of a tree say.
  private enum Role {
    /// Each row is an object; a column has the number of its entity.
    case objects(root: EntityDescription, entityColumn: Int)
    /// Each row joins two objects: the column that names an object, and its root entity.
    case members([(root: EntityDescription, column: Int)])
    /// The store's identity, or the numbers of entities.
    case description
    case other
  }

  /// All trees of the file.
  let trees: [RowDifference.Tree]
  private let roles: [Role]
  private let entities: [Int64: EntityDescription]

  init(_ database: Database, _ layout: StoreLayout) throws {
    var joined: [String: Set<JoinedEntity>] = [:]
    for (entity, placement) in layout.placements {
      for case .join(let table, let own, _, _)? in placement.relationships {
        joined[table, default: []].insert(JoinedEntity(root: entity.root, column: own))
      }
    }
    let roots = Dictionary(
      layout.tables.map { ($0.name, $0.root) }, uniquingKeysWith: { first, _ in first })
    // The table of tables is not among them.
    var trees = [RowDifference.Tree(name: "sqlite_master", root: 1, isCompared: false)]
    var roles = [Role.other]
    for row in try Row.fetchAll(
      database, sql: "SELECT type, name, rootpage FROM sqlite_master WHERE rootpage > 0")
    {
      guard let name = String.fromDatabaseValue(row[1]), let root = UInt32.fromDatabaseValue(row[2])
      else { throw Unfollowable.otherLayout }
      var role = Role.other
      if String.fromDatabaseValue(row[0]) == "table" {
        if let entity = roots[name] {
          let columns = try Self.columns(of: name, database)
          guard let column = columns["Z_ENT"] else { throw Unfollowable.otherLayout }
          role = .objects(root: entity, entityColumn: column)
        } else if let members = joined[name] {
          let columns = try Self.columns(of: name, database)
          role = .members(
            try members.map { member in
              guard let column = columns[member.column] else { throw Unfollowable.otherLayout }
              return (member.root, column)
            })
        } else if ["Z_METADATA", "Z_PRIMARYKEY"].contains(name) {
          role = .description
        }
      }
      var isCompared = true
      if case .other = role { isCompared = false }
      trees.append(RowDifference.Tree(name: name, root: root, isCompared: isCompared))
      roles.append(role)
    }
    self.trees = trees
    self.roles = roles
    entities = layout.entities
  }

  private struct JoinedEntity: Hashable {
    let root: EntityDescription
    let column: String
  }

  /// The place of each column in a table's rows.
  private static func columns(of table: String, _ database: Database) throws -> [String: Int] {
    var columns: [String: Int] = [:]
    for row in try Row.fetchAll(database, sql: "PRAGMA table_info(\(table.quotedForSQL))") {
      guard let name = String.fromDatabaseValue(row["name"]),
        let place = Int.fromDatabaseValue(row["cid"])
      else { continue }
      columns[name] = place
    }
    return columns
  }

  /// Which objects came, changed and went.
  struct ChangedObjects {
    var inserted: [ObjectID] = []
    var updated: [ObjectID] = []
    var deleted: [ObjectID] = []
    /// The numbers of objects that came into a many-to-many relationship, or left one.
    var joined: [EntityDescription: Set<Int64>] = [:]
    /// Whether the store's identity, or an entity's number, may be another one.
    var mayBeReplaced = false
  }

  /// Says which objects changed rows are of.
  ///
  /// - Parameter rows: The changed rows of each tree.
  /// - Throws: ``Unfollowable`` if a row became one of another entity, or of an unknown one.
  func objects(of rows: [[RowDifference.ChangedRow]]) throws(Unfollowable) -> ChangedObjects {
    var changed = ChangedObjects()
    for (role, rows) in zip(roles, rows) where !rows.isEmpty {
      switch role {
      case .other: break
      case .description: changed.mayBeReplaced = true
      case .objects(let root, let column):
        for row in rows { try add(row, of: root, column, to: &changed) }
      case .members(let members):
        for record in rows.flatMap({ [$0.before, $0.after] }).compactMap(\.self) {
          for member in members {
            guard let number = record.integer(at: member.column) else { continue }
            changed.joined[member.root, default: []].insert(number)
          }
        }
      }
    }
    return changed
  }

  private func add(
    _ row: RowDifference.ChangedRow, of root: EntityDescription, _ column: Int,
    to changed: inout ChangedObjects
  ) throws(Unfollowable) {
    let before = try row.before.map { record throws(Unfollowable) in
      try entity(of: record, root, column)
    }
    let after = try row.after.map { record throws(Unfollowable) in
      try entity(of: record, root, column)
    }
    switch (before, after) {
    case (let before?, let after?):
      guard before === after else { throw .otherLayout }
      changed.updated.append(ObjectID(entity: after, number: row.rowID))
    case (nil, let after?): changed.inserted.append(ObjectID(entity: after, number: row.rowID))
    case (let before?, nil): changed.deleted.append(ObjectID(entity: before, number: row.rowID))
    case (nil, nil): break
    }
  }

  private func entity(
    of record: TreeRecord, _ root: EntityDescription, _ column: Int
  ) throws(Unfollowable) -> EntityDescription {
    guard let number = record.integer(at: column), let entity = entities[number],
      entity.root === root
    else { throw .otherLayout }
    return entity
  }
}
