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
          for id in members { self.object(with: id).map(delete) }
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
  func updateBeforeSave() {
    propagateDeletions()
    clearDanglingReferences()
    for object in insertedObjects + updatedObjects where object.entity.hasExpressions {
      object.updateDerivedAttributes()
    }
  }

  /// Takes deleted objects out of the relationships without an inverse, which
  /// nothing else leads to.
  ///
  /// - Complexity: O(*n*) in the objects of the entities that have such a
  ///   relationship to a deleted object's.
  private func clearDanglingReferences() {
    let deleted = Set(goneObjects.map(\.objectID))
    guard !deleted.isEmpty else { return }
    let roots = Set(deleted.map(\.entity.root))
    for entity in coordinator.managedObjectModel.entities {
      let inherited = entity.parent?.relationships.count ?? 0
      for ordinal in entity.relationships.indices.dropFirst(inherited) {
        guard let link = try? entity.link(at: ordinal), link.inverse == nil,
          roots.contains(link.destination.root)
        else { continue }
        for object in registeredObjects(of: entity) where !object.isDeleted {
          for id in object.members(at: ordinal) where deleted.contains(id) {
            object.dropMember(id, from: ordinal)
          }
        }
      }
    }
  }
}

extension ManagedObject {
  /// Computes the derived attributes anew.
  fileprivate func updateDerivedAttributes() {
    for (index, attribute) in entity.attributes.enumerated() {
      guard let derivation = attribute.derivation else { continue }
      let value = attribute.type.value(from: derivation.evaluate(values)) ?? .null
      guard value != snapshot[index] else { continue }
      managedObjectContext?.willChange(self)
      snapshot[index] = value
    }
  }
}

extension ManagedObjectContext: ObjectGraph {
  /// Returns an object's values as they are now, or nil where it is gone.
  package func currentSnapshot(of id: ObjectID) -> Snapshot? {
    snapshot(of: id.number, in: id.entity.root)
  }
}
