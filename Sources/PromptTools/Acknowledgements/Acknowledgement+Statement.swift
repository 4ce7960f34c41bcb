import FetchedResults
package import ScriptRuntime
package import ScriptSyntax

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
    case .table(let name, of: let controller):
      let isFetched = Self.isFetched(controller.text, session)
      self = .table(name.text, awaits: isFetched ? nil : controller.text)
    case .context(let context): self = .context(context.name.text)
    case .model, .variable, .storedRequest: return nil
    }
  }

  private static func isFetched(_ controller: String, _ session: Session) -> Bool {
    session.controllers[controller]?.controller.fetchedObjects != nil
  }

  private static func fetched(_ traits: StatementTraits, _ session: Session) -> Acknowledgement? {
    guard case .request(let request)? = traits.parts.first, request.clauses.isEmpty else {
      return nil
    }
    let name = request.source.text
    guard let controller = session.controllers[name]?.controller,
      let objects = controller.fetchedObjects, let sections = controller.sections
    else { return nil }
    return .fetched(
      name, sections: controller.sectionNameKeyPath == nil ? nil : sections.count,
      objects: objects.count)
  }

  /// Returns a controller that missed a change because it has not fetched; nil if a controller
  /// reported the change.
  private static func unfetched(_ change: TallyChange, _ session: Session) -> Acknowledgement? {
    guard change.callbacks == 0, !change.entities.isEmpty else { return nil }
    let name = session.controllerNames.first { name in
      guard let binding = session.controllers[name] else { return false }
      return binding.recorder != nil && binding.controller.fetchedObjects == nil
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
