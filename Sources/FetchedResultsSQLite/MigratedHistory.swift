import FetchedResults
import Foundation
import GRDB

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
