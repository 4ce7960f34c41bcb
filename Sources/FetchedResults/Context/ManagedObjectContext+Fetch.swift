import Algorithms

extension ManagedObjectContext {
  /// Returns the objects that match a request, unsaved changes included.
  ///
  /// Pending changes are processed first, so that controllers report before
  /// the fetch answers.
  ///
  /// - Throws: ``FetchError``.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public func fetch(_ request: FetchRequest) throws(FetchError) -> [ManagedObject] {
    let numbers = try fetchNumbers(request)
    var found: [ManagedObject] = []
    found.reserveCapacity(numbers.count)
    try inBatches(numbers) { numbers throws(FetchError) in
      found += objects(numbers, in: request.entity.root).compactMap(\.self)
      try checkReads()
    }
    return found
  }

  /// Throws what a look at an object met.
  func checkReads() throws(FetchError) {
    do {
      try coordinator.checkReads()
    } catch {
      throw FetchError.store(error)
    }
  }

  /// Returns how many objects match a request, its limit and offset heeded.
  public func count(for request: FetchRequest) throws(FetchError) -> Int {
    let order = try sortOrder(of: request)
    process()
    // What is unsaved has to be counted among the rows, one by one.
    guard parent == nil, !order.needsKeys, !hasPendingObjects(of: request.entity.root) else {
      return try fetchNumbers(request).count
    }
    let all = try asking(request, by: order, sectionIndex: nil) { request throws(FetchError) in
      try coordinator.store.count(request)
    }
    let rest = max(all - max(request.fetchOffset, 0), 0)
    return request.fetchLimit > 0 ? min(rest, request.fetchLimit) : rest
  }

  /// Returns the numbers of the matching objects, in the request's order.
  package func fetchNumbers(_ request: FetchRequest) throws(FetchError) -> [Int64] {
    try fetchRows(request).numbers
  }

  /// Returns the matching rows in the request's order.
  ///
  /// - Parameter sectionIndex: The place in a snapshot of the value that rows
  ///   are put in sections by; only where the sort compares rows' own values.
  func fetchRows(
    _ request: FetchRequest, sectionIndex: Int? = nil
  ) throws(FetchError) -> FoundRows {
    // A request that cannot be answered ends no turn.
    _ = try sortOrder(of: request)
    process()
    return try fetchProcessedRows(request, sectionIndex: sectionIndex)
  }

  /// Returns the matching rows as ``fetchRows(_:sectionIndex:)`` does, without
  /// ending a turn.
  package func fetchProcessedRows(
    _ request: FetchRequest, sectionIndex: Int?
  ) throws(FetchError) -> FoundRows {
    let order = try sortOrder(of: request)
    let found = try matchingRows(of: request, by: order, sectionIndex: sectionIndex)
    guard order.needsKeys else { return found }
    let keys = try keys(of: found.numbers, in: request.entity, by: order)
    return request.window(of: FoundRows(numbers: sort(found.numbers, by: order, keys)))
  }

  /// Returns the matching rows' numbers in the request's order, with the keys
  /// by which each is placed and put in a section.
  ///
  /// No turn is ended.
  ///
  /// - Parameter order: The request's order, with a section.
  package func fetchKeyedNumbers(
    _ request: FetchRequest, by order: RowOrder
  ) throws(FetchError) -> (numbers: [Int64], keys: [Int64: Snapshot]) {
    guard try sortOrder(of: request).needsKeys else {
      let numbers = try fetchProcessedRows(request, sectionIndex: nil).numbers
      return (numbers, try keys(of: numbers, in: request.entity, by: order))
    }
    let found = try matchingRows(of: request, by: order, sectionIndex: nil)
    let keys = try keys(of: found.numbers, in: request.entity, by: order)
    let sorted = FoundRows(numbers: sort(found.numbers, by: order, keys))
    return (request.window(of: sorted).numbers, keys)
  }

  private func sortOrder(of request: FetchRequest) throws(FetchError) -> RowOrder {
    try RowOrder(request.sortDescriptors, entity: request.entity, locale: environment.locale)
  }

  /// Returns the matching rows: all of them, by number, where the order needs
  /// keys, else those that offset and limit leave.
  private func matchingRows(
    of request: FetchRequest, by order: RowOrder, sectionIndex: Int?
  ) throws(FetchError) -> FoundRows {
    // Offset and limit are the store's business where the rows are its own.
    let isSaved = parent == nil && !hasPendingObjects(of: request.entity.root)
    let found = try asking(request, by: order, sectionIndex: sectionIndex) {
      asked throws(FetchError) in
      var asked = asked
      if isSaved && !order.needsKeys {
        asked.offset = max(request.fetchOffset, 0)
        asked.limit = max(request.fetchLimit, 0)
      }
      return try matchingRows(asked)
    }
    return isSaved || order.needsKeys ? found : request.window(of: found)
  }

  /// Calls `body` with what a controller's fetch asks of the store where nothing is
  /// unsaved.
  ///
  /// - Parameter body: Also takes whether the store sorts the rows; else they are
  ///   sorted by their keys afterwards.
  package func withStoreRequest<Answer>(
    for request: FetchRequest, sectionNameKeyPath: String?,
    _ body: (_ asked: StoreRequest, _ isSorted: Bool) -> Answer
  ) throws(FetchError) -> Answer {
    let order = try RowOrder(
      request.sortDescriptors, section: sectionNameKeyPath, entity: request.entity,
      locale: environment.locale)
    return try asking(request, by: order, sectionIndex: order.sectionIndex) { asked in
      var asked = asked
      if !order.needsKeys {
        asked.offset = max(request.fetchOffset, 0)
        asked.limit = max(request.fetchLimit, 0)
      }
      return body(asked, !order.needsKeys)
    }
  }

  /// Asks something of a store by a request, and throws what could not be read
  /// meanwhile.
  private func asking<Answer>(
    _ request: FetchRequest, by order: RowOrder, sectionIndex: Int?,
    _ body: (StoreRequest) throws(FetchError) -> Answer
  ) throws(FetchError) -> Answer {
    let graph = coordinator.store.readsInBatches ? RememberingGraph(self) : nil
    // A predicate does not hold the graph that it asks.
    return try withExtendedLifetime(graph) { () throws(FetchError) in
      let answer = try body(
        StoreRequest(
          entity: request.entity, includesSubentities: request.includesSubentities,
          predicate: try compile(request.predicate, for: request.entity, in: graph),
          order: order.needsKeys ? .byNumber : order,
          sectionIndex: order.needsKeys ? nil : sectionIndex, locale: environment.locale,
          isExcluded: { _ in false }, isCancelled: environment.isCancelled))
      try checkReads()
      return answer
    }
  }

  /// Returns the matching objects of this context laid over its source's.
  ///
  /// Nothing is processed: a child's fetch ends no turn of its parent.
  private func matchingRows(_ request: StoreRequest) throws(FetchError) -> FoundRows {
    let root = request.entity.root
    var unsaved = try pendingRows(of: request)
    request.order.sort(&unsaved)
    let hasPending = hasPendingObjects(of: root)
    let below =
      hasPending
      ? request.excluding { self.registered($0, in: root)?.isPending == true } : request
    func found() throws(FetchError) -> FoundRows {
      if let parent { return try parent.matchingRows(below) }
      return try coordinator.store.fetch(below)
    }
    guard !unsaved.isEmpty else { return try found() }
    // The places are those among the rows as they were found.
    return try readingOneState { () throws(FetchError) in
      let saved = try found()
      return saved.merged(with: arrivals(of: unsaved, among: saved.numbers, for: request))
    }
  }

  /// Calls `body`, all of whose reading is of one state of the store.
  private func readingOneState<Result>(
    _ body: () throws(FetchError) -> Result
  ) throws(FetchError) -> Result {
    do {
      return try coordinator.store.readingOneState(body)
    } catch let error as FetchError {
      throw error
    } catch let error as StoreError {
      throw FetchError.store(error)
    } catch {
      preconditionFailure("a fetch throws its own errors only")
    }
  }

  /// Returns the unsaved objects that match a request.
  private func pendingRows(
    of request: StoreRequest
  ) throws(FetchError) -> [SortableRow] {
    var rows: [SortableRow] = []
    for object in pending where !object.isDeleted && request.includes(object.entity) {
      if request.isExcluded(object.objectID.number) { continue }
      try request.checkCancelled()
      do {
        guard try request.predicate?.matches(object.snapshot, of: object.objectID) ?? true else {
          continue
        }
      } catch {
        throw FetchError.predicate(error)
      }
      rows.append(SortableRow(number: object.objectID.number, snapshot: object.snapshot))
    }
    return rows
  }

  package func compile(
    _ predicate: FetchPredicate?, for entity: EntityDescription, in graph: (any ObjectGraph)? = nil
  ) throws(FetchError) -> CompiledPredicate? {
    do {
      return try predicate?.compile(for: entity, environment: environment, graph: graph ?? self)
    } catch {
      throw FetchError.predicate(error)
    }
  }

  /// Returns the keys of rows, as they are in this context now.
  ///
  /// - Complexity: O(*n*): every row is read.
  package func keys(
    of numbers: [Int64], in entity: EntityDescription, by order: RowOrder
  ) throws(FetchError) -> [Int64: Snapshot] {
    var keys: [Int64: Snapshot] = Dictionary(minimumCapacity: numbers.count)
    let table = table(of: entity.root)
    let graph = RememberingGraph(self)
    try inBatches(numbers) { numbers throws(FetchError) in
      let missing = numbers.filter { table[$0] == nil }
      for (number, row) in zip(missing, sourceRows(missing, in: entity.root)) {
        guard let row else { continue }
        let id = ObjectID(entity: row.entity, number: number)
        keys[number] = order.keys(
          of: ObjectValues(objectID: id, snapshot: row.snapshot, graph: graph))
      }
      for number in numbers {
        guard let object = table[number] else { continue }
        keys[number] = order.keys(
          of: ObjectValues(objectID: object.objectID, snapshot: object.snapshot, graph: graph))
      }
      try checkReads()
    }
    return keys
  }

  /// Sorts rows by their keys; those without any are left out.
  private func sort(
    _ numbers: [Int64], by order: RowOrder, _ keys: [Int64: Snapshot]
  ) -> [Int64] {
    var rows: [SortableRow] = numbers.compactMap { number in
      keys[number].map { SortableRow(number: number, snapshot: $0) }
    }
    order.sort(&rows)
    return rows.map(\.number)
  }

  /// Returns the identity and the values of an object as they are now.
  package func values(of number: Int64, in entity: EntityDescription) -> ObjectValues? {
    if let object = registered(number, in: entity.root) { return object.values }
    guard let row = sourceRow(number, in: entity.root) else { return nil }
    return ObjectValues(
      objectID: ObjectID(entity: row.entity, number: number), snapshot: row.snapshot, graph: self)
  }

  /// Finds the places of unsaved rows among the source's, by a search each.
  ///
  /// - Complexity: O(*k* log *n*) for *k* unsaved rows.
  private func arrivals(
    of unsaved: [SortableRow], among saved: [Int64],
    for request: StoreRequest
  ) -> [FoundRows.Arrival] {
    let root = request.entity.root
    // The searches begin with the same rows, of which each may have to be read.
    var known: [Int64: Snapshot] = [:]
    let mustRead = coordinator.store.readsInBatches
    func snapshot(of number: Int64) -> Snapshot? {
      guard mustRead else { return sourceSnapshot(of: number, in: root) }
      if let snapshot = known[number] { return snapshot }
      let snapshot = sourceSnapshot(of: number, in: root)
      known[number] = snapshot
      return snapshot
    }
    var start = 0
    return unsaved.map { row in
      start = saved[start...].partitioningIndex { number in
        guard let other = snapshot(of: number) else { return true }
        return request.order.compare(other, number, row.snapshot, row.number) >= 0
      }
      return FoundRows.Arrival(
        number: row.number, place: start,
        section: request.sectionIndex.map { row.snapshot[$0] } ?? .null)
    }
  }

  /// Returns the values of an object as they are now.
  package func snapshot(of number: Int64, in root: EntityDescription) -> Snapshot? {
    if let object = registered(number, in: root) { return object.snapshot }
    return sourceRow(number, in: root)?.snapshot
  }

  /// Returns the values by which the source found an object.
  private func sourceSnapshot(of number: Int64, in root: EntityDescription) -> Snapshot? {
    foundRow(number, in: root, asPending: false)?.snapshot
  }

  /// Returns the row by which a fetch finds an object: the unsaved one of the
  /// first context that has one, or the store's.
  ///
  /// What a context only has read may be older than that: it knows of what was saved
  /// by the same coordinator, and where another one saved, the store is asked.
  package func foundRow(
    _ number: Int64, in root: EntityDescription, asPending: Bool = true
  ) -> StoreRow? {
    if let object = registered(number, in: root) {
      if object.isPending && asPending { return object.row }
      if parent == nil && !isStale(object) && !object.isPending
        && coordinator.store.foreignSaves == 0
      {
        return object.row
      }
    }
    if let parent { return parent.foundRow(number, in: root) }
    return sourceRow(number, in: root)
  }

  private func isStale(_ object: ManagedObject) -> Bool {
    !stale.isEmpty && stale.contains(object.objectID)
  }

  /// Returns the values of an object when changes were last processed.
  package func processedSnapshot(of number: Int64, in root: EntityDescription) -> Snapshot? {
    guard let object = registered(number, in: root) else {
      return sourceRow(number, in: root)?.snapshot
    }
    return object.isUnprocessed ? object.baseline : object.snapshot
  }
}

extension FetchRequest {
  /// The part of all matches that offset and limit leave.
  fileprivate func window(of found: FoundRows) -> FoundRows {
    found.window(offset: fetchOffset, limit: fetchLimit)
  }
}
