import FetchedResults
import PredicateSyntax
import ScriptSyntax

/// What a name in a script means.
package enum NamedThing: Hashable, Sendable {
  case entity(String)
  /// A property, with the entity that declares it first.
  case property(String, of: String)
  /// A controller, a request or a table.
  case subject(String)
  case context(String)
  /// A variable; the number tells it from others with the same name.
  case variable(String, number: Int)

  package var name: String {
    switch self {
    case .entity(let name), .property(let name, of: _), .subject(let name), .context(let name),
      .variable(let name, number: _):
      name
    }
  }

  /// Returns the thing under another name, if a thing gets that name.
  package func renamed(_ thing: NamedThing, to name: String) -> NamedThing {
    if self == thing {
      return switch self {
      case .entity: .entity(name)
      case .property(_, of: let entity): .property(name, of: entity)
      case .subject: .subject(name)
      case .context: .context(name)
      case .variable(_, let number): .variable(name, number: number)
      }
    }
    if case .property(let own, of: let entity) = self, thing == .entity(entity) {
      return .property(own, of: name)
    }
    return self
  }
}

/// A place where a name is written.
package struct NamedPlace: Hashable, Sendable {
  package let thing: NamedThing
  /// The name of the source.
  package let source: String
  package let range: Range<Int>
  /// Whether the name is defined here.
  package let isDefinition: Bool
}

/// Records the places of names while they are looked up.
struct NamedPlaces {
  private(set) var places: [NamedPlace] = []
  private var lastVariable = 0
  /// The numbers of the visible variables by scope, the innermost last.
  private var variables: [[String: Int]] = [[:]]
  /// The names in the text of the variables of the next scope.
  var nextDefinitions: [Name] = []

  /// Records a name at the end of a range, unless something else is written there.
  mutating func record(
    _ thing: NamedThing, endingAt end: Int, in source: SourceText, isDefinition: Bool = false
  ) {
    let start = end - thing.name.utf8.count
    guard start >= 0, end <= source.bytes.count,
      source.bytes[start..<end].elementsEqual(thing.name.utf8)
    else { return }
    places.append(
      NamedPlace(
        thing: thing, source: source.name, range: start..<end, isDefinition: isDefinition))
  }

  /// Adds a variable to the innermost scope.
  ///
  /// - Parameter name: Its name in the text; nil for variables of the language.
  mutating func define(_ variable: String, _ name: Name?, in source: SourceText) {
    let last = variables.count - 1
    let number = variables[last][variable] ?? lastVariable + 1
    lastVariable = max(lastVariable, number)
    variables[last][variable] = number
    guard let name else { return }
    record(
      .variable(variable, number: number), endingAt: name.range.upperBound, in: source,
      isDefinition: true)
  }

  mutating func beginScope(_ names: [String], in source: SourceText) {
    variables.append([:])
    let definitions = nextDefinitions
    nextDefinitions = []
    for name in names { define(name, definitions.first { $0.text == name }, in: source) }
  }

  mutating func endScope() { variables.removeLast() }

  /// Returns a visible variable; nil if there is none.
  func variable(_ name: String) -> NamedThing? {
    variables.reversed().lazy.compactMap { $0[name] }.first.map { .variable(name, number: $0) }
  }
}

extension EntityDescription {
  /// Returns a property as a thing: it belongs to the entity that declares it first.
  func thing(ofProperty name: String) -> NamedThing? {
    guard propertyIndex(named: name) != nil else { return nil }
    var owner = self
    while let parent = owner.superentity, parent.propertyIndex(named: name) != nil {
      owner = parent
    }
    return .property(name, of: owner.name)
  }

  /// Returns the keys of a dotted path with the entity of each, as far as they are known.
  func owners(ofKeys keys: [String]) -> [(key: String, owner: EntityDescription)] {
    var result: [(String, EntityDescription)] = []
    var owner: EntityDescription? = self
    for key in keys {
      // The keys after an operator of collections belong to the same entity.
      if key.hasPrefix("@") { continue }
      guard let entity = owner, entity.propertyIndex(named: key) != nil else { break }
      result.append((key, entity))
      owner = entity.destination(ofRelationship: key)
    }
    return result
  }
}

