package import FetchedResults
import GRDB

/// A store in a SQLite file of Core Data's layout.
///
/// A save is one transaction. Not `Sendable`, as every store belongs to its
/// coordinator; other processes may use the file at the same time.
package final class SQLiteStore: PersistentStore {
  /// What `Z_METADATA` says of the layout that this code knows.
  static let layoutVersion = 1

  package let identifier: String
  let queue: DatabaseQueue
  private let layout: StoreLayout
  private let functions: SQLStringFunctions
  private let readers: [EntityDescription: RowReader]
  /// What the file is called in words for people.
  private let name: String
  /// Where the file is.
  let path: String
  /// What tells the state of the file that was copied; nil where the file
  /// itself is used, or its log had a part of it.
  let copiedStamp: StoreStamp?
  /// The copy that is used in place of a file which must not change.
  private let copy: PrivateCopy?
  private var numbers: [EntityDescription: NumberRange] = [:]
  private var saves = 0
  private var foreignSaves = 0
  private var dataVersion: Int64?

  /// The numbers of a root entity, as far as this process knows.
  private struct NumberRange {
    /// The last number that the file says was given.
    var saved: Int64 = 0
    /// The last number given here.
    var reserved: Int64 = 0
    /// The last number given here when the file was last asked.
    var known: Int64 = 0
  }

  /// Opens a file, or makes one where there is none.
  ///
  /// - Parameters:
  ///   - model: The entities of the objects in it.
  ///   - path: Where the file is.
  ///   - name: What to call it in errors.
  ///   - isReadOnly: Whether neither the file nor what SQLite keeps beside it
  ///     may change by a byte. A copy is read then.
  /// - Throws: ``StoreError/unusable(store:reason:)`` where the file is no
  ///   store, does not fit the model, or cannot be opened or made.
  package init(
    model: ManagedObjectModel, path: String, name: String, isReadOnly: Bool = false
  ) throws(StoreError) {
    self.name = name
    self.path = path
    let stamp = isReadOnly ? StoreStamp(database: path) : nil
    do {
      copy = isReadOnly ? try PrivateCopy(of: path) : nil
      let opened = try OpenedFile(copy?.path ?? path, model: model)
      queue = opened.queue
      layout = opened.layout
      functions = opened.functions
      identifier = opened.identifier
      // A file that was written while it was copied has another stamp now.
      copiedStamp = isReadOnly && stamp == StoreStamp(database: path) ? stamp : nil
    } catch {
      throw StoreError(error, store: name)
    }
    var readers: [EntityDescription: RowReader] = [:]
    for table in layout.tables { readers[table.root] = RowReader(table, layout) }
    self.readers = readers
    do {
      for root in readers.keys {
        let last = try lastSavedNumber(in: root)
        numbers[root] = NumberRange(saved: last, reserved: last, known: last)
      }
    } catch {
      throw StoreError(error, store: name)
    }
  }

  var isReadOnly: Bool { copy != nil }

  /// Changes with each save, here or elsewhere.
  ///
  /// Another process's save counts when it is noticed.
  package var generation: Int {
    let version = try? queue.unsafeReentrantRead { database in
      try Int64.fetchOne(database, sql: "PRAGMA data_version")
    }
    if let dataVersion, dataVersion != version { foreignSaves += 1 }
    dataVersion = version ?? dataVersion
    return saves + foreignSaves
  }
}

// MARK: - Numbers

extension SQLiteStore {
  package func reserveNumber(in root: EntityDescription) -> Int64 {
    var range = numbers[root, default: NumberRange()]
    // Where nothing is waiting for a save, other processes' saves come first.
    if range.reserved == range.known {
      range.saved = (try? lastSavedNumber(in: root)) ?? range.saved
      range.reserved = max(range.reserved, range.saved)
      range.known = range.reserved
    }
    range.reserved += 1
    numbers[root] = range
    return range.reserved
  }

  package func lastNumber(in root: EntityDescription) -> Int64 {
    max(numbers[root]?.reserved ?? 0, (try? lastSavedNumber(in: root)) ?? 0)
  }

