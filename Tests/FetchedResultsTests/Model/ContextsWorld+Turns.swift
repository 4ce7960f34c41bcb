import Basics
import FetchedResults

// MARK: - Turns

extension ContextsWorld {
  /// Makes one random turn, and checks the callbacks.
  func turn() throws {
    let place = places.randomElement(using: &random) ?? main
    var hearing = [place]
    switch Int.random(in: 0..<22, using: &random) {
    case 0..<8: try edit(place)
    case 8..<11:
      try save(place)
      if place === child { hearing.append(main) }
    case 11..<14: try catchUp(place)
    case 14: refresh(place)
    case 15: note("rollback", place) { $0.rollback() }
    case 16: note("undo", place) { $0.undo() }
    case 17: note("redo", place) { $0.redo() }
    case 18: try renew(place)
    case 19, 20:
      try batch(from: place)
      hearing = places
    default: try toggle(place)
    }
    if place === main { child.isBehind = true }
    attempt("turn", place) { place.context.processPendingChanges() }
    if hearing.contains(where: { $0 === main }) { main.context.processPendingChanges() }
    for other in hearing { other.context.processPendingChanges() }
    place.context.processPendingChanges()
    if place.context.automaticallyMergesChangesFromParent { place.isBehind = false }
    try check(hearing)
  }

  private func save(_ place: Place) throws {
    let policies = MergePolicy.allCases.filter { $0 != .error }
    place.context.mergePolicy = policies.randomElement(using: &random) ?? .overwrite
    attempt("save \(place.context.mergePolicy)", place) { try place.context.save() }
    note("save \(place.context.mergePolicy)", place)
    do {
      try place.context.save()
    } catch SaveError.validation(let error) where rule == .deny {
      if !error.failures.allSatisfy({ $0.objectID.entity === group && $0.attribute == "things" }) {
        fail("\(error)", place)
      }
      note("rollback, since \(error)", place) { $0.rollback() }
    } catch { fail("a save fails: \(error)", place) }
  }

  private func catchUp(_ place: Place) throws {
    guard place === child else { return merge(place) }
    attempt("refresh all", place) { place.context.refreshAllObjects() }
    note("refresh all", place) { $0.refreshAllObjects() }
    place.context.processPendingChanges()
    try check([place])
    try fetch(place)
    place.isBehind = main.isBehind
  }

  private func merge(_ place: Place) {
    attempt("merge \(place.unmerged.count)", place) {
      for save in place.unmerged { place.context.mergeChanges(fromContextDidSave: save) }
    }
    note("merge \(place.unmerged.count)", place) { context in
      for save in place.unmerged { context.mergeChanges(fromContextDidSave: save) }
    }
    place.unmerged = []
    if place !== child { place.isBehind = false }
  }

  private func refresh(_ place: Place) {
    let merges = random.chance(2)
    if random.chance(3) { return note("refresh all", place) { $0.refreshAllObjects() } }
    note("refresh some\(merges ? " merging" : "")", place) { context in
      for number in 1...12 where random.chance(3) {
        let entity = random.chance(4) ? group : thing
        guard let object = context.object(entity: entity, number: Int64(number)) else { continue }
        context.refresh(object, mergeChanges: merges)
      }
    }
  }

  /// Changes the store without a context, and merges the changes.
  private func batch(from place: Place) throws {
    let result: BatchResult
    switch Int.random(in: 0..<3, using: &random) {
    case 0 where rule == .noAction:
      let format = "name == %@ OR SELF == nil"
      result = try place.context.execute(
        BatchDeleteRequest(
          fetchRequest: FetchRequest(
            entity: group, predicate: try FetchPredicate(format: format, randomName)),
          resultType: .objectIDs))
    case 0, 1:
      result = try place.context.execute(
        BatchUpdateRequest(
          entity: group, predicate: try FetchPredicate(format: "name != %@", randomName),
          propertiesToUpdate: ["name": .value(randomName)], resultType: .objectIDs))
    default:
      let number = Int64.random(in: 0..<6, using: &random)
      result = try place.context.execute(
        BatchUpdateRequest(
          entity: thing, predicate: try FetchPredicate(format: "k < %@", number),
          propertiesToUpdate: ["k": .value(.int(number))], resultType: .objectIDs))
    }
    note("batch \(result.action) \(result.objectIDs ?? [])", place)
    ManagedObjectContext.mergeChanges(
      fromRemoteContextSave: result.changes, into: places.map(\.context))
  }

