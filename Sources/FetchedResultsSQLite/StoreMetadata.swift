import FetchedResults
import Foundation
import Platform

/// The property list that a store has in `Z_METADATA`.
///
/// Core Data's version hashes are never written, because their algorithm is not public.
struct StoreMetadata {
  private var entries: [String: PropertyListValue]

  /// The key of the model, which is stored as JSON.
  private static let model = "FRCModel"

  /// The metadata of a new store.
  init(for model: ManagedObjectModel) throws {
    entries = [
      "NSStoreType": .string("SQLite"),
      "NSStoreModelVersionIdentifiers": .array([.string("")]),
      "NSStoreModelVersionHashesVersion": .integer(3),
      "_NSAutoVacuumLevel": .string("2"),
    ]
    try setModel(model)
  }

  /// Reads the metadata of a file; nil if it is not a property list.
  init?(_ data: Data) {
    guard
      let entries = try? PropertyListDecoder().decode([String: PropertyListValue].self, from: data)
    else { return nil }
    self.entries = entries
  }

  /// The model that the metadata describes.
  var model: StoredModel? {
    guard case .string(let text)? = entries[Self.model] else { return nil }
    return try? JSONDecoder().decode(StoredModel.self, from: Data(text.utf8))
  }

  /// Notes the current model of the file, and removes entries about an earlier one.
  mutating func setModel(_ model: ManagedObjectModel) throws {
    for key in [
      "NSStoreModelVersionHashes", "NSStoreModelVersionHashesDigest",
      "NSStoreModelVersionChecksumKey",
    ] {
      entries[key] = nil
    }
    entries["NSStoreModelVersionIdentifiers"] = .array([.string("")])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    entries[Self.model] = .string(
      String(decoding: try encoder.encode(StoredModel(model)), as: UTF8.self))
  }

  var data: Data {
    get throws {
      // A statically linked Foundation has no types for PropertyListSerialization.
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .binary
      return try encoder.encode(entries)
    }
  }
}

