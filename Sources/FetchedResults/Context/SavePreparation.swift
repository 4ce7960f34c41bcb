import Foundation
import PredicateSyntax

/// Updates values that depend on other values before a save.
struct SavePreparation {
  let context: ManagedObjectContext
  /// When the save began, for derived attributes.
  let moment: Date

  init(_ context: ManagedObjectContext, at moment: Date) {
    self.context = context
    self.moment = moment
  }

  /// Updates values that depend on other values before a save.
  ///
  /// - Throws: ``EndlessSaveError`` if derived attributes that depend on one another never agree.
  func run() throws(EndlessSaveError) {
    context.propagateDeletions()
    clearDanglingReferences()
    try updateDerivedAttributes()
    if context.reconciler.isAwaited { context.reconciler.finish() }
    writeListsOfRestored()
  }

  /// Lets the save also write the lists that kept a deleted object, which exists again.
  ///
  /// The delete rule noAction leaves an object in such a list, so neither its deletion nor an undo
  /// changes the owner. But the list in the source lost the object, and other contexts may have
  /// read it since. They read it again only if the save has the owner. The place in an ordered list
  /// is lost with the row, whatever the rule.
  ///
  /// - Complexity: O(*k*) in the changed objects and what they lead to, and a search of each such
  ///   list.
  private func writeListsOfRestored() {
    guard
      context.persistentStoreCoordinator.managedObjectModel.entities.contains(where: { entity in
        entity.relationships.contains { $0.isOrdered || $0.deleteRule == .noAction }
      })
    else { return }
    var stop = StopCheck.Loop(over: context.pending.count)
    for object in context.pending where object.isInserted {
      for (ordinal, relationship) in object.entity.relationships.enumerated() {
        guard let inverse = try? object.entity.link(at: ordinal).inverse,
          inverse.isOrdered || inverse.isToMany && relationship.deleteRule == .noAction
        else { continue }
        for id in object.members(at: ordinal) {
          if stop.isWanted(after: 4) { return }
          // The owner of a list that an object has joined counts as changed.
          guard let owner = context.registered(id.number, in: id.entity.root), !owner.isPending,
            !owner.isDeleted, !context.stale.contains(id),
            owner.hasMember(object.objectID, at: inverse.ordinal)
          else { continue }
          owner.isFault = false
          owner.isPending = true
          owner.committed = owner.snapshot
          context.pending.append(owner)
        }
      }
    }
  }

  private func updateDerivedAttributes() throws(EndlessSaveError) {
    let now = context.environment.now
    context.environment.now = { [moment] in moment }
    defer { context.environment.now = now }
    // Most models have no computed values.
    guard
      context.persistentStoreCoordinator.managedObjectModel.entities.contains(
        where: \.hasExpressions)
    else {
      return
    }
    let objects = (context.insertedObjects + context.updatedObjects).filter(\.entity.hasExpressions)
    for _ in 1...EndlessSaveError.mostRounds {
      var isChanged = false
      for object in objects where object.updateDerivedAttributes() { isChanged = true }
      if !isChanged || !context.persistentStoreCoordinator.managedObjectModel.derivesFromDerived {
        return
      }
    }
    throw EndlessSaveError()
  }

  /// Removes deleted objects from relationships without an inverse, where no delete rule finds
  /// them.
  ///
  /// - Complexity: O(*k* log *n*) in the objects that lead to a deleted one, and
  ///   O(*m*) in the changed ones.
  private func clearDanglingReferences() {
    let entities = context.persistentStoreCoordinator.managedObjectModel.entities
    guard entities.contains(where: { !$0.relationships.isEmpty }) else { return }
    let gone = Dictionary(grouping: context.goneObjects.map(\.objectID), by: \.entity.root)
    for entity in entities {
      let inherited = entity.superentity?.relationships.count ?? 0
      for ordinal in entity.relationships.indices.dropFirst(inherited) {
        guard let link = try? entity.link(at: ordinal), link.inverse == nil else { continue }
        let objects =
          gone[link.destination.root].map {
            ObjectListing(context).referrers(to: $0, of: entity, at: ordinal)
          }
          ?? context.pending.filter { $0.entity.isKindOf(entity: entity) }
        for object in objects where !object.isDeleted { clearReferences(of: object, at: ordinal) }
      }
    }
  }

  private func clearReferences(of object: ManagedObject, at ordinal: Int) {
    let id = object.objectID
    if context.stale.contains(id), let row = context.source.row(of: id),
      row.snapshot[object.entity.attributes.count + ordinal].members.contains(where: isGone)
    {
      context.replacing.refresh(object, to: row, mergeChanges: true, by: .refreshed)
    }
    for id in object.members(at: ordinal) where isGone(id) { object.dropMember(id, from: ordinal) }
  }