  private func lastSavedNumber(in root: EntityDescription) throws -> Int64 {
    try queue.unsafeReentrantRead { database in try lastSavedNumber(in: root, database) }
  }

  private func lastSavedNumber(in root: EntityDescription, _ database: Database) throws -> Int64 {
    let statement = try database.cachedStatement(
      sql: "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
    return try Int64.fetchOne(statement, arguments: [layout[root]?.number]) ?? 0
  }
}

// MARK: - Reading

extension SQLiteStore {
  package func row(_ number: Int64, in root: EntityDescription) throws(StoreError) -> StoreRow? {
    guard let reader = readers[root] else { return nil }
    do {
      return try queue.unsafeReentrantRead { database in
        let statement = try database.cachedStatement(sql: "\(reader.select) WHERE t0.Z_PK = ?")
        guard let row = try Row.fetchOne(statement, arguments: [number]) else { return nil }
        let members = MemberReader(layout: layout, database: database)
        return try reader.storeRow(row) { try members.members(of: number, $0, $1) }
      }
    } catch {
      throw StoreError(error, store: name)
    }
  }

  package func fetch(_ request: StoreRequest) throws(FetchError) -> [Int64] {
    guard let reader = readers[request.entity.root] else { return [] }
    do {
      return try queue.unsafeReentrantRead { database in
        functions.begin(locale: request.locale)
        let found = try StoreFetch(request, layout: layout, reader: reader).numbers(in: database)
        guard functions.hasFailed else { return found }
        // A pattern that ran away raises in memory, with its place.
        return try StoreFetch(request, layout: layout, reader: reader, asksSQL: false)
          .numbers(in: database)
      }
    } catch let error as FetchedResults.PredicateError {
      throw FetchError.predicate(error)
    } catch let error as FetchError {
      throw error
    } catch {
      throw FetchError.store(StoreError(error, store: name))
    }
  }
}

extension SQLiteStore {
  package func rows(
    of entity: EntityDescription, having values: [Value], at places: [Int]
  ) throws(StoreError) -> [Int64] {
    guard let condition = SQLCondition(entity, having: values, at: places, layout),
      let table = layout[entity]?.table
    else { return [] }
    do {
      return try queue.unsafeReentrantRead { database in
        let statement = try database.cachedStatement(
          sql: "SELECT t0.Z_PK FROM \(table.quotedForSQL) t0 WHERE \(condition.sql) "
            + "ORDER BY t0.Z_PK")
        return try Int64.fetchAll(
          statement, arguments: StatementArguments(condition.arguments))
      }
    } catch {
      throw StoreError(error, store: name)
    }
  }
}

// MARK: - Writing

extension SQLiteStore {
  package func save(_ changes: [StoreChange]) throws(StoreError) {
    if isReadOnly { throw StoreError.readOnly(store: name) }
    let roots = Set(changes.map(\.objectID.entity.root))
    do {
      try queue.writeWithoutTransaction { database in
        try database.inTransaction(.immediate) {
          try claimNumbers(of: changes, roots, in: database)
          try RowWriter(layout: layout, database: database).write(changes)
          return .commit
        }
      }
    } catch {
      throw StoreError(error, store: name)
    }
    for root in roots {
      guard let reserved = numbers[root]?.reserved else { continue }
      numbers[root] = NumberRange(saved: reserved, reserved: reserved, known: reserved)
    }
    saves += 1
  }

  /// Notes the numbers given so far, so that none is given again.
  private func claimNumbers(
    of changes: [StoreChange], _ roots: Set<EntityDescription>, in database: Database
  ) throws {
    for root in roots {
      let range = numbers[root, default: NumberRange()]
      let last = try lastSavedNumber(in: root, database)
      for change in changes where change.isInsertion && change.objectID.entity.root === root {
        let number = change.objectID.number
        if number > range.saved && number <= last {
          throw StoreError.numberTaken(change.objectID)
        }
      }
      guard range.reserved > last else { continue }
      try database.execute(
        sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
        arguments: [range.reserved, layout[root]?.number])
    }
  }
}
