import Foundation

/// Makes a model of the elements of its file.
struct ModelBuilder {
  var notes: ModelNotes

  /// Makes the entities, parents first, and checks where their relationships
  /// lead.
  mutating func entities(
    from elements: [ModelElement]
  ) throws(ModelFileError) -> [EntityDescription] {
    var byName: [String: EntityDescription] = [:]
    var made: [EntityDescription] = []
    for element in try parentsFirst(elements) {
      let name = try element.required("name")
      let entity = try entity(element, parent: element["parentEntity"].flatMap { byName[$0] })
      byName[name] = entity
      made.append(entity)
    }
    do throws(ModelError) {
      let model = try ManagedObjectModel(entities: made)
      for entity in model.entities { try entity.checkRelationships() }
    } catch {
      throw ModelFileError.model(error)
    }
    return made
  }

  private func parentsFirst(
    _ elements: [ModelElement]
  ) throws(ModelFileError) -> [ModelElement] {
    var byName: [String: ModelElement] = [:]
    for element in elements {
      let name = try element.required("name")
      guard byName.updateValue(element, forKey: name) == nil else {
        throw ModelFileError.model(.duplicateEntity(name))
      }
    }
    var sorted: [ModelElement] = []
    var done: Set<String> = []
    for element in elements {
      var chain: [ModelElement] = []
      var next: ModelElement? = element
      while let current = next, let name = current["name"], !done.contains(name) {
        if chain.contains(where: { $0["name"] == name }) {
          throw ModelFileError.parentCycle(chain.compactMap { $0["name"] }.sorted())
        }
        chain.append(current)
        guard let parent = current["parentEntity"], !parent.isEmpty else { break }
        next = byName[parent]
        if next == nil { throw ModelFileError.unknownParent(parent, entity: name) }
      }
      for current in chain.reversed() {
        sorted.append(current)
        done.insert(current["name"] ?? "")
      }
    }
    return sorted
  }

  private mutating func entity(
    _ element: ModelElement, parent: EntityDescription?
  ) throws(ModelFileError) -> EntityDescription {
    let name = try element.required("name")
    var attributes: [AttributeDescription] = []
    var relationships: [RelationshipDescription] = []
    for child in element.children {
      switch child.name {
      case "attribute":
        if let attribute = try attribute(child, of: name) { attributes.append(attribute) }
      case "relationship": relationships.append(try relationship(child, of: name))
      case "uniquenessConstraints", "userInfo": break
      case "fetchIndex": notes.add("fetch indexes are not used", "\(name).\(child["name"] ?? "")")
      case "compoundIndexes": notes.add("compound indexes are not used", name)
      case "fetchedProperty":
        notes.add("fetched properties are left out", "\(name).\(child["name"] ?? "")")
      default: notes.add("elements that are not known are passed over", child.name)
      }
    }
    do throws(ModelError) {
      return try EntityDescription(
        name: name, parent: parent, isAbstract: element.says("isAbstract"),
        attributes: attributes, relationships: relationships,
        uniquenessConstraints: constraints(
          element, known: Set(((parent?.attributes ?? []) + attributes).map(\.name)), of: name),
        renamingIdentifier: element["elementID"])
    } catch {
      throw ModelFileError.model(error)
    }
  }

  /// The uniqueness constraints whose attributes are there.
  private mutating func constraints(
    _ element: ModelElement, known: Set<String>, of entity: String
  ) -> [[String]] {
    var constraints: [[String]] = []
    for list in element.children(named: "uniquenessConstraints") {
      for constraint in list.children(named: "uniquenessConstraint") {
        let names = constraint.children(named: "constraint").compactMap { $0["value"] }
        if !names.isEmpty, known.isSuperset(of: names) {
          constraints.append(names)
        } else {
          notes.add(
            "uniqueness constraints of what is no attribute are left out",
            "\(entity) (\(names.joined(separator: ", ")))")
        }
      }
    }
    return constraints
  }

  // MARK: Relationships

  private mutating func relationship(
    _ element: ModelElement, of entity: String
  ) throws(ModelFileError) -> RelationshipDescription {
    let name = try element.required("name")
    let inverse = element["inverseName"].flatMap { $0.isEmpty ? nil : $0 }
    if inverse == nil { notes.add("relationships have no inverse", "\(entity).\(name)") }
    let rule: RelationshipDescription.DeleteRule =
      switch element["deletionRule"] {
      case "Cascade": .cascade
      case "Deny": .deny
      case "No Action": .noAction
      default: .nullify
      }
    return RelationshipDescription(
      name: name, destination: try element.required("destinationEntity"), inverse: inverse,
      isToMany: element.says("toMany"), isOrdered: element.says("ordered"),
      isOptional: element.says("optional"), minCount: element["minCount"].flatMap(Int.init) ?? 0,
      maxCount: element["maxCount"].flatMap(Int.init) ?? 0, deleteRule: rule)
  }

  // MARK: Requests

  /// Makes the requests of the model whose entity is there and whose predicate
  /// can be read.
  mutating func requests(
    from elements: [ModelElement], on entities: [EntityDescription]
  ) -> [String: FetchRequest] {
    var requests: [String: FetchRequest] = [:]
    for element in elements {
      guard let name = element["name"], let entity = element["entity"],
        let entity = entities.first(where: { $0.name == entity })
      else {
        notes.add("requests without an entity are left out", element["name"] ?? "")
        continue
      }
      var request = FetchRequest(entity: entity)
      if let format = element["predicateString"], !format.isEmpty {
        guard let predicate = try? FetchPredicate(format: format) else {
          notes.add("requests whose predicate cannot be read are left out", name)
          continue
        }
        request.predicate = predicate
      }
      request.fetchLimit = element["fetchLimit"].flatMap(Int.init) ?? 0
      request.fetchBatchSize = element["fetchBatchSize"].flatMap(Int.init) ?? 0
      request.includesSubentities = element["includeSubentities"] != "NO"
      if element["resultType"] == "2" {
        notes.add("requests for dictionaries fetch objects instead", name)
      }
      requests[name] = request
    }
    return requests
  }
}
