import FetchedResults
package import ScriptRuntime
package import ScriptSyntax

extension CompletionNames {
  /// Returns a short description of a candidate.
  func detail(of candidate: String, for want: CursorPlace.Want) -> String {
    let name = String(candidate.prefix { !" .:(/".contains($0) })
    switch want {
    case .statement: return statement(name)
    case .word(let word):
      // A word with an opposite is a switch.
      let isSwitch = word == "on" && place.wants.contains(.word("off"))
      return isSwitch ? "" : Self.words[word] ?? Self.words[name] ?? ""
    case .entity, .insertedEntity, .importedEntity, .source, .fetchedSource, .controller,
      .historyObserver, .table, .context:
      return named(name)
    case .type: return "type"
    case .attribute(let source, _, _): return property(name, of: entity(of: source))
    case .key(let source, let keys, _):
      switch shape(of: keys, on: source) {
      case .object(let entity), .objects(let entity): return property(name, of: entity)
      case .list, .controller, .sections, .section, .string, .range, .unknown: return ""
      }
    case .relationship(let source, let keys):
      return property(name, of: owner(ofKeyAfter: keys, on: source))
    case .value, .operand:
      return value(name, updated: place.updatedSource.flatMap(entity(of:)), want)
    case .member(let base): return member(name, of: shape(of: base))
    case .argument: return "argument"
    case .comparison: return Self.comparisonDetails[candidate.split(separator: " ").joined()] ?? ""
    }
  }

  private func statement(_ word: String) -> String {
    if case .object(let entity) = shape(ofName: word) { return "a \(entity.name)" }
    guard case .topic(let topic) = Help.answer(to: word) else { return "" }
    return topic.lines[0]
  }

  private func named(_ name: String) -> String {
    if let entity = session.coordinator.managedObjectModel.entitiesByName[name] {
      return "entity: " + entity.propertyNames.joined(separator: ", ")
    }
    if let request = session.requests[name] { return "request of \(request.request.entity.name)" }
    if let binding = session.controllers[name] {
      let rows =
        binding.fetchedObjects.map { $0.count == 1 ? "1 result" : "\($0.count) results" }
        ?? "not fetched yet"
      return (binding.observer == nil ? "controller" : "observer")
        + " of \(binding.controller.fetchRequest.entity.name), \(rows)"
    }
    if session.historyObservers[name] != nil { return "observer of the history" }
    if let table = session.tables[name] { return "table of \(table.controller.name)" }
    return session.context(named: name) == nil ? "" : "context"
  }

  private func property(_ name: String, of entity: EntityDescription?) -> String {
    entity?.scriptText(ofProperty: name) ?? ""
  }

  private func value(
    _ candidate: String, updated: EntityDescription?, _ want: CursorPlace.Want
  ) -> String {
    let name = candidate.hasPrefix("$") ? String(candidate.dropFirst()) : candidate
    if candidate != name || place.locals.contains(where: { $0.name == name }) {
      return variable(name)
    }
    var owner = updated
    if case .operand(let source, _) = want { owner = entity(of: source) }
    if let owner, let text = owner.scriptText(ofProperty: name) { return text }
    if session.variable(name) != nil { return variable(name) }
    return ScriptFunctions.usages[name] ?? named(name)
  }

  private func variable(_ name: String) -> String {
    guard !place.locals.contains(where: { $0.name == name }),
      case .value(let value)? = session.variable(name)
    else {
      switch shape(ofVariable: name) {
      case .object(let entity): return "a \(entity.name)"
      case .objects(let entity): return "list of \(entity.name)"
      case .list, .controller, .sections, .section, .string, .range, .unknown: return "variable"
      }
    }
    switch value {
    // Listing many values would take too long.
    case .list(let values): return "list of \(values.count)"
    case .string(let text) where text.utf8.count > 60: return "a string"
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data, .object:
      return value.quotedDescription
    }
  }

  private func member(_ name: String, of shape: Shape) -> String {
    switch shape {
    case .object(let entity): property(name, of: entity)
    case .controller(_, let isObserver):
      MemberNames.methods(isOfObservers: isObserver)[name]
        ?? (isObserver ? "of the observer" : "of the controller")
    case .objects, .list: "of the list"
    case .section: "of the section"
    case .string: "of the string"
    case .range, .sections, .unknown: ""
    }
  }

  private static let words = [
    "all": "every object of the context", "asc": "the smallest first",
    "batch": "reads rows in batches of this size", "cache": "keeps the sections under a name",
    "alone": "in a session of its own", "cascade": "deletes the others, too",
    "configureCell": "with the object at the old index path",
    "configureCellWithObject": "with the callback's object",
    "deny": "refuses while there are others",
    "desc": "the greatest first", "else": "what runs otherwise", "in": "the values to walk over",
    "includesPendingChanges": "off: matches by saved values", "into": "where it goes",
    "inverse": "the relationship that leads back",
    "limit": "the most results", "memory": "a store that ends with frc",
    "merging": "keeps what was changed here", "migrate": "lets data go that has no place",
    "nothing": "leaves the table as it is",
    "nullify": "the others forget it",
    "offset": "results to leave out", "on": "the object",
    "on delete": "what becomes of the other side", "parent": "the context to save into",
    "prefetch": "relationships to read at once", "readonly": "never written",
    "returnsObjectsAsFaults": "off: reads all rows at once",
    "shouldRefreshRefetchedObjects": "on: takes newer values of the store",
    "reload": "reloadData in the last callback",
    "section": "a section for each value of a key",
    "sort": "the order", "sqlite": "a store in a file",
    "stepping": "shows the table after each callback", "using": "how strings compare",
    "version": "one of the model's versions", "was": "the name in older files",
    "where": "a predicate that they match",
  ]

