/// Creates a model from the elements of its file.
struct ModelBuilder {
  var notes = ModelNotes()

  /// An entity as its element describes it, before its relationships are resolved.
  struct Draft {
    let element: ModelElement
    let name: String
    let parent: String?
    var attributes: [AttributeDescription] = []
    var relationships: [RelationshipDescription] = []
  }

  /// The largest number of properties in all entities together, counting inherited ones each time.
  private static let mostProperties = 2_000_000

  /// Notes the parts of a model, other than its entities, that are not used.
  mutating func noteUnused(in root: ModelElement) {
    for child in root.children {
      switch child.name {
      // `elements` is the layout of the model in Xcode's editor.
      case "entity", "fetchRequest", "elements", "userInfo": break
      case "configuration": notes.add("configurations are not used", child["name"] ?? "")
      case "composite": notes.add("composites are left out", child["name"] ?? "")
      default: notes.add("elements that are not known are passed over", child.name)
      }
    }
  }

  /// Creates the entities, parents first.
  mutating func entities(
    from elements: [ModelElement]
  ) throws(ModelFileError) -> [EntityDescription] {
    var drafts: [Draft] = []
    for element in try parentsFirst(elements) { drafts.append(try draft(element)) }
    connect(&drafts)
    var byName: [String: EntityDescription] = [:]
    var made: [EntityDescription] = []
    var count = 0
    for draft in drafts {
      let entity = try entity(draft, parent: draft.parent.flatMap { byName[$0] })
      // Each entity holds its parent's properties, so a long chain of entities needs quadratic
      // memory.
      count += entity.attributes.count + entity.relationships.count
      if count > Self.mostProperties { throw .tooLarge }
      byName[draft.name] = entity
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
      var inChain: Set<String> = []
      var next: ModelElement? = element
      while let current = next, let name = current["name"], !done.contains(name) {
        guard inChain.insert(name).inserted else {
          throw ModelFileError.inheritanceCycle(inChain.sorted())
        }
        chain.append(current)
        guard let parent = current.given("parentEntity") else { break }
        next = byName[parent]
        if next == nil { throw ModelFileError.unknownSuperentity(parent, entity: name) }
      }
      sorted += chain.reversed()
      done.formUnion(inChain)
    }
    return sorted
  }

  private mutating func draft(_ element: ModelElement) throws(ModelFileError) -> Draft {
    let name = try element.required("name")
    var draft = Draft(element: element, name: name, parent: element.given("parentEntity"))
    noteVersionModifier(of: element, name)
    for child in element.children {
      let path = "\(name).\(child["name"] ?? "")"
      switch child.name {
      case "attribute":
        if let attribute = try attribute(child, of: name) { draft.attributes.append(attribute) }
      case "relationship":
        if let relationship = relationship(child, of: name) {
          draft.relationships.append(relationship)
        }
      case "uniquenessConstraints", "userInfo": break
      case "fetchIndex": notes.add("fetch indexes are not used", path)
      case "compoundIndexes": notes.add("compound indexes are not used", name)
      case "fetchedProperty": notes.add("fetched properties are left out", path)
      default: notes.add("elements that are not known are passed over", child.name)
      }
    }
    return draft
  }

  private mutating func entity(
    _ draft: Draft, parent: EntityDescription?
  ) throws(ModelFileError) -> EntityDescription {
    do throws(ModelError) {
      return try EntityDescription(
        name: draft.name, superentity: parent, isAbstract: draft.element.says("isAbstract"),
        attributes: draft.attributes, relationships: draft.relationships,
        uniquenessConstraints: constraints(
          draft.element,
          known: Set(
            ((parent?.attributes ?? []) + draft.attributes).filter { !$0.isTransient }.map(\.name)),
          of: draft.name),
        renamingIdentifier: draft.element.given("elementID"))
    } catch {
      throw ModelFileError.model(error)
    }
  }

  /// Returns the uniqueness constraints whose attributes exist.
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
            "uniqueness constraints are left out unless all their properties are stored attributes",
            "\(entity) (\(names.joined(separator: ", ")))")
        }
      }
    }
    return constraints
  }

  /// Notes a version hash modifier, which is not used: a file is compared with the model by its
  /// columns.
  mutating func noteVersionModifier(of element: ModelElement, _ path: String) {
    if element.given("versionHashModifier") != nil {
      notes.add("version hash modifiers are not used", path)
    }
  }

  // MARK: Requests

  /// Creates the fetch requests whose entity exists and whose predicate can be parsed.
  mutating func requests(
    from elements: [ModelElement], on entities: [EntityDescription]
  ) -> [String: FetchRequest] {
    let entities = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    var requests: [String: FetchRequest] = [:]
    for element in elements {
      guard let name = element["name"], let entity = element["entity"].flatMap({ entities[$0] })
      else {
        notes.add("requests without an entity are left out", element["name"] ?? "")
        continue
      }
      var request = FetchRequest(entity: entity)
      if let format = element.given("predicateString") {
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
