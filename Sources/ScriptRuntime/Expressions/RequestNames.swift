import FetchedResults
import ScriptSyntax

/// Looks up the names in requests, or throws errors that say what is wrong with them.
struct RequestNames {
  private let session: Session
  private let frames: FrameStack
  private let names: NameLookup

  init(_ session: Session, _ frames: FrameStack) {
    self.session = session
    self.frames = frames
    names = NameLookup(session, frames)
  }

  /// Returns the source of a request, before its clauses are applied.
  func source(of syntax: RequestSyntax) throws(ScriptError) -> RequestDefinition {
    let name = syntax.source
    if let entity = session.coordinator.managedObjectModel.entitiesByName[name.text] {
      var request = FetchRequest(entity: entity)
      request.includesSubentities = !syntax.isExact
      return RequestDefinition(request: request)
    }
    if syntax.isExact {
      throw frames.failure(.unknown(.entity, name.text, suggestion: nil), name.range)
    }
    if let request = session.requests[name.text] { return request }
    if let binding = session.controllers[name.text] {
      return RequestDefinition(of: binding.controller)
    }
    if let meaning = names.anyMeaning(of: name.text) {
      throw frames.failure(.misused(name.text, is: meaning, wanted: .source), name.range)
    }
    let entities = session.entities.map(\.name)
    let known = entities + session.requests.keys.sorted() + session.controllerNames
    // A capital letter means an entity, so `Books` is rather `Book` than a controller `books`.
    let near =
      (name.text.first?.isUppercase == true
        ? session.nearestName(to: name.text, among: entities) : nil)
      ?? session.nearestName(to: name.text, among: known)
    throw frames.failure(
      .unknown(.source, name.text, suggestion: near, known: known), name.range)
  }

  /// Checks the key path of a sort or a section.
  ///
  /// The error suggests the nearest name for an unknown key.
  func checkKeyPath(
    _ path: Name, of entity: EntityDescription, isSort: Bool
  ) throws(ScriptError) {
    var owner = entity
    for key in path.text.split(separator: ".").map(String.init) {
      if key.hasPrefix("@") { break }
      let index = try names.propertyIndex(key, in: owner, path.range)
      guard index >= owner.attributes.count,
        let next = owner.destination(ofRelationship: key)
      else { break }
      owner = next
    }
    try frames.locating(path.range) { try RowOrder.check(path.text, of: entity, isSort: isSort) }
  }

  /// Checks a key path that consists of relationships only.
  func checkRelationships(_ path: Name, of entity: EntityDescription) throws(ScriptError) {
    var owner = entity
    for key in path.text.split(separator: ".").map(String.init) {
      try names.propertyIndex(key, in: owner, path.range)
      guard let next = owner.destination(ofRelationship: key) else {
        throw frames.failure(
          .needed("a relationship", found: "'\(key)', an attribute of \(owner.name)"), path.range)
      }
      owner = next
    }
  }

  /// Checks the key path of a value.
  ///
  /// If it leads to many objects, the error has Apple's wording.
  func checkValue(
    _ value: FetchedValueSyntax, of entity: EntityDescription
  ) throws(ScriptError) {
    let path = value.keyPath
    let last = path.text.split(separator: ".").last.map(String.init) ?? path.text
    if path.text == last, let ordinal = entity.relationshipOrdinal(named: last),
      entity.relationships[ordinal].isToMany
    {
      throw frames.failure(.engine("\(FetchError.toManyProperty(path.text))"), path.range)
    }
    try checkKeyPath(path, of: entity, isSort: true)
  }

  /// Checks a predicate against its entity, and adds the place to errors.
  func compile(
    _ predicate: FetchPredicate, on entity: EntityDescription, _ range: Range<Int>
  ) throws(ScriptError) {
    do {
      _ = try predicate.compile(
        for: entity, environment: session.context.environment, graph: session.context)
    } catch {
      let place = error.range.map { $0.isEmpty ? range : $0 } ?? range
      guard let unknown = error.unknownKey else { throw frames.failure(.engine("\(error)"), place) }
      let near = session.nearestName(to: unknown.key, among: unknown.candidates)
      throw frames.failure(
        .unknown(
          .attribute(of: unknown.entity), unknown.key, suggestion: near,
          known: unknown.candidates.filter { !$0.hasPrefix("@") }), place)
    }
  }
}
