import Basics
import FetchedResults
import FetchedResultsSQLite
import Foundation

/// Objects of a random model, and a migration of them in memory that is as simple as possible.
///
/// Every root entity has a number `tag` that is different for all of its objects.
struct MigrationWorld {
  struct Attribute {
    var name: String
    /// The name in the old model, if it was another.
    var oldName: String?
    /// The name in a model before the old one, which is still the renaming identifier.
    var olderName: String?
    /// Whether the old model does not have it.
    var isNew = false
    var type: AttributeType
    /// Whether the type is no longer that of the old model.
    var isWidened = false
    var isExternal = false
    var isOptional = true
    var defaultValue = PropertyValue.null
  }

  struct Relationship {
    var name: String
    var oldName: String?
    var olderName: String?
    var isNew = false
    var destination: String
    var inverse: String
    var isToMany: Bool
    var isOrdered = false
  }

  struct Entity {
    var name: String
    var oldName: String?
    var parent: String?
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
  }

  struct Object {
    var entity: String
    let tag: Int
    var values: [String: PropertyValue] = [:]
    /// The tags of related objects, in order if the relationship is ordered.
    var links: [String: [Int]] = [:]
  }

  private(set) var entities: [Entity] = []
  private(set) var objects: [Int: Object] = [:]
  /// The changes so far, for finding a mistake.
  private(set) var trail: [String] = []
  private var random: SeededGenerator
  private var names = 0
  /// The names that objects of each entity had in the old model.
  ///
  /// A new property with such a name would be the old one.
  private var oldNames: [String: Set<String>] = [:]
  private var isChanging = false
  /// The objects of the old model.
  private var oldObjects: [Int: Object] = [:]
  /// Whether the changes drop a value, an object or a pair of objects.
  private(set) var dropsData = false
  /// Whether a model says more than tables do: which values are required, and which data may be
  /// external.
  private let isDescribed: Bool

  init(seed: UInt64, isDescribed: Bool) {
    self.isDescribed = isDescribed
    random = SeededGenerator(seed: seed)
    for _ in 0..<random.number(1...3) { addEntity() }
    for _ in 0..<random.number(0...3) { addRelationship() }
    // Names that were passed on twice are not told apart without the models between.
    for entity in entities {
      for attribute in entity.attributes where attribute.olderName != nil {
        forgetOlder(attribute.name)
      }
      for relationship in entity.relationships where relationship.olderName != nil {
        forgetOlder(relationship.name)
      }
    }
    populate()
    trail = []
    forgetOldNames()
    for entity in entities { oldNames[entity.name] = names(in: line(of: entity.name)) }
    oldObjects = objects
    isChanging = true
  }

  private mutating func newName(_ prefix: String) -> String {
    names += 1
    return "\(prefix)\(names)x"
  }

  /// Returns a name for a property of an entity, which entities of other lines may have as well.
  ///
  /// Some of them end with digits, like the columns of names that several entities have. A column
  /// alone does not show whether a new name with digits or an old one without them is meant, so
  /// names that are added later have none.
  private mutating func newName(_ prefix: String, in entity: String, besides other: String? = nil)
    -> String
  {
    let shared = ["p", "q", "p1", "q2", "p11"].prefix(isChanging ? 2 : 5).filter { name in
      guard name != other else { return false }
      let kinds = entities.filter { isKind($0.name, of: entity) }
      return kinds.allSatisfy { kind in
        !names(in: line(of: kind.name)).contains(name)
          && oldNames[kind.name]?.contains(name) != true
      } && !names(in: line(of: entity)).contains(name)
    }
    return (random.chance(2) ? random.one(of: shared) : nil) ?? newName(prefix)
  }

