import FetchedResults
import ScriptSyntax

/// Converts the last turn to explanations: what controllers decided, and what no controller
/// received.
struct TurnExplainer {
  private let log: TurnLog
  private let bindings: [ControllerBinding]

  init(_ log: TurnLog, _ session: Session) {
    self.log = log
    bindings = session.controllerNames.compactMap { session.controllers[$0] }
  }

  var explanations: [Explanation] {
    log.entries.enumerated().flatMap { place, entry in
      switch entry {
      case .decision(let binding, let record, let receiver):
        explanations(of: RecordExplainer(binding: binding, record: record, receiver: receiver))
      case .processing(let context, let batch, let cameAndWent):
        unreceived(batch, in: context, after: log.entries[..<place]) + gone(cameAndWent)
      case .batch(let result): unmerged(result)
      case .publication(let binding, let publication, let atOnce):
        explanations(of: publication, by: binding, atOnce: atOnce)
      }
    }
  }

  // MARK: Observers

  /// Returns the explanations of a decision; for an observer, only of what it does not publish in
  /// this turn.
  private func explanations(of explainer: RecordExplainer) -> [Explanation] {
    let binding = explainer.binding
    guard binding.observer != nil else { return explainer.explanations }
    let isPublished = log.entries.contains { entry in
      if case .publication(let publisher, _, _) = entry { publisher === binding } else { false }
    }
    return (isPublished ? [] : unsaved(explainer)) + explainer.unreported
  }

  /// Returns the explanations of changes that wait for a save; of those that undid earlier ones, with
  /// a note that nothing waits.
  private func unsaved(_ explainer: RecordExplainer) -> [Explanation] {
    guard let waiting = explainer.binding.observer?.unpublishedDifference else {
      return explainer.unsaved
    }
    let awaited = Set(waiting.objects.map(\.objectID))
    return explainer.unsaved.map { explanation in
      guard case .silence(_, let objects) = explanation.subject,
        !objects.contains(where: { awaited.contains($0.id) })
      else { return explanation }
      let note = "nothing will be published about it: it is again as in the last publication"
      return Explanation(
        subject: explanation.subject, rule: .unsaved,
        evidence: explanation.evidence + [.note(note)])
    }
  }

  /// Returns the explanations of what an observer published.
  ///
  /// A change that was decided in this turn has the evidence of its decision.
  private func explanations(
    of publication: ObservedResults.Publication, by binding: ControllerBinding, atOnce: Bool
  ) -> [Explanation] {
    let moment: ControllerCallback.Moment = atOnce ? .atOnce : .turnEnd
    let results = ControllerCallback(
      .results(old: publication.oldCount, new: publication.newCount, moment),
      of: binding.name, isPublished: true)
    guard let difference = publication.difference else {
      return [Explanation(subject: .callback(results), rule: .refetched)]
    }
    guard !difference.isEmpty else {
      return [Explanation(subject: .callback(results), rule: .unrelatedSave)]
    }
    var rule: Rule = binding.observer?.updates == .turns ? .batch : .saved
    var decided: [ObjectID: Explanation] = [:]
    for case .decision(let decider, let record, let receiver) in log.entries
    where decider === binding {
      let explainer = RecordExplainer(binding: binding, record: record, receiver: receiver)
      for explanation in explainer.changeExplanations {
        if let id = explanation.callback?.object?.id { decided[id] = explanation }
      }
      // A rollback publishes too, if a new predicate had published what was not saved.
      if record.batch.changes.allSatisfy({ $0.causes.contains(.undone) }) { rule = .batch }
    }
    func explanation(_ kind: ControllerCallback.Kind, _ rule: Rule) -> Explanation {
      let callback = ControllerCallback(kind, of: binding.name, isPublished: true)
      let known = callback.object.flatMap { decided[$0.id] }
      return Explanation(
        subject: .callback(callback), rule: rule, evidence: known?.evidence ?? [])
    }
    func rows(_ changes: [SectionedDifference.ObjectChange]) -> [Explanation] {
      changes.map { change in
        let shown =
          decided[change.objectID]?.callback?.object ?? binding.shownNow(change.objectID)
        return explanation(
          .didChangeObject(change.type, shown, old: change.indexPath, new: change.newIndexPath),
          Rule(change.reason))
      }
    }
    func sections(
      _ changes: [SectionedDifference.SectionChange], _ type: FetchedResultsChangeType
    ) -> [Explanation] {
      changes.map { change in
        explanation(
          .didChangeSection(type, index: change.index, name: change.name), Rule(change.reason))
      }
    }
    return [Explanation(subject: .callback(results), rule: rule)]
      + rows(difference.objects.filter { $0.type == .delete })
      + sections(difference.deletedSections, .delete)
      + sections(difference.insertedSections, .insert)
      + rows(difference.objects.filter { $0.type != .delete })
  }

  // MARK: Changes without a receiver

