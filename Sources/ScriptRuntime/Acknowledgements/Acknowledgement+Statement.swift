import FetchedResults
package import ScriptSyntax

extension Acknowledgement {
  /// Finds what is worth saying of a statement that has run.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - before: What the session had done before it.
  ///   - session: The session after it.
  package static func all(
    of statement: Statement, before: SessionTally, session: Session
  ) -> [Acknowledgement] {
    let change = TallyChange(from: before, to: session.tally)
    return change.acknowledgements(of: statement) + definitions(of: statement, session)
      + [unfetched(change, session)].compactMap(\.self)
  }

  /// Finds what is worth saying of a statement that was broken off: what it did
  /// up to there.
  package static func all(
    ofFailureAfter before: SessionTally, session: Session
  ) -> [Acknowledgement] {
    let change = TallyChange(from: before, to: session.tally)
    return [change.counts].compactMap(\.self)
  }

  /// Words on names and controllers.
  private static func definitions(
    of statement: Statement, _ session: Session
  ) -> [Acknowledgement] {
    switch statement.kind {
    case .entity(let declaration):
      [.entity(declaration.name.text, attributes: declaration.properties.map(\.name.text))]
    case .request(let name, _): [.request(name.text)]
    case .controller(let name, _): [.controller(name.text)]
    case .fetch(let request) where request.clauses.isEmpty:
      fetched(request.source.text, session).map { [$0] } ?? []
    case .change(let name, _):
      session.controllers[name.text]?.controller.fetchedObjects == nil
        ? [.controller(name.text)] : [.requestChanged(name.text)]
    case .delegate(let name, .none): [.tracksNothing(name.text)]
    case .table(let name, of: let controller, _):
      [
        .table(
          name.text,
          awaits: session.controllers[controller.text]?.controller.fetchedObjects == nil
            ? controller.text : nil)
      ]
    case .suspend(let name): [.suspended(name.text)]
    case .resume(let name): [.resumed(name.text)]
    case .reset: [.reset]
    case .context(let declaration): [.context(declaration.name.text)]
    case .model, .storeMemory, .storeSQLite, .save, .rollback, .process, .merge, .automerge,
      .refresh, .refreshAll, .undo, .redo, .insert, .let, .assign, .update, .importRows, .delete,
      .deleteMatching, .perform, .for, .if, .repeat, .include, .set, .expect, .try, .storedRequest,
      .fetch, .count, .delegate, .ownDelegate, .return, .deleteCache, .deleteCaches, .reload,
      .trace, .show, .showRequest, .showModel, .objects, .print, .caches, .stats, .evaluate,
      .explain, .swift, .quirk:
      []
    }
  }

  private static func fetched(_ name: String, _ session: Session) -> Acknowledgement? {
    guard let controller = session.controllers[name]?.controller,
      let objects = controller.fetchedObjects, let sections = controller.sections
    else { return nil }
    return .fetched(
      name, sections: controller.sectionNameKeyPath == nil ? nil : sections.count,
      objects: objects.count)
  }

  /// A controller that missed a change because it has not fetched, where no
  /// controller reported one.
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

/// What one statement did, counted.
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

  /// Words on objects.
  func acknowledgements(of statement: Statement) -> [Acknowledgement] {
    switch statement.kind {
    case .save: return [.saved(saved)]
    case .rollback: return [.rolledBack(rolledBack)]
    case .undo: return undone == 0 ? [.nothingTo("undo")] : []
    case .redo: return undone == 0 ? [.nothingTo("redo")] : []
    case .let(let name, _):
      if inserted == 1, let lastInserted {
        return [.named(name.text, object: lastInserted.description)]
      }
    case .insert:
      if inserted == 1, let lastInserted { return [.inserted(lastInserted.description)] }
    case .update, .deleteMatching:
      if updated + deleted == 0 { return [.nothingMatched] }
    // One object was named, and what a controller makes of it is printed.
    case .assign, .delete:
      if updated + deleted == 1, callbacks > 0 { return [] }
    case .entity, .model, .storeMemory, .storeSQLite, .reset, .process, .context, .merge,
      .automerge, .refresh, .refreshAll, .importRows, .perform, .for, .if, .repeat, .include, .set,
      .expect, .try, .request, .storedRequest, .controller, .fetch, .count, .change, .delegate,
      .ownDelegate, .return, .deleteCache, .deleteCaches, .table, .suspend, .resume, .reload,
      .trace, .show, .showRequest, .showModel, .objects, .print, .caches, .stats, .evaluate,
      .explain, .swift, .quirk:
      break
    }
    return [counts].compactMap(\.self)
  }

  /// How many objects were changed, if any were.
  var counts: Acknowledgement? {
    guard inserted + updated + deleted > 0 else { return nil }
    return .changes(inserted: inserted, updated: updated, deleted: deleted)
  }
}
