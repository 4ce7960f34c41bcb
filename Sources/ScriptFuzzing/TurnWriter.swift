import Basics
import FetchedResults
import PredicateSyntax
import ScriptRuntime

/// Writes random turns that change the objects of a session.
struct TurnWriter {
  private let session: Session
  private let entities: [EntityDescription]
  private let places: [GroupPlaces]
  private let policy: MergePolicy
  /// The objects that the turn's context has.
  private var seen: [EntityDescription: [SeenObject]] = [:]
  /// The objects that the turn's statements delete so far.
  private var deleted: Set<ObjectID> = []
  /// Whether the objects of the next statement can no longer be predicted.
  private var isOver = false
  /// Properties that no statement changes in an existing object.
  var kept: Set<String> = []

  /// Creates a writer of turns in a context, which is `main` by default.
  init(_ session: Session, context: ManagedObjectContext? = nil) {
    self.session = session
    policy = (context ?? session.context).mergePolicy
    entities = session.entities.filter { !$0.isAbstract }
    for entity in session.entities {
      seen[entity] = SeenObject.all(of: entity, in: context ?? session.context)
    }
    places = session.controllerNames.compactMap { session.controllers[$0]?.controller }
      .compactMap(GroupPlaces.init)
  }

  /// Returns a turn: a statement, or several in one `perform`.
  mutating func turn(_ random: inout SeededGenerator) -> String {
    let turn = anyTurn(&random)
    return areNumbersTaken && !turn.hasPrefix("try ") ? "try \(turn)" : turn
  }

  /// Whether another process has saved objects with the numbers of unsaved ones.
  ///
  /// The first read in the turn gives the unsaved ones other numbers, so what comes after it may
  /// name objects that there are not.
  private var areNumbersTaken: Bool {
    guard hasHistory else { return false }
    return session.contexts.flatMap(\.context.insertedObjects).contains { object in
      let saved = try? session.coordinator.store.objectIDs(of: object.entity.root)
      return saved?.contains { $0.number == object.objectID.number } ?? false
    }
  }

  private mutating func anyTurn(_ random: inout SeededGenerator) -> String {
    if session.contexts.count > 1, random.chance(3),
      let other = random.one(of: session.contexts.dropFirst())
    {
      return elsewhere(other.name, other.context, &random)
    }
    if hasHistory, random.chance(5) { return otherProcess(&random) }
    if random.chance(30) { return setting(&random) }
    if let observer = random.one(of: observers), random.chance(4) {
      return turn(of: observer, &random)
    }
    if random.chance(15), let entity = random.one(of: entities) {
      return batch(on: entity, &random)
    }
    switch random.number(0...19) {
    case 0:
      let ends = ["try save", "rollback", "undo", "redo", "process", "obtain permanent ids"]
      return random.one(of: ends) ?? "process"
    case 1:
      guard let name = random.one(of: session.controllerNames) else { break }
      return "try fetch \(name)"
    case 2:
      guard let places = random.one(of: places) else { break }
      return "perform {\n" + places.shuffle(&random).map { "  \($0)\n" }.joined() + "}"
    case 3:
      guard let name = random.one(of: session.controllerNames) else { break }
      let untold = session.controllerNames.first { session.controllers[$0]?.recorder == nil }
      return untold.map { "delegate \($0) changes" } ?? "delegate \(name) none"
    case 4..<10: return statement(&random)
    default: break
    }
    var statements = ""
    for _ in 0..<random.number(1...random.number(1...8)) where !isOver {
      statements += "  " + statement(&random) + "\n"
    }
    // A delegate may change objects during the save.
    if random.chance(6) { statements += "  try save\n" }
    return "perform {\n" + statements + "}"
  }

  /// Returns a turn that changes, inserts and deletes objects, and does not change settings.
  mutating func changes(atMost count: Int, _ random: inout SeededGenerator) -> String {
    var statements = ""
    for _ in 0..<random.number(1...count) where !isOver {
      statements += "  " + statement(&random) + "\n"
    }
    return "perform {\n" + statements + "}"
  }