  private func names(in line: [Entity]) -> Set<String> {
    Set(line.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
  }

  private func olderNames(in line: [Entity]) -> Set<String> {
    Set(
      line.flatMap { entity in
        entity.attributes.compactMap(\.olderName) + entity.relationships.compactMap(\.olderName)
      })
  }

  // MARK: The model

  func model() throws -> ManagedObjectModel {
    var made: [String: EntityDescription] = [:]
    var order: [EntityDescription] = []
    var waiting = entities
    while !waiting.isEmpty {
      let entity = waiting.removeFirst()
      if let parent = entity.parent, made[parent] == nil {
        waiting.append(entity)
        continue
      }
      var attributes = try entity.attributes.map {
        try AttributeDescription(
          name: $0.name, type: $0.type, isOptional: $0.isOptional, defaultValue: $0.defaultValue,
          allowsExternalBinaryDataStorage: $0.isExternal,
          renamingIdentifier: $0.oldName ?? $0.olderName)
      }
      if entity.parent == nil {
        attributes.append(try AttributeDescription(name: "tag", type: .integer64))
      }
      let description = try EntityDescription(
        name: entity.name, superentity: entity.parent.flatMap { made[$0] }, attributes: attributes,
        relationships: entity.relationships.map {
          RelationshipDescription(
            name: $0.name, destination: $0.destination, inverse: $0.inverse,
            isToMany: $0.isToMany, isOrdered: $0.isOrdered,
            renamingIdentifier: $0.oldName ?? $0.olderName)
        }, renamingIdentifier: entity.oldName)
      made[entity.name] = description
      order.append(description)
    }
    return try ManagedObjectModel(entities: order)
  }

  /// The entities with their properties.
  var outline: String {
    entities.map { entity in
      let attributes = entity.attributes.map {
        "\($0.name): \($0.type)" + ($0.isExternal ? " external" : "")
          + ($0.olderName.map { " was \($0)" } ?? "")
      }
      let relationships = entity.relationships.map {
        "\($0.name): \($0.isToMany ? "[\($0.destination)]" : $0.destination) inverse \($0.inverse)"
          + ($0.isOrdered ? " ordered" : "") + ($0.olderName.map { " was \($0)" } ?? "")
      }
      return "\(entity.name) : \(entity.parent ?? "-") "
        + (attributes + relationships).joined(separator: ", ")
    }.joined(separator: "\n")
  }

  private func index(_ name: String) -> Int? { entities.firstIndex { $0.name == name } }

  private func line(of name: String) -> [Entity] {
    var line: [Entity] = []
    var next = index(name)
    while let place = next {
      line.append(entities[place])
      next = entities[place].parent.flatMap(index)
    }
    return line
  }

  private func isKind(_ name: String, of other: String) -> Bool {
    line(of: name).contains { $0.name == other }
  }

  private func objects(of name: String) -> [Object] {
    objects.values.filter { isKind($0.entity, of: name) }.sorted { $0.tag < $1.tag }
  }

  private mutating func forgetOldNames() {
    for index in entities.indices {
      entities[index].oldName = nil
      for place in entities[index].attributes.indices {
        entities[index].attributes[place].oldName = nil
      }
      for place in entities[index].relationships.indices {
        entities[index].relationships[place].oldName = nil
      }
    }
  }
}

// MARK: - Objects

extension MigrationWorld {
  private mutating func populate() {
    for tag in 1...random.number(2...14) {
      guard let entity = random.one(of: entities) else { continue }
      var object = Object(entity: entity.name, tag: tag)
      for attribute in line(of: entity.name).flatMap(\.attributes) {
        object.values[attribute.name] =
          attribute.isOptional && random.chance(3) ? .null : value(of: attribute)
      }
      objects[tag] = object
    }
    for entity in entities {
      for relationship in entity.relationships { populate(relationship, of: entity) }
    }
  }

  private mutating func populate(_ relationship: Relationship, of entity: Entity) {
    let others = objects(of: relationship.destination)
    for object in objects(of: entity.name) where random.chance(2) {
      for _ in 0..<(relationship.isToMany ? random.number(0...3) : 1) {
        guard let other = random.one(of: others) else { continue }
        join(object.tag, relationship, other.tag)
      }
    }
  }

  private func relationship(_ name: String, of entity: String) -> Relationship? {
    line(of: entity).flatMap(\.relationships).first { $0.name == name }
  }

  /// Relates two objects if neither is related yet.
  private mutating func join(_ tag: Int, _ relationship: Relationship, _ other: Int) {
    guard let back = self.relationship(relationship.inverse, of: relationship.destination),
      relationship.isToMany || objects[tag]?.links[relationship.name, default: []].isEmpty == true,
      back.isToMany || objects[other]?.links[back.name, default: []].isEmpty == true,
      objects[tag]?.links[relationship.name]?.contains(other) != true
    else { return }
    objects[tag]?.links[relationship.name, default: []].append(other)
    objects[other]?.links[back.name, default: []].append(tag)
  }

