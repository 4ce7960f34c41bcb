import FetchedResults

/// Converts a controller's decisions about one batch to explanations.
///
/// It only reads the record and makes no decisions itself.
struct RecordExplainer {
  let binding: ControllerBinding
  let record: DecisionRecord
  /// The delegate as the script sees it.
  ///
  /// Other delegates before it may receive more.
  let receiver: TurnLog.Receiver

  private var methods: FetchedResultsDelegateMethods { receiver.methods }
  private var name: String { binding.name }

  /// The explanations of callbacks in their order, and then of changes without one.
  var explanations: [Explanation] {
    switch record.delivery {
    case .callbacks: callbacks + unanswered + unreported
    case .snapshot: whole("snapshot") + unreported
    case .difference: whole("difference") + unreported
    case .nothing, .kept: unreported
    }
  }

  /// The explanations of changes that wait for a save.
  var unsaved: [Explanation] {
    changes.compactMap { subject, rule, evidence in
      guard let object = subject.object else { return nil }
      return Explanation(
        subject: .silence(controller: name, objects: [object]), rule: .unsaved, untold: rule,
        evidence: evidence)
    }
  }

  /// The explanations of the changes, each as its own callback would be.
  var changeExplanations: [Explanation] {
    changes.map { Explanation(subject: .callback($0), rule: $1, evidence: $2) }
  }

  // MARK: Callbacks

  private var callbacks: [Explanation] {
    var found: [Explanation] = []
    if methods.contains(.willChangeContent) {
      found.append(batch(.callback(callback(.willChangeContent))))
    }
    let tellsRows = methods.contains(.didChangeObject)
    let tellsSections = methods.contains(.didChangeSection)
    var stop = StopCheck.Loop()
    for (subject, rule, evidence) in changes {
      if stop.isWanted(after: 8) { break }
      let isSent = subject.object == nil ? tellsSections : tellsRows
      found.append(
        Explanation(
          subject: isSent ? .callback(subject) : .unsent(subject),
          rule: isSent ? rule : .notImplemented, untold: isSent ? nil : rule, evidence: evidence))
    }
    if methods.contains(.didChangeContent) {
      var end = batch(.callback(callback(.didChangeContent)))
      // The evidence was already shown at the start of the batch.
      if methods.contains(.willChangeContent) { end.evidence = [] }
      found.append(end)
    }
    return found
  }

  private func whole(_ delivery: String) -> [Explanation] {
    changes.map { subject, rule, evidence in
      Explanation(subject: .part(subject, of: delivery), rule: rule, evidence: evidence)
    }
  }

  private func batch(_ subject: Explanation.Subject) -> Explanation {
    let concerned = Set(
      (record.decision.evidence?.rows ?? []).map(\.objectID.number).filter {
        record.places[$0] != nil
      }
    ).count
    return Explanation(
      subject: subject, rule: .batch,
      evidence: [.concerned(concerned, of: record.batch.changes.count)])
  }

  private func callback(_ kind: ControllerCallback.Kind) -> ControllerCallback {
    ControllerCallback(kind, of: name, isPublished: binding.observer != nil)
  }

  private typealias Change = (ControllerCallback, Rule, [Explanation.Evidence])

  /// The changes in the order in which a delegate receives them.
  private var changes: [Change] {
    let decision = record.decision
    guard let evidence = decision.evidence else { return [] }
    return rows(decision.deletes, evidence.deletes)
      + sections(decision.sectionDeletes, evidence.sectionDeletes, .delete)
      + sections(decision.sectionInserts, evidence.sectionInserts, .insert)
      + rows(decision.inserts, evidence.inserts)
      + rows(decision.movesAndUpdates, evidence.movesAndUpdates)
  }

  private func sections(
    _ changes: [ResultsDecision.SectionChange], _ evidence: [SectionEvidence],
    _ type: FetchedResultsChangeType
  ) -> [Change] {
    zip(changes, evidence).map { change, known in
      let callback = callback(.didChangeSection(type, index: change.index, name: change.name))
      var found: [Explanation.Evidence] = [.section(old: known.old, new: known.new)]
      if let passed = known.passed { found.append(.passedSection(passed)) }
      return (callback, Rule(change.reason), found)
    }
  }

