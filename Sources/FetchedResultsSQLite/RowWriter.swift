import FetchedResults
import Foundation
import GRDB
import GRDBSQLite

/// Writes the changes of one save, inside its transaction.
///
/// Deletions come first, and unique values are cleared before new ones are written. So a save can
/// move a unique value from one object to another. Each statement is prepared once per save,
/// however many rows it writes. A row without a version was written by hand, and has the first
/// version.
final class RowWriter {
  private let layout: StoreLayout
  private let connection: StoreConnection
  private let external: ExternalData
  private var plans: [EntityDescription: EntityStatements] = [:]
  /// The statements that were used last, because most rows have the same entity as the row before.
  private var lastPlan: EntityStatements?
  /// How many rows were written since the last progress report.
  private var uncounted = 0

  init(layout: StoreLayout, connection: StoreConnection, external: ExternalData) {
    self.layout = layout
    self.connection = connection
    self.external = external
  }

  func write(_ changes: [StoreChange]) throws {
    // An import has insertions only, and many of them.
    if changes.contains(where: { $0.snapshot == nil || !$0.isInsertion }) {
      for change in changes where change.snapshot == nil {
        try delete(change)
        try didWriteRow()
      }
      for change in changes where change.snapshot != nil && !change.isInsertion {
        try claim(change)
        if StopCheck.isWanted() { throw StoreError.cancelled }
      }
    }
    for change in changes {
      guard let snapshot = change.snapshot else { continue }
      try writeRow(change, snapshot)
      try didWriteRow()
    }
    StopCheck.advance(by: uncounted)
    if plans.keys.contains(where: { $0.relationships.contains(where: \.isToMany) }) {
      try MemberWriter(layout: layout, connection: connection).write(changes)
    }
  }

  /// Counts a row, and throws if the save is to be stopped.
  private func didWriteRow() throws(StoreError) {
    uncounted += 1
    guard uncounted == Self.rowsBetweenLooks else { return }
    StopCheck.advance(by: uncounted)
    uncounted = 0
    if StopCheck.isWanted(after: Self.rowsBetweenLooks) { throw .cancelled }
  }

  /// After how many rows the save checks whether to stop.
  ///
  /// A row takes some microseconds.
  private static let rowsBetweenLooks = 256

  private func statements(for entity: EntityDescription) -> EntityStatements? {
    if let lastPlan, lastPlan.entity === entity { return lastPlan }
    guard let placement = layout[entity] else { return nil }
    let statements = plans[entity] ?? EntityStatements(entity, placement, layout, connection)
    plans[entity] = statements
    lastPlan = statements
    return statements
  }

  private func delete(_ change: StoreChange) throws {
    let id = change.objectID
    guard let statements = statements(for: id.entity) else { return }
    let statement = try statements.deletion
    statement.bind([id.number, Int64(change.version - 1)])
    if try statement.execute() == 0 { throw StoreError.changedMeanwhile(id) }
    for statement in try statements.joinDeletions {
      statement.bind(id.number, at: 0)
      try statement.execute()
    }
  }

  /// Increases a row's version, if it is still the version that was read.
  private func claim(_ change: StoreChange) throws {
    let id = change.objectID
    guard let statement = try statements(for: id.entity)?.claim else { return }
    statement.bind([Int64(change.version), id.number, Int64(change.version - 1)])
    if try statement.execute() == 0 { throw StoreError.changedMeanwhile(id) }
  }

  private func writeRow(_ change: StoreChange, _ snapshot: ObjectSnapshot) throws {
    let id = change.objectID
    guard let statements = statements(for: id.entity) else { return }
    guard change.isInsertion else {
      guard let statement = try statements.update else { return }
      try bind(snapshot, of: id, isNew: false, to: statement, statements)
      statement.bind(id.number, at: statements.columns.count)
      try execute(statement, for: id)
      return
    }
    let statement = try statements.insertion
    try bind(snapshot, of: id, isNew: true, to: statement, statements)
    statement.bind(id.number, at: statements.columns.count)
    statement.bind(statements.placement.number, at: statements.columns.count + 1)
    statement.bind(Int64(change.version), at: statements.columns.count + 2)
    do {
      try execute(statement, for: id)
    } catch let error as DatabaseError
      where error.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY
    {
      // The change brings back a deleted object, and another process has used its number.
      throw change.version == 1 ? StoreError.numberTaken(id) : StoreError.changedMeanwhile(id)
    }
  }

