extension InMemoryStore {
  package func objectIDs(matching request: StoreRequest) throws(FetchError) -> [ObjectID] {
    let root = request.entity.root
    return try fetch(request).numbers.compactMap { number in
      row(number, in: root).map { ObjectID(entity: $0.entity, number: number) }
    }
  }

  package func execute(_ batch: StoreBatch) throws(FetchError) -> [ObjectID] {
    let ids = try objectIDs(matching: batch.request)
    guard !ids.isEmpty else { return ids }
    do {
      try batch.willWrite(ids)
      let changes =
        switch batch.action {
        case .delete: deletions(of: ids, batch)
        case .update(let settings): try updates(of: ids, by: settings, batch)
        }
      try checkUniqueValues(of: changes)
      try write(changes)
      if tracksHistory { note(batch.historyChanges(of: ids)) }
    } catch {
      throw FetchError.store(error)
    }
    return ids
  }

  private func updates(
    of ids: [ObjectID], by settings: [StoreBatch.Setting], _ batch: StoreBatch
  ) throws(StoreError) -> [StoreChange] {
    var changes: [StoreChange] = []
    for id in ids {
      guard let row = row(id.number, in: id.entity.root) else { continue }
      changes.append(
        StoreChange(
          objectID: id, snapshot: try batch.updated(row.snapshot, of: id, by: settings),
          isInsertion: false, version: row.version + 1))
    }
    return changes
  }

  /// Returns the deletions, and the changes of lists that contained the objects.
  ///
  /// A file keeps a to-many relationship in columns of the other objects or in a separate table,
  /// which lose their entries with the objects. The reference of a to-one relationship stays.
  private func deletions(of ids: [ObjectID], _ batch: StoreBatch) -> [StoreChange] {
    let gone = Set(ids)
    var owners: [ObjectID: StoreRow] = [:]
    func drop(_ ids: [ObjectID], fromListsOf entity: EntityDescription, _ ordinal: Int) {
      for owner in objectIDs(of: entity, leadingTo: ids, at: ordinal) where !gone.contains(owner) {
        guard let row = owners[owner] ?? row(owner.number, in: owner.entity.root) else { continue }
        var snapshot = row.snapshot
        let place = row.entity.attributes.count + ordinal
        snapshot[place] = .list(
          snapshot[place].members.filter { !gone.contains($0) }.map(PropertyValue.object))
        owners[owner] = StoreRow(entity: row.entity, snapshot: snapshot, version: row.version)
      }
    }
    // The rows' own values of the other side may be older than the lists.
    for (entity, ids) in Dictionary(grouping: ids, by: \.entity) {
      for ordinal in entity.relationships.indices {
        guard let link = try? entity.link(at: ordinal), let inverse = link.inverse,
          inverse.isToMany
        else { continue }
        drop(ids, fromListsOf: link.destination, inverse.ordinal)
      }
    }
    for list in batch.unpairedLists { drop(ids, fromListsOf: list.entity, list.ordinal) }
    let lists = owners.map { id, row in
      StoreChange(objectID: id, snapshot: row.snapshot, isInsertion: false, version: row.version)
    }
    return lists
      + ids.map { StoreChange(objectID: $0, snapshot: nil, isInsertion: false, version: 0) }
  }

  /// Throws if two objects would share values that must be unique.
  package func checkUniqueValues(of changes: [StoreChange]) throws(StoreError) {
    if let entity = try UniquenessCheck(store: self).brokenBy(changes) {
      throw StoreError.sharedUniqueValues(entity: entity.name)
    }
  }
}
