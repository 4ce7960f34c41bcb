import Basics
public import FetchedResults
import GRDB

/// A migration step of the app: it is called with each object of an entity.
public typealias MigrationStep = (MigratingObject) throws -> Void

/// An object that is being migrated from an older model to a newer one.
///
/// It has the values of both. The values that the migration could infer are set already.
public final class MigratingObject {
  /// The name of the old entity.
  public let sourceEntity: String
  /// The name of the new entity.
  public let destinationEntity: String
  /// The number of the object in the new file.
  public let number: Int64
  private let old: EntityDescription
  private let snapshot: ObjectSnapshot
  private let new: EntityDescription
  private let ignoresCase: Bool
  /// The values that the step set, by the attribute's index.
  private(set) var changes: [Int: PropertyValue] = [:]

  init(_ mapping: EntityMapping, _ snapshot: ObjectSnapshot, number: Int64, ignoresCase: Bool) {
    old = mapping.old
    new = mapping.new
    sourceEntity = old.name
    destinationEntity = new.name
    self.snapshot = snapshot
    self.number = number
    self.ignoresCase = ignoresCase
  }

  /// Returns the value of a property of the old object; nil if the old entity has no such property.
  ///
  /// References to objects have the numbers of the old file.
  public func oldValue(forKey key: String) -> PropertyValue? {
    let index =
      old.propertyIndex(named: key)
      ?? (ignoresCase
        ? old.propertyNames.firstIndex { $0.uppercased() == key.uppercased() } : nil)
    return index.map { snapshot[$0] }
  }

  /// Sets an attribute of the new object.
  ///
  /// - Throws: `ModelError` if the new entity has no such stored attribute, or if the value is not
  ///   of its type.
  public func setValue(_ value: PropertyValue, forKey key: String) throws(ModelError) {
    guard let index = new.attributeIndex(named: key), !new.attributes[index].isTransient else {
      throw .unknownProperty(key, entity: new.name)
    }
    let type = new.attributes[index].type
    guard let exact = type.value(from: value) else {
      throw .defaultOfWrongType(attribute: key, type: type)
    }
    changes[index] = exact
  }
}

/// Runs the app's steps, a few hundred objects at a time.
struct MigrationSteps {
  let run: MigrationRun
  let steps: [String: MigrationStep]

  private static let batch = 500

  func perform(on queue: DatabaseQueue) throws {
    for name in steps.keys.sorted() {
      let mappings = run.plan.mappings.filter { $0.new.name == name }
      guard !mappings.isEmpty else { throw MigrationError.unusedStep(entity: name) }
      for mapping in mappings {
        if let step = steps[name] { try perform(step, mapping, queue) }
      }
    }
  }

  private func perform(
    _ step: MigrationStep, _ mapping: EntityMapping, _ queue: DatabaseQueue
  ) throws {
    guard let table = run.old.layout.table(of: mapping.old.root),
      let number = run.old.layout[mapping.old]?.number, let place = run.layout[mapping.new]
    else { return }
    let offset = run.tables.offset(from: mapping.old, to: mapping.new) ?? 0
    let log = StatementLog()
    let source = StoreSource(queue: queue, layout: run.old.layout, log: log, name: table.name)
    let connection = StoreConnection(database: run.database, log: log)
    let reader = try RowReader(table, run.old.layout, run.external)
    var last: Int64 = 0
    while true {
      let statement = try connection.statement(
        "\(reader.select) WHERE t0.Z_ENT = ? AND t0.Z_PK > ? ORDER BY t0.Z_PK LIMIT \(Self.batch)")
      statement.bind([number, last])
      let members = MemberBatch(source)
      var rows: [(number: Int64, snapshot: ObjectSnapshot)] = []
      try statement.forEachRow { row in
        let number = try reader.checkedNumber(of: row)
        let stored = try reader.storeRow(row, number: number, members: members)
        rows.append((number, stored.snapshot))
      }
      for row in rows {
        let object = MigratingObject(
          mapping, row.snapshot, number: row.number + offset, ignoresCase: !run.old.isExact)
        do {
          try step(object)
        } catch {
          throw MigrationError.stepFailed(
            entity: mapping.new.name, number: row.number, reason: "\(error)")
        }
        // The step saw no value where reading failed, and must not decide by that.
        if let failure = log.takeFailure() { throw failure }
        try write(object, mapping.new, place)
      }
      guard rows.count == Self.batch, let end = rows.last?.number else { return }
      last = end
    }
  }

  private func write(
    _ object: MigratingObject, _ entity: EntityDescription, _ place: EntityPlacement
  ) throws {
    let changes = object.changes.ordered { $0.key < $1.key }
    guard !changes.isEmpty else { return }
    var assignments: [String] = []
    var values: [DatabaseValue] = []
    for (index, value) in changes {
      let attribute = entity.attributes[index]
      guard let column = place.attributes[index] else { continue }
      assignments.append("\(column.quotedForSQL) = ?")
      if attribute.allowsExternalBinaryDataStorage, case .data(let data) = value {
        values.append(ExternalData.stored(data).databaseValue)
      } else if let stored = attribute.type.stored(value) {
        values.append(stored)
      } else {
        throw MigrationError.stepFailed(
          entity: entity.name, number: object.number,
          reason: "the store cannot hold the value of '\(attribute.name)'")
      }
    }
    values.append(object.number.databaseValue)
    try run.execute(
      "UPDATE \(run.place(place.table)) SET \(assignments.joined(separator: ", ")) "
        + "WHERE Z_PK = ?", values)
  }
}

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