  private func execute(_ statement: PreparedStatement, for id: ObjectID) throws {
    do {
      try statement.execute()
    } catch let error as DatabaseError
      where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE
    {
      throw StoreError.notUnique(id)
    }
  }

  private func bind(
    _ snapshot: ObjectSnapshot, of id: ObjectID, isNew: Bool, to statement: PreparedStatement,
    _ statements: EntityStatements
  ) throws {
    for index in statements.sources.indices {
      switch statements.sources[index] {
      case .attribute(let place, let type):
        guard type.bind(snapshot[place], to: statement, at: index) else {
          throw StoreError.unstorable(id, attribute: id.entity.attributes[place].name)
        }
      case .external(let place):
        if let reference = snapshot.reference(at: place) {
          statement.bind(reference.databaseValue, at: index)
          continue
        }
        guard case .data(let data) = snapshot[place] else {
          statement.bindNull(at: index)
          continue
        }
        let unchanged =
          isNew ? nil : try outside(data, of: id, statements.columns[index], statements)
        statement.bind((unchanged ?? ExternalData.stored(data)).databaseValue, at: index)
      case .number(let place):
        if let other = snapshot[place].objectID {
          statement.bind(other.number, at: index)
        } else {
          statement.bindNull(at: index)
        }
      case .entity(let place):
        if let other = snapshot[place].objectID, let number = layout[other.entity]?.number {
          statement.bind(number, at: index)
        } else {
          statement.bindNull(at: index)
        }
      }
    }
  }
}

extension RowWriter {
  /// Returns a column's current bytes if they refer to a file with the same data, which can stay.
  ///
  /// The app may have set the data again.
  private func outside(
    _ data: Data, of id: ObjectID, _ column: String, _ statements: EntityStatements
  ) throws -> Data? {
    let statement = try statements.selection(of: column)
    statement.bind(id.number, at: 0)
    var found: Data?
    try statement.forEachRow { row in
      guard row.type(0) == SQLITE_BLOB else { return }
      let bytes = row.bytes(0)
      if ExternalData.isOutside(bytes), (try? external.data(bytes)) == data {
        found = Data(bytes)
      }
    }
    return found
  }
}

/// The statements that write the rows of one entity, prepared when they are
/// first needed.
private final class EntityStatements {
  /// Where a column's value comes from, as an index in a snapshot.
  enum Source {
    case attribute(Int, AttributeType)
    /// Data that may be in an external file.
    case external(Int)
    /// The number of the referenced object.
    case number(Int)
    /// The entity number of the referenced object.
    case entity(Int)
  }

  let placement: EntityPlacement
  /// The names of the columns.
  let columns: [String]
  /// Where the value of each column comes from.
  let sources: [Source]
  let entity: EntityDescription
  private let layout: StoreLayout
  private let connection: StoreConnection
  private var known: [String: PreparedStatement] = [:]
  private var knownInsertion: PreparedStatement?

  init(
    _ entity: EntityDescription, _ placement: EntityPlacement, _ layout: StoreLayout,
    _ connection: StoreConnection
  ) {
    self.layout = layout
    self.entity = entity
    self.placement = placement
    self.connection = connection
    var columns: [(name: String, source: Source)] = []
    for (index, column) in placement.attributes.enumerated() {
      guard let column else { continue }
      let attribute = entity.attributes[index]
      columns.append(
        (
          column,
          attribute.allowsExternalBinaryDataStorage
            ? .external(index) : .attribute(index, attribute.type)
        ))
    }
    for (ordinal, relationship) in placement.relationships.enumerated() {
      guard case .toOne(let column, let entityColumn, _)? = relationship else { continue }
      let place = entity.attributes.count + ordinal
      columns.append((column, .number(place)))
      if let entityColumn { columns.append((entityColumn, .entity(place))) }
    }
    self.columns = columns.map(\.name)
    sources = columns.map(\.source)
  }

  private var table: String { placement.table.quotedForSQL }

  /// Takes the columns, then `Z_PK`, `Z_ENT` and `Z_OPT`.
  var insertion: PreparedStatement {
    get throws {
      if let knownInsertion { return knownInsertion }
      let names = columns.map(\.quotedForSQL) + ["Z_PK", "Z_ENT", "Z_OPT"]
      let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
      let statement = try connection.statement(
        "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(marks))")
      knownInsertion = statement
      return statement
    }
  }

