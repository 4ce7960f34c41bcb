import Basics

/// Performs fetches of one context: its own unsaved objects laid over the rows of its source.
struct ContextFetch {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Returns the objects that match, unsaved changes included.
  func objects(_ request: FetchRequest) throws(FetchError) -> [ManagedObject] {
    var found: [ManagedObject] = []
    try passObjects(
      of: request, restart: { found.removeAll(keepingCapacity: true) },
      pass: { found.append($0) })
    return found
  }

  /// Passes on the objects that match in the request's order, unsaved changes included.
  ///
  /// - Parameters:
  ///   - restart: Called if the objects that were passed on so far are not the result.
  ///   - pass: Takes the next object. It must not use the context.
  func passObjects(
    of request: FetchRequest, restart: () -> Void, pass: (ManagedObject) -> Void
  ) throws(FetchError) {
    // A request that cannot be answered ends no turn.
    _ = try sortOrder(of: request)
    let request = try process(request)
    try withoutActuallyEscaping(restart) { restart throws(FetchError) in
      try withoutActuallyEscaping(pass) { pass throws(FetchError) in
        // Others may save between two statements, and no one can say before how many there are:
        // also the predicate and a damaged row decide it.
        try readingOneState { () throws(FetchError) in
          try passObjects(of: request, to: FetchReceiver(restart: restart, pass: pass))
        }
      }
    }
  }

  /// Passes on the objects that match, without ending a turn.
  private func passObjects(
    of request: FetchRequest, to receiver: FetchReceiver
  ) throws(FetchError) {
    let root = request.entity.root
    let adoption = adoptsWhileReading(request) ? RowAdoption(in: context, root, receiver) : nil
    let rows: FoundRows
    do {
      rows = try visibleRows(request, readsRows: readsRows(request), receiver: adoption)
    } catch {
      adoption?.abandon()
      throw error
    }
    adoption?.finish()
    let options = FetchOptions(context)
    if request.shouldRefreshRefetchedObjects {
      options.refresh(rows.numbers, in: root)
      try context.checkReads()
    }
    if !rows.wereReceived { try passObjects(of: rows, for: request, to: receiver) }
    try context.checkReads()
    if !request.relationshipKeyPathsForPrefetching.isEmpty {
      let table = context.table(of: root)
      options.prefetch(
        request.relationshipKeyPathsForPrefetching, of: rows.numbers.compactMap { table[$0]?.row })
      try context.checkReads()
    }
  }

  /// Whether each row becomes an object while the store reads the next one.
  ///
  /// Hooks and classes of objects may call any code, also code that reads from the store. Newer
  /// values are only given to objects that were here before the fetch.
  private func adoptsWhileReading(_ request: FetchRequest) -> Bool {
    let coordinator = context.persistentStoreCoordinator
    return readsRows(request) && request.includesPendingChanges
      && !request.shouldRefreshRefetchedObjects && coordinator.hooks.isEmpty
      && coordinator.objectClasses.isEmpty
  }

  /// Passes on the objects of rows: those that are here, and objects made of the other rows.
  private func passObjects(
    of rows: FoundRows, for request: FetchRequest, to receiver: FetchReceiver
  ) throws(FetchError) {
    let root = request.entity.root
    let table = context.table(of: root)
    receiver.restart()
    var missing = 0
    rows.rows.forEach(of: rows.numbers) { number, row in
      if let object = table[number] {
        receiver.pass(object)
      } else if let row {
        receiver.pass(context.adopt(row, number: number))
      } else {
        missing += 1
      }
    }
    guard missing > 0 else { return }
    receiver.restart()
    // A child context ignores a batch size.
    let size = context.parent == nil ? request.fetchBatchSize : 0
    try context.source.inBatches(rows.numbers, of: size) { numbers throws(FetchError) in
      for case let object? in context.objects(numbers, in: root) { receiver.pass(object) }
      try context.checkReads()
    }
  }

  /// Processes what changed, as every fetch does first.
  ///
  /// - Returns: The request with new numbers, if unsaved objects got some.
  private func process(_ request: FetchRequest) throws(FetchError) -> FetchRequest {
    let request = Renumbering(context).renumberBeforeReading(request)
    context.process()
    if context.isTurnStopped { throw .cancelled }
    return request
  }

  /// Whether a fetch reads its rows whole, in the statement that finds them, and not in batches at
  /// their first access.
  ///
  /// A child context reads what its parent has, which may be newer.
  func readsRows(_ request: FetchRequest) -> Bool {
    request.fetchBatchSize <= 0 && context.parent == nil
      && context.persistentStoreCoordinator.store.readsInBatches
  }

