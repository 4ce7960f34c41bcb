import FetchedResults
import GRDB

/// Finds the data that a file has and a migrated file would not have.
///
/// Columns without a value and entities without objects are not a loss. Data that a migration step
/// of the app handles is not a loss either.
struct MigrationLosses {
  private(set) var found: [MigrationLoss] = []
  private let run: MigrationRun
  /// The columns of external data that are dropped, each with a condition on its rows.
  private var files: [(table: String, column: String, condition: String)] = []

  /// The table that lists files of external data to remove after the commit.
  static let files = "temp.frc_files"

  /// - Parameter steps: The entities for which the app has a step, by their new names.
  init(_ run: MigrationRun, steps: Set<String>) throws {
    self.run = run
    for entity in run.plan.removed {
      add(entity.name, nil, try run.rows(of: entity))
      noteFiles(of: entity)
    }
    for omitted in run.old.omittedColumns {
      let objects = try run.count(
        "SELECT count(*) FROM \(omitted.table.name.quotedForSQL) "
          + "WHERE \(omitted.column.quotedForSQL) IS NOT NULL")
      add(omitted.table.root.name, omitted.column, objects)
    }
    for mapping in run.plan.mappings {
      try addAttributes(of: mapping, hasStep: steps.contains(mapping.new.name))
      try addRelationships(of: mapping, hasStep: steps.contains(mapping.new.name))
    }
  }

  private mutating func add(_ entity: String, _ property: String?, _ objects: Int) {
    guard objects > 0 else { return }
    let known = found.firstIndex { $0.entity == entity && $0.property == property }
    let before = known.map { found[$0].objects } ?? 0
    let loss = MigrationLoss(entity: entity, property: property, objects: before + objects)
    if let known { found[known] = loss } else { found.append(loss) }
  }

  private mutating func addAttributes(of mapping: EntityMapping, hasStep: Bool) throws {
    let (old, place) = (mapping.old, run.old.layout[mapping.old])
    guard let place else { return }
    var used: Set<Int> = []
    for (attribute, source) in zip(mapping.new.attributes, mapping.attributes) {
      guard case .column(let index, _)? = source else { continue }
      used.insert(index)
      // Data that moves back into its row no longer needs its file.
      if old.attributes[index].allowsExternalBinaryDataStorage,
        !attribute.allowsExternalBinaryDataStorage
      {
        noteFile(old, index)
      }
    }
    for (index, attribute) in old.attributes.enumerated() where !used.contains(index) {
      guard let column = place.attributes[index] else { continue }
      noteFile(old, index)
      guard !hasStep else { continue }
      let objects = try run.count(
        "SELECT count(*) FROM \(place.table.quotedForSQL) "
          + "WHERE Z_ENT = \(place.number) AND \(column.quotedForSQL) IS NOT NULL")
      add(old.ancestor { $0.attributes.count > index }.name, attribute.name, objects)
    }
  }

  private mutating func addRelationships(of mapping: EntityMapping, hasStep: Bool) throws {
    let (old, place) = (mapping.old, run.old.layout[mapping.old])
    guard let place, !hasStep else { return }
    for (ordinal, relationship) in old.relationships.enumerated() {
      let name = old.ancestor { $0.relationships.count > ordinal }.name
      guard try isKept(ordinal, of: old) else {
        add(name, relationship.name, try pairs(ordinal, of: old, place))
        continue
      }
      for (index, source) in mapping.relationships.enumerated() {
        guard case .same(ordinal)? = source else { continue }
        let target = try mapping.new.link(at: index).destination
        add(name, relationship.name, try pairs(ordinal, of: old, place, notTo: target))
      }
    }
  }

