/// A store in memory, which ends with its process.
package final class InMemoryStore: PersistentStore {
  package let identifier: String
  package private(set) var generation = 0
  package var transactionAuthor = TransactionAuthor()
  /// The history, oldest first; nil if none is kept.
  private var history: [PersistentHistoryTransaction]?
  private var lastTransaction: Int64 = 0
  private var lastChange: Int64 = 0
  package private(set) var ownTransactions = TransactionNumbers()
  private var tables: [EntityDescription: RowTable] = [:]
  /// The table that was last changed: many objects in a row are of one entity.
  @exclusivity(unchecked)
  private var lastTable: (root: EntityDescription, table: RowTable)?
  private var indices: [ValueIndex.Key: ValueIndex] = [:]
  private var references: [ReferenceIndex.Key: ReferenceIndex] = [:]

  package init(identifier: String) { self.identifier = identifier }

  package func reserveNumber(in root: EntityDescription) -> Int64 {
    let table = table(of: root)
    table.lastNumber += 1
    return table.lastNumber
  }

  package func giveBack(_ numbers: ClosedRange<Int64>, in root: EntityDescription) {
    let table = table(of: root)
    if table.lastNumber == numbers.upperBound { table.lastNumber = numbers.lowerBound - 1 }
  }

  private func table(of root: EntityDescription) -> RowTable {
    if let lastTable, lastTable.root === root { return lastTable.table }
    let table = tables[root] ?? RowTable()
    tables[root] = table
    lastTable = (root, table)
    return table
  }

  package func lastNumber(in root: EntityDescription) -> Int64 { tables[root]?.lastNumber ?? 0 }

  package func hasHadObject(_ number: Int64, in root: EntityDescription) -> Bool {
    number > 0 && number <= lastNumber(in: root)
  }

  package func row(_ number: Int64, in root: EntityDescription) -> StoreRow? {
    number > 0 ? tables[root]?[Int(number - 1)] : nil
  }

  package func fetch(_ request: StoreRequest) throws(FetchError) -> FoundRows {
    guard let table = tables[request.entity.root] else {
      return FoundRows([], sectionIndex: request.sectionIndex) { _ in .null }
    }
    let found = try matches(of: request, in: table)
    let numbers = request.order.sortedNumbers(ofRowsAt: consume found, in: table.snapshots)
    return FoundRows(
      numbers, sectionIndex: request.sectionIndex,
      areSorted: request.order.sortsFirst(by: request.sectionIndex)
    ) { number in
      table.value(at: Int(number) - 1, request.sectionIndex ?? 0)
    }
    .window(offset: request.offset, limit: request.limit)
  }

  /// Returns the indices of the rows that match, in the order of numbers.
  private func matches(
    of request: StoreRequest, in table: RowTable
  ) throws(FetchError) -> [Int] {
    var found: [Int] = []
    if request.predicate == nil { found.reserveCapacity(Int(table.rowCount)) }
    try forEachMatch(of: request, in: table) { found.append($0) }
    return found
  }

  /// Calls `body` with the index of each row that matches, in the order of numbers.
  @inline(__always)
  private func forEachMatch(
    of request: StoreRequest, in table: RowTable, _ body: (Int) -> Void
  ) throws(FetchError) {
    let predicate = request.predicate
    var next = 0
    while let index = table.firstRow(from: next) {
      next = index + 1
      guard let snapshot = table.snapshot(at: index) else { continue }
      let entity = table.entity(at: index)
      guard request.includes(entity) else { continue }
      let number = Int64(index + 1)
      if request.isExcluded(number) { continue }
      try request.checkCancelled()
      if let predicate {
        do {
          let id = ObjectID(entity: entity, number: number)
          guard try predicate.matches(snapshot, of: id) else { continue }
        } catch {
          throw FetchError.predicate(error)
        }
      }
      body(index)
    }
  }

  package func count(_ request: StoreRequest) throws(FetchError) -> Int {
    guard request.offset == 0, request.limit == 0 else {
      return try fetch(request).numbers.count
    }
    guard let table = tables[request.entity.root] else { return 0 }
    var count = 0
    try forEachMatch(of: request, in: table) { _ in count += 1 }
    return count
  }

  package func rows(_ numbers: [Int64], in root: EntityDescription) -> [StoreRow?] {
    numbers.map { row($0, in: root) }
  }

  /// False: reading a row costs no more than accessing an object.
  package var readsInBatches: Bool { false }

  package func objectIDs(of entity: EntityDescription) -> [ObjectID] {
    guard let table = tables[entity.root] else { return [] }
    var ids: [ObjectID] = []
    var next = 0
    while let index = table.firstRow(from: next) {
      next = index + 1
      let own = table.entity(at: index)
      guard own.isKindOf(entity: entity) else { continue }
      ids.append(ObjectID(entity: own, number: Int64(next)))
    }
    return ids
  }

  package func objectIDs(
    of entity: EntityDescription, leadingTo ids: [ObjectID], at ordinal: Int
  ) -> [ObjectID] {
    let key = ReferenceIndex.Key(entity: entity, ordinal: ordinal)
    _ = indexReferences(key) { false }
    return (references[key]?.numbers(leadingTo: ids) ?? []).compactMap { number in
      row(number, in: entity.root).map { ObjectID(entity: $0.entity, number: number) }
    }
  }

  /// Makes the index of a relationship, if there is none yet.
  ///
  /// - Parameter isStopped: Whether to stop, which is asked at each row; then there is no index.
  /// - Returns: Whether there is an index.
  private func indexReferences(_ key: ReferenceIndex.Key, isStopped: () -> Bool) -> Bool {
    if references[key] != nil { return true }
    var index = ReferenceIndex(key)
    let isWhole = forEachRow(of: key.entity.root) {
      index.replace(nil, with: $1, number: $0)
      return !isStopped()
    }
    if isWhole { references[key] = index }
    return isWhole
  }

  package func rows(
    of entity: EntityDescription, having values: [PropertyValue], at places: [Int]
  ) -> [Int64] {
    let key = ValueIndex.Key(entity: entity, places: places)
    if let index = indices[key] { return index.numbers(having: values) }
    var index = ValueIndex(key)
    _ = forEachRow(of: entity.root) {
      index.replace(nil, with: $1, number: $0)
      return true
    }
    indices[key] = index
    return index.numbers(having: values)
  }

  /// Calls `body` with each row and its number, until it returns false.
  ///
  /// - Returns: Whether it was called with every row.
  private func forEachRow(
    of root: EntityDescription, _ body: (Int64, StoreRow) -> Bool
  ) -> Bool {
    guard let table = tables[root] else { return true }
    var next = 0
    while let index = table.firstRow(from: next) {
      next = index + 1
      if let row = table[index], !body(Int64(next), row) { return false }
    }
    return true
  }

  package func save(_ changes: [StoreChange]) throws(StoreError) {
    try write(changes)
    note(changes)
  }

  /// Changes rows without recording that in the history.
  ///
  /// If it is stopped, no row is changed.
  func write(_ changes: some Collection<StoreChange>) throws(StoreError) {
    var hasLists = false
    var lastEntity: EntityDescription?
    var roots: Set<EntityDescription> = []
    var kept: (of: EntityDescription, lists: [KeptList])?
    // The owners of lists that a deletion leaves as they are, with the inserted objects of each.
    var owners: [ObjectID: [ListMember]] = [:]
    var stop = StopCheck.Loop()
    for change in changes {
      if stop.isWanted() { throw StoreError.cancelled }
      let id = change.objectID
      if !change.isInsertion, row(id.number, in: id.entity.root) == nil {
        throw StoreError.missingRow(id)
      }
      if lastEntity !== id.entity {
        lastEntity = id.entity
        roots.insert(id.entity.root)
        hasLists = hasLists || id.entity.relationships.contains(where: \.isToMany)
      }
      // An object that an undo restores is inserted, and its owner's list may not have it: the owner
      // did not change.
      if change.snapshot == nil || change.isInsertion {
        let lists = kept?.of === id.entity ? kept?.lists ?? [] : lists(keeping: id.entity)
        kept = (id.entity, lists)
        if !lists.isEmpty,
          let values = change.snapshot ?? row(id.number, in: id.entity.root)?.snapshot
        {
          for list in lists {
            for owner in values[list.place].members {
              owners[owner, default: []] += change.isInsertion ? [(list.ordinal, id)] : []
            }
          }
        }
      }
    }
    for owner in owners.keys { roots.insert(owner.entity.root) }
    let mayStop = StopCheck.isLong(changes.count + owners.count) && StopCheck.isInstalled
    let before = mayStop ? roots.map { ($0, table(of: $0).copy()) } : []
    do throws(StoreError) {
      if !hasLists, indices.isEmpty, references.isEmpty {
        try writeRows(changes)
      } else {
        try writeRowsAndIndices(changes, hasLists: hasLists)
      }
      if !owners.isEmpty { try writeRowsAndIndices(owners.compactMap(relisted), hasLists: true) }
    } catch {
      for (root, rows) in before { table(of: root).takeRows(of: rows) }
      // They are made again when they are needed.
      indices = [:]
      references = [:]
      throw error
    }
    generation += 1
  }

  /// A list from which a deletion does not take an object.
  ///
  /// - Parameters:
  ///   - place: The place of the relationship that leads to the owner of the list.
  ///   - ordinal: Which relationship of the owner is the list.
  private typealias KeptList = (place: Int, ordinal: Int)

  /// An object, and the relationship of an owner that has it.
  private typealias ListMember = (ordinal: Int, id: ObjectID)

  /// The lists on the other sides of an entity's relationships that a deletion leaves as they are.
  private func lists(keeping entity: EntityDescription) -> [KeptList] {
    entity.relationships.indices.compactMap { ordinal in
      guard entity.relationships[ordinal].deleteRule == .noAction,
        let inverse = try? entity.link(at: ordinal).inverse, inverse.isToMany
      else { return nil }
      return (entity.attributes.count + ordinal, inverse.ordinal)
    }
  }

  /// Returns a change that removes missing objects from the lists of a row, and adds inserted ones.
  ///
  /// In a file, such a list consists of what the rows of the objects contain.
  private func relisted(_ owner: ObjectID, adding inserted: [ListMember]) -> StoreChange? {
    row(owner.number, in: owner.entity.root).map { row in
      var snapshot = row.snapshot
      for (ordinal, added) in Dictionary(grouping: inserted, by: \.ordinal) {
        let place = row.entity.attributes.count + ordinal
        let members = snapshot[place].members
        let known = Set(members)
        let new = added.map(\.id).filter { !known.contains($0) }.sorted { $0.number < $1.number }
        if new.isEmpty { continue }
        // Their rows have no place in the order of such a list, and no place is before the first.
        var all = new + members
        if !row.entity.relationships[ordinal].isOrdered { all.sort { $0.number < $1.number } }
        snapshot[place] = .list(all.map(PropertyValue.object))
      }
      return StoreChange(
        objectID: ObjectID(entity: row.entity, number: owner.number), snapshot: snapshot,
        isInsertion: false, version: row.version)
    }
  }

  private func writeRowsAndIndices(
    _ changes: some Collection<StoreChange>, hasLists: Bool
  ) throws(StoreError) {
    var stop = StopCheck.Loop(over: changes.count)
    var saved: [ObjectID: Bool] = [:]
    if hasLists {
      for change in changes where change.isInsertion || change.snapshot == nil {
        if stop.isWanted(after: 4) { throw StoreError.cancelled }
        saved[change.objectID] = change.snapshot != nil
      }
    }
    let complete = rootsWithoutGaps(after: saved)
    for change in changes {
      if stop.isWanted(after: 8) { throw StoreError.cancelled }
      let id = change.objectID
      let row = change.snapshot.map {
        StoreRow(
          entity: id.entity,
          snapshot: withoutMissing($0.stored(of: id.entity), of: id.entity, saved, complete),
          version: change.version)
      }
      // A list of the keys: a view would share the indices, which would then be copied.
      for key in Array(indices.keys) where key.entity.root === id.entity.root {
        indices[key]?.replace(
          self.row(id.number, in: id.entity.root), with: row, number: id.number)
      }
      for key in Array(references.keys) where key.entity.root === id.entity.root {
        references[key]?.replace(
          self.row(id.number, in: id.entity.root), with: row, number: id.number)
      }
      table(of: id.entity.root).set(row, at: Int(id.number) - 1)
    }
  }

  /// Changes rows that no other value depends on.
  private func writeRows(_ changes: some Collection<StoreChange>) throws(StoreError) {
    // Looked up once, and not for each row.
    var last: (root: EntityDescription, table: RowTable)?
    var stop = StopCheck.Loop(over: changes.count)
    for change in changes {
      if stop.isWanted(after: 2) { throw StoreError.cancelled }
      let id = change.objectID
      let root = id.entity.root
      if last?.root !== root { last = (root, table(of: root)) }
      last?.table.set(
        change.snapshot.map {
          StoreRow(
            entity: id.entity, snapshot: $0.stored(of: id.entity), version: change.version)
        }, at: Int(id.number) - 1)
    }
  }
}