  private mutating func value(of attribute: Attribute) -> PropertyValue {
    guard attribute.isExternal else { return value(attribute.type) }
    return .data(Data(CoreDataForm.externalMark + [UInt8(random.number(0...255)), 1, 2]))
  }

  private mutating func value(_ type: AttributeType) -> PropertyValue {
    let number = random.number(-99...99)
    return switch type {
    case .boolean: .bool(number > 0)
    case .integer16, .integer32, .integer64: .int(Int64(number))
    case .double, .float: .double(Double(number) / 4)
    case .decimal: .decimal(Decimal(number))
    case .string: .string("text \(number)")
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case .binaryData: .data(Data(repeating: UInt8(abs(number)), count: 3))
    case .uuid:
      .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(abs(number)))))
    case .uri: .uri(URL(filePath: "/\(number)"))
    }
  }
}

// MARK: - Changes

extension MigrationWorld {
  /// Changes the model, and migrates the objects.
  mutating func change() {
    for _ in 0..<random.number(1...5) {
      switch random.number(0...14) {
      case 0: addEntity()
      case 1: addRelationship()
      case 2: removeEntity()
      case 3: removeRelationship()
      case 4: renameEntity()
      case 5: renameRelationship()
      case 6: widenRelationship()
      case 7: detach()
      case 8: attach()
      case 9: orderRelationship()
      default: changeAttribute()
      }
    }
  }

  private mutating func addEntity() {
    let name = newName("E")
    // The numbers of entities follow the order of their names.
    var entity = Entity(name: random.chance(2) ? "A" + name : name)
    if random.chance(2) { entity.parent = random.one(of: entities)?.name }
    entities.append(entity)
    for _ in 0..<random.number(0...3) {
      let attribute = newAttribute(of: entity.name)
      entities[entities.count - 1].attributes.append(attribute)
    }
    trail.append("add \(entity.name): \(entity.parent ?? "-")")
  }

  private mutating func newAttribute(of entity: String) -> Attribute {
    let types: [AttributeType] = [
      .integer16, .integer32, .boolean, .double, .string, .date, .binaryData, .uuid, .float,
    ]
    let type = random.one(of: types) ?? .string
    var attribute = Attribute(name: newName("a", in: entity), isNew: isChanging, type: type)
    attribute.isExternal = type == .binaryData && random.chance(2)
    if !isChanging, random.chance(4) { attribute.olderName = olderName }
    if random.chance(2) { attribute.defaultValue = value(of: attribute) }
    if !attribute.defaultValue.isNull { attribute.isOptional = random.chance(2) }
    return attribute
  }

  /// A name that a property had before the old model, which another one may have now.
  private var olderName: String? {
    mutating get { random.one(of: ["p", "q", "p1", "older"]) }
  }

  private mutating func addRelationship() {
    guard let owner = random.one(of: entities), let other = random.one(of: entities),
      let from = index(owner.name), let to = index(other.name)
    else { return }
    let name = newName("r", in: owner.name)
    let inverse = newName("s", in: other.name, besides: name)
    let (isToMany, isBackToMany) = (random.chance(2), random.chance(2))
    let olderName = !isChanging && random.chance(4) ? olderName : nil
    entities[from].relationships.append(
      Relationship(
        name: name, olderName: olderName, isNew: isChanging, destination: other.name,
        inverse: inverse, isToMany: isToMany, isOrdered: isToMany && random.chance(4)))
    entities[to].relationships.append(
      Relationship(
        name: inverse, isNew: isChanging, destination: owner.name, inverse: name,
        isToMany: isBackToMany,
        isOrdered: isBackToMany && random.chance(4)))
    trail.append("add \(owner.name).\(name) \(isToMany) \(other.name).\(inverse) \(isBackToMany)")
  }

