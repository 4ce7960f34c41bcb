import FetchedResults
import ScriptSyntax

/// `explain`: shows what decided the callbacks of the last turn.
struct ExplainCommands {
  let session: Session
  let frames: FrameStack
  let evaluator: Evaluator
  let events: EventEmitter
  let turnLog: TurnLog

  /// `explain`, `explain Book/3`.
  func explain(_ target: ExpressionSyntax?) throws(ScriptError) {
    let ids = try target.map { target throws(ScriptError) in try identities(target) }
    guard !turnLog.entries.isEmpty else {
      return events.emit(
        .note(turnLog.isKept ? "nothing has changed yet" : "explanations were switched off"))
    }
    if let title = turnLog.title { events.emit(.explainedTurn(title)) }
    let explanations = TurnExplainer(turnLog, session).explanations
    guard let ids else {
      for explanation in explanations { events.emit(.explanation(explanation)) }
      return
    }
    for id in ids {
      let found = explanations.filter { $0.concerns(id) }.map { $0.narrowed(to: id) }
      if found.isEmpty { try explainUnchanged(id) }
      for explanation in found { events.emit(.explanation(explanation)) }
    }
  }

  /// Returns the IDs of the objects that an expression names.
  ///
  /// The objects may be deleted.
  private func identities(_ target: ExpressionSyntax) throws(ScriptError) -> [ObjectID] {
    let value = try evaluator.scalar(target)
    let values: [PropertyValue]
    if case .list(let elements) = value { values = elements } else { values = [value] }
    var ids: [ObjectID] = []
    for value in values {
      guard case .object(let id) = value else {
        throw frames.notAnObject(value.kind, target.range)
      }
      ids.append(id)
    }
    return ids
  }

  /// Explains why an unchanged object has no callback, and what changed along its key paths.
  private func explainUnchanged(_ id: ObjectID) throws(ScriptError) {
    let bindings = session.controllerNames.compactMap { session.controllers[$0] }
    let holders = bindings.filter { $0.controller.indexPath(forObjectID: id) != nil }
    let object = session.context.findObject(with: id)
    guard !holders.isEmpty else {
      let shown = object.map { ShownObject($0, attribute: $0.entity.shownAttribute(besides: nil)) }
      return events.emit(
        .explanation(
          Explanation(
            subject: .silence(
              controller: nil, objects: [shown ?? ShownObject(id: id, display: nil)]),
            rule: .unchanged)))
    }
    for binding in holders {
      let object = binding.controller.managedObjectContext.findObject(with: id)
      let related = object.map { turnLog.changes(relatedTo: $0, of: binding) } ?? []
      let notes = related.map { path, changed in
        Explanation.Evidence.note(
          "\(changed), reached by \(path), changed; that does not move any row")
      }
      events.emit(
        .explanation(
          Explanation(
            subject: .silence(
              controller: binding.name,
              objects: [object.map(binding.shown) ?? ShownObject(id: id, display: nil)]),
            rule: related.isEmpty ? .unchanged : .relatedObject,
            evidence: notes + [.note("a row that only shifts has no callback")])))
    }
  }
}

extension TurnLog {
  /// Returns the key paths of a controller that lead from an object to one that changed in the
  /// turn.
  fileprivate func changes(
    relatedTo object: ManagedObject, of binding: ControllerBinding
  ) -> [(keyPath: String, changed: ObjectID)] {
    let changed = entries.flatMap { entry -> [ObjectID] in
      guard case .processing(_, let batch, _) = entry else { return [] }
      return batch.objects.map(\.objectID)
    }
    let request = binding.controller.fetchedRequest ?? binding.controller.fetchRequest
    let section = binding.controller.sectionNameKeyPath
    let paths = request.sortDescriptors.map(\.key) + [section].compactMap(\.self)
    var found: [(String, ObjectID)] = []
    for path in paths + request.predicateKeyPaths
    where path.contains(".") && !found.contains(where: { $0.0 == path }) {
      for id in object.related(by: path) where changed.contains(id) {
        found.append((path, id))
        break
      }
    }
    return found
  }
}

extension ManagedObject {
  /// Returns the objects along a key path.
  fileprivate func related(by keyPath: String) -> [ObjectID] {
    var reached: [ManagedObject] = [self]
    var found: [ObjectID] = []
    for key in keyPath.split(separator: ".").map(String.init) {
      let ids = reached.flatMap { object -> [ObjectID] in
        switch try? object.value(forKey: key) {
        case .object(let id)?: return [id]
        case .list(let values)?: return values.compactMap(\.objectID)
        case nil, .null?, .bool?, .int?, .double?, .string?, .date?, .decimal?, .uuid?, .uri?,
          .data?:
          return []
        }
      }
      found += ids
      reached = ids.compactMap { managedObjectContext?.findObject(with: $0) }
    }
    return found
  }
}