  private var randomName: PropertyValue {
    [.null, "a", "b", "c"].randomElement(using: &random) ?? .null
  }

  /// Fetches again, sometimes after a reset.
  private func renew(_ place: Place) throws {
    if random.chance(2) {
      note("reset", place) { $0.reset() }
      place.unmerged = []
      place.isBehind = place === child && main.isBehind
      if place === main { child.isBehind = true }
    }
    place.context.processPendingChanges()
    try check([place])
    try fetch(place)
  }

  private func fetch(_ place: Place) throws {
    attempt("fetch", place) { for watched in place.watched { try watched.fetch() } }
    note("fetch", place)
    for watched in place.watched { try watched.fetch() }
  }

  private func toggle(_ place: Place) throws {
    guard place !== child else { return }
    let isOn = !place.context.automaticallyMergesChangesFromParent
    note("automerge \(isOn)", place)
    place.context.processPendingChanges()
    merge(place)
    place.context.automaticallyMergesChangesFromParent = isOn
  }
}

// MARK: - Edits

extension ContextsWorld {
  /// Makes a few random changes in a context.
  func edit(_ place: Place) throws {
    attempt("fetch of all", place) {
      _ = try place.context.fetch(FetchRequest(entity: thing))
      _ = try place.context.count(for: FetchRequest(entity: group))
    }
    note("edit", place)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let things = try place.context.fetch(FetchRequest(entity: thing))
      let groups = try place.context.fetch(FetchRequest(entity: group))
      let object = things.randomElement(using: &random)
      switch (Int.random(in: 0..<12, using: &random), object) {
      case (0, _): trail.append("  insert \(place.context.insert(group).objectID)")
      case (1, _):
        if let group = groups.randomElement(using: &random) { try delete(group, in: place) }
      case (2, _) where !groups.isEmpty && random.chance(2):
        // Key paths may read a deleted object.
        let deleted = place.context.deletedObjects.filter { $0.entity === self.group }
        let group = (random.chance(3) ? groups + deleted : groups).randomElement(using: &random)
        group?["name"] = randomName
        trail.append("  rename \(group?.objectID.description ?? "")")
      case (2, _), (3, _), (_, nil):
        let object = place.context.insert(thing)
        trail.append("  insert \(object.objectID)")
        try change(object, in: place)
      case (4, let object?): try delete(object, in: place)
      case (_, let object?): try change(object, in: place)
      }
    }
  }

  /// Deletes an object, and checks the effect of its delete rule.
  private func delete(_ object: ManagedObject, in place: Place) throws {
    trail.append("  delete \(object.objectID)")
    let members =
      object.entity === group
      ? object.members(at: 0).filter {
        place.context.currentSnapshot(of: $0)?[3] == .object(object.objectID)
      } : []
    place.context.delete(object)
    place.context.processPendingChanges()
    for id in members {
      let member = place.context.findObject(with: id)
      let holds =
        switch rule {
        case .nullify: member?["group"] == .null
        case .cascade: member?.isDeleted ?? true
        case .deny, .noAction: member?["group"] == .object(object.objectID)
        }
      if !holds { fail("\(id) of the deleted \(object.objectID) is \(rule)", place) }
    }
  }

  /// Changes a thing's attributes or relationships.
  func change(_ object: ManagedObject, in place: Place) throws {
    func number() -> PropertyValue { .int(Int64.random(in: 0..<6, using: &random)) }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: object["k"] = number()
    case 1: object["t"] = number()
    case 2: object["s"] = [nil, "A", "B", "C"].randomElement(using: &random) ?? nil
    case 3:
      object["k"] = number()
      object["s"] = ["A", "B", "C"].randomElement(using: &random) ?? nil
    default: try relate(object, in: place)
    }
    trail.append("  change \(object.objectID) to \(Array(object.snapshot.knownValues))")
  }

  private func relate(_ object: ManagedObject, in place: Place) throws {
    let ordinal = Int.random(in: 0..<thing.relationships.count, using: &random)
    let relationship = thing.relationships[ordinal]
    let entity = relationship.destination == "Group" ? group : thing
    let chosen = try place.context.fetch(FetchRequest(entity: entity))
      .shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
      .map { PropertyValue.object($0.objectID) }
    guard relationship.isToMany else {
      return try object.setValue(chosen.first ?? .null, forKey: relationship.name)
    }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: try object.setValue(.list(chosen), forKey: relationship.name)
    case 1: try object.add(.list(chosen), to: ordinal)
    default: try object.remove(.list(chosen), from: ordinal)
    }
  }
}