  /// The observers of the session.
  private var observers: [ControllerBinding] {
    session.controllerNames.compactMap { session.controllers[$0] }.filter { $0.observer != nil }
  }

  /// Returns a save, or a change of an observer's request.
  private func turn(of observer: ControllerBinding, _ random: inout SeededGenerator) -> String {
    guard random.chance(3),
      let attribute = random.one(
        of: observer.controller.fetchRequest.entity.settableAttributes.filter {
          $0.type.isNumeric || $0.type == .string
        })
    else { return "try save" }
    if random.chance(2) {
      return "change \(observer.name) sort by \(attribute.name)" + (random.chance(2) ? " desc" : "")
    }
    let literal = random.literal(for: attribute)
    return "change \(observer.name) where \(attribute.name.asKeyInPredicate) != \(literal)"
  }

  /// Returns a turn in another context, or between that one and `main`.
  private func elsewhere(
    _ name: String, _ context: ManagedObjectContext, _ random: inout SeededGenerator
  ) -> String {
    switch random.number(0...11) {
    case 0..<2: return "try save \(name)"
    case 2..<4: return "try merge \(name) into main"
    case 4: return "try merge main into \(name)"
    case 5:
      let turn = ["automerge main on", "automerge \(name) on", "automerge main off"]
      return random.one(of: turn + ["rollback \(name)", "reset \(name)", "refresh all"]) ?? ""
    default: break
    }
    var writer = TurnWriter(session, context: context)
    var statements = ""
    for _ in 0..<random.number(1...4) where !writer.isOver {
      statements += "  " + writer.statement(&random) + "\n"
    }
    if random.chance(2) { statements += "  try save\n" }
    return "perform \(name) {\n" + statements + "}"
  }

  /// Whether another process can change the store so that `main` can merge it.
  private var hasHistory: Bool {
    guard let store = session.coordinator.store.historyStore else { return false }
    return store.tracksHistory && session.coordinator.sqlStore != nil
  }

  /// Returns a change by another process to the store's file, or a merge of its history.
  private func otherProcess(_ random: inout SeededGenerator) -> String {
    if random.chance(3) { return "merge history into main" }
    // Another process finds only what is saved.
    let reader = ManagedObjectContext(coordinator: session.coordinator)
    var writer = TurnWriter(session, context: reader)
    var statements = ""
    for _ in 0..<random.number(1...4) where !writer.isOver {
      statements += "  " + writer.statement(&random) + "\n"
    }
    if !random.chance(8) { statements += "  try save\n" }
    return "extension \"widget\" {\n" + statements + "}"
  }

  /// Returns a batch request, which is merged in the same turn.
  private func batch(on entity: EntityDescription, _ random: inout SeededGenerator) -> String {
    "perform {\n  try batch \(batchAction(on: entity, &random))\n  try merge batch into main\n}"
  }

  private func batchAction(
    on entity: EntityDescription, _ random: inout SeededGenerator
  ) -> String {
    guard let key = random.one(of: entity.settableAttributes), !random.chance(3) else {
      return insert(entity, &random)
    }
    let value = random.one(of: live(entity)).map { "\($0.id).\(key.name)" } ?? "nil"
    let rows = "\(entity.name) where \(key.name.asKeyInPredicate) == \(value)"
    guard !random.chance(3), let attribute = random.one(of: freeAttributes(of: entity)) else {
      return "delete \(rows)"
    }
    let isSum = attribute.type.isNumeric && random.chance(3)
    let change = isSum ? "+= 1" : "= \(random.literal(for: attribute))"
    return "update \(rows) { \(attribute.name) \(change) }"
  }

  /// Returns a change of the session's settings.
  private func setting(_ random: inout SeededGenerator) -> String {
    if random.chance(3), let locale = random.one(of: WorldWriter.locales) {
      return "set locale \(locale)"
    }
    return "set policy \(random.one(of: MergePolicy.allCases)?.rawValue ?? "error")"
  }

