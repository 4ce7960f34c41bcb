import FetchedResults
import Foundation

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
  /// - Returns: Nil if the text does not form a valid model, because a file may contain anything.
  var model: ManagedObjectModel? {
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
      guard
        let description = try? EntityDescription(
          name: entity.name, superentity: entity.parent.flatMap { made[$0] },
          isAbstract: entity.isAbstract ?? false, attributes: attributes,
          relationships: relationships, renamingIdentifier: entity.identifier)
      else { return nil }
      made[entity.name] = description
      order.append(description)
    }
    return try? ManagedObjectModel(entities: order)
  }
}