  /// Whether a reference leads to an object that exists neither here nor in the source.
  private func isGone(_ id: ObjectID) -> Bool {
    guard let object = context.findObject(with: id), !object.isDeleted else { return true }
    return context.stale.contains(id) && !object.isInserted && context.source.row(of: id) == nil
  }
}

extension ManagedObject {
  /// Computes the derived attributes, and returns whether one changed.
  ///
  /// An undo leaves the new values as they are: they are not the user's changes.
  fileprivate func updateDerivedAttributes() -> Bool {
    var isChanged = false
    for index in entity.attributes.indices {
      guard let value = values.derivedValue(at: index), value != snapshot[index] else { continue }
      if !isChanged { managedObjectContext?.undoRecorder.capture(self) }
      managedObjectContext?.willChange(self)
      snapshot[index] = value
      isChanged = true
    }
    if isChanged { managedObjectContext?.undoRecorder.didReplace(self) }
    return isChanged
  }
}

extension ObjectValues {
  /// Computes what an attribute is derived from; nil if it is not derived.
  func derivedValue(at index: Int) -> PropertyValue? {
    let attribute = objectID.entity.attributes[index]
    return attribute.derivation.map { attribute.type.value(from: $0.evaluate(self)) ?? .null }
  }
}

extension ManagedObjectModel {
  /// Whether a derived attribute may be computed from another one.
  fileprivate var derivesFromDerived: Bool {
    let derived = entities.flatMap(\.attributes).filter { $0.derivation != nil }
    let names = Set(derived.map(\.name))
    return derived.contains { attribute in
      let words = attribute.derivation?.text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      return words?.contains { names.contains(String($0)) } ?? false
    }
  }
}

extension ManagedObjectContext {
  /// Processes pending changes, validates them, and writes them to the store.
  ///
  /// A child context writes them into its parent, where they are unsaved changes.
  ///
  /// Changes that a delegate makes during the processing are saved, too. Delete rules, derived
  /// attributes and processing are repeated until nothing is left to do. All derived attributes of
  /// one save are computed for the same time.
  ///
  /// If the store has newer values than this context read, the ``mergePolicy`` decides. Its changes
  /// to this context are processed with the next turn. A save into a parent has no such conflicts:
  /// attributes that changed here win.
  ///
  /// ``progress`` can follow and stop a save of many objects. Cancelling the task stops it, too.
  ///
  /// - Throws: ``SaveError``, with every failure. Then the changes stay pending, and the store is
  ///   unchanged.
  public func save() throws(SaveError) {
    if isInWillSave { throw .nested(NestedSaveError()) }
    do {
      try alone {
        try persistentStoreCoordinator.checkReads()
        try SaveOperation(self).run()
      }
    } catch {
      throw SaveError(error, store: persistentStoreCoordinator.store.identifier)
    }
  }

  /// Marks an object as saved.
  func endChanges(of object: ManagedObject) {
    // From now on, references to it lead to nothing.
    if object.isDeleted {
      noteChange(ofDeleted: object)
      if object.isKeptInLists { rootsKeptInLists.insert(object.entity.root) }
    }
    object.isPending = false
    object.committed = nil
    // A delegate may have deleted it just now, which must still be reported.
    if object.isDeleted && !object.isUnprocessed { forget(object) }
  }

  /// Discards all unsaved changes: inserted objects disappear, changed objects get the values that
  /// were last read, and deleted objects return.
  ///
  /// Controllers report this when changes are next processed. A rollback, and everything before it,
  /// cannot be undone.
  public func rollback() {
    undoManager?.empty()
    deletions.removeAll()
    postponedDeletions.removeAll()
    var stop = replacingLoop(over: pending.count)
    undoRecorder.expect(pending.count)
    for object in pending {
      if stop.isWanted(after: 4) { return }
      replacing.rollBack(object)
    }
    undoManager?.empty()
    undoRecorder.forgetMerges()
    reconciler.dropAll()
    pending.removeAll(keepingCapacity: true)
    mayHaveNewObjects = false
    pendingBeforeTurn = 0
    hasReplacedObjects = true
    for listener in listeners { listener.receiver?.contextDidRollBack() }
  }