extension InMemoryStore {
  /// Returns the root entities in which every number has a row after a save.
  ///
  /// No relationship can lead to a missing object of these.
  private func rootsWithoutGaps(after saved: [ObjectID: Bool]) -> Set<EntityDescription> {
    guard !saved.isEmpty || !tables.isEmpty else { return [] }
    var added: [EntityDescription: Int64] = [:]
    for (id, isThere) in saved {
      guard isThere else { return [] }
      added[id.entity.root, default: 0] += 1
    }
    return Set(
      tables.filter { $0.value.rowCount + (added[$0.key] ?? 0) == $0.value.lastNumber }.keys)
  }

  /// Removes objects without a row after a save from to-many relationships, as a file does.
  ///
  /// There, such a list consists of what other rows, or the rows of a separate table, contain.
  ///
  /// A context that did not learn about a deletion may still save a list with the object.
  ///
  /// - Parameter saved: Whether a save leaves a row of an object; nil if the save does not touch
  ///   it.
  /// - Parameter complete: The entities in which every object has a row after the save. Their
  ///   objects are not looked up, because that would take long for an object with many related
  ///   objects.
  private func withoutMissing(
    _ snapshot: ObjectSnapshot, of entity: EntityDescription, _ saved: [ObjectID: Bool],
    _ complete: Set<EntityDescription>
  ) -> ObjectSnapshot {
    guard entity.relationships.contains(where: \.isToMany) else { return snapshot }
    var snapshot = snapshot
    func exists(_ id: ObjectID) -> Bool {
      saved[id] ?? (row(id.number, in: id.entity.root) != nil)
    }
    for (ordinal, relationship) in entity.relationships.enumerated() where relationship.isToMany {
      if let destination = try? entity.link(at: ordinal).destination.root,
        complete.contains(destination)
      {
        continue
      }
      let place = entity.attributes.count + ordinal
      let members = snapshot[place].members
      guard !members.allSatisfy(exists) else { continue }
      snapshot[place] = .list(members.filter(exists).map(PropertyValue.object))
    }
    return snapshot
  }
}

