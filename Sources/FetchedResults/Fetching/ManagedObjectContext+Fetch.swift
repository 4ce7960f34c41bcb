extension ManagedObjectContext {
  /// Returns the objects that match a request, unsaved changes included.
  ///
  /// Pending changes are processed first, so that controllers report before
  /// the fetch answers.
  ///
  /// - Throws: ``FetchError``.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public func fetch(_ request: FetchRequest) throws(FetchError) -> [ManagedObject] {
    let root = request.entity.root
    var objects: [ManagedObject] = []
    for number in try fetchNumbers(request) {
      guard let object = object(number, in: root) else {
        try checkRow(number, in: root)
        continue
      }
      objects.append(object)
    }
    return objects
  }

  /// Throws where the store found a row and then cannot read it.
  private func checkRow(_ number: Int64, in root: EntityDescription) throws(FetchError) {
    do {
      _ = try coordinator.store.row(number, in: root)
    } catch {
      throw FetchError.store(error)
    }
  }

  /// Returns how many objects match a request, its limit and offset heeded.
  public func count(for request: FetchRequest) throws(FetchError) -> Int {
    try fetchNumbers(request).count
  }

  /// Returns the numbers of the matching objects, in the request's order.
  package func fetchNumbers(_ request: FetchRequest) throws(FetchError) -> [Int64] {
    process()
    let order = try RowOrder(
      request.sortDescriptors, entity: request.entity, locale: environment.locale)
    let predicate = try compile(request.predicate, for: request.entity)
    let unsorted = StoreRequest(
      entity: request.entity, includesSubentities: request.includesSubentities,
      predicate: predicate, order: order.needsKeys ? .byNumber : order,
      locale: environment.locale, isExcluded: { _ in false },
      isCancelled: environment.isCancelled)
    let numbers = try matchingNumbers(unsorted)
    return request.window(
      of: order.needsKeys ? sort(numbers, of: request.entity, by: order) : numbers)
  }

  /// Returns the matching objects of this context laid over its source's.
  ///
  /// Nothing is processed: a child's fetch ends no turn of its parent.
  private func matchingNumbers(_ request: StoreRequest) throws(FetchError) -> [Int64] {
    let root = request.entity.root
    var unsaved = try pendingRows(of: request)
    request.order.sort(&unsaved)
    let hasPending = hasPendingObjects(of: root)
    let below =
      hasPending
      ? request.excluding { self.registered($0, in: root)?.isPending == true } : request
    let saved: [Int64]
    if let parent {
      saved = try parent.matchingNumbers(below)
    } else {
      saved = try coordinator.store.fetch(below)
    }
    return merge(saved, with: unsaved, by: request.order, in: root)
  }

  /// Returns the unsaved objects that match a request.
  private func pendingRows(
    of request: StoreRequest
  ) throws(FetchError) -> [(number: Int64, snapshot: Snapshot)] {
    var rows: [(number: Int64, snapshot: Snapshot)] = []
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
      rows.append((object.objectID.number, object.snapshot))
    }
    return rows
  }

  package func compile(
    _ predicate: FetchPredicate?, for entity: EntityDescription
  ) throws(FetchError) -> CompiledPredicate? {
    do {
      return try predicate?.compile(for: entity, environment: environment, graph: self)
    } catch {
      throw FetchError.predicate(error)
    }
  }

  /// Sorts rows by keys that are not their own values.
  private func sort(
    _ numbers: [Int64], of entity: EntityDescription, by order: RowOrder
  ) -> [Int64] {
    var rows: [(number: Int64, snapshot: Snapshot)] = numbers.compactMap { number in
      values(of: number, in: entity).map { (number, order.keys(of: $0)) }
    }
    order.sort(&rows)
    return rows.map(\.number)
  }

  /// Returns the identity and the values of an object as they are now.
  func values(of number: Int64, in entity: EntityDescription) -> ObjectValues? {
    if let object = registered(number, in: entity.root) { return object.values }
    guard let row = sourceRow(number, in: entity.root) else { return nil }
    return ObjectValues(
      objectID: ObjectID(entity: row.entity, number: number), snapshot: row.snapshot, graph: self)
  }

  /// Merges unsaved rows into the store's: a search each, then one pass.
  private func merge(
    _ saved: [Int64], with unsaved: [(number: Int64, snapshot: Snapshot)], by order: RowOrder,
    in root: EntityDescription
  ) -> [Int64] {
    guard !unsaved.isEmpty else { return saved }
    guard !saved.isEmpty else { return unsaved.map(\.number) }
    var merged: [Int64] = []
    merged.reserveCapacity(saved.count + unsaved.count)
    var start = 0
    for row in unsaved {
      var low = start
      var high = saved.count
      while low < high {
        let middle = (low + high) / 2
        guard let other = sourceSnapshot(of: saved[middle], in: root) else { break }
        if order.compare(other, saved[middle], row.snapshot, row.number) < 0 {
          low = middle + 1
        } else {
          high = middle
        }
      }
      merged += saved[start..<low]
      merged.append(row.number)
      start = low
    }
    return merged + saved[start...]
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
  /// What a context only has read may be older than that.
  func foundRow(
    _ number: Int64, in root: EntityDescription, asPending: Bool = true
  ) -> StoreRow? {
    if let object = registered(number, in: root) {
      if object.isPending && asPending { return object.row }
      if parent == nil && !isStale(object) && !object.isPending { return object.row }
    }
    if let parent { return parent.foundRow(number, in: root) }
    return sourceRow(number, in: root)
  }

  /// Returns the values by which a fetch found an object.
  func fetchedValues(
    of number: Int64, in entity: EntityDescription, by order: RowOrder
  ) -> ObjectValues? {
    guard !order.needsKeys, hasStaleObjects, let row = foundRow(number, in: entity.root) else {
      return values(of: number, in: entity)
    }
    return ObjectValues(
      objectID: ObjectID(entity: row.entity, number: number), snapshot: row.snapshot, graph: self)
  }

  /// Whether this context or one below it has objects that are older than the
  /// store's.
  private var hasStaleObjects: Bool { !stale.isEmpty || parent?.hasStaleObjects == true }

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
  fileprivate func window(of numbers: [Int64]) -> [Int64] {
    guard fetchOffset > 0 || fetchLimit > 0 else { return numbers }
    let rest = numbers.dropFirst(max(fetchOffset, 0))
    return Array(fetchLimit > 0 ? rest.prefix(fetchLimit) : rest)
  }
}