extension NameResolver {
  func record(_ thing: NamedThing?, _ range: Range<Int>, isDefinition: Bool = false) {
    guard let thing else { return }
    places.record(thing, endingAt: range.upperBound, in: source, isDefinition: isDefinition)
  }

  func record(property name: Name, of entity: EntityDescription?, isDefinition: Bool = false) {
    record(entity?.thing(ofProperty: name.text), name.range, isDefinition: isDefinition)
  }

  /// Records the keys of a path such as `author.name`.
  func record(keyPath path: Name, of entity: EntityDescription) {
    let keys = path.text.split(separator: ".").map(String.init)
    guard path.range.count == path.text.utf8.count else { return }
    let owners = entity.owners(ofKeys: keys)
    var end = path.range.lowerBound - 1
    var rest = owners[...]
    for key in keys {
      end += key.utf8.count + 1
      guard let (name, owner) = rest.first, name == key else { continue }
      rest.removeFirst()
      record(owner.thing(ofProperty: key), (end - key.utf8.count)..<end)
    }
  }

  /// Records the source of a request, or a name in its place.
  func record(source name: Name) {
    let isEntity = session.coordinator.managedObjectModel.entitiesByName[name.text] != nil
    record(isEntity ? .entity(name.text) : .subject(name.text), name.range)
  }

  func record(_ name: Name, _ use: StatementPart.NameUse) {
    switch use {
    case .entity: record(.entity(name.text), name.range)
    case .context: record(.context(name.text), name.range)
    case .mergeSource:
      if session.context(named: name.text) != nil { record(.context(name.text), name.range) }
    case .controller, .table, .controllerOrTable: record(.subject(name.text), name.range)
    case .controllerOrEntity: record(source: name)
    }
  }

  // MARK: Predicates

  private func record(
    _ operand: OperandTree, on entity: EntityDescription, variables: [String: EntityDescription]
  ) {
    if case .subquery(let list, let variable, let predicate) = operand.kind {
      record(list, on: entity, variables: variables)
      var inner = variables
      inner[variable] = Self.entity(of: list, on: entity, variables)
      record(predicate, on: entity, variables: inner)
      return
    }
    if case .key(let name, let base) = operand.kind {
      let owner = base.map { Self.entity(of: $0, on: entity, variables) } ?? entity
      record(owner?.thing(ofProperty: name), operand.range.range)
    }
    for part in operand.parts { record(part, on: entity, variables: variables) }
    if case .ternary(let condition, _, _) = operand.kind {
      record(condition, on: entity, variables: variables)
    }
  }

  /// Records the keys of a predicate on an entity.
  func record(
    _ tree: PredicateTree, on entity: EntityDescription,
    variables: [String: EntityDescription] = [:]
  ) {
    switch tree {
    case .constant: break
    case .and(let parts), .or(let parts):
      for part in parts { record(part, on: entity, variables: variables) }
    case .not(let part): record(part, on: entity, variables: variables)
    case .comparison(let comparison):
      record(comparison.left, on: entity, variables: variables)
      record(comparison.right, on: entity, variables: variables)
    }
  }

  /// Returns the entity of an operand's objects; nil if it is unknown.
  private static func entity(
    of operand: OperandTree, on entity: EntityDescription, _ variables: [String: EntityDescription]
  ) -> EntityDescription? {
    switch operand.kind {
    case .evaluatedObject: entity
    case .variable(let name): variables[name]
    case .key(let name, nil): entity.destination(ofRelationship: name)
    case .key(let name, let base?):
      Self.entity(of: base, on: entity, variables)?.destination(ofRelationship: name)
    case .null, .boolean, .integer, .real, .string, .aggregate, .anyKey, .collectionOperator,
      .argument, .argumentKeyPath, .variableKeyPath, .negation, .arithmetic, .setOperation,
      .index, .function, .call, .subquery, .cast, .ternary, .assignment:
      nil
    }
  }
}