  /// Returns how many objects match, without making objects of them.
  func count(for request: FetchRequest) throws(FetchError) -> Int {
    let order = try sortOrder(of: request)
    let request = try process(request)
    if !request.includesPendingChanges {
      let (fetch, request) = FetchOptions.fetchOfSaved(request, for: context)
      return try fetch.count(for: request)
    }
    // What is unsaved has to be counted among the rows, one by one.
    guard context.parent == nil, !order.needsKeys,
      !context.hasPendingObjects(of: request.entity.root)
    else {
      return try numbers(request).count
    }
    let all = try asking(request, by: order, sectionIndex: nil) { request throws(FetchError) in
      try readingOneState(for: request) { () throws(FetchError) in
        try context.persistentStoreCoordinator.store.count(request)
      }
    }
    let rest = max(all - max(request.fetchOffset, 0), 0)
    return request.fetchLimit > 0 ? min(rest, request.fetchLimit) : rest
  }

  /// Returns the numbers of the matching objects, in the request's order.
  func numbers(_ request: FetchRequest) throws(FetchError) -> [Int64] {
    _ = try sortOrder(of: request)
    let request = try process(request)
    return try readingOneState { () throws(FetchError) in try visibleRows(request).numbers }
  }

  /// Returns the matching rows in the request's order, without ending a turn.
  ///
  /// Unsaved changes count if the request includes them.
  ///
  /// - Parameter readsRows: Whether the rows are wanted with their values.
  private func visibleRows(
    _ request: FetchRequest, readsRows: Bool = false, receiver: RowAdoption? = nil
  ) throws(FetchError) -> FoundRows {
    if !request.includesPendingChanges {
      let (fetch, request) = FetchOptions.fetchOfSaved(request, for: context)
      return try fetch.visibleRows(request, readsRows: readsRows)
    }
    return try processedRows(
      request, sectionIndex: nil, readsRows: readsRows, receiver: receiver)
  }

  /// Returns the matching rows in the request's order, unsaved changes included, without ending a
  /// turn.
  ///
  /// - Parameters:
  ///   - sectionIndex: The place in a snapshot of the value that rows are put in
  ///     sections by; only where the sort compares rows' own values.
  ///   - readsRows: Whether the rows are wanted with their values.
  ///   - receiver: Takes the rows that are read whole, unless they have to be sorted by keys.
  func processedRows(
    _ request: FetchRequest, sectionIndex: Int?, readsRows: Bool = false,
    receiver: RowAdoption? = nil
  ) throws(FetchError) -> FoundRows {
    let order = try sortOrder(of: request)
    let found = try matchingRows(
      of: request, by: order, sectionIndex: sectionIndex, readsRows: readsRows,
      receiver: order.needsKeys ? nil : receiver)
    guard order.needsKeys else { return found }
    let keys = try keys(of: found, in: request.entity, by: order)
    var sorted = FoundRows(
      numbers: try cut(sort(found.numbers, by: order, keys), of: request, by: order, keys))
    sorted.rows = found.rows
    return sorted
  }

  /// Returns the matching rows' numbers in the request's order, with the keys
  /// by which each is placed and put in a section.
  ///
  /// No turn is ended.
  ///
  /// - Parameter order: The request's order, with a section.
  func keyedRows(
    _ request: FetchRequest, by order: RowOrder, readsRows: Bool
  ) throws(FetchError) -> (rows: FoundRows, keys: [Int64: ObjectSnapshot]) {
    guard try sortOrder(of: request).needsKeys else {
      let found = try processedRows(request, sectionIndex: nil, readsRows: readsRows)
      return (found, try keys(of: found, in: request.entity, by: order))
    }
    let found = try matchingRows(
      of: request, by: order, sectionIndex: nil, readsRows: readsRows)
    let keys = try keys(of: found, in: request.entity, by: order)
    var sorted = FoundRows(
      numbers: try cut(sort(found.numbers, by: order, keys), of: request, by: order, keys))
    sorted.rows = found.rows
    return (sorted, keys)
  }

