import Basics

/// Relationships: both sides are stored, and each change of one changes the
/// other.
extension ManagedObject {
  /// Sets a relationship, and the other sides with it.
  ///
  /// - Throws: ``ObjectError`` for a value that does not fit, or a deleted
  ///   object.
  func setRelationship(_ ordinal: Int, to value: PropertyValue) throws(ObjectError) {
    guard canChange else { throw ObjectError.deleted(objectID) }
    let new = try members(of: value, for: ordinal)
    let link = try link(at: ordinal)
    try readForChange(ordinal, link, with: new, replacesMembers: true)
    setMembers(ordinal, to: new, link: link)
    if isDeleted { managedObjectContext?.renewDeletion(of: self) }
  }

  /// Adds an object to a to-many relationship; it becomes the last of an ordered
  /// one.
  ///
  /// The other side follows, and counts as changed. An object that is in the
  /// relationship already stays where it is.
  ///
  /// - Throws: ``ObjectError`` if there is no to-many relationship of this name, the object does
  ///   not fit it, or one of both is deleted.
  /// - Complexity: O(log *n*) in the objects of the relationship. The first change of a turn also
  ///   copies one reference for each 128 of them, because the turn keeps the values before it.
  public func add(_ object: ManagedObject, to key: String) throws(ObjectError) {
    try add([object], to: key)
  }

  /// Adds objects to a to-many relationship, in their order if it is ordered.
  ///
  /// The same as adding each of them, but nothing is added if one does not fit.
  ///
  /// - Throws: ``ObjectError`` if there is no to-many relationship of this name, an object does not
  ///   fit it, or one of them is deleted.
  public func add(_ objects: [ManagedObject], to key: String) throws(ObjectError) {
    let ordinal = try toManyOrdinal(of: key)
    do {
      try add(.list(objects.map { .object($0.objectID) }), to: ordinal)
    } catch {
      throw error.about(objects, for: self)
    }
  }

  /// Removes an object from a to-many relationship.
  ///
  /// The other side follows, and counts as changed. An object that is not in the
  /// relationship is ignored.
  ///
  /// - Throws: ``ObjectError`` if there is no to-many relationship of this name, the object does
  ///   not fit it, or one of both is deleted.
  /// - Complexity: O(log *n*) in the objects of the relationship. The first change of a turn also
  ///   copies one reference for each 128 of them, because the turn keeps the values before it.
  public func remove(_ object: ManagedObject, from key: String) throws(ObjectError) {
    try remove([object], from: key)
  }

  /// Removes objects from a to-many relationship.
  ///
  /// - Throws: ``ObjectError`` if there is no to-many relationship of this name, an object does not
  ///   fit it, or one of them is deleted.
  public func remove(_ objects: [ManagedObject], from key: String) throws(ObjectError) {
    let ordinal = try toManyOrdinal(of: key)
    do {
      try remove(.list(objects.map { .object($0.objectID) }), from: ordinal)
    } catch {
      throw error.about(objects, for: self)
    }
  }

  private func toManyOrdinal(of key: String) throws(ObjectError) -> Int {
    guard let index = entity.propertyIndex(named: key) else {
      throw ObjectError.unknownKey(key, entity: entity.name)
    }
    let ordinal = index - entity.attributes.count
    guard ordinal >= 0, entity.relationships[ordinal].isToMany else {
      throw ObjectError.notToMany(key, entity: entity.name)
    }
    return ordinal
  }

  /// Adds objects to a to-many relationship, after those that it has.
  package func add(_ value: PropertyValue, to ordinal: Int) throws(ObjectError) {
    guard canChange else { throw ObjectError.deleted(objectID) }
    let added = try members(of: value.asList, for: ordinal)
    let link = try link(at: ordinal)
    try readForChange(ordinal, link, with: added)
    managedObjectContext?.willChange(self)
    for id in added where insertMember(id, into: ordinal, isNew: isUnrelated(to: id, link)) {
      attach(id, through: ordinal, link)
    }
    if isDeleted { managedObjectContext?.renewDeletion(of: self) }
  }

  /// Takes objects out of a to-many relationship; those that are not in it are
  /// ignored.
  package func remove(_ value: PropertyValue, from ordinal: Int) throws(ObjectError) {
    guard canChange else { throw ObjectError.deleted(objectID) }
    let removed = try members(of: value.asList, for: ordinal)
    let link = try link(at: ordinal)
    try readForChange(ordinal, link, with: removed)
    managedObjectContext?.willChange(self)
    for id in removed where removeMember(id, from: ordinal) {
      detach(id, link)
    }
  }

  /// The objects on the other side of a relationship.
  package func members(at ordinal: Int) -> [ObjectID] {
    snapshot[entity.attributes.count + ordinal].members
  }

