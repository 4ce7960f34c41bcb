package import FetchedResults

/// The numbers that `stats` prints.
package struct ShownStatistics {
  /// The name of the store in a file; nil for the store in memory.
  package let store: String?
  package let statements: Int
  package let rows: Int
  package let faults: Int
  /// The memory in bytes; nil if it must not be printed.
  package let memory: Int?
}

extension ShownStatistics: CustomStringConvertible {
  /// `statements 3, rows read 40, faults fired 2, memory 21.4 MB`.
  package var description: String {
    let memory = memory.map { bytes in
      let tenths = (bytes + 50_000) / 100_000
      return ", memory \(tenths / 10).\(tenths % 10) MB"
    }
    return "statements \(statements), rows read \(rows), faults fired \(faults)"
      + (memory ?? "")
  }

  /// The event's fields.
  var fields: [(String, JSON?)] {
    [
      ("store", store.map { .string($0) }), ("statements", .number(String(statements))),
      ("rowsRead", .number(String(rows))), ("faultsFired", .number(String(faults))),
      ("memory", memory.map { .number(String($0)) }),
    ]
  }
}

/// A statement of the store, with its kind and its duration.
package struct ShownStatement {
  package let statement: StoreStatement
  /// The duration; 0 if times must not be printed.
  package let seconds: Double

  package init(_ statement: StoreStatement, seconds: Double) {
    self.statement = statement
    self.seconds = seconds
  }

  /// The lines that Core Data prints for it with `-com.apple.CoreData.SQLDebug 2`.
  package var lines: [String] {
    var lines = ["sql: \(statement.sql)"]
    for (index, bind) in statement.binds.enumerated() {
      lines.append("details: SQLite bind[\(index)] = \(bind.bindText)")
    }
    switch statement.kind {
    case .fetch:
      lines.append(
        "annotation: total fetch execution time: \(time)s for \(statement.rows) "
          + "\(statement.rows == 1 ? "row" : "rows").")
    case .change: lines.append("annotation: sql execution time: \(time)s")
    case .transaction: break
    }
    return lines.map { "CoreData: " + $0 }
  }

  /// The number of seconds with four decimals.
  private var time: String {
    let units = Int((min(seconds, 1e9) * 10_000).rounded())
    let digits = String(units % 10_000)
    return "\(units / 10_000)." + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// The event's fields.
  var fields: [(String, JSON?)] {
    [
      ("sql", .string(statement.sql)),
      ("binds", .array(statement.binds.map { JSON($0) })),
      ("rows", statement.kind == .transaction ? nil : .number(String(statement.rows))),
      ("seconds", .number(time)),
    ]
  }
}

extension Event {
  /// The event without measured times and memory, as a test prints it.
  package var unmeasured: Event {
    switch self {
    case .statistics(let shown):
      .statistics(
        ShownStatistics(
          store: shown.store, statements: shown.statements, rows: shown.rows, faults: shown.faults,
          memory: nil))
    case .statement(let shown): .statement(ShownStatement(shown.statement, seconds: 0))
    case .willChangeContent, .didChangeObject, .didChangeSection, .didChangeContent, .snapshot,
      .difference, .counts, .hook, .notification, .show, .table, .dataSource, .exception,
      .showTable,
      .request, .value,
      .rows, .objects, .objectIDs, .dictionaries, .batch, .evaluation, .explainedTurn, .explanation,
      .swift, .cache, .history, .remoteChange, .model, .note,
      .console, .error:
      self
    }
  }
}

extension PropertyValue {
  /// The value as SQLDebug prints it; bytes are written as in SQL.
  fileprivate var bindText: String {
    guard case .data(let bytes) = self else { return quotedDescription }
    let shown = bytes.prefix(32).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "x'\(shown.joined())\(bytes.count > 32 ? "…" : "")'"
  }
}