  private mutating func removeEntity() {
    guard let entity = random.one(of: entities), entities.count > 1,
      !entities.contains(where: { $0.parent == entity.name })
    else { return }
    trail.append("remove \(entity.name)")
    let gone = Set(objects(of: entity.name).map(\.tag))
    if !gone.isEmpty { dropsData = true }
    for relationship in entity.relationships { remove(relationship, of: entity.name) }
    for other in entities {
      for relationship in other.relationships where relationship.destination == entity.name {
        remove(relationship, of: other.name)
      }
    }
    objects = objects.filter { !gone.contains($0.key) }
    for tag in objects.keys {
      for name in (objects[tag]?.links ?? [:]).keys {
        objects[tag]?.links[name]?.removeAll(where: gone.contains)
      }
    }
    entities.removeAll { $0.name == entity.name }
  }

  private mutating func remove(_ relationship: Relationship, of name: String) {
    for (entity, gone) in [
      (name, relationship.name), (relationship.destination, relationship.inverse),
    ] {
      guard let place = index(entity) else { continue }
      entities[place].relationships.removeAll { $0.name == gone }
      for object in objects(of: entity) {
        let pairs = oldObjects[object.tag]?.links[relationship.oldName ?? relationship.name]
        if entity == name, pairs?.isEmpty == false { dropsData = true }
        objects[object.tag]?.links[gone] = nil
      }
    }
  }

  private mutating func removeRelationship() {
    guard let entity = random.one(of: entities),
      let relationship = random.one(of: entity.relationships)
    else { return }
    trail.append("remove \(entity.name).\(relationship.name)")
    remove(relationship, of: entity.name)
    forgetOlder(relationship.name)
    forgetOlder(relationship.inverse)
  }

  private mutating func renameEntity() {
    guard let place = entities.indices.randomElement(using: &random) else { return }
    let (old, new) = (entities[place].name, newName(random.chance(2) ? "Z" : "B"))
    trail.append("rename \(old) to \(new)")
    if entities[place].oldName == nil { entities[place].oldName = old }
    entities[place].name = new
    for index in entities.indices {
      if entities[index].parent == old { entities[index].parent = new }
      for ordinal in entities[index].relationships.indices
      where entities[index].relationships[ordinal].destination == old {
        entities[index].relationships[ordinal].destination = new
      }
    }
    for tag in objects.keys where objects[tag]?.entity == old { objects[tag]?.entity = new }
    oldNames[new] = oldNames.removeValue(forKey: old)
  }

  private mutating func renameRelationship() {
    guard let place = entities.indices.randomElement(using: &random),
      let ordinal = entities[place].relationships.indices.randomElement(using: &random)
    else { return }
    let (old, new) = (entities[place].relationships[ordinal].name, newName("q"))
    trail.append("rename \(entities[place].name).\(old) to \(new)")
    if entities[place].relationships[ordinal].oldName == nil,
      !entities[place].relationships[ordinal].isNew
    {
      entities[place].relationships[ordinal].oldName = old
    }
    entities[place].relationships[ordinal].name = new
    forgetOlder(old)
    let relationship = entities[place].relationships[ordinal]
    if let other = index(relationship.destination),
      let back = entities[other].relationships.firstIndex(where: {
        $0.name == relationship.inverse && $0.inverse == old
      })
    {
      entities[other].relationships[back].inverse = new
    }
    for object in objects(of: entities[place].name) { rename(old, new, in: \.links, object.tag) }
  }

  /// Forgets a renaming identifier, where the property that has the name now is renamed or removed.
  ///
  /// Without a description of the old model, the identifier would be that of this property.
  private mutating func forgetOlder(_ name: String) {
    for index in entities.indices {
      for place in entities[index].attributes.indices
      where entities[index].attributes[place].olderName == name {
        entities[index].attributes[place].olderName = nil
      }
      for place in entities[index].relationships.indices
      where entities[index].relationships[place].olderName == name {
        entities[index].relationships[place].olderName = nil
      }
    }
  }

  private mutating func rename<Thing>(
    _ old: String, _ new: String, in path: WritableKeyPath<Object, [String: Thing]>, _ tag: Int
  ) {
    guard let thing = objects[tag]?[keyPath: path].removeValue(forKey: old) else { return }
    objects[tag]?[keyPath: path][new] = thing
  }

  private mutating func widenRelationship() {
    guard let place = entities.indices.randomElement(using: &random),
      let ordinal = entities[place].relationships.indices.randomElement(using: &random)
    else { return }
    trail.append("to-many \(entities[place].name).\(entities[place].relationships[ordinal].name)")
    entities[place].relationships[ordinal].isToMany = true
  }

