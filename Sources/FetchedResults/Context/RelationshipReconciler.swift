/// Keeps both sides of relationships consistent when something other than an assignment changed one
/// of them: a merge, a refresh, a conflict policy, an undo, or a child's save.
///
/// If the sides disagree, the to-one side is right, because that is the side that a store keeps. If
/// both sides are of the same kind, the side of the replaced object is right.
final class RelationshipReconciler {
  private unowned let context: ManagedObjectContext
  /// Replaced objects whose relationships were not reconciled yet.
  @exclusivity(unchecked) var replaced: [Replacement] = []

  init(_ context: ManagedObjectContext) { self.context = context }

  /// An object that was replaced, and its values before; nil if there were none.
  struct Replacement {
    let object: ManagedObject
    let before: ObjectSnapshot?
    /// Whether it was deleted before.
    var wasDeleted = false
  }

  /// How far reconciling reaches.
  enum Reconciliation {
    /// Objects with newer values in the source are left alone. Their relationships are known when
    /// they are merged.
    case withinContext
    /// Such objects are refreshed first, because the source must be consistent after a save.
    case withSource
  }

  /// Notes an object that is about to be replaced.
  func note(_ object: ManagedObject) {
    guard !object.entity.relationships.isEmpty else { return }
    note(
      Replacement(
        object: object, before: object.isDeleted ? nil : object.snapshot,
        wasDeleted: object.isDeleted))
  }

  /// Notes a replacement that already happened.
  func note(_ replacement: Replacement) {
    replaced.append(replacement)
    context.awaitEndOfTurn()
  }

  /// Whether there are relationships to reconcile.
  var isAwaited: Bool { !replaced.isEmpty }

  /// Drops the notes that satisfy a condition.
  func drop(where isDropped: (Replacement) -> Bool) { replaced.removeAll(where: isDropped) }

  /// Drops all notes.
  func dropAll() {
    let old = replaced
    replaced = []
    let count = old.count
    context.releaseObjectsInBackground(consume old, count: count)
  }

  /// Reconciles the relationships of replaced objects, and removes objects without unsaved changes
  /// from their list.
  ///
  /// - Parameter cascades: Whether to apply the delete rules of deleted objects. Otherwise
  ///   references to them are only removed.
  /// - Returns: The changes that were needed, in order.
  @discardableResult
  func finish(
    _ reconciliation: Reconciliation = .withinContext, cascades: Bool = true
  ) -> [Replacement] {
    context.dropUnchangedObjects()
    let list = replaced
    replaced = []
    var stop = context.replacingLoop(over: list.count)
    for replacement in list where replacement.object.isDeleted {
      if stop.isWanted(after: 4) { return [] }
      release(
        replacement.object, reconciliation, cascades: cascades,
        isMerged: replacement.object.isGone || replacement.object.isForgotten)
    }
    for replacement in list where !replacement.object.isDeleted {
      if stop.isWanted(after: 4) { return [] }
      reconcile(replacement, reconciliation)
    }
    reconcile(restoredAmong: list, reconciliation)
    let count = list.count
    context.releaseObjectsInBackground(consume list, count: count)
    if !replaced.isEmpty { context.dropUnchangedObjects() }
    defer { replaced = [] }
    return replaced
  }

  /// Makes objects marked for deletion agree with what an undo or a redo replaced, where their delete
  /// rules keep references.
  ///
  /// Undo does not know their values after the deletion, so their side is not right.
  ///
  /// - Parameter count: How many objects were replaced before.
  func alignDeleted(replacedAfter count: Int) {
    var stop = context.replacingLoop(over: replaced.count - count)
    for replacement in replaced[count...] where !replacement.object.isDeleted {
      if stop.isWanted(after: 4) { return }
      let object = replacement.object
      for ordinal in object.entity.relationships.indices {
        guard let link = try? object.entity.link(at: ordinal), let inverse = link.inverse,
          link.destination.relationships[inverse.ordinal].deleteRule.keepsReferences
        else { continue }
        let index = object.entity.attributes.count + ordinal
        for id in PropertyValue.members(
          thatDifferIn: replacement.before?[index], object.snapshot[index])
        {
          guard let other = context.registered(id.number, in: id.entity.root), other.isDeleted,
            other.leavesReferences(by: other.entity.relationships[inverse.ordinal].deleteRule)
          else { continue }
          let isHere = object.hasMember(id, at: ordinal)
          guard isHere != other.hasMember(object.objectID, at: inverse.ordinal) else { continue }
          context.replacing.edit(other) {
            if isHere {
              $0.join(object.objectID, at: inverse.ordinal)
            } else {
              $0.dropMember(object.objectID, from: inverse.ordinal)
            }
          }
        }
      }
    }
  }

