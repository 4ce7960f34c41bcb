import FetchedResults
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// A connection that counts its statements.
///
/// Every statement of an open store goes through it. The statements that open a store or create its
/// tables do not.
struct StoreConnection {
  let database: Database
  let log: StatementLog

  /// Prepares a statement, or returns it if it is prepared already.
  ///
  /// - Parameters:
  ///   - isKept: Whether it is likely to be run again.
  ///   - isCounted: Whether it is counted and shown.
  func statement(
    _ sql: String, isKept: Bool = true, isCounted: Bool = true
  ) throws -> PreparedStatement {
    let statement =
      try isKept
      ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql)
    return PreparedStatement(statement, on: database, log: isCounted ? log : nil)
  }

  /// Runs a statement that returns no rows.
  func execute(_ sql: String, _ values: [DatabaseValue] = []) throws {
    let statement = try statement(sql)
    statement.bind(values)
    try statement.execute()
  }

  /// Sets what saves wait for.
  ///
  /// Without a write-ahead log, `normal` stays `full`, because a power failure could damage the
  /// file.
  func setDurability(_ durability: StoreDurability) throws {
    switch durability {
    case .full: break
    case .normal:
      let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode")
      if mode == "wal" { try database.execute(sql: "PRAGMA synchronous = NORMAL") }
    case .off: try database.execute(sql: "PRAGMA synchronous = OFF")
    }
  }

  /// Runs `body` in a transaction, which fails as a whole.
  ///
  /// If the file is already locked for writing, `body` becomes part of that transaction. A failure
  /// then undoes what `body` did and keeps the lock, and a success commits the transaction.
  func inTransaction(_ body: () throws -> Void) throws {
    let isHeld = database.isInsideTransaction
    try statement(isHeld ? "SAVEPOINT save" : "BEGIN IMMEDIATE").execute(.transaction)
    do {
      try body()
      try statement("COMMIT").execute(.transaction)
    } catch {
      // Some errors roll back the transaction themselves.
      guard database.isInsideTransaction else { throw error }
      for end in isHeld ? ["ROLLBACK TO save", "RELEASE save"] : ["ROLLBACK"] {
        _ = try? statement(end).execute(.transaction)
      }
      throw error
    }
  }

  /// Runs `body` inside a transaction that is rolled back at the end unless `body` has committed
  /// it.
  ///
  /// If a transaction is open already, runs `body` inside that one.
  ///
  /// Changes of `body` are kept only if it ended the transaction itself.
  func holding<Result>(_ beginning: String, _ body: () throws -> Result) throws -> Result {
    if database.isInsideTransaction { return try body() }
    try statement(beginning, isCounted: false).execute(.transaction)
    defer {
      if database.isInsideTransaction {
        _ = try? statement("ROLLBACK", isCounted: false).execute(.transaction)
      }
    }
    return try body()
  }

  /// Runs `body` so that all of its statements read one state of the file, even if others save
  /// between them.
  ///
  /// - Parameter isSplit: Whether it has several statements. One statement reads one state anyway,
  ///   and a transaction would cost it more than it takes.
  func readingOneState<Result>(
    isSplit: Bool = true, _ body: () throws -> Result
  ) throws -> Result {
    try isSplit ? holding("BEGIN", body) : body()
  }
}

/// A statement that is prepared once and run many times.
///
/// It calls SQLite's functions directly for each row, because any layer between would dominate the
/// time of a fetch of a million keys.
final class PreparedStatement {
  private let handle: OpaquePointer
  private let statement: Statement
  private let database: Database
  /// Nil if the statement is not counted.
  private let log: StatementLog?
  /// Whether statements are recorded in full.
  private let isShown: Bool
  /// The values of the parameters, if statements are recorded in full.
  private var binds: [PropertyValue] = []
  /// The texts that are bound for one run, so that SQLite need not allocate each.
  private var texts: UnsafeMutablePointer<CChar>?
  /// How many bytes of them are in use.
  private var textBytes = 0
  /// How many bytes of texts are kept; others are copied by SQLite.
  private static let mostTextBytes = 4096