  private mutating func orderRelationship() {
    guard let place = entities.indices.randomElement(using: &random),
      let ordinal = entities[place].relationships.indices.randomElement(using: &random),
      entities[place].relationships[ordinal].isToMany
    else { return }
    entities[place].relationships[ordinal].isOrdered.toggle()
    let relationship = entities[place].relationships[ordinal]
    trail.append("order \(entities[place].name).\(relationship.name) \(relationship.isOrdered)")
    // Without order keys, the objects are sorted by number, and so by tag.
    for object in objects(of: entities[place].name) {
      objects[object.tag]?.links[relationship.name]?.sort()
    }
  }

  /// Makes a sub-entity a root that keeps its inherited properties.
  private mutating func detach() {
    let free = entities.indices.filter { place in
      entities[place].parent != nil
        && line(of: entities[place].name).dropFirst().allSatisfy { ancestor in
          ancestor.relationships.isEmpty
            && !entities.contains { $0.relationships.contains { $0.destination == ancestor.name } }
        }
    }
    guard let place = random.one(of: free) else { return }
    let name = entities[place].name
    trail.append("detach \(name)")
    entities[place].attributes += line(of: name).dropFirst().flatMap(\.attributes)
    entities[place].parent = nil
  }

  /// Makes a root inherit from another one.
  private mutating func attach() {
    guard let place = entities.indices.randomElement(using: &random),
      let other = random.one(of: entities),
      entities[place].parent == nil, !isKind(other.name, of: entities[place].name),
      entities.filter({ isKind($0.name, of: entities[place].name) }).allSatisfy({ kind in
        names(in: line(of: other.name)).union(olderNames(in: line(of: other.name)))
          .isDisjoint(with: names(in: [kind]).union(oldNames[kind.name] ?? []))
      })
    else { return }
    let name = entities[place].name
    trail.append("attach \(name): \(other.name)")
    entities[place].parent = other.name
    for attribute in line(of: other.name).flatMap(\.attributes) {
      for object in objects(of: name) where object.values[attribute.name] == nil {
        objects[object.tag]?.values[attribute.name] = attribute.defaultValue
      }
    }
  }

  private mutating func changeAttribute() {
    guard let place = entities.indices.randomElement(using: &random) else { return }
    let entity = entities[place].name
    guard let index = entities[place].attributes.indices.randomElement(using: &random),
      !random.chance(3)
    else {
      let attribute = newAttribute(of: entity)
      trail.append("add \(entity).\(attribute.name): \(attribute.type) \(attribute.defaultValue)")
      entities[place].attributes.append(attribute)
      for object in objects(of: entity) {
        objects[object.tag]?.values[attribute.name] = attribute.defaultValue
      }
      return
    }
    let attribute = entities[place].attributes[index]
    let isShared = entities.contains { other in
      other.name != entity && other.attributes.contains { $0.name == attribute.name }
    }
    switch random.number(0...3) {
    case 0:
      trail.append("remove \(entity).\(attribute.name)")
      entities[place].attributes.remove(at: index)
      forgetOlder(attribute.name)
      for object in objects(of: entity) {
        let old = oldObjects[object.tag]?.values[attribute.oldName ?? attribute.name]
        if old?.isNull == false { dropsData = true }
        objects[object.tag]?.values[attribute.name] = nil
      }
    case 1 where !isShared:
      let name = newName("n")
      trail.append("rename \(entity).\(attribute.name) to \(name)")
      if attribute.oldName == nil, !attribute.isNew {
        entities[place].attributes[index].oldName = attribute.name
      }
      entities[place].attributes[index].name = name
      forgetOlder(attribute.name)
      for object in objects(of: entity) { rename(attribute.name, name, in: \.values, object.tag) }
    case 2: widen(place, index)
    default:
      guard isDescribed else { return }
      if attribute.type == .binaryData {
        trail.append("\(entity).\(attribute.name) external \(!attribute.isExternal)")
        entities[place].attributes[index].isExternal.toggle()
        return
      }
      let value = attribute.defaultValue.isNull ? value(attribute.type) : attribute.defaultValue
      trail.append("\(entity).\(attribute.name) required, else \(value)")
      entities[place].attributes[index].isOptional = false
      entities[place].attributes[index].defaultValue = value
      for object in objects(of: entity)
      where object.values[attribute.name, default: .null].isNull {
        objects[object.tag]?.values[attribute.name] = value
      }
    }
  }