extension InMemoryStore: HistoryStore {
  package var tracksHistory: Bool { history != nil }

  package func trackHistory() { if history == nil { history = [] } }

  package func lastTransactionNumber() -> Int64 { lastTransaction }

  package func transactions(
    after number: Int64?, author: String?
  ) throws(StoreError) -> [PersistentHistoryTransaction] {
    guard let history else { throw StoreError.noHistory(store: "memory") }
    try checkHistory(
      after: number, first: history.first?.transactionNumber, last: lastTransaction,
      store: "memory")
    return history.filter {
      $0.transactionNumber > number ?? 0 && (author == nil || $0.author == author)
    }
  }

  package func deleteTransactions(before number: Int64) throws(StoreError) -> Int {
    guard let history else { throw StoreError.noHistory(store: "memory") }
    let kept = history.filter { $0.transactionNumber >= number }
    self.history = kept
    return history.count - kept.count
  }

  /// Records a save as a transaction.
  func note(_ changes: [StoreChange]) {
    guard history != nil, !changes.isEmpty else { return }
    lastTransaction += 1
    ownTransactions.append(lastTransaction)
    let noted = changes.map { change in
      lastChange += 1
      return PersistentHistoryChange(
        changeID: lastChange, changedObjectID: change.objectID, changeType: change.historyType,
        updatedProperties: change.updatedPlaces.map(change.objectID.entity.historyNames))
    }
    history?.append(
      PersistentHistoryTransaction(
        storeID: identifier, transactionNumber: lastTransaction,
        timestamp: transactionAuthor.moment, author: transactionAuthor, changes: noted))
  }
}