  private static let comparisonDetails = [
    "==": "equal", "!=": "not equal", "<": "less", "<=": "at most", ">": "greater",
    ">=": "at least", "IN": "one of a list", "BETWEEN": "from one to another: {1, 5}",
    "CONTAINS": "the text holds it", "BEGINSWITH": "the text begins so",
    "ENDSWITH": "the text ends so", "LIKE": "pattern with * and ?", "MATCHES": "regular expression",
  ]
}

/// Knows which names in a text mean something in a session, without running the text.
package struct NameKnowledge {
  private let session: Session
  private let defined: Set<String>

  /// - Parameters:
  ///   - session: The session that gives names their meaning.
  ///   - defined: The names that the text itself defines.
  package init(session: Session, defined: Set<String>) {
    self.session = session
    self.defined = defined
  }

  /// Whether a part of a text is an unknown name.
  ///
  /// The answer is false in doubt.
  package func isUnknown(_ part: TextPart) -> Bool {
    switch (part.role, part.place) {
    case (.entity, .inserted):
      !isEntity(part.text)
    case (.object, _): !isEntity(part.text)
    case (.name, .first), (.name, .base): !isValue(part.text)
    case (.name, .attribute(let entity)):
      session.coordinator.managedObjectModel.entitiesByName[entity].map { entity in
        entity.propertyIndex(named: part.text) == nil
      } ?? false
    case (.variable, _): !isValue(part.text) && !Self.ofCallbacks.contains(part.text)
    default: false
    }
  }

  private func isEntity(_ name: String) -> Bool {
    defined.contains(name) || session.coordinator.managedObjectModel.entitiesByName[name] != nil
  }

  private func isValue(_ name: String) -> Bool {
    defined.contains(name) || session.meaning(of: name) != nil || session.variable(name) != nil
      || session.context(named: name) != nil || isProperty(name)
      || CallbackSyntax.Callback(rawValue: name) != nil || Self.ofCallbacks.contains(name)
      || ScriptFunctions.usages[name] != nil
  }

  /// Whether an entity has a property of this name.
  ///
  /// Of thousands of entities, only some are searched.
  private func isProperty(_ name: String) -> Bool {
    session.entities.count > 1000
      || session.entities.contains { $0.propertyIndex(named: name) != nil }
  }

  /// The variables that callbacks define, and the one of `insert 10 Book(…)`.
  private static let ofCallbacks: Set = [
    "i", "index", "indexPath", "name", "newIndexPath", "object", "type",
  ]
}

/// The statements that make sense next, for someone who has not typed anything yet.
struct NextSteps {
  /// The statements, with the reason for each.
  private(set) var candidates: [(text: String, detail: String)] = []

  /// Finds the statements that fit a session.
  init(_ session: Session) {
    let entities = session.entities.filter { !$0.isAbstract }
    guard let entity = entities.first else {
      candidates.append(("entity Book { title: String }", "defines what there is"))
      return
    }
    let empty = entities.prefix(100).first { !Self.hasObjects($0, in: session) }
    if let empty { candidates.append(("insert \(empty.name)(", "there is no \(empty.name) yet")) }
    let fetched = Set(session.controllers.values.map(\.controller.fetchRequest.entity.name))
    if !fetched.contains(entity.name), let key = Self.sortKey(of: entity) {
      let name = entity.name.lowercased() + "s"
      if session.controllers[name] == nil {
        candidates.append(
          ("controller \(name) = \(entity.name) sort by \(key)", "follows the objects"))
      }
    }
    for name in session.controllerNames.prefix(100)
    where session.controllers[name]?.fetchedObjects == nil {
      candidates.append(("fetch \(name)", "it has not fetched yet"))
      break
    }
    if session.context.hasChanges { candidates.append(("save", "there are unsaved changes")) }
    let shown = session.controllerNames.last { name in
      session.controllers[name]?.fetchedObjects != nil
    }
    if let shown {
      candidates.append(("show \(shown)", "its sections and objects"))
      candidates.append(("explain", "why the last turn sent what it sent"))
    }
  }

  private static func hasObjects(_ entity: EntityDescription, in session: Session) -> Bool {
    var hasOne = false
    session.context.glance(at: entity, atMost: 1000) { _, _ in
      hasOne = true
      return false
    }
    return hasOne
  }

  private static func sortKey(of entity: EntityDescription) -> String? {
    entity.shownAttribute(besides: nil) ?? entity.attributes.first?.name
  }
}