  /// Returns one change, or a statement that processes changes in the middle of a turn.
  private mutating func statement(_ random: inout SeededGenerator) -> String {
    guard let entity = random.one(of: entities) else { return "process" }
    guard let object = random.one(of: live(entity)) else { return insert(entity, &random) }
    switch random.number(0...23) {
    case 0..<4: return insert(entity, &random)
    case 4..<6: return delete(object)
    case 6: return relate(object, &random) ?? "process"
    case 7: return matching(entity, &random)
    case 8:
      let end = random.one(of: ["process", "try save", "fetch \(entity.name) limit 0"]) ?? ""
      // A policy may delete objects, and a save gives new ones other numbers where another process
      // has saved objects under theirs.
      if end == "try save", policy != .error || hasHistory { isOver = true }
      return end
    case 9..<13:
      guard let other = random.one(of: live(object.entity)),
        let attribute = random.one(of: freeAttributes(of: object.entity))
      else { return "process" }
      return "\(object.id).\(attribute.name) = \(other.id).\(attribute.name)"
    case 13..<15:
      let places = places.filter { $0.holds(object) && !kept.contains($0.group) }
      guard let places = random.one(of: places) else {
        return delete(object)
      }
      return places.move(object, among: live(places.entity), &random)
    default:
      let transient = object.entity.attributes.filter {
        $0.isTransient && $0.expression == nil && !kept.contains($0.name)
      }
      guard let attribute = random.one(of: freeAttributes(of: object.entity) + transient) else {
        return delete(object)
      }
      return "\(object.id).\(attribute.name) = \(random.literal(for: attribute))"
    }
  }

  func insert(_ entity: EntityDescription, _ random: inout SeededGenerator) -> String {
    var values: [String: String] = [:]
    for attribute in entity.settableAttributes where !random.chance(5) {
      values[attribute.name] = random.literal(for: attribute)
    }
    for places in places where entity.isKindOf(entity: places.entity) {
      (values[places.group], values[places.place]) = places.values(
        among: live(places.entity), &random)
    }
    let list = values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "insert \(entity.name)(\(list.joined(separator: ", ")))"
  }

  private mutating func delete(_ object: SeenObject) -> String {
    deleted.insert(object.id)
    // The objects that a cascading delete removes are known only after it is processed.
    isOver = object.entity.relationships.contains { $0.deleteRule == .cascade }
    return "delete \(object.id)"
  }

  /// Returns a statement that changes or deletes several objects.
  private mutating func matching(
    _ entity: EntityDescription, _ random: inout SeededGenerator
  ) -> String {
    guard let key = random.one(of: entity.settableAttributes),
      let attribute = random.one(of: freeAttributes(of: entity))
    else { return "process" }
    let object = random.one(of: live(entity)).map { "\($0.id).\(key.name)" } ?? "nil"
    guard !random.chance(6) else {
      isOver = true
      return "delete \(entity.name) where \(key.name.asKeyInPredicate) == nil"
    }
    return "for o in fetch \(entity.name) { if o.\(key.name) == \(object) "
      + "{ o.\(attribute.name) = \(random.literal(for: attribute)) } }"
  }

  /// Returns a statement that sets a relationship; nil if there is none.
  private func relate(_ object: SeenObject, _ random: inout SeededGenerator) -> String? {
    let relationships = object.entity.relationships.filter { !kept.contains($0.name) }
    guard let relationship = random.one(of: relationships),
      let destination = object.entity.destination(ofRelationship: relationship.name),
      let other = random.one(of: live(destination))
    else { return nil }
    let target = "\(object.id).\(relationship.name)"
    if relationship.isToMany {
      return "\(target) \(random.chance(3) ? "-=" : "+=") \(other.id)"
    }
    return "\(target) = " + (random.chance(4) ? "nil" : "\(other.id)")
  }

  private func live(_ entity: EntityDescription) -> [SeenObject] {
    (seen[entity] ?? []).filter { !deleted.contains($0.id) }
  }

