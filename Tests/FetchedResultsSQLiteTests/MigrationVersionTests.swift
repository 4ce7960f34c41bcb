import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

/// Migrates each version of a model to the next one.
@Suite("Versions of models")
struct MigrationVersionTests {
  private let folder = StoreFolder()

  /// The source of the old model.
  enum Source: CaseIterable {
    case metadata
    case given
    case tables
  }

  @Test(
    "migrate to the next one",
    arguments: [ModelVersions.moods, ModelVersions.cars, ModelVersions.pets], Source.allCases)
  func neighbours(_ versions: [String], _ source: Source) throws {
    for (index, (old, new)) in zip(versions, versions.dropFirst()).enumerated() {
      let file = folder.file("version\(index).sqlite")
      let model = try ModelVersions.model(old)
      let before = try fill(
        PersistentStoreCoordinator(managedObjectModel: model, sqliteStoreAt: file))
      if source == .tables {
        try folder.execute("UPDATE Z_METADATA SET Z_PLIST = NULL", in: file.lastPathComponent)
      }
      let coordinator = try PersistentStoreCoordinator(
        managedObjectModel: try ModelVersions.model(new), sqliteStoreAt: file,
        migration: .inferred(
          allowsDataLoss: true, from: source == .given ? try ModelVersions.model(old) : nil))
      try compare(before, coordinator, "version \(index + 2), \(source)")
    }
  }

  /// The attributes of an object, and the labels of its related objects.
  private struct Saved {
    let entity: String
    let label: String
    var values: [String: PropertyValue] = [:]
    var links: [String: Set<String>] = [:]
  }

  /// Inserts three objects of each entity that are related to each other and have a label in their
  /// first text or date.
  private func fill(_ coordinator: PersistentStoreCoordinator) throws -> [Saved] {
    let context = ManagedObjectContext(coordinator: coordinator)
    var objects: [ManagedObject] = []
    var number = 0
    for entity in coordinator.managedObjectModel.entities where !entity.isAbstract {
      for _ in 0..<3 {
        let object = context.insert(entity)
        for attribute in entity.attributes {
          number += 1
          try object.setValue(value(attribute.type, number), forKey: attribute.name)
        }
        objects.append(object)
      }
    }
    for object in objects {
      for relationship in object.entity.relationships where !relationship.isToMany {
        let others = objects.filter { other in
          other.entity.isKind(named: relationship.destination)
            && (relationship.inverse.map { other[$0] } ?? .null).isFree
        }
        guard let other = others.first else { continue }
        try object.setValue(.object(other.objectID), forKey: relationship.name)
      }
    }
    try context.save()
    return try saved(coordinator)
  }

  private func value(_ type: AttributeType, _ number: Int) -> PropertyValue {
    switch type {
    case .integer16, .integer32, .integer64: .int(Int64(number))
    case .double, .float: .double(Double(number))
    case .decimal: .decimal(Decimal(number))
    case .boolean: .bool(number % 2 == 0)
    case .string: .string("text \(number)")
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case .uuid:
      .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number % 256))))
    case .uri: .uri(URL(filePath: "/\(number)"))
    case .binaryData: .data(Data([UInt8(number % 256), 2, 3]))
    }
  }

  /// Returns a value that identifies an object in every version, because it is always kept.
  private func label(_ object: ManagedObject) -> String {
    for key in ["date", "updatedAt", "numberPlate", "name"] {
      if object.entity.attributes.contains(where: { $0.name == key }) { return "\(object[key])" }
    }
    return "none"
  }

  private func saved(_ coordinator: PersistentStoreCoordinator) throws -> [Saved] {
    let context = ManagedObjectContext(coordinator: coordinator)
    var saved: [Saved] = []
    for entity in coordinator.managedObjectModel.entities where entity.superentity == nil {
      for object in try context.fetch(FetchRequest(entity: entity)) {
        var line = Saved(entity: object.entity.name, label: label(object))
        for attribute in object.entity.attributes {
          line.values[attribute.name] = object[attribute.name]
        }
        for relationship in object.entity.relationships {
          let ids = object[relationship.name].ids
          line.links[relationship.name] = Set(
            ids.compactMap { context.findObject(with: $0) }.map(label))
        }
        saved.append(line)
      }
    }
    return saved.sorted { ($0.entity, $0.label) < ($1.entity, $1.label) }
  }

  private func compare(
    _ before: [Saved], _ coordinator: PersistentStoreCoordinator, _ version: String
  ) throws {
    let model = coordinator.managedObjectModel
    let after = try saved(coordinator)
    var compared = 0
    for old in before {
      let entity = model.entities.first {
        $0.name == old.entity || $0.renamingIdentifier == old.entity
      }
      guard let entity else { continue }
      let new = try #require(
        after.first { $0.entity == entity.name && $0.label == old.label },
        "\(version): \(old.entity) \(old.label)")
      for attribute in entity.attributes {
        let former = attribute.renamingIdentifier.flatMap { old.values[$0] }
        let value = old.values[attribute.name] ?? former ?? attribute.defaultValue
        #expect(new.values[attribute.name] == value, "\(version): \(entity.name).\(attribute.name)")
        compared += 1
      }
      for relationship in entity.relationships {
        // Only the objects that still exist.
        let labels = Set(after.map(\.label))
        let links = (old.links[relationship.name] ?? []).intersection(labels)
        #expect(
          new.links[relationship.name] == links, "\(version): \(entity.name).\(relationship.name)")
      }
    }
    #expect(compared > 0)
  }
}

extension EntityDescription {
  fileprivate func isKind(named name: String) -> Bool {
    sequence(first: self) { $0.superentity }.contains { $0.name == name }
  }
}

extension PropertyValue {
  fileprivate var ids: [ObjectID] {
    switch self {
    case .object(let id): [id]
    case .list(let values): values.flatMap(\.ids)
    default: []
    }
  }

  /// Whether another object may refer to this one.
  fileprivate var isFree: Bool {
    if case .object = self { false } else { true }
  }
}
