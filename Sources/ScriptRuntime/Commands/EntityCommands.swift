import Basics
import FetchedResults
import ScriptSyntax

/// Defines entities.
struct EntityCommands: SessionCommand {
  let parts: SessionParts
  private var hooks: EntityHooks { EntityHooks(callbacks: callbacks, events: events) }

  /// `entity Book { title: String … }`.
  ///
  /// The destinations of its relationships may be defined later, but its parent must exist.
  func define(_ declaration: EntityDeclaration) throws(ScriptError) {
    let name = declaration.name
    if let meaning = session.meaning(of: name.text) {
      throw frames.failure(.misused(name.text, is: meaning, wanted: .newName), name.range)
    }
    let parent = try parent(of: declaration)
    var names = Set(parent?.propertyNames ?? [])
    var attributes: [AttributeDescription] = []
    var relationships: [RelationshipDescription] = []
    for property in declaration.properties {
      guard names.insert(property.name.text).inserted else {
        throw frames.failure(.givenTwice(property.name.text), property.name.range)
      }
      if isRelationship(property, of: name.text) {
        relationships.append(try relationship(property))
      } else {
        attributes.append(try attribute(property))
      }
    }
    let known = (parent?.attributes.map(\.name) ?? []) + attributes.map(\.name)
    let keys = declaration.uniqueness.joined() + [declaration.display].compactMap(\.self)
    try check(Array(keys), among: known, of: name.text)
    let indexable = known + (parent?.relationships ?? []).map(\.name) + relationships.map(\.name)
    try check(declaration.indexes.flatMap { $0.keys.map(\.name) }, among: indexable, of: name.text)
    // This error comes after those that do not depend on the store.
    if let name = session.openStore {
      throw frames.failure(.file(.storeIsOpen(name)), declaration.name.range)
    }
    let entity: EntityDescription
    do throws(ModelError) {
      entity = try EntityDescription(
        name: name.text, superentity: parent, isAbstract: declaration.isAbstract,
        attributes: attributes, relationships: relationships,
        displayAttribute: declaration.display?.text,
        uniquenessConstraints: declaration.uniqueness.map { $0.map(\.text) },
        indexes: declaration.fetchIndexes, renamingIdentifier: declaration.formerName?.text)
    } catch {
      throw frames.failure(.engine("\(error)"), declaration.range(of: error))
    }
    try frames.locating(name.range) { try session.coordinator.add(entity) }
    session.coordinator.setHooks(
      hooks.hooks(
        of: declaration.hooks, after: session.hooks(inheritedBy: entity), in: frames.source),
      of: entity)
    session.keepHooks(of: declaration, in: frames.source)
  }

  private func check(
    _ keys: [Name], among known: [String], of entity: String
  ) throws(ScriptError) {
    let isKnown = Set(known)
    for key in keys where !isKnown.contains(key.text) {
      throw frames.failure(
        .unknown(
          .attribute(of: entity), key.text, suggestion: nearestName(to: key.text, among: known),
          known: known),
        key.range)
    }
  }

  private func parent(of declaration: EntityDeclaration) throws(ScriptError) -> EntityDescription? {
    guard let name = declaration.parent else { return nil }
    if let parent = session.coordinator.managedObjectModel.entitiesByName[name.text] {
      return parent
    }
    let near = session.nearestName(to: name.text, among: session.entities.map(\.name))
    throw frames.failure(.unknown(.parent, name.text, suggestion: near), name.range)
  }

  // MARK: Relationships

  /// Whether a property is a relationship: its type is an entity that is known, that the script
  /// defines, or that may still be defined.
  private func isRelationship(_ property: PropertyDeclaration, of entity: String) -> Bool {
    if property.isToMany || property.inverse != nil || property.deleteRule != nil { return true }
    let type = property.type.text
    guard AttributeType(scriptName: type) == nil else { return false }
    // A wrong attribute type is reported here. Otherwise it would be reported later, as an unknown
    // entity.
    return type == entity || session.coordinator.managedObjectModel.entitiesByName[type] != nil
      || session.declaredEntities.contains(type)
      || EntityDeclaration.attributeType(meantBy: type) == nil
  }

