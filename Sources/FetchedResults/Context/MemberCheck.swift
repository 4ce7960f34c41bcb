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
    if context.inbox != nil { return true }
    var contexts = context.persistentStoreCoordinator.contexts.contexts
    while let other = contexts.popLast() {
      if other.registered(id.number, in: id.entity.root)?.isInserted == true { return true }
      contexts += other.children.contexts
    }
    return false
  }
}
