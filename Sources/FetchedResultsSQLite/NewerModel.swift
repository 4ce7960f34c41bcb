import FetchedResults

/// What a newer model says about the properties in the tables of an older file.
///
/// Tables show columns. They do not show which entity of a family has a property, or which entity a
/// number refers to. The newer model tells, if it still has the property.
struct NewerModel {
  /// A property of the newer model, under one of its names.
  struct Property {
    /// The number of the old entity that has the property.
    let owner: Int64
    /// Whether the newer model names that entity.
    ///
    /// If not, the property belongs to a new ancestor of it.
    let isOwn: Bool
    /// The attribute; nil for a relationship.
    let attribute: AttributeDescription?
    let isToMany: Bool
    /// The number of the old entity that a relationship leads to; nil for an attribute, and if
    /// the file has no such entity.
    let destination: Int64?
    /// The name of the inverse relationship.
    let inverse: String?
    /// The name in the newer model in capitals, if the property was found under its former name.
    var currentName: String?

    /// How implausible it is that a column of a type held the property; 0 if nothing speaks
    /// against it.
    func cost(ofColumn type: ColumnType) -> Int {
      let own = isOwn ? 0 : 1
      guard let attribute else {
        // A to-many relationship has no column, but may have been to-one.
        return own + (type == .integer ? 0 : 4) + (isToMany ? 1 : 0)
      }
      switch (type, ColumnType(attribute.type)) {
      case (.integer, .float), (.integer, .decimal), (.float, .decimal): return own + 1
      case (let column, let newer): return own + (column == newer ? 0 : 4)
      }
    }
  }

  private let properties: [Place: [Property]]

  private struct Place: Hashable {
    let root: Int64
    let name: String
  }

  /// - Parameter records: The entities of the file.
  /// - Throws: `ModelError` if a relationship has no valid destination.
  init(_ model: ManagedObjectModel, for records: [EntityRecord]) throws {
    let match = NameMatch(
      old: records.map { ($0.name, nil) },
      new: model.entities.map { ($0.name, $0.renamingIdentifier) }, ignoresCase: false,
      knowsIdentifiers: false)
    let byName = Dictionary(records.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    func record(_ entity: EntityDescription) -> EntityRecord? {
      match.old(for: entity.name).flatMap { byName[$0] }
    }
    let heirs = Dictionary(grouping: model.entities, by: \.superentity)
    /// Returns the old entities that an entity, or the nearest heirs that the file has, come from.
    func sources(_ entity: EntityDescription) -> [EntityRecord] {
      record(entity).map { [$0] } ?? (heirs[entity] ?? []).flatMap(sources)
    }
    var found: [Place: [Property]] = [:]
    for entity in model.entities {
      let own = record(entity)
      // An entity that has moved to another family has the properties of its new ancestors in its
      // old table.
      let owners = (own.map { [$0] } ?? []) + (heirs[entity] ?? []).flatMap(sources)
      for owner in owners where owner.number == own?.number || owner.root != own?.root {
        func note(
          _ name: String, _ oldName: String?, _ attribute: AttributeDescription?,
          isToMany: Bool = false, _ destination: Int64? = nil, _ inverse: String? = nil
        ) {
          var property = Property(
            owner: owner.number, isOwn: owner.number == own?.number, attribute: attribute,
            isToMany: isToMany, destination: destination, inverse: inverse)
          let place = Place(root: owner.root, name: name.uppercased())
          found[place, default: []].append(property)
          guard let oldName, oldName.uppercased() != place.name else { return }
          // A renaming identifier is stronger than an equal name, so it comes first.
          property.currentName = place.name
          found[Place(root: owner.root, name: oldName.uppercased()), default: []]
            .insert(property, at: 0)
        }
        for attribute in entity.ownAttributes where !attribute.isTransient {
          note(attribute.name, attribute.renamingIdentifier, attribute)
        }
        for ordinal in entity.ownRelationships.indices {
          let relationship = entity.relationships[ordinal]
          guard !relationship.isTransient else { continue }
          let link = try entity.link(at: ordinal)
          note(
            relationship.name, relationship.renamingIdentifier, nil,
            isToMany: relationship.isToMany, record(link.destination)?.number,
            link.inverse.map { link.destination.relationships[$0.ordinal].name })
        }
      }
    }
    properties = found
  }

  /// Returns the properties of a family that have a name, the most plausible first.
  ///
  /// - Parameter name: The name in capitals.
  func properties(named name: String, in root: Int64) -> [Property] {
    properties[Place(root: root, name: name)] ?? []
  }

  /// Whether another property of a family was made of the one with a name.
  ///
  /// - Parameter name: The name in capitals.
  func isFormerName(_ name: String, in root: Int64) -> Bool {
    properties(named: name, in: root).contains { $0.currentName != nil }
  }
}