  /// Removes every object from the context, changed or not, and empties the undo history.
  ///
  /// Controllers report nothing and have to fetch again. The objects no longer belong to a context.
  public func reset() {
    if !children.isEmpty {
      for object in registry.tables.flatMap(\.stored) {
        noteLoss(of: object)
        guard object.isPending || stale.contains(object.objectID) else { continue }
        StaleObjects(self).tellChildren(of: object)
      }
    }
    for table in registry.tables { table.visitObjects { $0.leaveContext() } }
    pending.removeAll()
    mayHaveNewObjects = false
    pendingBeforeTurn = 0
    hasReplacedObjects = false
    replacedState = nil
    isTurnStopped = false
    unprocessed.removeAll()
    changesOfDeleted.removeAll()
    deletions.removeAll()
    postponedDeletions.removeAll()
    for table in registry.tables { table.removeAll() }
    batches.removeAll()
    hasForgottenInDelivery = false
    stale.removeAll()
    rootsKeptInLists.removeAll()
    valuesBeforeFiring.removeAll()
    queuedSaves = UnmergedSaves()
    unreadMerges = UnmergedSaves()
    pendingSaves?.empty()
    mergedRows.removeAll()
    drafts = DraftCount()
    mergedTransaction =
      (try? persistentStoreCoordinator.history?.lastTransactionNumber()) ?? mergedTransaction
    mergedForeignSaves = persistentStoreCoordinator.noticedForeignSaves
    followsStore = false
    fetchesAgain = false
    undoRecorder.forget()
    undoRecorder.forgetMerges()
    undoManager?.empty()
    for listener in listeners { listener.receiver?.contextDidReset() }
  }
}

extension ManagedObject {
  /// Whether the delete rules of a deleted object leave it in lists of other objects.
  fileprivate var isKeptInLists: Bool {
    entity.relationships.indices.contains { ordinal in
      entity.relationships[ordinal].deleteRule == .noAction
        && (try? entity.link(at: ordinal).inverse)?.isToMany == true
    }
  }

  /// Detaches the object from a context that removes it.
  func leaveContext() {
    contextReference = nil
    baseline = nil
    committed = nil
    isPending = false
    isUnprocessed = false
    isFault = false
    causes = []
    isInOpenBatch = false
  }
}

/// What must hold for an object to be saved.
extension ManagedObject {
  /// The reasons why the object may not be saved as it is.
  var validationFailures: [ObjectValidationError.Failure] {
    // Nearly every object is valid, and for most entities this check is enough.
    if let required = entity.onlyRequiredAttributes,
      !required.contains(where: { snapshot.isNull(at: $0) })
    {
      return []
    }
    var failures: [ObjectValidationError.Failure] = []
    for index in entity.validatedAttributes {
      let attribute = entity.attributes[index]
      // What was never read is as it was saved.
      if snapshot.isUnread(index) { continue }
      guard let objection = attribute.objection(to: snapshot[index]) else { continue }
      failures.append(failure(attribute.name, objection))
    }
    guard !entity.relationships.isEmpty else { return failures }
    for (ordinal, relationship) in entity.relationships.enumerated() {
      let index = entity.attributes.count + ordinal
      if snapshot.isUnread(index) { continue }
      let value = snapshot[index]
      guard let objection = relationship.objection(to: value) else { continue }
      failures.append(failure(relationship.name, objection))
    }
    return failures
  }

  /// The reasons why the object may not be deleted: its hook's, and relationships that deny it
  /// while they have an object.
  var deletionFailures: [ObjectValidationError.Failure] {
    isGone ? [] : refusals + deniedDeletions
  }

  /// What validateForDelete says.
  private var refusals: [ObjectValidationError.Failure] {
    guard let hooks = managedObjectContext?.persistentStoreCoordinator.hooks(of: entity) else {
      return []
    }
    return hooks.compactMap { $0.validateForDelete?(self) }.map { reason in
      failure("", (.refusedDeletion, reason))
    }
  }

  private var deniedDeletions: [ObjectValidationError.Failure] {
    guard !entity.relationships.isEmpty else { return [] }
    var failures: [ObjectValidationError.Failure] = []
    for (ordinal, relationship) in entity.relationships.enumerated()
    where relationship.deleteRule == .deny {
      let left = members(at: ordinal).filter { id in
        managedObjectContext?.findObject(with: id)?.isDeleted == false
      }
      guard !left.isEmpty else { continue }
      let names = PropertyValue.list(left.map(PropertyValue.object)).description
      failures.append(
        failure(
          relationship.name, (.deniedDeletion, "denies the deletion while it has \(names)")))
    }
    return failures
  }

  private func failure(_ property: String, _ objection: BrokenRule) -> ObjectValidationError.Failure
  {
    ObjectValidationError.Failure(
      objectID: objectID, attribute: property, rule: objection.rule, reason: objection.reason)
  }
}

/// The rule that a value breaks, and what it must be, in words.
private typealias BrokenRule = (rule: ObjectValidationError.Rule, reason: String)

