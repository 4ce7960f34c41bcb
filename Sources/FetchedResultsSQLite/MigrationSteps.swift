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
        let stored = try reader.storeRow(row, members: members)
        rows.append((reader.number(of: row), stored.snapshot))
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
    let changes = object.changes.sorted { $0.key < $1.key }
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