  /// Takes the columns, then `Z_PK`; nil if there are no columns.
  var update: PreparedStatement? {
    get throws {
      if columns.isEmpty { return nil }
      return try statement("update") {
        let settings = columns.map { "\($0.quotedForSQL) = ?" }.joined(separator: ", ")
        return "UPDATE \(table) SET \(settings) WHERE Z_PK = ?"
      }
    }
  }

  /// Selects a column; takes `Z_PK`.
  func selection(of column: String) throws -> PreparedStatement {
    try statement("selection \(column)") {
      "SELECT \(column.quotedForSQL) FROM \(table) WHERE Z_PK = ?"
    }
  }

  /// Takes the new `Z_OPT`, `Z_PK` and the old `Z_OPT`.
  var claim: PreparedStatement {
    get throws {
      try statement("claim") {
        let unique = Set(entity.uniquenessConstraints.joined())
          .compactMap { entity.attributeIndex(named: $0) }
          .compactMap { placement.attributes[$0] }.sorted()
        let aside = unique.map { ", \($0.quotedForSQL) = NULL" }.joined()
        return "UPDATE \(table) SET Z_OPT = ?\(aside) WHERE Z_PK = ? AND IFNULL(Z_OPT, 1) = ?"
      }
    }
  }

  /// Takes `Z_PK` and the old `Z_OPT`.
  var deletion: PreparedStatement {
    get throws {
      try statement("deletion") { "DELETE FROM \(table) WHERE Z_PK = ? AND IFNULL(Z_OPT, 1) = ?" }
    }
  }

  /// Each takes `Z_PK`.
  var joinDeletions: [PreparedStatement] {
    get throws {
      try joins.map { join in
        try statement("\(join.table) \(join.name)") {
          "DELETE FROM \(join.table.quotedForSQL) WHERE \(join.name.quotedForSQL) = ?"
        }
      }
    }
  }

  /// The join tables' columns that refer to objects of the entity.
  private lazy var joins = layout.joinColumns(of: entity)

  private func statement(_ name: String, _ sql: () -> String) throws -> PreparedStatement {
    if let statement = known[name] { return statement }
    let statement = try connection.statement(sql())
    known[name] = statement
    return statement
  }
}

/// The numbers given to new objects of a root entity, and which of them other processes have used
/// in the meantime.
///
/// Each process gives numbers in advance, starting after the file's last number. So two processes
/// may give the same number, and the second one to save finds that it is used. A number is never
/// used again, even if the other process's object is deleted.
struct GivenNumbers {
  /// The last number that was given according to the file, as far as this process knows.
  private var saved: Int64
  /// The last number that this process gave, or knows that another process gave.
  private(set) var last: Int64
  /// The last number at a time when no given number was waiting for a save.
  private var known: Int64
  /// How many saves of other processes were known when the file was last read.
  private var foreignSaves = 0
  /// The last number that a save writes into the file; nil if no save does.
  ///
  /// Another store of this process may read it from the file before the save has ended here.
  private var claimed: Int64?
  /// The numbers that both this process and another one gave.
  private var taken: [ClosedRange<Int64>] = []

  init(last: Int64 = 0) {
    saved = last
    self.last = last
    known = last
  }

  /// Whether the file's last number has to be read before another number is given.
  ///
  /// - Parameter foreignSaves: How many saves of other processes are known by now. A context may
  ///   have read their objects, and must not confuse a new object with one of them.
  func mustReadFile(foreignSaves: Int) -> Bool {
    last == known || foreignSaves != self.foreignSaves
  }

  /// Notes what ``mustReadFile(foreignSaves:)`` asked for.
  ///
  /// - Parameter lastOfFile: The last given number according to the file; nil if it could not be
  ///   read.
  mutating func didReadFile(foreignSaves: Int, lastOfFile: Int64?) {
    let nothingWaits = last == known
    if let lastOfFile { note(lastOfFile: lastOfFile) }
    if nothingWaits { known = last }
    self.foreignSaves = foreignSaves
  }

  /// Returns a number that was not given before.
  mutating func next() -> Int64 {
    last += 1
    return last
  }