  /// Removes a deleted object from the other sides of its relationships.
  ///
  /// - Parameter isMerged: Whether others deleted it. They have applied its delete rules to saved
  ///   objects, or passed them by, as a batch request does. What is read here must not change that.
  private func release(
    _ object: ManagedObject, _ reconciliation: Reconciliation, cascades: Bool, isMerged: Bool
  ) {
    for (ordinal, relationship) in object.entity.relationships.enumerated() {
      guard let inverse = try? object.entity.link(at: ordinal).inverse else { continue }
      for id in object.membersOnlyInSource(at: ordinal) {
        if case .here(let other) = counterpart(id, inverse, reconciliation) {
          drop(object.objectID, from: other, at: inverse.ordinal)
        }
      }
      guard !object.leavesReferences(by: relationship.deleteRule) else { continue }
      for id in object.members(at: ordinal) {
        guard case .here(let other) = counterpart(id, inverse, reconciliation) else { continue }
        if isMerged, other.hasSavedMember(object.objectID, at: inverse.ordinal) {
          if inverse.isToMany {
            context.replacing.drop(object.objectID, fromListOf: other, at: inverse.ordinal)
          }
          continue
        }
        guard other.hasMember(object.objectID, at: inverse.ordinal) else { continue }
        if cascades, relationship.deleteRule == .cascade, !isMerged || other.isInserted {
          context.replacing.edit(other) { context.markDeleted($0) }
          release(other, reconciliation, cascades: true, isMerged: isMerged)
        } else {
          context.replacing.edit(other) { $0.dropMember(object.objectID, from: inverse.ordinal) }
        }
      }
    }
  }

  /// Reconciles the relationships of an existing object: with the objects that it led to before,
  /// leads to now, and leads to in the source.
  private func reconcile(_ replacement: Replacement, _ reconciliation: Reconciliation) {
    let object = replacement.object
    guard object.managedObjectContext === context else { return }
    let now = object.snapshot
    let source = object.isPending ? object.committed : now
    for ordinal in object.entity.relationships.indices {
      let index = object.entity.attributes.count + ordinal
      let ids =
        PropertyValue.members(thatDifferIn: replacement.before?[index], now[index])
        + PropertyValue.members(thatDifferIn: now[index], source?[index])
      guard !ids.isEmpty, let inverse = try? object.entity.link(at: ordinal).inverse else {
        continue
      }
      if reconciliation == .withSource, inverse.isToMany, replacement.isRestored {
        noteOwners(ids, of: object, inverse)
      }
      for id in ids { align(object, ordinal, with: id, inverse, reconciliation) }
    }
  }

  /// Notes which objects still have a restored object in a list that they read from the source.
  ///
  /// The list there lost it with its row, even if a batch request deleted only that row.
  private func noteOwners(
    _ ids: [ObjectID], of object: ManagedObject, _ inverse: RelationshipLink.Inverse
  ) {
    for id in ids {
      guard let owner = context.registered(id.number, in: id.entity.root), !owner.isDeleted,
        let saved = owner.savedSnapshot,
        saved[owner.entity.attributes.count + inverse.ordinal].members.contains(object.objectID)
      else { continue }
      context.stale.insert(id)
    }
  }

  /// Reconciles objects that were deleted and exist again with those that lead to them.
  ///
  /// While an object did not exist, a merge may have related others to it: its delete rule leaves
  /// such references alone.
  private func reconcile(restoredAmong list: [Replacement], _ reconciliation: Reconciliation) {
    let restored = list.filter(\.isRestored).map(\.object)
    guard !restored.isEmpty else { return }
    let objectsByEntity = Dictionary(grouping: restored, by: \.entity)
    for entity in context.persistentStoreCoordinator.managedObjectModel.entities {
      guard let objects = objectsByEntity[entity] else { continue }
      let ids = objects.map(\.objectID)
      let objectsByID = Dictionary(zip(ids, objects)) { first, _ in first }
      for ordinal in entity.relationships.indices {
        guard let link = try? entity.link(at: ordinal), let inverse = link.inverse else { continue }
        let referrers = ObjectListing(context).referrers(
          to: ids, of: link.destination, at: inverse.ordinal)
        for referrer in referrers where !referrer.isDeleted {
          for id in referrer.members(at: inverse.ordinal) {
            guard let object = objectsByID[id] else { continue }
            align(object, ordinal, with: referrer.objectID, inverse, reconciliation)
          }
        }
      }
    }
  }