  /// Whether an object is on the other side of a relationship.
  func hasMember(_ id: ObjectID, at ordinal: Int) -> Bool {
    if case .members(let list) = snapshot.stored[entity.attributes.count + ordinal] {
      return list.contains(id)
    }
    switch snapshot[entity.attributes.count + ordinal] {
    case .object(let other): return other == id
    case .list(let values):
      if entity.relationships[ordinal].isOrdered { return values.contains(.object(id)) }
      let place = values.place(of: id)
      return place < values.count && values[place] == .object(id)
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data:
      return false
    }
  }

  /// The relationship's ends.
  package func link(at ordinal: Int) throws(ObjectError) -> RelationshipLink {
    do {
      return try entity.link(at: ordinal)
    } catch {
      throw ObjectError.model(error)
    }
  }

  private func setMembers(_ ordinal: Int, to new: [ObjectID], link: RelationshipLink) {
    let old = members(at: ordinal)
    managedObjectContext?.willChange(self)
    store(new, at: ordinal)
    guard link.inverse != nil, old != new else { return }
    let kept = Set(old).intersection(new)
    for id in old where !kept.contains(id) { detach(id, link) }
    for id in new where !kept.contains(id) { attach(id, through: ordinal, link) }
  }

  /// Reads the lists that a change of a relationship changes.
  ///
  /// A list that cannot be read would count as empty, and be saved so.
  ///
  /// - Throws: ``ObjectError/unreadable(_:)``. Then nothing has changed.
  private func readForChange(
    _ ordinal: Int, _ link: RelationshipLink, with others: [ObjectID],
    replacesMembers: Bool = false
  ) throws(ObjectError) {
    // Only such a store reads lists later than rows.
    guard let context = managedObjectContext,
      context.persistentStoreCoordinator.store.readsInBatches
    else { return }
    try readList(ordinal)
    guard let inverse = link.inverse, inverse.isToMany else { return }
    let old = replacesMembers ? members(at: ordinal) : []
    for id in old + others { try context.findObject(with: id)?.readList(inverse.ordinal) }
  }

  private func readList(_ ordinal: Int) throws(ObjectError) {
    guard !isRead(ordinal) else { return }
    let coordinator = managedObjectContext?.persistentStoreCoordinator
    throw ObjectError.unreadable(
      coordinator?.takeReadFailure()
        ?? .unusable(
          store: coordinator?.store.identifier ?? "",
          reason: "'\(entity.relationships[ordinal].name)' of \(objectID) cannot be read"))
  }

  /// Reads a relationship, and returns whether that was possible.
  func isRead(_ ordinal: Int) -> Bool {
    let index = entity.attributes.count + ordinal
    guard snapshot.isUnread(index) else { return true }
    _ = snapshot[index]
    return !snapshot.isUnread(index)
  }

  /// Lets an object that left the relationship know.
  private func detach(_ id: ObjectID, _ link: RelationshipLink) {
    guard let inverse = link.inverse, let other = managedObjectContext?.findObject(with: id) else {
      return
    }
    other.dropMember(objectID, from: inverse.ordinal)
  }

  /// Lets an object that joined the relationship know; where it can belong to
  /// one only, it leaves the other.
  private func attach(_ id: ObjectID, through ordinal: Int, _ link: RelationshipLink) {
    guard let inverse = link.inverse, let context = managedObjectContext,
      let other = context.findObject(with: id)
    else { return }
    if !inverse.isToMany, let previous = other.members(at: inverse.ordinal).first,
      previous != objectID, let holder = context.findObject(with: previous)
    {
      holder.dropMember(id, from: ordinal)
    }
    let isNew = context.isInStep(self, other)
    context.willChange(other)
    other.join(objectID, at: inverse.ordinal, isNew: isNew)
  }

  /// Whether the other side says that an object is not in a relationship, so that a long list need
  /// not be searched.
  private func isUnrelated(to id: ObjectID, _ link: RelationshipLink) -> Bool {
    guard let inverse = link.inverse, let context = managedObjectContext,
      let other = context.findObject(with: id), context.isInStep(self, other)
    else { return false }
    return !other.hasMember(objectID, at: inverse.ordinal)
  }

  /// Puts an object into a relationship without telling it.
  ///
  /// - Parameter isNew: Whether it is known that the object is not in it.
  func join(_ id: ObjectID, at ordinal: Int, isNew: Bool = false) {
    if entity.relationships[ordinal].isToMany {
      insertMember(id, into: ordinal, isNew: isNew)
    } else {
      store([id], at: ordinal)
    }
  }

  /// Takes an object out of a relationship without telling it.
  ///
  /// What left the context in this turn, as by a rollback, stays as it was: a change would count as
  /// its unsaved deletion.
  func dropMember(_ id: ObjectID, from ordinal: Int) {
    guard canChange, hasMember(id, at: ordinal) else { return }
    managedObjectContext?.willChange(self)
    removeMember(id, from: ordinal)
  }
}

// MARK: - One side