  private func relationship(
    _ property: PropertyDeclaration
  ) throws(ScriptError) -> RelationshipDescription {
    let name = property.name
    if AttributeType(scriptName: property.type.text) != nil {
      throw frames.failure(
        .needed("an entity", found: "'\(property.type.text)'"), property.type.range)
    }
    let parts: [(String, Range<Int>?)] = [
      ("=", property.value?.range), ("matching", property.pattern?.range),
      ("derived", property.isDerived ? name.range : nil),
      ("external", property.isExternal ? name.range : nil),
      ("indexed", property.isIndexed ? name.range : nil),
      ("ordered", property.isOrdered && !property.isToMany ? name.range : nil),
      ("min", property.isToMany ? nil : property.minimum?.range),
      ("max", property.isToMany ? nil : property.maximum?.range),
    ]
    for case (let part, let range?) in parts {
      throw frames.failure(.misplacedPart(part, property: name.text), range)
    }
    let least = try property.minimum.map(count) ?? 0
    return RelationshipDescription(
      name: name.text, destination: property.type.text, inverse: property.inverse?.text,
      isToMany: property.isToMany, isOrdered: property.isOrdered,
      isOptional: property.isOptional || property.isToMany && least == 0, minCount: least,
      maxCount: try property.maximum.map(count) ?? 0,
      deleteRule: property.deleteRule.flatMap { .init(rawValue: $0.text) } ?? .nullify,
      isTransient: property.isTransient, renamingIdentifier: property.formerName?.text)
  }

  private func count(_ expression: ExpressionSyntax) throws(ScriptError) -> Int {
    let number = try evaluator.integer(expression)
    guard number >= 0, number <= Int32.max else {
      throw frames.failure(
        .needed("a number from 0 to \(Int32.max)", found: "\(number)"), expression.range)
    }
    return Int(number)
  }

  // MARK: Attributes

  private func attribute(
    _ property: PropertyDeclaration
  ) throws(ScriptError) -> AttributeDescription {
    guard let type = AttributeType(scriptName: property.type.text) else {
      throw frames.failure(
        .unknown(
          .type, property.type.text,
          suggestion: EntityDeclaration.attributeType(meantBy: property.type.text),
          known: EntityDeclaration.attributeTypes),
        property.type.range)
    }
    if property.isOrdered {
      throw frames.failure(
        .misplacedPart("ordered", property: property.name.text), property.name.range)
    }
    if property.isExternal, type != .binaryData || property.isTransient {
      throw frames.failure(
        .misplacedPart("external", property: property.name.text), property.name.range)
    }
    var value = PropertyValue.null
    var expression: AttributeExpression?
    if let given = property.value {
      if property.isDerived {
        expression = try derivation(given)
      } else if property.isTransient, !given.isLiteral {
        expression =
          TransientExpression(given, in: frames.source, evaluator).attributeExpression
      } else {
        value = try self.value(given, of: property.name.text, type)
      }
    }
    let limits = AttributeDescription.Limits(
      minimum: try limit(property.minimum, of: property.name.text, type),
      maximum: try limit(property.maximum, of: property.name.text, type),
      pattern: try property.pattern.map(evaluator.string))
    return try frames.locating(property.name.range) {
      try AttributeDescription(
        name: property.name.text, type: type, isOptional: property.isOptional,
        defaultValue: value, limits: limits, isTransient: property.isTransient,
        expression: expression, allowsExternalBinaryDataStorage: property.isExternal,
        renamingIdentifier: property.formerName?.text)
    }
  }

  private func value(
    _ expression: ExpressionSyntax, of attribute: String, _ type: AttributeType
  ) throws(ScriptError) -> PropertyValue {
    let value = try evaluator.scalar(expression, for: type)
    guard type.value(from: value) != nil else {
      throw frames.failure(
        .wrongType(attribute: attribute, type: type.scriptName, found: value.excerpt),
        expression.range)
    }
    return value
  }