  // MARK: Rows

  private func rows(
    _ changes: [ResultsDecision.RowChange], _ evidence: [RowEvidence]
  ) -> [Change] {
    var explained: [Change] = []
    explained.reserveCapacity(changes.count)
    var stop = StopCheck.Loop()
    for (change, known) in zip(changes, evidence) {
      // The explanations of a statement that was stopped are not shown.
      if stop.isWanted(after: 128) { break }
      let callback = callback(
        .didChangeObject(
          change.kind.type, shown(known.objectID, record.places[change.number]),
          old: change.indexPath, new: change.newIndexPath))
      explained.append((callback, rule(of: change), found(change, known)))
    }
    return explained
  }

  /// Returns the rule, considering a limit: matching objects that the fetch left out become rows
  /// once they change.
  private func rule(of change: ResultsDecision.RowChange) -> Rule {
    let isCutOff =
      change.reason == .startedMatching && record.keptWindow == nil
      && record.request?.isWindowed == true
      && record.matchedBefore(change.number)
    return isCutOff ? .beyondLimit : Rule(change.reason)
  }

  /// Whether a fetch limit may have left out an object.
  ///
  /// If the predicate reads other objects or the clock, it is not known whether it matched before.
  private func mayHaveMatchedBeyondLimit(_ number: Int64) -> Bool {
    guard record.keptWindow == nil, record.request?.isWindowed == true,
      record.change(of: number)?.before != nil, let match = record.matches[number]
    else { return false }
    return match.before == nil
  }

  private func found(
    _ change: ResultsDecision.RowChange, _ known: RowEvidence
  ) -> [Explanation.Evidence] {
    var found: [Explanation.Evidence] = []
    if let objectChange = record.change(of: change.number) {
      found = keys(known, objectChange) + related(to: change.number)
    } else {
      let cause =
        change.reason == .sectionReordered ? "; its section was reported again" : ""
      found.append(.note("the object did not change\(cause)"))
    }
    if record.hadForeignRows {
      found.append(
        .note(
          "quirk countedSections: the fetch filled sections by their counts, even with rows of another section"
        ))
    }
    found += match(change.number)
    if change.reason == .enteredLimit || change.reason == .leftLimit {
      found += limit
    } else if rule(of: change) == .startedMatching {
      if record.matchedBefore(change.number) {
        found.append(.note("it matched before as well, but the last fetch did not include it"))
      } else if mayHaveMatchedBeyondLimit(change.number) {
        found.append(.note("if it matched before as well, the fetch limit left it out"))
      }
    }
    found.append(.place(old: known.old, new: known.new))
    if !known.passed.isEmpty {
      found.append(.passed(known.passed, areChanged: change.reason == .passedChanged))
    }
    if let section = known.passedSection { found.append(.passedSection(section)) }
    return found
  }

  /// Returns the related object because of which an object counts as changed.
  private func related(to number: Int64) -> [Explanation.Evidence] {
    guard let (id, keyPath) = record.related(to: number) else { return [] }
    return [.note("track related: \(id), reached by \(keyPath), changed")]
  }

  /// The limit that is kept, as evidence.
  private var limit: [Explanation.Evidence] {
    guard let window = record.keptWindow else { return [] }
    let words = [
      window.limit.map { "limit \($0)" },
      window.offset > 0 ? "offset \(window.offset)" : nil,
    ]
    return [.note(words.compactMap(\.self).joined(separator: ", "))]
  }

  private func match(_ number: Int64) -> [Explanation.Evidence] {
    guard let match = record.matches[number], let predicate = record.request?.predicate else {
      return []
    }
    let evidence = Explanation.Evidence.predicate(
      predicate.quotedFormat(spelling: \.scriptText), before: match.before, after: match.after)
    guard record.asksForTime, record.change(of: number)?.before != nil else { return [evidence] }
    return [evidence, .note("now() and random() are evaluated again for each change")]
  }

