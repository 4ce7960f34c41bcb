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
    log.entries.flatMap { entry in
      switch entry {
      case .decision(let binding, let record, let receiver):
        RecordExplainer(binding: binding, record: record, receiver: receiver).explanations
      case .processing(let context, let batch, let cameAndWent):
        unreceived(batch, in: context) + gone(cameAndWent)
      case .batch(let result): unmerged(result)
      }
    }
  }

  /// Returns explanations for changes of a batch that no controller receives, because it is on
  /// another context or there is none.
  private func unreceived(
    _ batch: ContextChanges, in context: ManagedObjectContext
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
      let places = batch.objects.indices.filter {
        request.includes(batch.objects[$0].entity)
          && !isMerged(batch.objects[$0].objectID, into: binding)
      }
      let lostMerges = controller.managedObjectContext.lostMerges
      let lost = places.filter { lostMerges.contains(batch.objects[$0].objectID) }
      let received = places.filter { !lost.contains($0) }
      return [
        explanation(
          batch, received, binding,
          "\(binding.name) is told when its context merges the change"),
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

  /// Whether an object's change also reached a controller's context in the same turn.
  private func isMerged(_ id: ObjectID, into binding: ControllerBinding) -> Bool {
    log.entries.contains { entry in
      guard case .processing(let context, let batch, _) = entry,
        context === binding.controller.managedObjectContext
      else { return false }
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