  /// Returns explanations for changes of a batch that no controller receives, because it is on
  /// another context or there is none.
  ///
  /// - Parameter earlier: What was logged before. A merge repeats a change that is explained there.
  private func unreceived(
    _ batch: ContextChanges, in context: ManagedObjectContext,
    after earlier: ArraySlice<TurnLog.Entry>
  ) -> [Explanation] {
    guard !batch.changes.isEmpty else { return [] }
    guard !bindings.isEmpty else {
      let objects = batch.changes.indices.map { ShownObject(batch, $0, besides: nil) }
      return [
        Explanation(
          subject: .silence(controller: nil, objects: objects), rule: .noController)
      ]
    }
    return bindings.flatMap { binding -> [Explanation] in
      let controller = binding.controller
      guard controller.managedObjectContext !== context, let request = controller.fetchedRequest
      else { return [] }
      let own = controller.managedObjectContext
      let places = batch.objects.indices.filter { place in
        let id = batch.objects[place].objectID
        return request.includes(id.entity) && !isProcessed(id, in: own, among: log.entries[...])
          && !(batch.changes[place].isMerged && isProcessed(id, among: earlier))
      }
      let lost = places.filter { own.lostMerges.contains(batch.objects[$0].objectID) }
      let rest = places.filter { !lost.contains($0) }
      func isBelow(_ place: Int) -> Bool {
        readsFromParent(own, batch.changes[place], in: context)
      }
      let publishes =
        own.automaticallyMergesChangesFromParent
        ? "after the save of that context" : "when its context merges the change"
      return [
        explanation(
          batch, rest.filter { !isBelow($0) }, binding,
          binding.observer == nil
            ? "\(binding.name) is told when its context merges the change"
            : "\(binding.name) publishes \(publishes)"),
        explanation(
          batch, rest.filter(isBelow), binding,
          "the context of \(binding.name) reads from its parent; \(binding.name) shows the change "
            + "after another fetch, once the parent has it"),
        explanation(
          batch, lost, binding,
          "quirk unreadMergesLost: the merge did not reach \(binding.name), because its context "
            + "had never loaded the object"),
      ].compactMap(\.self)
    }
  }

  /// Returns the explanation for changes of another context; nil if there are none.
  private func explanation(
    _ batch: ContextChanges, _ places: [Int], _ binding: ControllerBinding, _ note: String
  ) -> Explanation? {
    guard !places.isEmpty else { return nil }
    return Explanation(
      subject: .silence(
        controller: binding.name,
        objects: places.map {
          ShownObject(batch, $0, besides: binding.controller.sectionNameKeyPath)
        }),
      rule: .otherContext, evidence: [.note(note)])
  }

  /// Whether a context cannot merge another one's change by itself, because it reads from a parent
  /// into which that one does not save.
  private func readsFromParent(
    _ own: ManagedObjectContext, _ change: ObjectChange, in context: ManagedObjectContext
  ) -> Bool {
    guard let parent = own.parent else { return false }
    return context === parent ? change.isMerged : context.parent !== parent
  }

  /// Whether an object's change was processed in a context, or in any.
  private func isProcessed(
    _ id: ObjectID, in own: ManagedObjectContext? = nil, among entries: ArraySlice<TurnLog.Entry>
  ) -> Bool {
    entries.contains { entry in
      guard case .processing(let context, let batch, _) = entry, own == nil || context === own
      else {
        return false
      }
      return batch.objects.contains { $0.objectID.isSame(as: id) }
    }
  }

  /// Returns explanations for changes of a batch request, which no controller receives.
  private func unmerged(_ result: BatchResult) -> [Explanation] {
    guard result.count != 0 else { return [] }
    guard !bindings.isEmpty else {
      return [
        Explanation(subject: .silence(controller: nil, objects: shown(result)), rule: .noController)
      ]
    }
    return bindings.compactMap { binding in
      guard let request = binding.controller.fetchedRequest,
        request.includes(result.entity) || request.entity.isKindOf(entity: result.entity)
      else { return nil }
      let note =
        result.objectIDs == nil
        ? "this batch request returned no object IDs, so it cannot be merged; \(binding.name) shows "
          + "the old rows"
        : "\(binding.name) is told when its context merges the batch"
      return Explanation(
        subject: .silence(controller: binding.name, objects: shown(result)),
        rule: .unmergedBatch, evidence: [.note(note)])
    }
  }

  private func shown(_ result: BatchResult) -> [ShownObject] {
    (result.objectIDs ?? []).map { ShownObject(id: $0, display: nil) }
  }

  private func gone(_ ids: [ObjectID]) -> [Explanation] {
    guard !ids.isEmpty else { return [] }
    return [
      Explanation(
        subject: .silence(
          controller: nil, objects: ids.map { ShownObject(id: $0, display: nil) }),
        rule: .cameAndWent)
    ]
  }
}

extension Statement {
  /// Whether the statement or one inside it is an `explain`.
  ///
  /// An included file may contain one.
  var mayExplain: Bool {
    if case .explain = kind { return true }
    if case .include = kind { return true }
    return inner.contains(where: \.mayExplain)
  }
}