  /// Returns attributes that can be changed alone without putting a section out of order.
  ///
  /// Another method does that on purpose.
  private func freeAttributes(of entity: EntityDescription) -> [AttributeDescription] {
    let bound = places.filter { entity.isKindOf(entity: $0.entity) }.flatMap {
      [$0.group, $0.place]
    }
    let settable = entity.settableAttributes.filter { !kept.contains($0.name) }
    let free = settable.filter { !bound.contains($0.name) }
    return free.isEmpty ? settable : free
  }
}

/// Writes what a world has besides the given script: controllers that fetch, and some objects.
struct WorldWriter {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// Locales that sort some letters differently.
  static let locales = ["en", "de", "sv", "ja"]

  /// Returns the world's settings for saves and sorts, and its other contexts.
  func settings(_ random: inout SeededGenerator) -> [String] {
    var lines: [String] = []
    let policy = { (random: inout SeededGenerator) in
      random.one(of: MergePolicy.allCases)?.rawValue ?? "error"
    }
    if random.chance(2) { lines.append("set policy \(policy(&random))") }
    if random.chance(4), let locale = random.one(of: Self.locales) {
      lines.append("set locale \(locale)")
    }
    guard random.chance(3) else { return lines }
    lines.append("context \(freeContextName("other")) policy \(policy(&random))")
    if random.chance(3) { lines.append("context \(freeContextName("child")) parent main") }
    if random.chance(2) { lines.append("automerge main on") }
    return lines
  }

  /// Returns a name that no context of the script has, because contexts cannot be replaced.
  private func freeContextName(_ name: String) -> String {
    let names = (1...).lazy.map { $0 == 1 ? name : "\(name)\($0)" }
    return names.first { session.context(named: $0) == nil } ?? name
  }

  /// Returns one or two controllers for each entity, with random sort keys and sections, and some
  /// observers.
  ///
  /// All controllers fetch.
  func controllers(_ random: inout SeededGenerator) -> [String] {
    var lines: [String] = []
    var names = session.controllerNames
    for entity in session.entities where !entity.settableAttributes.isEmpty {
      for _ in 0..<random.number(names.isEmpty ? 1...2 : 0...1) {
        let name = "c\(names.count + 1)"
        guard !names.contains(name), session.requests[name] == nil else { continue }
        names.append(name)
        lines.append("controller \(name) = " + request(of: entity, &random))
      }
    }
    for name in names.shuffled(using: &random) {
      lines.append("try fetch \(name)")
      // A delegate that fetches receives one batch within another.
      if random.chance(6), session.controllers[name]?.observer == nil,
        let delegate = meddler(&random)
      {
        lines.append("delegate \(name) { \(delegate) }")
      }
    }
    return lines + observers(&random)
  }

  private func observers(_ random: inout SeededGenerator) -> [String] {
    session.entities.filter { !$0.settableAttributes.isEmpty }.enumerated().compactMap {
      index, entity in
      let name = "o\(index + 1)"
      guard random.chance(3), session.controllers[name] == nil, session.requests[name] == nil else {
        return nil
      }
      return "observer \(name) = " + request(of: entity, &random)
        + (random.chance(3) ? " updates turns" : "")
    }
  }

  /// Returns a callback that changes objects and fetches, and a statement that ends it.
  private func meddler(_ random: inout SeededGenerator) -> String? {
    let numbers = session.entities.compactMap { entity in
      entity.settableAttributes.last { $0.type.isNumeric }.map { (entity, $0.name) }
    }
    guard let (entity, number) = random.one(of: numbers) else { return nil }
    // Some attributes may be derived from a text.
    let text = random.chance(2) ? entity.settableAttributes.first { $0.type == .string } : nil
    let edits = "o.\(number) = 6" + (text.map { "; o.\($0.name) = \"Ö\"" } ?? "")
    let callback = random.chance(2) ? "didChangeObject" : "didChangeContent"
    let rows = "\(entity.name) where \(number.asKeyInPredicate) == 7"
    return "\(callback) { for o in fetch \(rows) { \(edits) }; "
      + "fetch \(entity.name) limit 1 }"
  }