  /// Whether a new relationship, or its inverse, keeps the objects of an old one.
  private func isKept(_ ordinal: Int, of entity: EntityDescription) throws -> Bool {
    let inverse = try entity.link(at: ordinal).inverse
    let destination = try entity.link(at: ordinal).destination
    return run.plan.mappings.contains { mapping in
      mapping.relationships.contains { source in
        switch source {
        case .same(let place)?:
          (mapping.old === entity && place == ordinal)
            || (mapping.old.isKindOf(entity: destination) && place == inverse?.ordinal)
        case .reversed(let owner, let place)?: entity.isKindOf(entity: owner) && place == ordinal
        case nil: false
        }
      }
    }
  }

  /// Returns how many pairs of an old entity's relationship lead to objects that do not become
  /// objects of a new entity.
  ///
  /// Objects that are dropped are counted on their own.
  private func pairs(
    _ ordinal: Int, of entity: EntityDescription, _ place: EntityPlacement,
    notTo target: EntityDescription
  ) throws -> Int {
    let destination = try entity.link(at: ordinal).destination
    let removed = run.plan.removed.compactMap { run.old.layout[$0]?.number }
    let others = Set(run.tables.kinds(of: destination))
      .subtracting(run.tables.numbers(of: destination, becoming: target).map(\.old))
      .subtracting(removed)
    guard !others.isEmpty, let table = run.old.layout[destination]?.table,
      let pairs = try MigrationPairs(.same(ordinal), of: entity, run.old.layout)
    else { return 0 }
    return try run.count(
      "SELECT count(*) FROM (\(pairs.select)) p "
        + "JOIN \(place.table.quotedForSQL) o ON o.Z_PK = p.a AND o.Z_ENT = \(place.number) "
        + "JOIN \(table.quotedForSQL) d ON d.Z_PK = p.b "
        + "AND d.Z_ENT IN (\(others.sorted().listForSQL))")
  }

  /// Returns how many pairs an old entity's relationship has; 0 if the inverse side stores them.
  private func pairs(
    _ ordinal: Int, of entity: EntityDescription, _ place: EntityPlacement
  ) throws -> Int {
    switch place.relationships[ordinal] {
    case .toOne(let column, _, _)?:
      return try run.count(
        "SELECT count(*) FROM \(place.table.quotedForSQL) "
          + "WHERE Z_ENT = \(place.number) AND \(column.quotedForSQL) IS NOT NULL")
    case .join(let table, let own, _, _)?:
      let isFirst = run.old.layout.joins.first { $0.name == table }?.columns.first == own
      guard try isFirst || entity.link(at: ordinal).inverse == nil else { return 0 }
      return try run.count(
        "SELECT count(*) FROM \(table.quotedForSQL) j JOIN \(place.table.quotedForSQL) o "
          + "ON o.Z_PK = j.\(own.quotedForSQL) AND o.Z_ENT = \(place.number)")
    case .fromOther?, nil: return 0
    }
  }
}

// MARK: - Files

extension MigrationLosses {
  private mutating func noteFiles(of entity: EntityDescription) {
    for index in entity.attributes.indices { noteFile(entity, index) }
  }

  private mutating func noteFile(_ entity: EntityDescription, _ index: Int) {
    guard entity.attributes[index].allowsExternalBinaryDataStorage,
      let place = run.old.layout[entity], let column = place.attributes[index]
    else { return }
    files.append((place.table, column.quotedForSQL, "Z_ENT = \(place.number)"))
  }

  /// Notes the files that nothing refers to after the migration.
  func noteFiles() throws {
    try run.execute("DROP TABLE IF EXISTS \(Self.files)")
    try run.execute("CREATE TEMP TABLE frc_files (name TEXT)")
    for file in files {
      try run.execute(
        "INSERT INTO \(Self.files) SELECT CAST(substr(\(file.column), 2, 36) AS TEXT) "
          + "FROM \(file.table.quotedForSQL) WHERE \(file.condition) "
          + "AND substr(\(file.column), 1, 1) = x'02'")
    }
  }
}

extension EntityDescription {
  /// Returns the highest ancestor that meets a condition, or the entity itself if none does.
  func ancestor(where condition: (EntityDescription) -> Bool) -> EntityDescription {
    var found = self
    while let parent = found.superentity, condition(parent) { found = parent }
    return found
  }
}