  /// Returns what an offset and a limit leave of rows that are placed by keys.
  ///
  /// The offset and the limit cut what is saved, and the limit counts again with
  /// the unsaved rows. A child context's rows are cut as they are.
  ///
  /// - Parameters:
  ///   - numbers: The matching rows in order.
  ///   - keys: The keys of each of them.
  private func cut(
    _ numbers: [Int64], of request: FetchRequest, by order: RowOrder,
    _ keys: [Int64: ObjectSnapshot]
  ) throws(FetchError) -> [Int64] {
    let root = request.entity.root
    func window(_ numbers: [Int64]) -> [Int64] {
      FoundRows(numbers: numbers).window(offset: request.fetchOffset, limit: request.fetchLimit)
        .numbers
    }
    guard request.fetchLimit > 0 || request.fetchOffset > 0, context.parent == nil,
      context.hasPendingObjects(of: root)
    else { return window(numbers) }
    let saved = try asking(request, by: order, sectionIndex: nil) { asked throws(FetchError) in
      try context.persistentStoreCoordinator.store.fetch(asked).numbers
    }
    var savedKeys = keys
    for object in context.pending where object.entity.root === root {
      savedKeys[object.objectID.number] = object.committed.map { committed in
        order.keys(
          of: ObjectValues(objectID: object.objectID, snapshot: committed, graph: context))
      }
    }
    let kept = Set(window(sort(saved, by: order, savedKeys)))
    let rows = numbers.filter { kept.contains($0) || isPending($0, in: root) }
    return FoundRows(numbers: rows).window(offset: 0, limit: request.fetchLimit).numbers
  }

  /// Whether the context has unsaved changes of an object.
  private func isPending(_ number: Int64, in root: EntityDescription) -> Bool {
    context.registered(number, in: root)?.isPending == true
  }

  /// Whether the store's row of a number is hidden by the context's own object of that number.
  ///
  /// The object has unsaved changes, or it was deleted before it was saved and another process has
  /// used its number.
  private func isHidden(_ number: Int64, in root: EntityDescription) -> Bool {
    guard let object = context.registered(number, in: root) else { return false }
    return object.isPending || object.isNewAndGone
  }

  /// - Throws: ``FetchError`` if the entity or a sort key cannot be fetched.
  private func sortOrder(of request: FetchRequest) throws(FetchError) -> RowOrder {
    try checkEntity(of: request)
    return try RowOrder(
      request.sortDescriptors, entity: request.entity, locale: context.environment.locale)
  }

  /// Entities of another model have other tables of rows, in which nothing would be found.
  func checkEntity(of request: FetchRequest) throws(FetchError) {
    let model = context.persistentStoreCoordinator.managedObjectModel
    guard model.entitiesByName[request.entity.name] === request.entity else {
      throw .foreignEntity(request.entity.name)
    }
  }

  /// Returns the matching rows: all of them, by number, where the order needs keys, otherwise those
  /// that offset and limit leave.
  private func matchingRows(
    of request: FetchRequest, by order: RowOrder, sectionIndex: Int?, readsRows: Bool,
    receiver: RowAdoption? = nil
  ) throws(FetchError) -> FoundRows {
    try asking(request, by: order, sectionIndex: sectionIndex) { asked throws(FetchError) in
      var asked = asked
      asked.readsRows = readsRows
      asked.receiver = receiver
      asked.numbersReceived = !request.relationshipKeyPathsForPrefetching.isEmpty
      if !order.needsKeys {
        asked.offset = max(request.fetchOffset, 0)
        asked.limit = max(request.fetchLimit, 0)
      }
      return try readingOneState(for: asked) { () throws(FetchError) in try matchingRows(asked) }
    }
  }

  /// Calls `body` with what a controller's fetch asks of the store if nothing is unsaved.
  ///
  /// - Parameters:
  ///   - keepsLimit: Whether the controller keeps the limit: then it asks for the numbers of all
  ///     rows that match.
  ///   - body: Also takes whether the store sorts the rows; otherwise they are sorted by their keys
  ///     afterwards.
  func withStoreRequest<Answer>(
    for request: FetchRequest, sectionNameKeyPath: String?, keepsLimit: Bool,
    _ body: (_ asked: StoreRequest, _ isSorted: Bool) -> Answer
  ) throws(FetchError) -> Answer {
    let order = try RowOrder(
      request.sortDescriptors, section: sectionNameKeyPath, entity: request.entity,
      locale: context.environment.locale)
    return try asking(request, by: order, sectionIndex: order.sectionIndex) { asked in
      var asked = asked
      let keepsLimit = keepsLimit && LimitWindow(request) != nil
      asked.readsRows = !keepsLimit && readsRows(request)
      if !order.needsKeys, !keepsLimit {
        asked.offset = max(request.fetchOffset, 0)
        asked.limit = max(request.fetchLimit, 0)
      }
      return body(asked, !order.needsKeys)
    }
  }

