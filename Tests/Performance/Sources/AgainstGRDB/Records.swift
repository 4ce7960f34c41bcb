import Foundation
import GRDB

/// A record as GRDB's guides write it.
struct BookRecord: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "book"

  var id: Int64?
  var title: String
  var pages: Int
  var price: Double

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// A record whose columns are read by index.
struct BookRow {
  let id: Int64
  let title: String
  let pages: Int
  let price: Double
}

/// The side of GRDB.
enum Records {
  static func queue(_ file: URL) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: file.path)
    // Both sides write a log, and a commit waits for the disk.
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    try queue.write(makeTable)
    return queue
  }

  static func pool(_ file: URL, isFull: Bool) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
    }
    let pool = try DatabasePool(path: file.path, configuration: configuration)
    try pool.writeWithoutTransaction { database in
      // A pool sets the mode itself, after the configuration.
      try database.execute(sql: "PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
    }
    try pool.write(makeTable)
    return pool
  }

  private static func makeTable(_ database: Database) throws {
    try database.create(table: "book", options: .ifNotExists) { table in
      table.autoIncrementedPrimaryKey("id")
      table.column("title", .text).notNull()
      table.column("pages", .integer).notNull()
      table.column("price", .double).notNull()
    }
  }

  // MARK: Reading

  static func readRecords(_ file: URL) throws -> Reading {
    let books = try DatabaseQueue(path: file.path).read { try BookRecord.fetchAll($0) }
    var sum = 0
    for book in books { sum += book.pages + book.title.utf8.count }
    return Reading(sum: sum, rows: books)
  }

  static func readRows(_ file: URL) throws -> Reading {
    let books = try DatabaseQueue(path: file.path).read { database in
      var books: [BookRow] = []
      let cursor = try Row.fetchCursor(
        database, sql: "SELECT id, title, pages, price FROM book")
      while let row = try cursor.next() {
        books.append(BookRow(id: row[0], title: row[1], pages: row[2], price: row[3]))
      }
      return books
    }
    var sum = 0
    for book in books { sum += book.pages + book.title.utf8.count }
    return Reading(sum: sum, rows: books)
  }

  // MARK: Writing

  @discardableResult
  static func insert(_ rows: [SourceRow], _ queue: DatabaseQueue) throws -> Int {
    try queue.write { database in
      let statement = try database.makeStatement(
        sql: "INSERT INTO book (title, pages, price) VALUES (?, ?, ?)")
      for row in rows { try statement.execute(arguments: [row.title, row.pages, row.price]) }
    }
    return try queue.read(BookRecord.fetchCount)
  }

  static func insertRecords(_ rows: [SourceRow], _ queue: DatabaseQueue) throws -> Int {
    for start in stride(from: 0, to: rows.count, by: 1_000) {
      try queue.write { database in
        for row in rows[start..<min(start + 1_000, rows.count)] {
          var record = BookRecord(title: row.title, pages: row.pages, price: row.price)
          try record.insert(database)
        }
      }
    }
    return try queue.read(BookRecord.fetchCount)
  }

  /// Saves each row in a transaction of its own.
  static func saveEach(_ rows: [SourceRow], _ pool: DatabasePool) throws -> Int {
    for row in rows {
      try pool.write { database in
        var record = BookRecord(title: row.title, pages: row.pages, price: row.price)
        try record.insert(database)
      }
    }
    return try pool.read(BookRecord.fetchCount)
  }
}