  private func request(of entity: EntityDescription, _ random: inout SeededGenerator) -> String {
    let attributes = entity.settableAttributes.shuffled(using: &random)
    var text = entity.name
    if let attribute = attributes.last, random.chance(3) {
      let sign = random.one(of: ["==", "!=", "<", ">="]) ?? "=="
      let literal = random.literal(for: attribute)
      let isOrdered = attribute.type.isNumeric || attribute.type == .string
      if literal != "nil", !literal.hasPrefix("uuid"), !literal.hasPrefix("data") {
        let key = attribute.name.asKeyInPredicate
        text += " where \(key) \(isOrdered ? sign : "==") \(literal)"
      }
    }
    var keys = attributes.prefix(random.number(1...2)).map { attribute in
      let collation =
        attribute.type == .string && random.chance(4)
        ? random.one(of: [" using localized", " using localizedStandard", " using caseInsensitive"])
        : nil
      return attribute.name + (random.chance(3) ? " desc" : "") + (collation ?? "")
    }
    let related = random.chance(3) ? relatedKey(of: entity, &random) : nil
    if let related { keys.insert(related, at: 0) }
    text += " sort by " + keys.joined(separator: ", ")
    if random.chance(2), let key = related ?? attributes.first?.name {
      text += " section by \(key)"
    }
    if related != nil, !random.chance(4) { text += " track related" }
    if random.chance(4) {
      text += " limit \(random.number(1...4))"
      if random.chance(2) { text += " offset \(random.number(1...2))" }
      if !random.chance(4) { text += " keep limit" }
    }
    return text
  }

  /// Returns a key path to an attribute of a related object.
  private func relatedKey(
    of entity: EntityDescription, _ random: inout SeededGenerator
  ) -> String? {
    guard let relationship = random.one(of: entity.relationships.filter { !$0.isToMany }),
      let attribute = random.one(
        of: entity.destination(ofRelationship: relationship.name)?.settableAttributes ?? [])
    else { return nil }
    return "\(relationship.name).\(attribute.name)"
  }

  /// Returns statements that insert a few objects of each entity.
  func objects(_ random: inout SeededGenerator) -> [String] {
    let turns = TurnWriter(session)
    var lines: [String] = []
    for entity in session.entities where !entity.isAbstract {
      for _ in 0..<random.number(0...5) { lines.append(turns.insert(entity, &random)) }
    }
    return lines
  }
}

extension SeededGenerator {
  /// Returns a value of an attribute as a script writes it.
  ///
  /// There are few different values, so that equal ones are frequent.
  mutating func literal(for attribute: AttributeDescription) -> String {
    if attribute.isOptional, chance(6) { return "nil" }
    switch attribute.type {
    case .string: return #""\#(one(of: ["", "a", "b", "B", "c", "d", "e", "ä", "z"]) ?? "")""#
    case .integer16, .integer32, .integer64: return "\(number(0...7))"
    case .double, .float: return one(of: ["0.5", "1.0", "1.5", "2.25", "-3.0"]) ?? "0.5"
    case .decimal: return one(of: ["0.5", "1", "2.25", "-3"]) ?? "1"
    case .boolean: return chance(2) ? "YES" : "NO"
    case .date: return "@2026-01-0\(number(1...6))"
    case .uuid: return #"uuid("00000000-0000-4000-8000-00000000000\#(number(1...6))")"#
    case .uri: return #""https://example.org/\#(number(1...6))""#
    case .binaryData: return chance(2) ? #"data("AA==")"# : #"data("AQ==")"#
    }
  }
}

extension EntityDescription {
  /// The attributes that a script can set.
  var settableAttributes: [AttributeDescription] {
    attributes.filter { $0.expression == nil && !$0.isTransient }
  }
}