  fileprivate init(_ statement: Statement, on database: Database, log: StatementLog?) {
    self.statement = statement
    self.database = database
    self.log = log
    isShown = log?.isKept ?? false
    handle = statement.sqliteStatement
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  deinit {
    guard let texts else { return }
    // Another user of the statement must not find them.
    sqlite3_clear_bindings(handle)
    texts.deallocate()
  }

  // MARK: Binding

  /// Binds values to the parameters, starting with the first.
  func bind(_ values: [DatabaseValue]) {
    for (index, value) in values.enumerated() { bind(value, at: index) }
  }

  /// Binds numbers to the parameters, starting with the first.
  func bind(_ numbers: some Sequence<Int64>) {
    for (index, number) in numbers.enumerated() { bind(number, at: index) }
  }

  func bind(_ number: Int64, at index: Int) {
    sqlite3_bind_int64(handle, Int32(index + 1), number)
    if isShown { show(.int(number), at: index) }
  }

  func bind(_ number: Double, at index: Int) {
    sqlite3_bind_double(handle, Int32(index + 1), number)
    if isShown { show(.double(number), at: index) }
  }

  func bindNull(at index: Int) {
    sqlite3_bind_null(handle, Int32(index + 1))
    if isShown { show(.null, at: index) }
  }

  func bind(_ text: String, at index: Int) {
    var utf8 = text
    utf8.withUTF8 { bytes in
      guard let base = bytes.baseAddress, !bytes.isEmpty else {
        // A null pointer would bind NULL.
        sqlite3_bind_text(handle, Int32(index + 1), "", 0, transient)
        return
      }
      base.withMemoryRebound(to: CChar.self, capacity: bytes.count) { base in
        _ = sqlite3_bind_text(handle, Int32(index + 1), base, Int32(bytes.count), transient)
      }
    }
    if isShown { show(.string(text), at: index) }
  }

  /// Binds a text until the statement has run once.
  ///
  /// - Returns: False if the text has a zero character, where SQLite would end it.
  func bindForOneRun(_ text: String, at index: Int) -> Bool {
    var utf8 = text
    let isBound = utf8.withUTF8 { bytes -> Bool? in
      guard let base = bytes.baseAddress, !bytes.isEmpty else { return nil }
      if memchr(base, 0, bytes.count) != nil { return false }
      guard bytes.count <= Self.mostTextBytes - textBytes else { return nil }
      let texts = self.texts ?? .allocate(capacity: Self.mostTextBytes)
      self.texts = texts
      memcpy(texts + textBytes, base, bytes.count)
      sqlite3_bind_text(handle, Int32(index + 1), texts + textBytes, Int32(bytes.count), nil)
      textBytes += bytes.count
      return true
    }
    guard let isBound else {
      bind(text, at: index)
      return true
    }
    if isBound, isShown { show(.string(text), at: index) }
    return isBound
  }

  func bind(bytes: UnsafeRawBufferPointer, at index: Int) {
    if let base = bytes.baseAddress, !bytes.isEmpty {
      sqlite3_bind_blob(handle, Int32(index + 1), base, Int32(bytes.count), transient)
    } else {
      sqlite3_bind_zeroblob(handle, Int32(index + 1), 0)
    }
    if isShown { show(.data(Data(bytes)), at: index) }
  }

  private func show(_ value: PropertyValue, at index: Int) {
    while binds.count <= index { binds.append(.null) }
    binds[index] = value
  }

  func bind(_ value: DatabaseValue, at index: Int) {
    switch value.storage {
    case .null: bindNull(at: index)
    case .int64(let number): bind(number, at: index)
    case .double(let number): bind(number, at: index)
    case .string(let text): bind(text, at: index)
    case .blob(let data): data.withUnsafeBytes { bind(bytes: $0, at: index) }
    }
  }

  // MARK: Running

  /// Runs the statement and calls `body` with each row, which is valid only during the call.
  ///
  /// It is inlined, so that a row costs no call but those of SQLite.
  @inline(__always)
  func forEachRow(_ body: (SelectedRow) throws -> Void) throws {
    var rows = 0
    try run(.fetch) {
      while try step() {
        rows += 1
        try body(SelectedRow(handle))
      }
      return rows
    }
  }

  /// Returns the integer in the first column of the first row; nil if there is none.
  func firstInteger() throws -> Int64? {
    var found: Int64?
    try run(.fetch) {
      guard try step() else { return 0 }
      let row = SelectedRow(handle)
      found = row.exactInteger(0)
      return 1
    }
    return found
  }

  /// Runs a statement that returns no rows.
  ///
  /// - Returns: How many rows it changed.
  @discardableResult
  func execute(_ kind: StoreStatement.Kind = .change) throws -> Int {
    var changes = 0
    try run(kind) {
      while try step() {}
      changes = kind == .change ? Int(sqlite3_changes(sqlite3_db_handle(handle))) : 0
      return changes
    }
    return changes
  }

  /// Runs a statement that deletes rows of a table, and returns SQLite's numbers of these rows.
  ///
  /// `RETURNING` would take longer than to look for the rows before.
  func executeDeletion(from table: String) throws -> [Int64] {
    let deleted = DeletedRows(table)
    let database = sqlite3_db_handle(handle)
    sqlite3_update_hook(
      database,
      { deleted, kind, _, table, number in
        guard kind == SQLITE_DELETE, let deleted, let table else { return }
        Unmanaged<DeletedRows>.fromOpaque(deleted).takeUnretainedValue().note(number, of: table)
      }, Unmanaged.passUnretained(deleted).toOpaque())
    // A store's connection has no other hook.
    defer { sqlite3_update_hook(database, nil, nil) }
    return try withExtendedLifetime(deleted) {
      try execute()
      return deleted.numbers
    }
  }

  @inline(__always)
  private func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw error(code)
  }