extension AttributeDescription {
  fileprivate func objection(to value: PropertyValue) -> BrokenRule? {
    if value.isNull { return isOptional ? nil : (.required, "is a required value") }
    guard !limits.isEmpty else { return nil }
    // A length counts UTF-16 units, as NSString's does.
    let size = value.string.map { PropertyValue.int(Int64($0.utf16.count)) } ?? value
    let verb = value.string == nil ? "must be" : "must have a length of"
    if !limits.minimum.isNull, size.ordering(limits.minimum) == .ascending {
      return (value.minimumRule, "\(verb) at least \(limits.minimum)")
    }
    if !limits.maximum.isNull, size.ordering(limits.maximum) == .descending {
      return (value.maximumRule, "\(verb) at most \(limits.maximum)")
    }
    if let pattern = limits.pattern, let text = value.string, !text.matches(whole: pattern) {
      return (.pattern, "must match \(pattern.quoted)")
    }
    return nil
  }
}

extension RelationshipDescription {
  fileprivate func objection(to value: PropertyValue) -> BrokenRule? {
    guard case .list(let members) = value else {
      return value.isNull && !isOptional ? (.required, "is a required value") : nil
    }
    if members.isEmpty && isOptional { return nil }
    let found = "has \(members.count) \(members.count == 1 ? "object" : "objects")"
    if members.count < minCount { return (.minimumCount, "\(found), fewer than \(minCount)") }
    if maxCount > 0, members.count > maxCount {
      return (.maximumCount, "\(found), more than \(maxCount)")
    }
    return nil
  }
}

extension PropertyValue {
  /// The rule that a value breaks that is below a minimum.
  fileprivate var minimumRule: ObjectValidationError.Rule {
    if string != nil { return .minimumLength }
    if case .date = self { return .earliestDate }
    return .minimumNumber
  }

  /// The rule that a value breaks that is above a maximum.
  fileprivate var maximumRule: ObjectValidationError.Rule {
    if string != nil { return .maximumLength }
    if case .date = self { return .latestDate }
    return .maximumNumber
  }
}

extension String {
  /// Whether a regular expression matches the whole text, as by MATCHES; a
  /// broken one matches nothing.
  fileprivate func matches(whole pattern: String) -> Bool {
    (try? TextTest(.matches, [], pattern: pattern, locale: "").holds(self)) ?? false
  }
}

/// A save was refused; lists every failure.
public struct ObjectValidationError: Error, Hashable, Sendable {
  /// A property of an object that does not allow it to be saved.
  public struct Failure: Hashable, Sendable {
    /// The object.
    public let objectID: ObjectID
    /// The name of the attribute or relationship; empty if the object as a whole cannot be saved or
    /// deleted.
    public let attribute: String
    /// The rule that the property breaks.
    public let rule: Rule
    /// The requirement, as text.
    public let reason: String
  }

  /// A requirement on a property.
  ///
  /// The raw value is Core Data's error code, in NSCocoaErrorDomain.
  public enum Rule: Int, Sendable {
    /// validateForDelete refuses the deletion.
    case refusedDeletion = 1550
    /// A value, or a related object, is required.
    case required = 1570
    /// A relationship has too few objects.
    case minimumCount = 1580
    /// A relationship has too many objects.
    case maximumCount = 1590
    /// A relationship denies the deletion.
    case deniedDeletion = 1600
    /// A number is too large.
    case maximumNumber = 1610
    /// A number is too small.
    case minimumNumber = 1620
    /// A date is too late.
    case latestDate = 1630
    /// A date is too early.
    case earliestDate = 1640
    /// A string is too long.
    case maximumLength = 1660
    /// A string is too short.
    case minimumLength = 1670
    /// A string does not match its pattern.
    case pattern = 1680
  }

  /// The failures, by object in order of change and then by property.
  public let failures: [Failure]

  /// Core Data's error code, in NSCocoaErrorDomain: that of the rule, or 1560 if there are several
  /// failures.
  public var code: Int { failures.count == 1 ? failures[0].rule.rawValue : 1560 }
}

extension ObjectValidationError: _DescribedError {
  /// The domain and the code, and every failure in words, in one line.
  public var description: String {
    let isOne = failures.count == 1
    return "NSCocoaErrorDomain \(code): cannot save: "
      + failures.map { failure in
        "\(failure.objectID)"
          + (failure.attribute.isEmpty ? ": " : " '\(failure.attribute)' ") + failure.reason
          + (isOne ? "" : " (\(failure.rule.rawValue))")
      }.joined(separator: "; ")
  }
}
