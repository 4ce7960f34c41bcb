package import FetchedResults
import GRDB

extension SQLiteStore {
  package func objectIDs(matching request: StoreRequest) throws(FetchError) -> [ObjectID] {
    let numbers = try fetch(request).numbers
    let root = request.entity.root
    if source.layout.families[root]?.count == 1 {
      return numbers.map { ObjectID(entity: root, number: $0) }
    }
    do {
      return try entities(of: numbers, in: root)
    } catch {
      throw FetchError.store(StoreError(error, store: source.name))
    }
  }

  /// Returns the identities of rows, by their numbers.
  private func entities(of numbers: [Int64], in root: EntityDescription) throws -> [ObjectID] {
    guard let table = source.layout.table(of: root)?.name else { return [] }
    return try source.read { connection in
      var found: [Int64: EntityDescription] = Dictionary(minimumCapacity: numbers.count)
      var start = 0
      while start < numbers.count {
        let part = numbers[start..<min(numbers.count, start + Self.numbersInStatement)]
        start = part.endIndex
        let marks = Array(repeating: "?", count: part.count).joined(separator: ", ")
        let statement = try connection.statement(
          "SELECT t0.Z_PK, t0.Z_ENT FROM \(table.quotedForSQL) t0 WHERE t0.Z_PK IN (\(marks))")
        statement.bind(part)
        try statement.forEachRow { row in
          guard let entity = source.layout.entities[row.integer(1)] else {
            throw UnreadableRow(table: table, number: row.integer(0), entity: row, at: 1)
          }
          found[row.integer(0)] = entity
        }
      }
      return numbers.compactMap { number in
        found[number].map { ObjectID(entity: $0, number: number) }
      }
    }
  }

  package func groups(_ groups: StoreGroups) throws(FetchError) -> [FoundGroup]? {
    guard let fetch = GroupFetch(groups, layout: source.layout) else { return nil }
    do {
      return try source.read { connection in
        beginFunctions(locale: groups.request.locale)
        let found = try fetch.run(on: connection)
        return hasFailedFunction ? nil : found
      }
    } catch let error as FetchError {
      throw error
    } catch {
      throw FetchError.store(StoreError(error, store: source.name))
    }
  }

  package func execute(_ batch: StoreBatch) throws(FetchError) -> [ObjectID] {
    var ids: [ObjectID] = []
    var transaction: Int64?
    do {
      try write { connection in
        ids = try objectIDs(matching: batch.request)
        guard !ids.isEmpty else { return }
        try batch.willWrite(ids)
        let writer = BatchWriter(
          layout: source.layout, connection: connection, condition: condition(of: batch))
        switch batch.action {
        case .delete: try writer.delete(ids)
        case .update(let settings): try update(ids, by: settings, batch, writer, connection)
        }
        if history != nil {
          transaction = try noteHistory(of: batch.historyChanges(of: ids), in: connection)
        }
      }
    } catch let error as FetchError {
      throw error
    } catch StoreError.sharedUniqueValues {
      throw FetchError.store(sharedUniqueValues(of: ids, batch))
    } catch {
      throw FetchError.store(StoreError(error, store: source.name))
    }
    if !ids.isEmpty { didWrite(asTransaction: transaction) }
    if case .delete = batch.action { noteDeletions(ids) }
    return ids
  }

  /// Returns the SQL condition of a batch; nil if SQL cannot check the whole predicate.
  private func condition(of batch: StoreBatch) -> SQLCondition? {
    let entities = SQLCondition(entitiesOf: batch.request, source.layout)
    guard batch.isByPredicate else { return nil }
    guard let predicate = batch.request.predicate else { return entities }
    guard let filter = predicate.filter, filter.isWhole, !hasFailedFunction else { return nil }
    return SQLCondition(filter, of: batch.request.entity, source.layout).map { entities.and($0) }
  }

  private func update(
    _ ids: [ObjectID], by settings: [StoreBatch.Setting], _ batch: StoreBatch,
    _ writer: BatchWriter, _ connection: StoreConnection
  ) throws {
    let entity = batch.request.entity
    let hasSum = settings.contains { if case .sum = $0.value { true } else { false } }
    do {
      if batch.derive == nil, try writer.update(ids, of: entity, settings) { return }
    } catch StoreError.sharedUniqueValues where hasSum {
      // Values that objects exchange are unique again at the end.
    }
    do {
      try RowWriter(layout: source.layout, connection: connection, external: external)
        .write(changes(of: ids, by: settings, batch))
    } catch StoreError.notUnique {
      throw StoreError.sharedUniqueValues(entity: entity.name)
    }
  }

  /// Returns the changes that an update makes to rows.
  private func changes(
    of ids: [ObjectID], by settings: [StoreBatch.Setting], _ batch: StoreBatch
  ) throws -> [StoreChange] {
    var changes: [StoreChange] = []
    for (id, row) in try zip(ids, rows(ids, in: batch.request.entity.root)) {
      guard let row else { continue }
      changes.append(
        StoreChange(
          objectID: id, snapshot: try batch.updated(row.snapshot, of: id, by: settings),
          isInsertion: false, version: row.version + 1))
    }
    return changes
  }

  /// Finds the constraint that an update would break.
  ///
  /// SQLite names the first one that it checks, in an order of its own.
  private func sharedUniqueValues(of ids: [ObjectID], _ batch: StoreBatch) -> StoreError {
    var changes: [StoreChange] = []
    if case .update(let settings) = batch.action {
      changes = (try? self.changes(of: ids, by: settings, batch)) ?? []
    }
    return sharedUniqueValues(of: changes, else: batch.request.entity)
  }

  private func rows(_ ids: [ObjectID], in root: EntityDescription) throws -> [StoreRow?] {
    try rows(ids.map(\.number), in: root)
  }
}