  /// Returns the keys that decide the row's place, if they matter, and the object's other values
  /// that differ.
  private func keys(
    _ known: RowEvidence, _ change: ObjectChange
  ) -> [Explanation.Evidence] {
    let roles = KeyRoles(record)
    var found: [Explanation.Evidence] = []
    var said: Set<String> = []
    for (keyPath, place) in roles.placed where said.insert(keyPath).inserted {
      let old = change.isBeforeKnown ? known.oldValues.map { $0[place] } : nil
      let new = known.newValues.map { $0[place] }
      if old == new {
        said.remove(keyPath)
        continue
      }
      found.append(.key(keyPath, old: old, new: new, roles[keyPath]))
    }
    guard change.isBeforeKnown else { return found + [.unread] }
    guard let before = change.before, let after = change.after else { return found }
    found += change.differences.filter { !said.contains($0.name) }.map { name, index in
      .key(name, old: before[index], new: after[index], roles[name])
    }
    return found.isEmpty ? [.touched(change.causes)] : found
  }

  // MARK: Tables

  /// Explanations of callbacks that a table ignored.
  private var unanswered: [Explanation] {
    guard let table = receiver.suspendedTable else { return [] }
    let objects = changes.compactMap { callback, _, _ in callback.object }
    guard !objects.isEmpty else { return [] }
    return [
      Explanation(
        subject: .unanswered(table: table, objects: objects), rule: .suspendedTable,
        evidence: [
          .note(
            "resume \(table): it follows the next turn. reload \(table): it shows everything now")
        ])
    ]
  }

  // MARK: Changes that are not reported

  var unreported: [Explanation] {
    var found: [Explanation] = []
    var groups: [Rule: Int] = [:]
    var stop = StopCheck.Loop()
    for silent in record.unreported {
      if stop.isWanted(after: 64) { break }
      guard let (rule, evidence) = reason(of: silent) else { continue }
      let object = shown(record.batch.objects[silent.place].objectID, silent.place)
      if rule != .staysOutside, let place = groups[rule] {
        found[place].add(object)
        continue
      }
      groups[rule] = found.count
      found.append(
        Explanation(
          subject: .silence(controller: name, objects: [object]), rule: rule,
          evidence: evidence))
    }
    return found
  }

  /// Returns why a change is not reported; nil if that needs no explanation.
  private func reason(of silent: UnreportedChange) -> (Rule, [Explanation.Evidence])? {
    let id = record.batch.objects[silent.place].objectID
    let entity = id.entity
    let request = record.request ?? binding.controller.fetchRequest
    switch silent.reason {
    case .otherEntity:
      let section = binding.controller.sectionNameKeyPath
      let paths = request.keyPaths(leadingTo: entity, section: section)
      guard paths.isEmpty else {
        let names = paths.joined(separator: ", ")
        let count = record.relatedCount(of: id)
        if count > 0 {
          let rows = count == 1 ? "1 row counts" : "\(count) rows count"
          return (.trackedRelated, [.note("\(rows) as changed, because of \(names)")])
        }
        if record.tracksRelated {
          return (
            .relatedObject,
            [.note("nothing that \(name) reads by \(names) changed, or no row refers to it")]
          )
        }
        return (
          .relatedObject,
          [
            .note(
              "\(name) fetches \(request.entityText), and uses \(entity.name) only for \(names)")
          ]
        )
      }
      return (.otherEntity, [.note("\(name) fetches \(request.entityText)")])
    case .staysOutside:
      var found: [Explanation.Evidence] = []
      if let change = record.change(of: id.number) {
        found = changedKeys(of: change) + related(to: id.number) + match(id.number)
        if change.after == nil {
          found.append(.note("it was deleted, but it was not in the results"))
        }
      }
      return (.staysOutside, found)
    case .outsideLimit:
      let change = record.change(of: id.number)
      let found = (change.map(changedKeys) ?? []) + match(id.number) + limit
      // What no longer matches, or was deleted, would not be shown by a longer list either.
      let isMatching = change?.after != nil && record.matches[id.number]?.after != false
      return (isMatching ? .outsideLimit : .staysOutside, found)
    case .alreadyFetched: return (.alreadyFetched, [])
    case .notFetched, .noDelegate, .stopped:
      return request.includes(entity) ? (Rule(silent.reason), []) : nil
    }
  }

