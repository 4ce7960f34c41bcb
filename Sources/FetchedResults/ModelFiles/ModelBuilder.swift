import Foundation

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
      for entity in model.entities { try entity.checkReferences() }
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
      case "uniquenessConstraints", "fetchIndex", "compoundIndexes", "userInfo": break
      case "fetchedProperty": notes.add("fetched properties are left out", path)
      default: notes.add("elements that are not known are passed over", child.name)
      }
    }
    return draft
  }

  private mutating func entity(
    _ draft: Draft, parent: EntityDescription?
  ) throws(ModelFileError) -> EntityDescription {
    let constraints = constraints(
      draft.element,
      known: Set(
        ((parent?.attributes ?? []) + draft.attributes).filter { !$0.isTransient }.map(\.name)),
      of: draft.name)
    func made(_ indexes: [FetchIndexDescription]) throws(ModelError) -> EntityDescription {
      try EntityDescription(
        name: draft.name, superentity: parent, isAbstract: draft.element.says("isAbstract"),
        attributes: draft.attributes, relationships: draft.relationships,
        uniquenessConstraints: constraints, indexes: indexes,
        renamingIdentifier: draft.element.given("elementID"))
    }
    do throws(ModelError) {
      let plain = try made([])
      let indexes = indexes(draft.element, of: plain)
      return indexes.isEmpty ? plain : try made(indexes)
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

  /// Returns the indexes that a store can have: those of fetches, and in older models, single
  /// attributes and compound indexes, which have no names.
  private mutating func indexes(
    _ element: ModelElement, of entity: EntityDescription
  ) -> [FetchIndexDescription] {
    var indexes = element.children(named: "attribute").filter { $0.says("indexed") }.compactMap {
      $0.given("name").map(FetchIndexDescription.init(attribute:))
    }
    for index in element.children(named: "fetchIndex") {
      let parts = index.children(named: "fetchIndexElement")
      if parts.contains(where: { $0["type"] == "RTree" }) {
        let name = index["name"] ?? ""
        notes.add("fetch indexes of type RTree are left out", "\(entity.name).\(name)")
        continue
      }
      indexes.append(
        FetchIndexDescription(
          name: index["name"] ?? "",
          elements: parts.map {
            FetchIndexElementDescription(
              propertyName: $0["property"] ?? "", isAscending: $0["order"] != "descending")
          }))
    }
    for compound in element.children(named: "compoundIndexes")
      .flatMap({ $0.children(named: "compoundIndex") })
    {
      let count = indexes.count { $0.name.hasPrefix("compoundIndex") }
      indexes.append(
        FetchIndexDescription(
          name: "compoundIndex" + (count == 0 ? "" : "\(count + 1)"),
          elements: compound.children(named: "index").map {
            FetchIndexElementDescription(propertyName: $0["value"] ?? "")
          }))
    }
    return usable(indexes, of: entity)
  }

  private mutating func usable(
    _ indexes: [FetchIndexDescription], of entity: EntityDescription
  ) -> [FetchIndexDescription] {
    var usable: [FetchIndexDescription] = []
    for index in indexes where !usable.contains(index) {
      let names = index.elements.map(\.propertyName)
      let path = "\(entity.name).\(index.name)"
      if names.isEmpty || Set(names).count < names.count
        || names.contains(where: {
          entity.propertyIndex(named: $0) == nil || entity.obstacle(toIndexing: $0) != nil
        })
      {
        notes.add("indexes are left out unless a store can index all their properties", path)
      } else if index.name.isEmpty {
        notes.add("indexes without a name are left out", entity.name)
      } else if usable.contains(where: { $0.name == index.name }) {
        notes.add("indexes with the name of another are left out", path)
      } else {
        usable.append(index)
      }
    }
    return usable
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

extension ModelBuilder {
  /// Creates an attribute, or notes that its type is not supported.
  mutating func attribute(
    _ element: ModelElement, of entity: String
  ) throws(ModelFileError) -> AttributeDescription? {
    guard let name = element.given("name") else {
      notes.add("properties without a name are left out", "\(entity), line \(element.line)")
      return nil
    }
    let path = "\(entity).\(name)"
    noteVersionModifier(of: element, path)
    // Xcode calls this type Undefined. Core Data accepts it only for transient attributes.
    guard let typeName = element.given("attributeType"), typeName != "Undefined" else {
      notes.add("attributes without a type are left out", path)
      return nil
    }
    guard let type = AttributeType(modelName: typeName) else {
      notes.add("\(typeName) attributes are left out", path)
      return nil
    }
    // A transformer creates objects of the app's own classes from the bytes.
    if typeName == Self.transformable {
      notes.add("Transformable attributes are kept as bytes", path)
    }
    var expression: AttributeExpression?
    if element.says("derived") {
      expression = element["derivationExpression"].flatMap {
        try? AttributeExpression(derivation: $0)
      }
      if expression == nil { notes.add("derivations cannot be read", path) }
    }
    let limits = AttributeDescription.Limits(
      minimum: value("minValueString", "minDateTimeInterval", of: element, type.ofLimits, path),
      maximum: value("maxValueString", "maxDateTimeInterval", of: element, type.ofLimits, path),
      pattern: type == .string ? element["regularExpressionString"] : nil)
    do throws(ModelError) {
      return try AttributeDescription(
        name: name, type: type, isOptional: element.says("optional"),
        defaultValue: value(
          "defaultValueString", "defaultDateTimeInterval", of: element, type, path),
        limits: limits, isTransient: element.says("transient"), expression: expression,
        allowsExternalBinaryDataStorage: element.says("allowsExternalBinaryDataStorage"),
        renamingIdentifier: element.given("elementID"))
    } catch {
      throw ModelFileError.model(error)
    }
  }

  /// The type of values that an app converts to and from bytes.
  fileprivate static let transformable = "Transformable"

  /// Reads a value from one of two XML attributes: one for dates, the other for all other types.
  private mutating func value(
    _ plain: String, _ interval: String, of element: ModelElement, _ type: AttributeType,
    _ path: String
  ) -> PropertyValue {
    guard let text = element[type == .date ? interval : plain] else { return .null }
    if let value = type.value(modelText: text) { return value }
    notes.add("values that cannot be read are left out", "\(path) \(text.quoted)")
    return .null
  }
}

extension AttributeType {
  /// Creates a type from its name in model files.
  fileprivate init?(modelName: String) {
    switch modelName {
    case "String": self = .string
    case "Integer 16": self = .integer16
    case "Integer 32": self = .integer32
    case "Integer 64": self = .integer64
    case "Double": self = .double
    case "Float": self = .float
    case "Decimal": self = .decimal
    case "Boolean": self = .boolean
    case "Date": self = .date
    case "UUID": self = .uuid
    case "URI": self = .uri
    case "Binary", ModelBuilder.transformable: self = .binaryData
    default: return nil
    }
  }

  /// The type of limits for values of this type.
  fileprivate var ofLimits: AttributeType { self == .string ? .integer64 : self }

  /// Reads a value in the format of model files.
  ///
  /// A number may be a Boolean and the reverse. Xcode accepts both, also after the attribute's type
  /// was changed.
  fileprivate func value(modelText text: String) -> PropertyValue? {
    let truth: Bool? =
      switch text.uppercased() {
      case "YES", "TRUE": true
      case "NO", "FALSE": false
      default: nil
      }
    switch self {
    case .string: return .string(text)
    case .boolean: return (truth ?? Double(text).map { $0 != 0 }).map(PropertyValue.bool)
    case .integer16, .integer32, .integer64:
      // Xcode writes some whole numbers with a decimal point.
      let number =
        truth.map { $0 ? 1 : 0 } ?? Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
      return number.flatMap { value(from: .int($0)) }
    case .double, .float:
      return (truth.map { $0 ? 1 : 0 } ?? finite(text)).flatMap { value(from: .double($0)) }
    case .decimal:
      return (truth.map { $0 ? 1 : 0 } ?? Decimal(wholeText: text)).map(PropertyValue.decimal)
    case .date: return finite(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .uuid: return UUID(uuidString: text).map(PropertyValue.uuid)
    case .uri: return URL(string: text).map(PropertyValue.uri)
    case .binaryData: return Data(base64Encoded: text).map(PropertyValue.data)
    }
  }

  /// Reads a number other than `inf` and `nan`, which no attribute holds.
  private func finite(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
}
