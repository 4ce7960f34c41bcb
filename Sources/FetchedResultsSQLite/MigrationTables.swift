import FetchedResults
import GRDB

/// Where rows of old tables go in new ones.
///
/// Several old tables may become one, as where entities get a common parent. The numbers of the
/// first stay, and those of the others are moved past them.
struct MigrationTables {
  let old: StoreLayout
  let new: StoreLayout
  let plan: MigrationPlan
  /// What is added to the numbers of an old root's rows, by the new root.
  private var offsets: [Route: Int64] = [:]
  /// The last number that the rows of a new root have had.
  private(set) var lastNumbers: [EntityDescription: Int64] = [:]

  private struct Route: Hashable {
    let old: EntityDescription
    let new: EntityDescription
  }

  /// New tables have another name until the old ones are gone.
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
      // The table of the same name keeps its numbers.
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

  /// What is added to the numbers of an old root's rows that go to a new root's table; nil if none
  /// go there.
  func offset(from old: EntityDescription, to new: EntityDescription) -> Int64? {
    offsets[Route(old: old.root, new: new.root)]
  }

  /// The numbers of the old entities whose objects are of a kind in the new model, each with the
  /// number of its new entity.
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

  /// The numbers of an old entity and of what inherits from it.
  func kinds(of entity: EntityDescription) -> [Int64] {
    old.entities.filter { $0.value.isKindOf(entity: entity) }.keys.sorted()
  }
}

extension Sequence<Int64> {
  /// The numbers as a list of SQL.
  var listForSQL: String { map(String.init).joined(separator: ", ") }
}

extension String {
  /// An expression of SQL and a number.
  func adding(_ offset: Int64) -> String { offset == 0 ? self : "\(self) + \(offset)" }
}
