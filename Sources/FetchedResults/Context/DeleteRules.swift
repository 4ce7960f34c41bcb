/// What deletions do to the objects on the other side of relationships.
struct DeleteRules {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Performs the delete rules of what was deleted since the last processing, and of what that
  /// deletes.
  func propagate() {
    while let object = context.takeDeletion() {
      for (ordinal, relationship) in object.entity.relationships.enumerated() {
        // What cannot be read now may be readable at the next attempt to save.
        guard object.isRead(ordinal) else {
          context.postponeDeletion(of: object)
          continue
        }
        let members = object.members(at: ordinal)
        guard !members.isEmpty else { continue }
        switch relationship.deleteRule {
        case .noAction, .deny: break
        case .cascade:
          let inverse = try? object.entity.link(at: ordinal).inverse
          for id in members {
            guard let other = context.findObject(with: id) else { continue }
            // Another context may have given it away since.
            if let inverse, !other.hasMember(object.objectID, at: inverse.ordinal) { continue }
            context.delete(other)
          }
        case .nullify:
          guard let inverse = try? object.entity.link(at: ordinal).inverse else { continue }
          for id in members {
            guard let other = context.findObject(with: id), !other.isDeleted else { continue }
            other.dropMember(object.objectID, from: inverse.ordinal)
          }
        }
      }
    }
  }
}
