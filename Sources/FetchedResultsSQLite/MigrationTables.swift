import FetchedResults
import GRDB

/// Assigns rows of old tables to new tables.
///
/// Several old tables may become one, for example if entities get a common parent. The rows of the
/// first keep their numbers. The numbers of the others are moved past them.
struct MigrationTables {
  let old: StoreLayout
  let new: StoreLayout
  let plan: MigrationPlan
  /// What is added to the numbers of an old root's rows, by old and new root.
  private var offsets: [Route: Int64] = [:]
  /// The last number used in each new root's table.
  private(set) var lastNumbers: [EntityDescription: Int64] = [:]

  private struct Route: Hashable {
    let old: EntityDescription
    let new: EntityDescription
  }

  /// The name of a new table until the old tables are dropped.
  static func temporaryName(_ table: String) -> String { "frc_new_\(table)" }

  init(_ old: StoreLayout, _ new: StoreLayout, _ plan: MigrationPlan, _ database: Database) throws {
    self.old = old
    self.new = new
    self.plan = plan
    for table in new.tables {
      var sources: [EntityDescription] = []
      for mapping in plan.mappings where mapping.new.root === table.root {
        if !sources.contains(mapping.old.root) { sources.append(mapping.old.root) }
      }
      // The old table with the same name keeps its numbers.
      sources.sort { left, right in
        func rank(_ root: EntityDescription) -> (Int, Int64) {
          (old[root]?.table == table.name ? 0 : 1, old[root]?.number ?? 0)
        }
        return rank(left) < rank(right)
      }
      var last: Int64 = 0
      for source in sources {
        offsets[Route(old: source, new: table.root)] = last
        last += try Self.lastNumber(of: source, old, database)
      }
      lastNumbers[table.root] = last
    }
  }

  private static func lastNumber(
    of root: EntityDescription, _ layout: StoreLayout, _ database: Database
  ) throws -> Int64 {
    guard let placement = layout[root] else { return 0 }
    let last =
      try Int64.fetchOne(
        database,
        sql: "SELECT max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0), "
          + "ifnull((SELECT max(Z_PK) FROM \(placement.table.quotedForSQL)), 0))",
        arguments: [placement.number]) ?? 0
    guard 0...SQLiteStore.lastNumber / 16 ~= last else {
      throw UnreadableRow(
        table: "Z_PRIMARYKEY", number: placement.number, column: "Z_MAX", problem: .outOfRange)
    }
    return last
  }

  /// Returns what is added to the numbers of an old root's rows in a new root's table; nil if none
  /// of them go there.
  func offset(from old: EntityDescription, to new: EntityDescription) -> Int64? {
    offsets[Route(old: old.root, new: new.root)]
  }

  /// Returns the numbers of the old entities whose objects become objects of a new entity or its
  /// sub-entities, each with the new entity's number.
  func numbers(
    of old: EntityDescription, becoming new: EntityDescription
  ) -> [(old: Int64, new: Int64)] {
    plan.mappings.compactMap { mapping in
      guard mapping.old.isKindOf(entity: old), mapping.new.isKindOf(entity: new),
        let before = self.old[mapping.old]?.number, let after = self.new[mapping.new]?.number
      else { return nil }
      return (before, after)
    }
  }

  /// Returns the numbers of an old entity and its sub-entities.
  func kinds(of entity: EntityDescription) -> [Int64] {
    old.entities.filter { $0.value.isKindOf(entity: entity) }.keys.sorted()
  }
}

extension Sequence<Int64> {
  /// The numbers as an SQL list.
  var listForSQL: String { map(String.init).joined(separator: ", ") }
}

extension String {
  /// Returns an SQL expression that adds an offset to this one.
  func adding(_ offset: Int64) -> String { offset == 0 ? self : "\(self) + \(offset)" }
}