  /// Returns a limit; for a string, this is a limit of its length.
  private func limit(
    _ expression: ExpressionSyntax?, of attribute: String, _ type: AttributeType
  ) throws(ScriptError) -> PropertyValue {
    guard let expression else { return .null }
    return try value(expression, of: attribute, type == .string ? .integer64 : type)
  }

  /// `derived count: Int = 'books.@count'`.
  private func derivation(_ expression: ExpressionSyntax) throws(ScriptError) -> AttributeExpression
  {
    let text = try evaluator.string(expression)
    return try frames.locating(expression.range) { try AttributeExpression(derivation: text) }
  }
}

extension EntityDeclaration {
  /// The indexes of single attributes, and those with a line of their own.
  fileprivate var fetchIndexes: [FetchIndexDescription] {
    properties.filter(\.isIndexed).map { FetchIndexDescription(attribute: $0.name.text) }
      + indexes.map { index in
        FetchIndexDescription(
          name: index.name.text,
          elements: index.keys.map {
            FetchIndexElementDescription(
              propertyName: $0.name.text, isAscending: $0.isAscending)
          })
      }
  }

  /// Returns the place of what an error is about.
  fileprivate func range(of error: ModelError) -> Range<Int> {
    let place: Name? =
      switch error {
      case .unindexable(let key, _, _):
        properties.first { $0.isIndexed && $0.name.text == key }?.name
          ?? indexes.flatMap(\.keys).first { $0.name.text == key }?.name
      case .repeatedInIndex(let key, let index, _):
        indexes.first { $0.name.text == index }?.keys.last { $0.name.text == key }?.name
      case .duplicateIndex(let index, _): indexes.last { $0.name.text == index }?.name
      case .emptyIndex(let index, _): indexes.first { $0.name.text == index }?.name
      case .duplicateEntity, .entityOfOtherModel, .unknownSuperentity, .duplicateProperty,
        .unknownProperty, .defaultOfWrongType, .limitOfWrongType, .uniqueTransient,
        .unknownDestination, .unknownInverse, .contradictoryInverse, .transientInverse,
        .invalidDerivation:
        nil
      }
    return (place ?? name).range
  }
}

/// Creates the hooks of an entity from blocks of a script.
///
/// Each runs as a callback.
struct EntityHooks {
  let callbacks: CallbackRunner
  let events: EventEmitter

  /// Returns the hooks; nil if the entity has none of its own.
  ///
  /// - Parameter inherited: The inherited hooks, which run before those of the same name. Both are
  ///   printed as one.
  func hooks(
    of declared: [HookSyntax], after inherited: Set<HookSyntax.Hook>, in source: SourceText
  ) -> ManagedObjectHooks? {
    guard !declared.isEmpty else { return nil }
    var hooks = ManagedObjectHooks()
    for hook in declared {
      let run = running(hook, isPrinted: !inherited.contains(hook.hook), in: source)
      switch hook.hook {
      case .awakeFromInsert: hooks.awakeFromInsert = { _ = run($0) }
      case .awakeFromFetch: hooks.awakeFromFetch = { _ = run($0) }
      case .willSave: hooks.willSave = { _ = run($0) }
      case .didSave: hooks.didSave = { _ = run($0) }
      case .prepareForDeletion: hooks.prepareForDeletion = { _ = run($0) }
      case .validateForDelete:
        hooks.validateForDelete = { [weak callbacks] object in
          let reason = run(object)
          // A hook that fails, or cannot run because another one has failed, allows nothing.
          return callbacks?.failure ?? reason.flatMap { $0.isNull ? nil : $0.description }
        }
      }
    }
    return hooks
  }

  private func running(
    _ hook: HookSyntax, isPrinted: Bool, in source: SourceText
  ) -> (ManagedObject) -> PropertyValue? {
    // The closure must not hold these strongly, because the session has the coordinator that keeps
    // the hooks.
    { [weak callbacks, events] object in
      if isPrinted { events.emit(.hook(hook.hook.rawValue, object: object.objectID)) }
      return callbacks?.run(hook, of: object, in: source)
    }
  }
}
