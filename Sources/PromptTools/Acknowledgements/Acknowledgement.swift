import FetchedResults
package import ScriptRuntime
package import ScriptSyntax

/// A line at the prompt about a statement that would otherwise print nothing.
///
/// It is shown as a comment, at a terminal only, and is never part of a script's output.
package enum Acknowledgement: Hashable, Sendable {
  case inserted(String)
  case named(String, object: String)
  case changes(inserted: Int, updated: Int, deleted: Int)
  case nothingMatched
  case saved(Int)
  case rolledBack(Int)
  case reset
  case context(String)
  /// There is nothing to `undo` or `redo`.
  case nothingTo(String)
  case entity(String, attributes: [String])
  case request(String)
  case controller(String)
  /// The sections are nil if the controller has no section key.
  case fetched(String, sections: Int?, objects: Int)
  /// A fetched controller's request was changed.
  case requestChanged(String)
  case tracksNothing(String)
  /// A table was created; `awaits` names its controller if that has to fetch first.
  case table(String, awaits: String?)
  /// Changes are no longer followed, or are followed again from the next turn on.
  case suspended(String)
  case resumed(String)
  /// The values of an object that was typed alone.
  case values(String)
  /// A controller missed a change because it has not fetched.
  case unfetched(String)

  /// Whether the line says what to do next, rather than what was done.
  package var isAdvice: Bool {
    switch self {
    case .request, .controller, .requestChanged, .unfetched, .table: true
    case .inserted, .named, .changes, .nothingMatched, .saved, .rolledBack, .reset, .context,
      .nothingTo, .entity,
      .fetched, .tracksNothing, .suspended, .resumed, .values:
      false
    }
  }
}

extension Acknowledgement: CustomStringConvertible {
  /// The text of the line, as a comment.
  package var description: String { "# " + words }

  private var words: String {
    switch self {
    case .inserted(let object): object
    case .named(let name, let object): "\(name) is \(object)"
    case .changes(let inserted, let updated, let deleted):
      Self.list([(inserted, "inserted"), (updated, "updated"), (deleted, "deleted")])
    case .nothingMatched: "nothing matched"
    case .saved(0): "nothing to save"
    case .saved(let count): "saved \(Self.count(count, "object"))"
    case .rolledBack(0): "nothing to roll back"
    case .rolledBack(let count): "rolled back \(Self.count(count, "object"))"
    case .reset: "the context is empty; controllers have to fetch again"
    case .context(let name): "perform \(name) { … } runs statements on it"
    case .nothingTo(let word): "nothing to \(word)"
    case .entity(let name, []): "entity \(name)"
    case .entity(let name, let attributes): "entity \(name): " + attributes.joined(separator: ", ")
    case .request(let name): "fetch \(name) prints its rows; a controller can use it"
    case .controller(let name): "fetch \(name) to get its results"
    case .fetched(let name, nil, let objects): "\(name): \(Self.count(objects, "object"))"
    case .fetched(let name, let sections?, let objects):
      "\(name): \(Self.count(sections, "section")), \(Self.count(objects, "object"))"
    case .requestChanged(let name): "it takes effect with the next 'fetch \(name)'"
    case .tracksNothing(let name): "without a delegate \(name) tracks no changes"
    case .table(let name, nil): "show \(name) draws it"
    case .table(let name, let controller?): "fetch \(controller) fills it, show \(name) draws it"
    case .suspended(let name): "\(name) does not follow changes until resume \(name)"
    case .resumed(let name): "\(name) follows changes again, from the next turn on"
    case .values(let text): text
    case .unfetched(let name):
      "\(name) does not follow changes yet: fetch it first with 'fetch \(name)'"
    }
  }