  @inline(never)
  private func error(_ code: Int32) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code),
      message: sqlite3_errmsg(sqlite3_db_handle(handle)).map { String(cString: $0) },
      sql: statement.sql)
  }

  @inline(__always)
  private func run(_ kind: StoreStatement.Kind, _ body: () throws -> Int) throws {
    let start = isShown ? ContinuousClock.now : nil
    defer {
      sqlite3_reset(handle)
      textBytes = 0
    }
    let rows = try body()
    let read = kind == .fetch ? rows : 0
    guard let start else {
      log?.count(rows: read, nil)
      return
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let shown = StoreStatement(
      sql: statement.sql, binds: binds, rows: rows, kind: kind, seconds: seconds)
    log?.count(rows: read, shown)
  }
}

/// The rows that a statement has deleted from one table.
private final class DeletedRows {
  private let table: [CChar]
  private(set) var numbers: [Int64] = []

  init(_ table: String) { self.table = table.utf8CString.map(\.self) }

  /// Notes a row, unless a trigger deleted it from another table.
  func note(_ number: Int64, of table: UnsafePointer<CChar>) {
    if strcmp(table, self.table) == 0 { numbers.append(number) }
  }
}

/// A row of a statement, valid until the next row is read.
struct SelectedRow {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

  /// Returns what a column holds.
  func value(_ column: Int32) -> SelectedValue {
    SelectedValue(sqlite3_column_value(handle, column))
  }

  func type(_ column: Int32) -> Int32 { value(column).type }

  func isNull(_ column: Int32) -> Bool { type(column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// Returns the bytes of a text or a blob, which are valid until the next row is read.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer { value(column).bytes }

  /// Returns the text of a column; nil if it is not valid UTF-8.
  func text(_ column: Int32) -> String? { value(column).text }

  /// Returns the number of a column; nil if it holds something else.
  func exactInteger(_ column: Int32) -> Int64? {
    let value = value(column)
    return value.type == SQLITE_INTEGER ? value.integer : nil
  }

  /// Whether a column holds text that is not valid UTF-8.
  func isBrokenText(_ column: Int32) -> Bool { type(column) == SQLITE_TEXT && text(column) == nil }
}

/// What a column of a row holds, valid until the next row is read.
///
/// SQLite's functions for columns lock the connection at each call. Those for values do not, and
/// need not: no other thread uses the connection while a statement runs.
struct SelectedValue {
  private let handle: OpaquePointer?

  fileprivate init(_ handle: OpaquePointer?) { self.handle = handle }

  var type: Int32 { sqlite3_value_type(handle) }

  var integer: Int64 { sqlite3_value_int64(handle) }

  var real: Double { sqlite3_value_double(handle) }

  /// The bytes of a text or a blob.
  var bytes: UnsafeRawBufferPointer {
    // The length belongs to the last conversion, so the type is read first.
    let isText = type == SQLITE_TEXT
    let base =
      isText ? UnsafeRawPointer(sqlite3_value_text(handle)) : sqlite3_value_blob(handle)
    return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_value_bytes(handle)))
  }

  /// The text; nil if it is not valid UTF-8.
  var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The text, if this is known to be one; nil if it is not valid UTF-8.
  ///
  /// SQLite ends each text with a zero. `String(validating:as:)` is generic, and takes twice as
  /// long.
  var knownText: String? {
    guard let start = sqlite3_value_text(handle) else { return nil }
    let count = Int(sqlite3_value_bytes(handle))
    let text = start.withMemoryRebound(to: CChar.self, capacity: count + 1) {
      String(validatingCString: $0)
    }
    // The text may have a zero itself.
    if let text, text.utf8.count == count { return text }
    return String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}

/// Tells SQLite to copy the bytes.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension PropertyValue {
  /// Converts one of SQLite's values for the record of a statement.
  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .int(number)
    case .double(let number): self = .double(number)
    case .string(let text): self = .string(text)
    case .blob(let data): self = .data(data)
    }
  }
}

/// The statements that a connection ran: always counted, and recorded in full if requested.
final class StatementLog: Sendable {
  private struct State {
    var activity = StoreActivity()
    var isKept = false
    var kept: [StoreStatement] = []
    var failure: StoreError?
  }

  private let state = Mutex(State())

  var activity: StoreActivity { state.withLock { $0.activity } }

  var isKept: Bool {
    get { state.withLock { $0.isKept } }
    set { state.withLock { $0.isKept = newValue } }
  }

  /// Counts a statement.
  ///
  /// - Parameter statement: The statement itself, if it is to be recorded.
  func count(rows: Int, _ statement: StoreStatement?) {
    state.withLock { state in
      state.activity.statements += 1
      state.activity.rows += rows
      if let statement { state.kept.append(statement) }
    }
  }

  func countFault() { state.withLock { $0.activity.faults += 1 } }

  /// Keeps the first error that could not be reported when it occurred.
  func keep(_ failure: StoreError) {
    state.withLock { if $0.failure == nil { $0.failure = failure } }
  }

  func takeStatements() -> [StoreStatement] {
    state.withLock { state in
      defer { state.kept = [] }
      return state.kept
    }
  }

  func takeFailure() -> StoreError? {
    state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
  }
}
