import Foundation
import GRDB
import Synchronization

/// The import through a pool, and the list with a ValueObservation and a difference.
enum ObservationSide {
  @MainActor
  static func run(
    _ rows: [ImportedRow], perTransaction: Int, into file: URL
  ) async throws -> (Measurement, [Int64]) {
    let pool = try DatabasePool(path: file.path)
    try await pool.writeWithoutTransaction { database in
      // This is as safe as the other side's file: a committed transaction is on the disk.
      try database.execute(sql: "PRAGMA synchronous = FULL")
      try database.execute(
        sql: """
          CREATE TABLE book (id INTEGER PRIMARY KEY, section TEXT NOT NULL, title TEXT NOT NULL);
          CREATE INDEX bookOrder ON book(section, title);
          """)
    }
    let differ = Differ()
    let observation = ValueObservation.trackingConstantRegion { database in
      try differ.difference(to: ListedRow.all(database))
    }

    var measurement = Measurement()
    var sections: [ListedSection] = []
    let watch = MainWatch()
    async let written = importRows(rows, perTransaction, pool, watch)
    var count = 0
    for try await difference in observation.values(in: pool) {
      difference.apply(to: &sections)
      measurement.batches += 1
      count += difference.insertedRows.count
      if count == rows.count { break }
    }
    measurement.delivered = watch.seconds
    watch.end(&measurement)
    measurement.written = try await written
    return (measurement, sections.flatMap(\.rows))
  }

  private static func importRows(
    _ rows: [ImportedRow], _ perTransaction: Int, _ pool: DatabasePool, _ watch: MainWatch
  ) async throws -> Double {
    for start in stride(from: 0, to: rows.count, by: perTransaction) {
      let group = rows[start..<min(start + perTransaction, rows.count)]
      try await pool.write { database in
        let statement = try database.cachedStatement(
          sql: "INSERT INTO book (section, title) VALUES (?, ?)")
        for row in group { try statement.execute(arguments: [row.section, row.title]) }
      }
    }
    return watch.seconds
  }
}

/// A row that the observation fetches.
struct ListedRow: Sendable {
  let id: Int64
  let section: String
  let title: String

  /// Fetches all rows in order.
  static func all(_ database: Database) throws -> [ListedRow] {
    var rows: [ListedRow] = []
    let cursor = try Row.fetchCursor(
      try database.cachedStatement(
        sql: "SELECT id, section, title FROM book ORDER BY section, title"))
    while let row = try cursor.next() {
      rows.append(ListedRow(id: row[0], section: row[1], title: row[2]))
    }
    return rows
  }

  func precedes(_ other: ListedRow) -> Bool {
    if section != other.section { return section < other.section }
    if title != other.title { return title < other.title }
    return id < other.id
  }
}

/// A section of the list.
struct ListedSection {
  let name: String
  var rows: [Int64] = []
}

/// The inserted rows and sections, at their places after the change.
///
/// This import deletes nothing.
struct ListDifference: Sendable {
  var insertedSections: [(index: Int, name: String)] = []
  var insertedRows: [(section: Int, row: Int, id: Int64)] = []

  func apply(to sections: inout [ListedSection]) {
    for section in insertedSections {
      sections.insert(ListedSection(name: section.name), at: section.index)
    }
    for row in insertedRows { sections[row.section].rows.insert(row.id, at: row.row) }
  }
}

/// Compares each list with the one before it.
final class Differ: Sendable {
  private let shown = Mutex<[ListedRow]>([])

  /// Compares both sorted lists in one pass.
  func difference(to rows: [ListedRow]) -> ListDifference {
    shown.withLock { old in
      var difference = ListDifference()
      var next = 0
      var section = -1
      var first = 0
      for (place, row) in rows.enumerated() {
        if place == 0 || row.section != rows[place - 1].section {
          section += 1
          first = place
          // The old rows of this section begin at the current place.
          if next >= old.count || old[next].section != row.section {
            difference.insertedSections.append((section, row.section))
          }
        }
        if next < old.count, !row.precedes(old[next]) {
          next += 1
        } else {
          difference.insertedRows.append((section, place - first, row.id))
        }
      }
      old = rows
      return difference
    }
  }
}
