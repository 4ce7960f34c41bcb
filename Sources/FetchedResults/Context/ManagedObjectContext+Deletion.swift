import Foundation

/// What deletions do to the objects on the other side of relationships.
extension ManagedObjectContext {
  /// Carries out the delete rules of what was deleted since the last
  /// processing, and of what that deletes.
  func propagateDeletions() {
    while let object = takeDeletion() {
      for (ordinal, relationship) in object.entity.relationships.enumerated() {
        let members = object.members(at: ordinal)
        guard !members.isEmpty else { continue }
        switch relationship.deleteRule {
        case .noAction, .deny: break
        case .cascade:
          let inverse = try? object.entity.link(at: ordinal).inverse
          for id in members {
            guard let other = self.object(with: id) else { continue }
            // Another context may have given it away since.
            if let inverse, !other.hasMember(object.objectID, at: inverse.ordinal) { continue }
            delete(other)
          }
        case .nullify:
          guard let inverse = try? object.entity.link(at: ordinal).inverse else { continue }
          for id in members {
            guard let other = self.object(with: id), !other.isDeleted else { continue }
            other.dropMember(object.objectID, from: inverse.ordinal)
          }
        }
      }
    }
  }
}

// MARK: - Before a save

extension ManagedObjectContext {
  /// Brings what follows from other values up to date, before a save.
  ///
  /// - Parameter moment: When the save began, for derived attributes.
  /// - Throws: ``EndlessSaveError`` where derived attributes that are derived from
  ///   one another never agree.
  func updateBeforeSave(at moment: Date) throws(EndlessSaveError) {
    propagateDeletions()
    clearDanglingReferences()
    try updateDerivedAttributes(at: moment)
    if !replaced.isEmpty { finishReplacing() }
  }

  private func updateDerivedAttributes(at moment: Date) throws(EndlessSaveError) {
    let now = environment.now
    environment.now = { moment }
    defer { environment.now = now }
    let objects = (insertedObjects + updatedObjects).filter(\.entity.hasExpressions)
    for _ in 1...EndlessSaveError.mostRounds {
      var isChanged = false
      for object in objects where object.updateDerivedAttributes() { isChanged = true }
      if !isChanged || !coordinator.managedObjectModel.derivesFromDerived { return }
    }
    throw EndlessSaveError()
  }

  /// Takes objects that are gone out of the relationships without an inverse,
  /// where no delete rule finds them.
  ///
  /// - Complexity: O(*k* log *n*) in the objects that lead to a deleted one, and
  ///   O(*m*) in the changed ones.
  private func clearDanglingReferences() {
    let gone = Dictionary(grouping: goneObjects.map(\.objectID), by: \.entity.root)
    for entity in coordinator.managedObjectModel.entities {
      let inherited = entity.parent?.relationships.count ?? 0
      for ordinal in entity.relationships.indices.dropFirst(inherited) {
        guard let link = try? entity.link(at: ordinal), link.inverse == nil else { continue }
        let objects =
          gone[link.destination.root].map { referrers(to: $0, of: entity, at: ordinal) }
          ?? pending.filter { $0.entity.isKind(of: entity) }
        for object in objects where !object.isDeleted { clearReferences(of: object, at: ordinal) }
      }
    }
  }

  /// Returns the objects of an entity of which a relationship may lead to one of
  /// those that are gone: those that the store knows, and those that may be
  /// others here than in the store.
  private func referrers(
    to gone: [ObjectID], of entity: EntityDescription, at ordinal: Int
  ) -> [ManagedObject] {
    var numbers: Set<Int64> = []
    do {
      for id in try coordinator.store.objectIDs(of: entity, leadingTo: gone, at: ordinal) {
        numbers.insert(id.number)
      }
    } catch {
      coordinator.note(error)
    }
    for context in Swift.sequence(first: self, next: \.parent) {
      for object in context.pending where object.entity.isKind(of: entity) {
        numbers.insert(object.objectID.number)
      }
      for id in context.stale where id.entity.isKind(of: entity) { numbers.insert(id.number) }
      // The store knows nothing of such a relationship.
      guard entity.relationships[ordinal].isTransient else { continue }
      for object in context.table(of: entity.root).stored where object.entity.isKind(of: entity) {
        numbers.insert(object.objectID.number)
      }
    }
    return objects(ofKind: entity, numbered: numbers)
  }

  private func clearReferences(of object: ManagedObject, at ordinal: Int) {
    let id = object.objectID
    if stale.contains(id), let row = sourceRow(of: id),
      row.snapshot[object.entity.attributes.count + ordinal].members.contains(where: isGone)
    {
      refresh(object, to: row, mergeChanges: true, by: .refreshed)
    }
    for id in object.members(at: ordinal) where isGone(id) { object.dropMember(id, from: ordinal) }
  }

  /// Whether a reference leads to nothing, here or in the source.
  private func isGone(_ id: ObjectID) -> Bool {
    guard let object = object(with: id), !object.isDeleted else { return true }
    return stale.contains(id) && !object.isInserted && sourceRow(of: id) == nil
  }
}

extension ManagedObject {
  /// Computes the derived attributes, and returns whether one changed.
  fileprivate func updateDerivedAttributes() -> Bool {
    var isChanged = false
    for (index, attribute) in entity.attributes.enumerated() {
      guard let derivation = attribute.derivation else { continue }
      let value = attribute.type.value(from: derivation.evaluate(values)) ?? .null
      guard value != snapshot[index] else { continue }
      managedObjectContext?.willChange(self)
      snapshot[index] = value
      isChanged = true
    }
    return isChanged
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

extension ManagedObjectContext: ObjectGraph {
  package var owner: AnyObject? { self }

  /// Returns an object's values as they are now, or nil where it is gone.
  package func currentSnapshot(of id: ObjectID) -> Snapshot? {
    let root = id.entity.root
    if let object = registered(id.number, in: root) {
      return object.entity.isKind(of: id.entity) ? object.snapshot : nil
    }
    guard let row = sourceRow(id.number, in: root), row.entity.isKind(of: id.entity) else {
      return nil
    }
    return row.snapshot
  }
}

extension ObjectValues {
  /// The context in which the object is seen, and so are those related to it.
  package var managedObjectContext: ManagedObjectContext? { graph?.owner as? ManagedObjectContext }
}