extension StoreChange {
  package var historyType: PersistentHistoryChangeType {
    if snapshot == nil { return .delete }
    return isInsertion ? .insert : .update
  }
}

extension ObjectSnapshot {
  /// The values without those of transient properties.
  fileprivate func stored(of entity: EntityDescription) -> ObjectSnapshot {
    guard !entity.unstoredPlaces.isEmpty else { return self }
    var stored = self
    for index in entity.unstoredPlaces {
      stored[index] = entity.defaults[index]
    }
    return stored
  }
}

extension InMemoryStore {
  package func takeReadFailure() -> StoreError? { nil }
}

extension InMemoryStore {
  package func objectIDs(matching request: StoreRequest) throws(FetchError) -> [ObjectID] {
    let root = request.entity.root
    var stop = StopCheck.Loop()
    var ids: [ObjectID] = []
    for number in try fetch(request).numbers {
      if stop.isWanted(after: 2) { throw FetchError.cancelled }
      guard let row = row(number, in: root) else { continue }
      ids.append(ObjectID(entity: row.entity, number: number))
    }
    return ids
  }

  package func execute(_ batch: StoreBatch) throws(FetchError) -> [ObjectID] {
    let ids = try objectIDs(matching: batch.request)
    guard !ids.isEmpty else { return ids }
    do {
      try batch.willWrite?(ids)
      let changes =
        switch batch.action {
        case .delete: try deletions(of: ids, batch)
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
    var stop = StopCheck.Loop()
    for id in ids {
      if stop.isWanted(after: 4) { throw .cancelled }
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
  private func deletions(
    of all: [ObjectID], _ batch: StoreBatch
  ) throws(StoreError) -> [StoreChange] {
    var stop = StopCheck.Loop()
    var gone: Set<ObjectID> = []
    var owners: [ObjectID: StoreRow] = [:]
    func drop(
      _ ids: [ObjectID], fromListsOf entity: EntityDescription, _ ordinal: Int
    ) throws(StoreError) {
      guard let table = tables[entity.root], table.rowCount > 0 else { return }
      let key = ReferenceIndex.Key(entity: entity, ordinal: ordinal)
      guard indexReferences(key, isStopped: { stop.isWanted(after: 4) }) else { throw .cancelled }
      if gone.isEmpty {
        gone.reserveCapacity(all.count)
        for id in all {
          if stop.isWanted(after: 4) { throw .cancelled }
          gone.insert(id)
        }
      }
      // An owner of many of the objects is found in many parts.
      var done: Set<ObjectID> = []
      for start in stride(from: 0, to: ids.count, by: 1 << 10) {
        let part = Array(ids[start..<min(start + 1 << 10, ids.count)])
        if stop.isWanted(after: part.count) { throw .cancelled }
        for owner in objectIDs(of: entity, leadingTo: part, at: ordinal)
        where !gone.contains(owner) && done.insert(owner).inserted {
          guard let row = owners[owner] ?? row(owner.number, in: owner.entity.root)
          else { continue }
          var snapshot = row.snapshot
          let place = row.entity.attributes.count + ordinal
          var kept: [PropertyValue] = []
          for member in snapshot[place].members {
            if stop.isWanted(after: 2) { throw .cancelled }
            if !gone.contains(member) { kept.append(.object(member)) }
          }
          snapshot[place] = .list(kept)
          owners[owner] = StoreRow(entity: row.entity, snapshot: snapshot, version: row.version)
        }
      }
    }
    // The rows' own values of the other side may be older than the lists.
    for (entity, ids) in try grouped(all) {
      for ordinal in entity.relationships.indices {
        guard let link = try? entity.link(at: ordinal), let inverse = link.inverse,
          inverse.isToMany
        else { continue }
        try drop(ids, fromListsOf: link.destination, inverse.ordinal)
      }
    }
    for list in batch.unpairedLists {
      try drop(all, fromListsOf: list.entity, list.ordinal)
    }
    var changes: [StoreChange] = []
    changes.reserveCapacity(owners.count + all.count)
    for (id, row) in owners {
      changes.append(
        StoreChange(objectID: id, snapshot: row.snapshot, isInsertion: false, version: row.version))
    }
    for id in all {
      if stop.isWanted(after: 2) { throw .cancelled }
      changes.append(StoreChange(objectID: id, snapshot: nil, isInsertion: false, version: 0))
    }
    return changes
  }

  /// Returns objects by their entities.
  private func grouped(
    _ ids: [ObjectID]
  ) throws(StoreError) -> [EntityDescription: [ObjectID]] {
    var groups: [EntityDescription: [ObjectID]] = [:]
    var stop = StopCheck.Loop()
    var start = 0
    // Most objects have the entity of the object before.
    for (place, id) in ids.enumerated() {
      if stop.isWanted() { throw .cancelled }
      if id.entity === ids[start].entity { continue }
      groups[ids[start].entity, default: []] += ids[start..<place]
      start = place
    }
    if start < ids.count { groups[ids[start].entity, default: []] += ids[start...] }
    return groups
  }

  /// Throws if two objects would share values that must be unique.
  package func checkUniqueValues(of changes: [StoreChange]) throws(StoreError) {
    if let entity = try UniquenessCheck(store: self).brokenBy(changes) {
      throw StoreError.sharedUniqueValues(entity: entity.name)
    }
  }
}