  /// Makes two objects agree on whether they are related.
  private func align(
    _ object: ManagedObject, _ ordinal: Int, with id: ObjectID,
    _ inverse: RelationshipLink.Inverse, _ reconciliation: Reconciliation
  ) {
    let other: ManagedObject
    switch counterpart(id, inverse, reconciliation) {
    case .unknown: return
    case .gone: return drop(id, from: object, at: ordinal)
    case .here(let found): other = found
    }
    let isHere = object.hasMember(id, at: ordinal)
    let isThere = other.hasMember(object.objectID, at: inverse.ordinal)
    guard isHere != isThere else { return }
    let isOnlyToMany = object.entity.relationships[ordinal].isToMany && !inverse.isToMany
    switch (isOnlyToMany ? isThere : isHere, isHere) {
    case (true, true):
      if !inverse.isToMany, let previous = other.members(at: inverse.ordinal).first,
        let holder = context.findObject(with: previous)
      {
        // In the source, the holder may have come to lead to the other object since it was read.
        if reconciliation == .withSource, context.stale.contains(previous) {
          context.replacing.refreshInPlace(holder, mergeChanges: true)
        }
        drop(id, from: holder, at: ordinal)
      }
      context.replacing.edit(other) { $0.join(object.objectID, at: inverse.ordinal) }
    case (true, false): context.replacing.edit(object) { $0.join(id, at: ordinal) }
    case (false, true): drop(id, from: object, at: ordinal)
    case (false, false): drop(object.objectID, from: other, at: inverse.ordinal)
    }
  }

  private func drop(_ id: ObjectID, from object: ManagedObject, at ordinal: Int) {
    guard object.hasMember(id, at: ordinal) else { return }
    context.replacing.edit(object) { $0.dropMember(id, from: ordinal) }
  }

  private enum Counterpart {
    case here(ManagedObject)
    case gone
    /// The source has newer values, which must not be read, or it cannot be read.
    case unknown
  }

  /// Finds the object on the other side.
  ///
  /// An object marked for deletion still counts if its delete rule leaves references alone.
  private func counterpart(
    _ id: ObjectID, _ inverse: RelationshipLink.Inverse, _ reconciliation: Reconciliation
  ) -> Counterpart {
    let rule = id.entity.relationships[inverse.ordinal].deleteRule
    // References to a deleted object stay as they are, so there is nothing to reconcile.
    let gone: Counterpart = rule == .noAction ? .unknown : .gone
    let found: ManagedObject?
    do throws(StoreError) {
      found = try context.findReadableObject(with: id)
    } catch {
      return .unknown
    }
    guard let object = found else { return gone }
    if object.isDeleted { return object.leavesReferences(by: rule) ? .here(object) : gone }
    guard context.stale.contains(id) else { return .here(object) }
    switch reconciliation {
    case .withinContext: return .unknown
    case .withSource:
      context.replacing.refreshInPlace(object, mergeChanges: true)
      return object.isDeleted ? gone : .here(object)
    }
  }
}

extension RelationshipReconciler.Replacement {
  /// Whether the object was deleted, and the next save writes it as a new row.
  fileprivate var isRestored: Bool {
    before == nil && object.isInserted && (object.version != 0 || wasDeleted)
      && object.managedObjectContext != nil
  }
}

extension RelationshipDescription.DeleteRule {
  /// Whether a deletion leaves the other side of the relationship as it is.
  var keepsReferences: Bool { self == .deny || self == .noAction }
}

extension ManagedObject {
  /// Whether references to a deleted object stay: until a denied deletion is saved, or for good.
  fileprivate func leavesReferences(by rule: RelationshipDescription.DeleteRule) -> Bool {
    isPending && !isGone && rule.keepsReferences
  }

  /// Whether a relationship leads to an object in the source, as far as this context knows.
  fileprivate func hasSavedMember(_ id: ObjectID, at ordinal: Int) -> Bool {
    !entity.relationships[ordinal].isTransient
      && savedSnapshot?[entity.attributes.count + ordinal].members.contains(id) == true
  }

  /// The objects to which a relationship leads in the source, but not here.
  ///
  /// Others may have related them after this context changed the relationship. This context's
  /// change wins, also if it deleted the object since.
  fileprivate func membersOnlyInSource(at ordinal: Int) -> [ObjectID] {
    let index = entity.attributes.count + ordinal
    guard let committed, committed.stored[index] != snapshot.stored[index] else { return [] }
    let members = Set(members(at: ordinal))
    return committed[index].members.filter { !members.contains($0) }
  }
}