  /// Lets numbers be given again.
  ///
  /// Does nothing if a higher number was given since, or if the file or a save has one of them.
  mutating func giveBack(_ numbers: ClosedRange<Int64>) {
    guard last == numbers.upperBound, numbers.lowerBound > max(saved, known), claimed == nil else {
      return
    }
    last = numbers.lowerBound - 1
  }

  /// Notes the last number that was given according to the file.
  ///
  /// Other processes gave every number up to it that was not saved from here.
  mutating func note(lastOfFile: Int64) {
    guard lastOfFile > saved else { return }
    if let claimed, lastOfFile <= claimed {
      saved = lastOfFile
      return
    }
    let end = min(lastOfFile, last)
    if end > saved {
      if let before = taken.last, before.upperBound == saved {
        taken[taken.count - 1] = before.lowerBound...end
      } else {
        taken.append(saved + 1...end)
      }
    }
    saved = lastOfFile
    last = max(last, lastOfFile)
  }

  /// Whether another process also gave some of the numbers that were given here.
  var areSomeTaken: Bool { !taken.isEmpty }

  /// Whether another process also gave a number that was given here.
  func isTaken(_ number: Int64) -> Bool {
    taken.contains { $0.contains(number) }
  }

  /// Begins a save, which writes the numbers given so far into the file.
  mutating func claim() { claimed = last }

  /// Ends a save.
  ///
  /// - Parameters:
  ///   - number: The last number that it claimed.
  ///   - isWritten: Whether the number is in the file now.
  mutating func endClaim(of number: Int64, isWritten: Bool) {
    if claimed == number { claimed = nil }
    guard isWritten else { return }
    saved = max(saved, number)
    known = number
  }
}

/// Gives the numbers of new objects.
///
/// The stores of a container share one, because its contexts have stores of their own in one file:
/// no two of them give the same number to objects that are not saved yet.
final class NumberSource: Sendable {
  /// The numbers of each root entity, by its name.
  private let numbers = Locked<[String: GivenNumbers]>([:])

  private func change<Result>(
    _ root: EntityDescription, _ body: (inout GivenNumbers) -> Result
  ) -> Result {
    numbers.withLock { body(&$0[root.name, default: GivenNumbers()]) }
  }

  /// Begins after the last number of a file that was opened.
  func begin(_ root: EntityDescription, after last: Int64) {
    numbers.withLock { numbers in
      if numbers[root.name] == nil {
        numbers[root.name] = GivenNumbers(last: last)
      } else {
        numbers[root.name]?.note(lastOfFile: last)
      }
    }
  }

  /// Returns a number that was not given before; see `GivenNumbers`.
  ///
  /// The file is read without the lock, because another store may wait for it while it writes.
  func next(
    in root: EntityDescription, foreignSaves: Int, lastOfFile: () -> Int64?
  ) -> Int64 {
    let known = change(root) { $0.mustReadFile(foreignSaves: foreignSaves) ? nil : $0.next() }
    if let known { return known }
    let last = lastOfFile()
    return change(root) {
      $0.didReadFile(foreignSaves: foreignSaves, lastOfFile: last)
      return $0.next()
    }
  }

  /// Lets numbers be given again; see `GivenNumbers`.
  func giveBack(_ numbers: ClosedRange<Int64>, in root: EntityDescription) {
    change(root) { $0.giveBack(numbers) }
  }

  /// The last number that was given.
  func last(in root: EntityDescription) -> Int64 { change(root) { $0.last } }

  /// Notes the last number that was given according to the file.
  func note(lastOfFile last: Int64, in root: EntityDescription) {
    change(root) { $0.note(lastOfFile: last) }
  }

  /// Begins a save, which writes the numbers given so far into the file.
  ///
  /// - Parameter lastOfFile: The last given number according to the file.
  /// - Returns: The numbers that the save writes.
  func claim(in root: EntityDescription, lastOfFile: Int64) -> GivenNumbers {
    change(root) {
      $0.note(lastOfFile: lastOfFile)
      $0.claim()
      return $0
    }
  }

  /// Ends a save; see `GivenNumbers`.
  func endClaim(of number: Int64, in root: EntityDescription, isWritten: Bool) {
    change(root) { $0.endClaim(of: number, isWritten: isWritten) }
  }
}