  private static func list(_ parts: [(count: Int, word: String)]) -> String {
    parts.filter { $0.count > 0 }.map { "\($0.count) \($0.word)" }.joined(separator: ", ")
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

extension Acknowledgement {
  /// Returns the acknowledgements of a statement that has run.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - before: The session's counts before the statement.
  ///   - session: The session after it.
  package static func all(
    of statement: Statement, before: SessionTally, session: Session
  ) -> [Acknowledgement] {
    let change = TallyChange(from: before, to: session.tally)
    return values(of: statement, session) + change.acknowledgements(of: statement)
      + definitions(of: statement, session)
      + [unfetched(change, session)].compactMap(\.self)
  }

  /// Returns the acknowledgements of a statement that was interrupted, for what it did until then.
  package static func all(
    ofFailureAfter before: SessionTally, session: Session
  ) -> [Acknowledgement] {
    let change = TallyChange(from: before, to: session.tally)
    return [change.counts].compactMap(\.self)
  }

  /// Returns the values of an object that was typed alone, because printing it shows only its
  /// identity.
  private static func values(of statement: Statement, _ session: Session) -> [Acknowledgement] {
    guard statement.bareValue != nil, case .value(.object(let id))? = session.variable("_"),
      let object = session.context.registeredObject(for: id)
    else { return [] }
    // Reading the values of a fault would fetch them from the store.
    guard !object.isFault else { return [.values("a fault: its values are not read yet")] }
    let values = object.entity.propertyNames.enumerated().map { index, name in
      "\(name): \(object.value(at: index).quotedDescription)"
    }
    return [.values(values.joined(separator: ", ").shortened(to: 400))]
  }

  /// Returns the acknowledgements about names and controllers.
  private static func definitions(
    of statement: Statement, _ session: Session
  ) -> [Acknowledgement] {
    let traits = statement.traits
    let subject = traits.subject?.text ?? ""
    return switch traits.effect {
    case .defines: traits.definitions.compactMap { Acknowledgement(of: $0, session) }
    case .fetches: [fetched(traits, session)].compactMap(\.self)
    case .changesRequest where isObserver(subject, session),
      .stopsTracking where isObserver(subject, session):
      []
    case .changesRequest:
      isFetched(subject, session) ? [.requestChanged(subject)] : [.controller(subject)]
    case .stopsTracking: [.tracksNothing(subject)]
    case .suspends: [.suspended(subject)]
    case .resumes: [.resumed(subject)]
    case .resets: [.reset]
    case .looks, .inserts, .changesObjects, .changesMatches, .saves, .rollsBack, .undoes, .redoes,
      .runs, .changes:
      []
    }
  }

  private init?(of definition: StatementPart.Definition, _ session: Session) {
    switch definition {
    case .entity(let entity):
      self = .entity(entity.name.text, attributes: entity.properties.map(\.name.text))
    case .request(let name, _): self = .request(name.text)
    case .controller(let name, _): self = .controller(name.text)
    case .observer(let name, .results):
      guard let fetched = Self.fetched(name.text, session) else { return nil }
      self = fetched
    case .observer(_, .history): return nil
    case .table(let name, of: let controller):
      let isFetched = Self.isFetched(controller.text, session)
      self = .table(name.text, awaits: isFetched ? nil : controller.text)
    case .context(let context): self = .context(context.name.text)
    case .model, .variable, .storedRequest: return nil
    }
  }

  /// Whether a name is an observer, which prints itself what a changed request changes.
  private static func isObserver(_ name: String, _ session: Session) -> Bool {
    session.controllers[name]?.observer != nil
  }

  private static func isFetched(_ controller: String, _ session: Session) -> Bool {
    session.controllers[controller]?.fetchedObjects != nil
  }

  private static func fetched(_ traits: StatementTraits, _ session: Session) -> Acknowledgement? {
    guard case .request(let request)? = traits.parts.first, request.clauses.isEmpty else {
      return nil
    }
    return fetched(request.source.text, session)
  }

  private static func fetched(_ name: String, _ session: Session) -> Acknowledgement? {
    guard let binding = session.controllers[name], let objects = binding.fetchedObjects,
      let sections = binding.sections
    else { return nil }
    return .fetched(
      name, sections: binding.controller.sectionNameKeyPath == nil ? nil : sections.count,
      objects: objects.count)
  }

  /// Returns a controller that missed a change because it has not fetched; nil if a controller
  /// reported the change.
  private static func unfetched(_ change: TallyChange, _ session: Session) -> Acknowledgement? {
    guard change.callbacks == 0, !change.entities.isEmpty else { return nil }
    let name = session.controllerNames.first { name in
      guard let binding = session.controllers[name] else { return false }
      return binding.recorder != nil && binding.fetchedObjects == nil
        && change.entities.contains(binding.controller.fetchRequest.entity.name)
    }
    return name.map(Acknowledgement.unfetched)
  }
}

/// The counted changes of one statement.
private struct TallyChange {
  let inserted: Int
  let updated: Int
  let deleted: Int
  let saved: Int
  let rolledBack: Int
  let undone: Int
  let callbacks: Int
  /// The entities whose objects were changed.
  let entities: Set<String>
  let lastInserted: ObjectID?

  init(from before: SessionTally, to after: SessionTally) {
    inserted = after.inserted - before.inserted
    updated = after.updated - before.updated
    deleted = after.deleted - before.deleted
    saved = after.saved - before.saved
    rolledBack = after.rolledBack - before.rolledBack
    undone = after.undone - before.undone
    callbacks = after.callbacks - before.callbacks
    entities = Set(after.changes.filter { before.changes[$0.key] != $0.value }.keys)
    lastInserted = after.lastInserted
  }

  /// Returns the acknowledgements about objects.
  func acknowledgements(of statement: Statement) -> [Acknowledgement] {
    switch statement.traits.effect {
    case .saves: return [.saved(saved)]
    case .rollsBack: return [.rolledBack(rolledBack)]
    case .undoes: return undone == 0 ? [.nothingTo("undo")] : []
    case .redoes: return undone == 0 ? [.nothingTo("redo")] : []
    case .defines:
      if inserted == 1, let lastInserted,
        case .variable(let name, _)? = statement.traits.definitions.first
      {
        return [.named(name.text, object: lastInserted.description)]
      }
    case .inserts:
      if inserted == 1, let lastInserted { return [.inserted(lastInserted.description)] }
    case .changesMatches:
      if updated + deleted == 0 { return [.nothingMatched] }
    // A single object was named, and the callbacks for it are printed.
    case .changesObjects:
      if updated + deleted == 1, callbacks > 0 { return [] }
    case .looks, .resets, .fetches, .changesRequest, .stopsTracking, .suspends, .resumes, .runs,
      .changes:
      break
    }
    return [counts].compactMap(\.self)
  }

  /// The number of changed objects; nil if none was changed.
  var counts: Acknowledgement? {
    guard inserted + updated + deleted > 0 else { return nil }
    return .changes(inserted: inserted, updated: updated, deleted: deleted)
  }
}

/// The meaning of a name that was typed alone, and the statement that it stands for.
package enum NameHint: Hashable, Sendable {
  case variable(String)
  case entity(String)
  case request(String)
  case controller(String, isFetched: Bool)
  case table(String)

  /// Creates the hint; nil if the entry is not a single name of the session.
  package init?(_ entry: String, session: Session) {
    let name = entry.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    if session.variableNames.contains(name) {
      self = .variable(name)
    } else if let binding = session.controllers[name] {
      self = .controller(name, isFetched: binding.fetchedObjects != nil)
    } else if session.tables[name] != nil {
      self = .table(name)
    } else if session.requests[name] != nil {
      self = .request(name)
    } else if session.entities.contains(where: { $0.name == name }) {
      self = .entity(name)
    } else {
      return nil
    }
  }
}

extension NameHint {
  /// The statement that the name stands for at the prompt; nil if there is nothing to print yet.
  package var statement: String? {
    switch self {
    case .variable(let name): "print \(name)"
    case .entity(let name), .request(let name): "fetch \(name)"
    case .table(let name), .controller(let name, isFetched: true): "show \(name)"
    case .controller(_, isFetched: false): nil
    }
  }
}

extension NameHint: CustomStringConvertible {
  /// A comment that says what to type.
  package var description: String {
    switch self {
    case .controller(let name, false): "# fetch \(name) to get its results"
    case .variable, .entity, .request, .table, .controller(_, true):
      "# \(statement ?? "") prints it"
    }
  }
}