/// Checks the objects that a value gives as members of a relationship.
package struct MemberCheck {
  private let context: ManagedObjectContext

  package init(_ context: ManagedObjectContext) { self.context = context }

  /// Returns the objects of a value, each once, in the relationship's order.
  ///
  /// - Throws: ``ObjectError`` if the value does not fit the relationship.
  package func members(
    of value: PropertyValue, at ordinal: Int, in entity: EntityDescription
  ) throws(ObjectError) -> [ObjectID] {
    let relationship = entity.relationships[ordinal]
    let destination: EntityDescription
    do throws(ModelError) {
      destination = try entity.link(at: ordinal).destination
    } catch {
      throw ObjectError.model(error)
    }
    let values: [PropertyValue]
    switch value {
    case .null: values = []
    case .list(let elements) where relationship.isToMany: values = elements
    case .object where !relationship.isToMany: values = [value]
    case .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data, .object, .list:
      throw ObjectError.wrongMember(value, relationship: relationship)
    }
    var members: [ObjectID] = []
    var seen: Set<ObjectID> = []
    for element in values {
      guard case .object(let id) = element else {
        throw ObjectError.wrongMember(element, relationship: relationship)
      }
      // The object's own identity, which may name a sub-entity.
      let known = try resolved(id)
      guard known.entity.isKindOf(entity: destination) else {
        throw ObjectError.wrongMember(.object(known), relationship: relationship)
      }
      if seen.insert(known).inserted { members.append(known) }
    }
    return relationship.isOrdered ? members : members.sorted { $0.number < $1.number }
  }

  private func resolved(_ id: ObjectID) throws(ObjectError) -> ObjectID {
    guard let object = context.findObject(with: id) else {
      throw isElsewhere(id) ? ObjectError.elsewhere(id) : ObjectError.deleted(id)
    }
    if object.isDeleted { throw ObjectError.deleted(id) }
    return object.objectID
  }

  /// Whether an object that is not found may be a new one of another context.
  private func isElsewhere(_ id: ObjectID) -> Bool {
    // The other contexts of a container are those of other actors, and cannot be asked.
    if context.pendingSaves != nil { return true }
    var contexts = context.persistentStoreCoordinator.contexts.contexts
    while let other = contexts.popLast() {
      if other.registered(id.number, in: id.entity.root)?.isInserted == true { return true }
      contexts += other.children.contexts
    }
    return false
  }
}

/// What deletions do to the objects on the other side of relationships.
struct DeleteRules {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Performs the delete rules of what was deleted since the last processing, and of what that
  /// deletes.
  ///
  /// If the turn is stopped, the rest waits for the next processing.
  func propagate() {
    var stop = StopCheck.Loop(over: context.mayStopTurn ? .max : 0)
    while let object = context.takeDeletion() {
      if stop.isWanted(after: 8) { return context.putBackDeletion(of: object) }
      // It may have been restored while its rules waited for objects that cannot be read.
      guard object.isDeleted else { continue }
      for (ordinal, relationship) in object.entity.relationships.enumerated() {
        // What cannot be read now may be readable at the next attempt to save.
        guard object.isRead(ordinal) else {
          context.postponeDeletion(of: object)
          continue
        }
        dropFromMembersOnlyInSource(object, at: ordinal)
        let members = object.members(at: ordinal)
        guard !members.isEmpty else { continue }
        switch relationship.deleteRule {
        case .noAction, .deny: break
        case .cascade:
          let inverse = try? object.entity.link(at: ordinal).inverse
          for id in members {
            if stop.isWanted(after: 8) { return context.putBackDeletion(of: object) }
            guard let other = member(id, of: object) else { continue }
            // Another context may have given it away since.
            if let inverse, !other.hasMember(object.objectID, at: inverse.ordinal) { continue }
            context.delete(other)
          }
        case .nullify:
          guard let inverse = try? object.entity.link(at: ordinal).inverse else { continue }
          for id in members {
            if stop.isWanted(after: 8) { return context.putBackDeletion(of: object) }
            guard let other = member(id, of: object), !other.isDeleted else { continue }
            other.dropMember(object.objectID, from: inverse.ordinal)
          }
        }
      }
    }
  }

  /// Takes a deleted object out of the lists into which only others put it.
  ///
  /// No delete rule applies to them, because this context has ended the relationship.
  private func dropFromMembersOnlyInSource(_ object: ManagedObject, at ordinal: Int) {
    let ids = object.membersOnlyInSource(at: ordinal)
    guard !ids.isEmpty, let inverse = try? object.entity.link(at: ordinal).inverse else { return }
    for id in ids {
      guard let other = member(id, of: object), !other.isDeleted else { continue }
      other.dropMember(object.objectID, from: inverse.ordinal)
    }
  }

  /// Returns an object that a deleted one leads to; nil if there is none.
  ///
  /// If it cannot be read now, the delete rules are applied again later.
  private func member(_ id: ObjectID, of object: ManagedObject) -> ManagedObject? {
    do throws(StoreError) {
      return try context.findReadableObject(with: id)
    } catch {
      context.postponeDeletion(of: object)
      return nil
    }
  }
}