  /// Calls `body` with what a batch request asks of the store.
  ///
  /// - Parameter body: Also takes whether the request's predicate alone says which rows.
  func withBatchRequest<Answer>(
    _ request: FetchRequest, _ body: (StoreRequest, Bool) throws(FetchError) -> Answer
  ) throws(FetchError) -> Answer {
    guard request.fetchLimit > 0 || request.fetchOffset > 0 else {
      return try asking(request, by: .byNumber, sectionIndex: nil) { asked throws(FetchError) in
        try body(asked, true)
      }
    }
    let numbers = Set(try processedRows(request, sectionIndex: nil).numbers)
    return try asking(request, by: .byNumber, sectionIndex: nil) { asked throws(FetchError) in
      try body(asked.excluding { !numbers.contains($0) }, false)
    }
  }

  /// Lets a check stop what is asked of a store.
  func stopping<Answer>(
    by check: StopCheck?, _ body: () throws(FetchError) -> Answer
  ) throws(FetchError) -> Answer {
    guard let check else { return try body() }
    do throws(FetchError) {
      return try check.watching(body)
    } catch {
      guard check.isStopped else { throw error }
      // What a stopped store or predicate says is not why the fetch ended.
      _ = context.persistentStoreCoordinator.takeReadFailure()
      throw .cancelled
    }
  }

  /// Asks something of a store by a request, and throws what could not be read in the meantime.
  private func asking<Answer>(
    _ request: FetchRequest, by order: RowOrder, sectionIndex: Int?,
    _ body: (StoreRequest) throws(FetchError) -> Answer
  ) throws(FetchError) -> Answer {
    let graph =
      context.persistentStoreCoordinator.store.readsInBatches ? CachingObjectGraph(context) : nil
    let check = context.stopCheck(counts: false)
    var isCancelled = context.environment.isCancelled
    if let check {
      isCancelled = { [isCancelled] in check.isWanted() || isCancelled?() == true }
    }
    // A predicate does not hold the graph that it asks.
    return try withExtendedLifetime(graph) { () throws(FetchError) in
      let asked = StoreRequest(
        entity: request.entity, includesSubentities: request.includesSubentities,
        predicate: try compile(request.predicate, for: request.entity, in: graph),
        order: order.needsKeys ? .byNumber : order,
        sectionIndex: order.needsKeys ? nil : sectionIndex, locale: context.environment.locale,
        isExcluded: { _ in false }, isCancelled: isCancelled)
      let answer = try stopping(by: check) { () throws(FetchError) in try body(asked) }
      if StopCheck.isStopped {
        // What a stopped store or predicate says is not why the fetch ended.
        _ = context.persistentStoreCoordinator.takeReadFailure()
        throw .cancelled
      }
      try context.checkReads()
      return answer
    }
  }

  /// Returns the matching objects of this context laid over its source's.
  ///
  /// Nothing is processed: a child's fetch ends no turn of its parent.
  ///
  /// An offset and a limit cut the source's rows, by their saved values. The unsaved
  /// ones come in then, and the limit counts once more.
  private func matchingRows(_ request: StoreRequest) throws(FetchError) -> FoundRows {
    let root = request.entity.root
    var unsaved = try pendingRows(of: request)
    request.order.sort(&unsaved)
    let hasPending = context.pending.contains { $0.entity.root === root }
    let isCut = request.limit > 0 || request.offset > 0
    var below = hasPending && !isCut ? request.excluding { isPending($0, in: root) } : request
    // The limit counts again with the unsaved objects. A row that it then leaves out was not asked
    // for, so it must not become an object.
    if hasPending && isCut { below.receiver = nil }
    func found() throws(FetchError) -> FoundRows {
      let store = context.persistentStoreCoordinator.store
      // A row that the receiver takes is only hidden if others have saved, which the store has
      // noticed when it began to read this state.
      let hidesSaved = store.foreignSaves > 0
      if hidesSaved { below.numbersReceived = true }
      let rows: FoundRows
      if let parent = context.parent {
        rows = try ContextFetch(parent).matchingRows(below)
      } else {
        rows = try store.fetch(below)
      }
      guard hasPending && isCut || hidesSaved else { return rows }
      return rows.removing { isHidden($0, in: root) }
    }
    guard !unsaved.isEmpty else { return try found() }
    // The places are those among the rows as they were found.
    let rows = try readingOneState { () throws(FetchError) in
      let saved = try found()
      return saved.merged(with: arrivals(of: unsaved, among: saved.numbers, for: request))
    }
    return isCut ? rows.window(offset: 0, limit: request.limit) : rows
  }

  /// Calls `body`, which answers a request, so that it reads one state of the store.
  private func readingOneState<Answer>(
    for request: StoreRequest, _ body: () throws(FetchError) -> Answer
  ) throws(FetchError) -> Answer {
    // Such a predicate may read related objects by statements of their own.
    guard request.predicate?.crossesRelationships == true else { return try body() }
    return try readingOneState(body)
  }

