import EngineWorlds
import FetchedResults
import NaiveModel

// MARK: - Laws of controllers

extension ContextsWorld {
  /// Checks everything that must be true after a turn in which some places may have received
  /// callbacks.
  func check(_ hearing: [Place]) throws {
    for place in places {
      for watched in place.watched {
        try check(watched, of: place, mayHear: hearing.contains { $0 === place })
      }
      try checkGraph(of: place)
    }
  }

  private func check(_ watched: Watched, of place: Place, mayHear: Bool) throws {
    let callbacks = watched.delegate.callbacks
    watched.delegate.forget()
    guard watched.controller.fetchedObjects != nil else { return }
    if !mayHear, !callbacks.isEmpty { fail("received \(callbacks) of another context", place) }
    do {
      for batch in callbacks.split(separator: .didChange) {
        watched.sections = try TableReplay.apply(Array(batch), to: watched.sections)
      }
    } catch { fail("a replay of \(callbacks) on \(watched.sections) fails: \(error)", place) }
    let shown = watched.controller.numbers
    if shown != watched.sections {
      fail("shows \(shown), the replay gives \(watched.sections)", place)
    }
    watched.controller.checkInvariants()
    guard !place.isBehind else { return }
    let fresh = try FetchedResultsController(
      fetchRequest: watched.controller.fetchRequest, managedObjectContext: place.context,
      sectionNameKeyPath: watched.controller.sectionNameKeyPath)
    fresh.keepsFetchLimit = watched.controller.keepsFetchLimit
    fresh.tracksRelatedObjects = watched.controller.tracksRelatedObjects
    try fresh.performFetch()
    if fresh.numbers != shown { fail("shows \(shown), a fresh fetch \(fresh.numbers)", place) }
  }
}

// MARK: - Laws of relationships

extension ContextsWorld {
  typealias Rows = [ObjectID: ObjectSnapshot]

  /// Returns all objects with a context's values.
  func rows(in context: ManagedObjectContext) throws -> Rows {
    var rows: Rows = [:]
    for entity in [thing, group] {
      for number in try context.fetchNumbers(FetchRequest(entity: entity)) {
        rows[ObjectID(entity: entity, number: number)] = context.snapshot(of: number, in: entity)
      }
    }
    return rows
  }

  /// Checks the contents of the store after a save.
  func checkStore() {
    if let failing { failing.succeeding { checkRows() } } else { checkRows() }
  }

  private func checkRows() {
    do {
      let reader = ManagedObjectContext(coordinator: coordinator)
      if let fault = fault(in: try rows(in: reader), isSaved: true) {
        fail("in the store, \(fault)", main)
      }
    } catch { fail("the store cannot be read: \(error)", main) }
  }

  /// Checks a context that has received all changes.
  private func checkGraph(of place: Place) throws {
    guard !place.isBehind else { return }
    if let fault = fault(in: try rows(in: place.context), isSaved: false) {
      fail(fault, place)
    }
  }

  /// Returns where two sides of a relationship disagree, or where one has no valid object.
  ///
  /// A relationship without an inverse may refer to a deleted object until it is saved. So may one
  /// to a group whose deletion will be denied, and one to a deleted group whose delete rule is "no
  /// action".
  private func fault(in rows: Rows, isSaved: Bool) -> String? {
    for (id, snapshot) in rows {
      for (ordinal, relationship) in id.entity.relationships.enumerated() {
        let members = snapshot.members(at: ordinal, of: id.entity)
        if Set(members).count < members.count { return "\(id) has \(members) twice" }
        if !relationship.isOrdered, members.map(\.number) != members.map(\.number).sorted() {
          return "\(id) has \(members) out of order"
        }
        for member in members {
          guard let other = rows[member] else {
            if !isSaved && relationship.inverse == nil { continue }
            if !isSaved && rule == .deny && member.entity === group { continue }
            if rule == .noAction && member.entity === group { continue }
            return "\(id).\(relationship.name) leads to \(member), which is gone"
          }
          guard let inverse = relationship.inverse,
            let back = member.entity.relationshipOrdinal(named: inverse)
          else { continue }
          if !other.members(at: back, of: member.entity).contains(id) {
            return "\(id).\(relationship.name) leads to \(member), which does not lead back"
          }
        }
      }
    }
    return nil
  }
}

extension ObjectSnapshot {
  fileprivate func members(at ordinal: Int, of entity: EntityDescription) -> [ObjectID] {
    switch self[entity.attributes.count + ordinal] {
    case .object(let id): [id]
    case .list(let values): values.compactMap(\.objectID)
    default: []
    }
  }
}

extension FetchedResultsController {
  /// The sections by the numbers of their objects.
  var numbers: [NaiveResults.Section] {
    (sections.map(Array.init) ?? []).map {
      NaiveResults.Section(name: $0.name, numbers: $0.objects.numbers)
    }
  }
}
