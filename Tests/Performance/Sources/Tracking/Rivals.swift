import Foundation
import GRDB

/// A sorted array that receives its changes directly: what an app would write by hand.
final class SortedArray: Contender {
  static let name = "sorted array that knows its changes"

  private var rows: [Row]
  private var byID: [Int: Row]
  private var lastID: Int

  init(rows: [Row]) {
    self.rows = rows
    byID = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
    lastID = rows.map(\.id).max() ?? 0
  }

  func perform(_ edits: [Edit]) -> Int {
    for edit in edits {
      switch edit {
      case .update(let id):
        if let row = byID[id] { rows[place(of: row)] = row }
      case .move(let id, let section, let key):
        if let row = byID[id] { rows.remove(at: place(of: row)) }
        put(Row(section: section, key: key, id: id))
      case .insert(let section, let key):
        lastID += 1
        put(Row(section: section, key: key, id: lastID))
      case .delete(let id):
        if let row = byID.removeValue(forKey: id) { rows.remove(at: place(of: row)) }
      }
    }
    return edits.count
  }

  private func put(_ row: Row) {
    byID[row.id] = row
    rows.insert(row, at: place(of: row))
  }

  private func place(of row: Row) -> Int {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The standard library's difference between the list before and after, with inferred moves.
///
/// The time for the new list does not count.
final class StandardDifference: Contender {
  static let name = "CollectionDifference, moves inferred"

  private var rows: [Row]
  private let edits: SortedEdits

  init(rows: [Row]) {
    self.rows = rows
    edits = SortedEdits(rows: rows)
  }

  func perform(_ batch: [Edit]) -> Int {
    let new = edits.applying(batch)
    let difference = new.difference(from: rows).inferringMoves()
    rows = new
    return difference.count
  }
}

/// GRDB's observation of the whole request, and a difference between the results before and after.
final class Observation: Contender {
  static let name = "GRDB ValueObservation and a difference"

  private let queue: DatabaseQueue
  private let arrived = DispatchSemaphore(value: 0)
  private var cancellable: AnyDatabaseCancellable?
  private let box = Box()

  /// Data that the observation's queue writes, and that `perform` reads after `arrived`.
  private final class Box: @unchecked Sendable {
    var rows: [Row] = []
  }

  init(rows: [Row]) throws {
    queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE row (id INTEGER PRIMARY KEY, section INT, key INT)")
      let insert = try db.makeStatement(sql: "INSERT INTO row VALUES (?, ?, ?)")
      for row in rows { try insert.execute(arguments: [row.id, row.section, row.key]) }
      try db.execute(sql: "CREATE INDEX sorted ON row (section, key, id)")
    }
    let box = box
    let arrived = arrived
    cancellable = ValueObservation.tracking { db in
      var rows: [Row] = []
      let cursor = try GRDB.Row.fetchCursor(
        db, sql: "SELECT section, key, id FROM row ORDER BY section, key, id")
      while let row = try cursor.next() {
        rows.append(Row(section: row[0], key: row[1], id: row[2]))
      }
      return rows
    }.start(
      in: queue, scheduling: .async(onQueue: DispatchQueue(label: "observation")),
      onError: { _ in },
      onChange: { rows in
        box.rows = rows
        arrived.signal()
      })
    arrived.wait()
  }

  func perform(_ edits: [Edit]) throws -> Int {
    let old = box.rows
    try queue.write { db in
      for edit in edits {
        switch edit {
        case .update(let id):
          try db.execute(sql: "UPDATE row SET key = key WHERE id = ?", arguments: [id])
        case .move(let id, let section, let key):
          try db.execute(
            sql: "UPDATE row SET section = ?, key = ? WHERE id = ?", arguments: [section, key, id])
        case .insert(let section, let key):
          try db.execute(
            sql: "INSERT INTO row (section, key) VALUES (?, ?)", arguments: [section, key])
        case .delete(let id):
          try db.execute(sql: "DELETE FROM row WHERE id = ?", arguments: [id])
        }
      }
    }
    arrived.wait()
    return box.rows.difference(from: old).inferringMoves().count
  }
}

/// Makes the list after a batch, which is not part of a differ's measured time.
final class SortedEdits {
  private var rows: [Int: Row]
  private var sorted: [Row]
  private var lastID: Int

  init(rows: [Row]) {
    self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
    sorted = rows
    lastID = rows.map(\.id).max() ?? 0
  }

  func applying(_ edits: [Edit]) -> [Row] {
    var gone: Set<Row> = []
    var come: [Row] = []
    for edit in edits {
      switch edit {
      case .update: break
      case .move(let id, let section, let key):
        if let row = rows[id] { gone.insert(row) }
        let row = Row(section: section, key: key, id: id)
        rows[id] = row
        come.append(row)
      case .insert(let section, let key):
        lastID += 1
        let row = Row(section: section, key: key, id: lastID)
        rows[lastID] = row
        come.append(row)
      case .delete(let id):
        if let row = rows.removeValue(forKey: id) { gone.insert(row) }
      }
    }
    come.sort()
    var result: [Row] = []
    result.reserveCapacity(sorted.count + come.count)
    var next = 0
    for row in sorted where !gone.contains(row) {
      while next < come.count, come[next] < row {
        result.append(come[next])
        next += 1
      }
      result.append(row)
    }
    result += come[next...]
    sorted = result
    return result
  }
}