/// Any value of a property list, so that entries of other programs are kept.
indirect enum PropertyListValue: Codable, Equatable {
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case date(Date)
  case data(Data)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .real(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Date.self) {
      self = .date(value)
    } else if let value = try? container.decode(Data.self) {
      self = .data(value)
    } else if let value = try? container.decode([PropertyListValue].self) {
      self = .array(value)
    } else {
      self = .dictionary(try container.decode([String: PropertyListValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .real(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .dictionary(let value): try container.encode(value)
    }
  }
}

extension StoreStamp {
  /// Describes the state of a database by its file: its identity, its length, and when it was last
  /// written.
  ///
  /// The file is not opened, because closing it would release SQLite's locks.
  ///
  /// - Returns: Nil if part of the state is in a log, or if the file was written a moment ago, so
  ///   that another write might not be detected.
  init?(database path: String) {
    for log in ["-wal", "-journal"] {
      if let status = try? FileStatus(path + log), status.size > 0 { return nil }
    }
    guard let status = try? FileStatus(path), status.secondsUntilCertain <= 0 else { return nil }
    let identity = status.identity
    self.init(
      text: "\(identity.device) \(identity.inode) \(status.size) "
        + status.times.map { "\($0.seconds).\($0.nanoseconds)" }.joined(separator: " "))
  }
}

extension FileStatus {
  /// The times that change with a write.
  fileprivate var times: [Time] { [modified, changed] }

  /// How many seconds to wait until another write is sure to have another time; 0 or less if none.
  var secondsUntilCertain: Double {
    let now = Time.now
    return times.map { $0.tick - $0.seconds(until: now) }.max() ?? 0
  }
}

extension FileStatus.Time {
  /// The longest time, in seconds, in which a file system may give two writes the same time.
  ///
  /// A file system without fractions of a second may do so for two seconds.
  fileprivate var tick: Double { nanoseconds == 0 ? 2 : 0.02 }
}

/// A model as a store keeps it in its metadata, so that a later version can migrate the file
/// exactly.
///
/// It contains only what determines where values are stored. Core Data keeps metadata entries that
/// it does not know.
struct StoredModel: Codable, Equatable {
  private let entities: [Entity]

  private struct Entity: Codable, Equatable {
    let name: String
    let parent: String?
    let isAbstract: Bool?
    let identifier: String?
    let attributes: [Attribute]
    let relationships: [Relationship]
  }

  private struct Attribute: Codable, Equatable {
    let name: String
    let type: String
    let isOptional: Bool?
    let isTransient: Bool?
    let isExternal: Bool?
    let identifier: String?
  }

  private struct Relationship: Codable, Equatable {
    let name: String
    let destination: String
    let inverse: String?
    let isToMany: Bool?
    let isOrdered: Bool?
    let isOptional: Bool?
    let isTransient: Bool?
    let identifier: String?
  }

  init(_ model: ManagedObjectModel) {
    // Flags that are not set are left out to keep the text short.
    func flag(_ value: Bool) -> Bool? { value ? true : nil }
    entities = StoreLayout.inOrderOfNumber(model).map { entity in
      Entity(
        name: entity.name, parent: entity.superentity?.name, isAbstract: flag(entity.isAbstract),
        identifier: entity.renamingIdentifier,
        attributes: entity.ownAttributes.map {
          Attribute(
            name: $0.name, type: $0.type.rawValue, isOptional: flag($0.isOptional),
            isTransient: flag($0.isTransient), isExternal: flag($0.allowsExternalBinaryDataStorage),
            identifier: $0.renamingIdentifier)
        },
        relationships: entity.ownRelationships.map {
          Relationship(
            name: $0.name, destination: $0.destination, inverse: $0.inverse,
            isToMany: flag($0.isToMany), isOrdered: flag($0.isOrdered),
            isOptional: flag($0.isOptional), isTransient: flag($0.isTransient),
            identifier: $0.renamingIdentifier)
        })
    }
  }

  /// The names of the entities.
  var names: Set<String> { Set(entities.map(\.name)) }

  /// Creates the model.
  ///
  /// - Parameter indexes: Returns the uniqueness constraints and the indexes of an entity.
  /// - Returns: Nil if the text does not form a valid model, because a file may contain anything.
  func model(
    indexes: (String) -> ([[String]], [FetchIndexDescription]) = { _ in ([], []) }
  ) -> ManagedObjectModel? {
    var made: [String: EntityDescription] = [:]
    var order: [EntityDescription] = []
    for entity in entities {
      if let parent = entity.parent, made[parent] == nil { return nil }
      var attributes: [AttributeDescription] = []
      for attribute in entity.attributes {
        guard let type = AttributeType(rawValue: attribute.type),
          let made = try? AttributeDescription(
            name: attribute.name, type: type, isOptional: attribute.isOptional ?? false,
            isTransient: attribute.isTransient ?? false,
            allowsExternalBinaryDataStorage: attribute.isExternal ?? false,
            renamingIdentifier: attribute.identifier)
        else { return nil }
        attributes.append(made)
      }
      let relationships = entity.relationships.map {
        RelationshipDescription(
          name: $0.name, destination: $0.destination, inverse: $0.inverse,
          isToMany: $0.isToMany ?? false, isOrdered: $0.isOrdered ?? false,
          isOptional: $0.isOptional ?? false, isTransient: $0.isTransient ?? false,
          renamingIdentifier: $0.identifier)
      }
      let (constraints, indexes) = indexes(entity.name)
      guard
        let description = try? EntityDescription(
          name: entity.name, superentity: entity.parent.flatMap { made[$0] },
          isAbstract: entity.isAbstract ?? false, attributes: attributes,
          relationships: relationships, uniquenessConstraints: constraints, indexes: indexes,
          renamingIdentifier: entity.identifier)
      else { return nil }
      made[entity.name] = description
      order.append(description)
    }
    return try? ManagedObjectModel(entities: order)
  }
}