  /// Calls `body`, all of whose reading is of one state of the store.
  func readingOneState<Result>(
    _ body: () throws(FetchError) -> Result
  ) throws(FetchError) -> Result {
    do {
      return try context.persistentStoreCoordinator.store.readingOneState(body)
    } catch let error as FetchError {
      throw error
    } catch let error as StoreError {
      throw FetchError.store(error)
    } catch {
      throw FetchError.store(
        .unusable(store: context.persistentStoreCoordinator.store.identifier, reason: "\(error)"))
    }
  }

  /// Returns the unsaved objects that match a request.
  private func pendingRows(
    of request: StoreRequest
  ) throws(FetchError) -> [SortableRow] {
    var rows: [SortableRow] = []
    for object in context.pending where !object.isDeleted && request.includes(object.entity) {
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

  func compile(
    _ predicate: FetchPredicate?, for entity: EntityDescription, in graph: (any ObjectGraph)? = nil
  ) throws(FetchError) -> CompiledPredicate? {
    do {
      return try predicate?.compile(
        for: entity, environment: context.environment, graph: graph ?? context)
    } catch {
      throw FetchError.predicate(error)
    }
  }

  /// Returns the keys of rows, as they are in this context now.
  ///
  /// - Complexity: O(*n*): every row is read, unless it was found with its values.
  func keys(
    of found: FoundRows, in entity: EntityDescription, by order: RowOrder
  ) throws(FetchError) -> [Int64: ObjectSnapshot] {
    let numbers = found.numbers
    var keys: [Int64: ObjectSnapshot] = Dictionary(minimumCapacity: numbers.count)
    let table = context.table(of: entity.root)
    let graph = CachingObjectGraph(context)
    let read = found.rows.byNumber()
    try context.source.inBatches(numbers) { numbers throws(FetchError) in
      func keep(_ row: StoreRow?, _ number: Int64) {
        guard let row else { return }
        let id = ObjectID(entity: row.entity, number: number)
        keys[number] = order.keys(
          of: ObjectValues(objectID: id, snapshot: row.snapshot, graph: graph))
      }
      for number in numbers where table[number] == nil { keep(read[number], number) }
      let missing = numbers.filter { table[$0] == nil && read[$0] == nil }
      for (number, row) in zip(missing, context.source.rows(missing, in: entity.root)) {
        keep(row, number)
      }
      for number in numbers {
        guard let object = table[number] else { continue }
        keys[number] = order.keys(
          of: ObjectValues(objectID: object.objectID, snapshot: object.snapshot, graph: graph))
      }
      try context.checkReads()
    }
    return keys
  }

  /// Sorts rows by their keys; those without any are left out.
  private func sort(
    _ numbers: [Int64], by order: RowOrder, _ keys: [Int64: ObjectSnapshot]
  ) -> [Int64] {
    var stop = StopCheck.Loop()
    var rows: [SortableRow] = numbers.compactMap { number in
      if stop.isWanted(after: 2) { return nil }
      return keys[number].map { SortableRow(number: number, snapshot: $0) }
    }
    order.sort(&rows)
    return rows.map(\.number)
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
    var known: [Int64: ObjectSnapshot] = [:]
    let mustRead = context.persistentStoreCoordinator.store.readsInBatches
    func snapshot(of number: Int64) -> ObjectSnapshot? {
      guard mustRead else { return sourceSnapshot(of: number, in: root) }
      if let snapshot = known[number] { return snapshot }
      let snapshot = sourceSnapshot(of: number, in: root)
      known[number] = snapshot
      return snapshot
    }
    var start = 0
    var arrivals: [FoundRows.Arrival] = []
    arrivals.reserveCapacity(unsaved.count)
    for (place, row) in unsaved.enumerated() {
      if StopCheck.isWanted(at: place) { break }
      start = saved[start...].partitioningIndex { number in
        guard let other = snapshot(of: number) else { return true }
        return request.order.compare(other, number, row.snapshot, row.number) >= 0
      }
      arrivals.append(
        FoundRows.Arrival(
          number: row.number, place: start,
          section: request.sectionIndex.map { row.snapshot[$0] } ?? .null))
    }
    return arrivals
  }

  /// Returns the values by which the source found an object.
  private func sourceSnapshot(of number: Int64, in root: EntityDescription) -> ObjectSnapshot? {
    context.source.foundRow(number, in: root, asPending: false)?.snapshot
  }
}