extension ManagedObject {
  /// Takes an object out of a list, now and as it was read.
  func loseMember(_ id: ObjectID, from ordinal: Int) {
    removeMember(id, from: ordinal)
    guard let committed else { return }
    let now = snapshot
    snapshot = committed
    removeMember(id, from: ordinal)
    self.committed = snapshot
    snapshot = now
  }

  private func store(_ members: [ObjectID], at ordinal: Int) {
    let index = entity.attributes.count + ordinal
    if entity.relationships[ordinal].isToMany {
      snapshot[index] = .list(members.map(PropertyValue.object))
    } else {
      snapshot[index] = members.first.map(PropertyValue.object) ?? .null
    }
  }

  /// Inserts an object in the relationship's order; returns whether it was not
  /// there yet.
  ///
  /// - Parameter isNew: Whether that is known.
  @discardableResult
  private func insertMember(_ id: ObjectID, into ordinal: Int, isNew: Bool) -> Bool {
    let index = entity.attributes.count + ordinal
    let isOrdered = entity.relationships[ordinal].isOrdered
    if let isChanged = changeLongList(at: index, isOrdered: isOrdered, { $0.insert(id) }) {
      return isChanged
    }
    guard case .list(var values) = snapshot[index] else { return false }
    let place: Int
    if isOrdered {
      if !isNew, values.contains(.object(id)) { return false }
      place = values.count
    } else {
      place = values.place(of: id)
      if place < values.count, values[place] == .object(id) { return false }
    }
    // Lets go of the list first, so that it is changed where it is.
    snapshot[index] = .null
    values.insert(.object(id), at: place)
    snapshot[index] = .list(values)
    return true
  }

  /// Takes an object out; returns whether it was there.
  @discardableResult
  private func removeMember(_ id: ObjectID, from ordinal: Int) -> Bool {
    let index = entity.attributes.count + ordinal
    // A to-many relationship is not read here: a list in blocks would become an array of all members.
    guard entity.relationships[ordinal].isToMany else {
      guard case .object(let other) = snapshot[index], other == id else { return false }
      snapshot[index] = .null
      return true
    }
    let isOrdered = entity.relationships[ordinal].isOrdered
    if let isChanged = changeLongList(at: index, isOrdered: isOrdered, { $0.remove(id) }) {
      return isChanged
    }
    // No switch: that would hold the list, and its change would copy all members.
    guard case .list(var values) = snapshot[index] else { return false }
    let place: Int
    if values.last == .object(id) {
      place = values.count - 1
    } else if isOrdered {
      guard let found = values.firstIndex(of: .object(id)) else { return false }
      place = found
    } else {
      place = values.place(of: id)
      guard place < values.count, values[place] == .object(id) else { return false }
    }
    snapshot[index] = .null
    values.remove(at: place)
    snapshot[index] = .list(values)
    return true
  }

  /// Changes a relationship that is long enough to be kept in blocks.
  ///
  /// - Returns: What the change returned, or nil if the relationship is short.
  private func changeLongList(
    at index: Int, isOrdered: Bool, _ change: (inout MemberList) -> Bool
  ) -> Bool? {
    guard var list = snapshot.stored[index].takeMembers(isOrdered: isOrdered) else { return nil }
    let isChanged = change(&list)
    snapshot.stored[index].put(list)
    return isChanged
  }

  private func members(
    of value: PropertyValue, for ordinal: Int
  ) throws(ObjectError) -> [ObjectID] {
    guard let context = managedObjectContext else { throw ObjectError.withoutContext(objectID) }
    return try MemberCheck(context).members(of: value, at: ordinal, in: entity)
  }
}

extension ManagedObjectContext {
  /// Whether the sides of the relationships between two objects agree: not while
  /// one waits for the source's newer values, nor within a change of one object's
  /// relationship to itself.
  fileprivate func isInStep(_ object: ManagedObject, _ other: ManagedObject) -> Bool {
    guard object !== other else { return false }
    return stale.isEmpty || !(stale.contains(object.objectID) || stale.contains(other.objectID))
  }
}

extension ObjectError {
  /// The error of relating an object to others, which says if one of these belongs to another
  /// context.
  package func about(_ others: [ManagedObject], for object: ManagedObject) -> ObjectError {
    guard case .deleted(let id) = self,
      others.contains(where: {
        $0.objectID == id && !$0.isDeleted
          && $0.managedObjectContext !== object.managedObjectContext
      })
    else { return self }
    return .elsewhere(id)
  }
}

extension PropertyValue {
  /// The value as a list of one, where it is none yet.
  fileprivate var asList: PropertyValue {
    if case .object = self { .list([self]) } else { self }
  }
}

extension [PropertyValue] {
  /// The place of an object in a list by number.
  fileprivate func place(of id: ObjectID) -> Int {
    if let last = last?.objectID, last.number < id.number { return count }
    return partitioningIndex { member in
      member.objectID.map { $0.number >= id.number } ?? true
    }
  }
}