  private mutating func widen(_ place: Int, _ index: Int) {
    let wider: [AttributeType: [AttributeType]] = [
      .integer16: [.integer32, .double], .integer32: [.integer64, .decimal],
      .integer64: [.decimal], .float: [.double], .boolean: [.integer16],
    ]
    let attribute = entities[place].attributes[index]
    guard !attribute.isWidened, let type = random.one(of: wider[attribute.type] ?? []) else {
      return
    }
    entities[place].attributes[index].isWidened = true
    trail.append("\(entities[place].name).\(attribute.name): \(attribute.type) to \(type)")
    func widened(_ value: PropertyValue) -> PropertyValue {
      if case .bool(let flag) = value { return .int(flag ? 1 : 0) }
      return type.value(from: value) ?? .null
    }
    entities[place].attributes[index].type = type
    entities[place].attributes[index].defaultValue = widened(attribute.defaultValue)
    for object in objects(of: entities[place].name) {
      objects[object.tag]?.values[attribute.name] = object.values[attribute.name].map(widened)
    }
  }
}

// MARK: - Comparing

extension MigrationWorld {
  /// Each object as one line.
  var lines: [String] {
    objects.values.sorted { $0.tag < $1.tag }.map { object in
      let line = line(of: object.entity)
      let values = line.flatMap(\.attributes).map {
        "\($0.name)=\(object.values[$0.name] ?? .null)"
      }
      let links = line.flatMap(\.relationships).map { relationship in
        let tags = object.links[relationship.name] ?? []
        return "\(relationship.name)=\(relationship.isOrdered ? tags : tags.sorted())"
      }
      return "\(object.tag) \(object.entity) \((values + links).sorted().joined(separator: " "))"
    }
  }

  /// Returns the same lines for a store's objects.
  ///
  /// References to missing objects are left out.
  func lines(of coordinator: PersistentStoreCoordinator) throws -> [String] {
    let context = ManagedObjectContext(coordinator: coordinator)
    var lines: [Int64: String] = [:]
    for entity in coordinator.managedObjectModel.entities where entity.superentity == nil {
      for object in try context.fetch(FetchRequest(entity: entity)) {
        let line = line(of: object.entity.name)
        let values = line.flatMap(\.attributes).map { "\($0.name)=\(object[$0.name])" }
        let links = line.flatMap(\.relationships).map { relationship in
          let tags = Self.members(object[relationship.name], in: context)
          return "\(relationship.name)=\(relationship.isOrdered ? tags : tags.sorted())"
        }
        let tag = object["tag"].int ?? 0
        lines[tag] =
          "\(tag) \(object.entity.name) \((values + links).sorted().joined(separator: " "))"
      }
    }
    return lines.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func members(_ value: PropertyValue?, in context: ManagedObjectContext) -> [Int64]
  {
    switch value {
    case .object(let id)?: context.findObject(with: id)?["tag"].int.map { [$0] } ?? []
    case .list(let values)?: values.flatMap { members($0, in: context) }
    default: []
    }
  }

  /// Saves the objects into a new store.
  func write(to coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(coordinator: coordinator)
    var made: [Int: ManagedObject] = [:]
    for object in objects.values.sorted(by: { $0.tag < $1.tag }) {
      guard let entity = coordinator.managedObjectModel.entitiesByName[object.entity] else {
        continue
      }
      let new = context.insert(entity)
      try new.setValue(.int(Int64(object.tag)), forKey: "tag")
      for (name, value) in object.values { try new.setValue(value, forKey: name) }
      made[object.tag] = new
    }
    for object in objects.values {
      for (name, tags) in object.links where !tags.isEmpty {
        guard let new = made[object.tag], let relationship = relationship(name, of: object.entity)
        else { continue }
        let ids = tags.compactMap { made[$0] }.map { PropertyValue.object($0.objectID) }
        try new.setValue(relationship.isToMany ? .list(ids) : ids[0], forKey: name)
      }
    }
    try context.save()
  }
}