  private func changedKeys(of change: ObjectChange) -> [Explanation.Evidence] {
    guard change.isBeforeKnown else { return [.unread] }
    guard let before = change.before, let after = change.after else { return [] }
    let roles = KeyRoles(record)
    return change.differences.map { name, index in
      .key(name, old: before[index], new: after[index], roles[name])
    }
  }

  // MARK: Objects

  /// Returns an object as its callback showed it.
  ///
  /// - Parameter place: The index of its change in the batch; nil if it did not change.
  private func shown(_ id: ObjectID, _ place: Int?) -> ShownObject {
    guard let place else { return binding.shownNow(id) }
    return ShownObject(record.batch, place, besides: binding.controller.sectionNameKeyPath)
  }
}

extension ShownObject {
  /// Creates the object at an index of a batch, as it was after the batch.
  init(_ batch: ContextChanges, _ place: Int, besides sectionKey: String?) {
    let object = batch.objects[place]
    let change = batch.changes[place]
    let id = object.objectID
    guard change.after != nil || change.isBeforeKnown else {
      self.init(id: id, display: nil)
      return
    }
    let values = ObjectValues(
      objectID: id, snapshot: change.after ?? object.snapshot,
      graph: object.managedObjectContext)
    self.init(
      id: id,
      display: id.entity.shownAttribute(besides: sectionKey).flatMap { values.value(forKey: $0) })
  }
}

extension Explanation {
  /// Adds an object to those that have no callback for the same reason.
  fileprivate mutating func add(_ object: ShownObject) {
    guard case .silence(let controller, let objects) = subject else { return }
    self = Explanation(
      subject: .silence(controller: controller, objects: objects + [object]), rule: rule,
      untold: untold, evidence: evidence)
  }
}

/// The roles of an object's keys for a controller.
private struct KeyRoles {
  /// The sort keys and the section key, with their indices among the values that decide a row's
  /// place.
  let placed: [(keyPath: String, place: Int)]
  private let sort: Set<String>
  private let section: String?
  private let predicate: Set<String>

  init(_ record: DecisionRecord) {
    placed = record.keys.sort + [record.keys.section].compactMap(\.self)
    sort = Set(record.keys.sort.map(\.keyPath))
    section = record.keys.section?.keyPath
    predicate = Set(record.request?.predicateKeyPaths.map(\.firstKey) ?? [])
  }

  subscript(keyPath: String) -> [Explanation.KeyRole] {
    Explanation.KeyRole.allCases.filter { role in
      switch role {
      case .sort: sort.contains(keyPath)
      case .section: section == keyPath
      case .predicate: predicate.contains(keyPath)
      }
    }
  }
}

extension String {
  /// The first key of the key path.
  fileprivate var firstKey: String { String(prefix { $0 != "." }) }
}

extension ObjectChange {
  /// The properties with known values before and after that differ, with their indices.
  fileprivate var differences: [(name: String, place: Int)] {
    guard let before, let after else { return [] }
    return objectID.entity.propertyNames.enumerated().compactMap { index, name in
      // Reading them now would give later values of the store.
      guard !before.isUnread(index), !after.isUnread(index) else { return nil }
      return before[index] == after[index] ? nil : (name, index)
    }
  }
}

extension PropertyValue {
  /// A Boolean or a date as a script writes it; nil for any other value.
  fileprivate var scriptText: String? {
    switch self {
    case .bool: description
    case .date: "@" + description
    case .null, .int, .double, .string, .decimal, .uuid, .uri, .data, .object, .list: nil
    }
  }
}

extension FetchRequest {
  /// Whether a fetch leaves out matching objects.
  fileprivate var isWindowed: Bool { fetchLimit > 0 || fetchOffset > 0 }

  /// `Book`, `Book.self`.
  fileprivate var entityText: String { entity.name + (includesSubentities ? "" : ".self") }
}
