/// Performs what a request asks for besides rows that match: saved membership, newer values,
/// related objects.
struct FetchOptions {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Returns the fetches that see what is saved and nothing else, with the request for
  /// them.
  ///
  /// A context that has read nothing sees just that: by whose values a row matches and
  /// is sorted, also those of related objects, is one question.
  static func fetchOfSaved(
    _ request: FetchRequest, for context: ManagedObjectContext
  ) -> (ContextFetch, FetchRequest) {
    let saved = ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
    saved.environment = context.environment
    var request = request
    request.includesPendingChanges = true
    return (ContextFetch(saved), request)
  }

  // MARK: Newer values

  /// Gives the objects that the context has the source's values, where those are newer;
  /// unsaved changes stay.
  ///
  /// - Complexity: O(*n*): every row of an object here is read.
  func refresh(_ numbers: [Int64], in root: EntityDescription) {
    let table = context.table(of: root)
    let held = numbers.filter { table[$0].map { !$0.isInserted && !$0.isDeleted } == true }
    context.source.inBatches(held) { numbers in
      for (number, row) in zip(numbers, context.source.rows(Array(numbers), in: root)) {
        guard let object = table[number], let row,
          row.version != object.version || context.stale.contains(object.objectID)
        else { continue }
        context.replacing.refresh(object, to: row, mergeChanges: true, by: .refreshed)
      }
    }
    context.reconciler.finish()
  }

  // MARK: Related objects

  /// Reads the objects that relationships of fetched rows lead to, all those of one
  /// relationship together.
  ///
  /// - Parameter keyPaths: Dotted; a key that is not a relationship ends its path.
  func prefetch(_ keyPaths: [String], of rows: [StoreRow]) {
    for keyPath in keyPaths {
      var level = rows
      for key in keyPath.split(separator: ".").map(String.init) where !level.isEmpty {
        level = related(to: level, by: key)
      }
    }
  }

  private func related(to rows: [StoreRow], by key: String) -> [StoreRow] {
    var numbers: Set<Int64> = []
    var root: EntityDescription?
    for row in rows {
      guard let ordinal = row.entity.relationshipOrdinal(named: key) else { continue }
      // The first of many that were read together reads the relationship for all.
      for id in row.snapshot[row.entity.attributes.count + ordinal].members {
        numbers.insert(id.number)
        root = id.entity.root
      }
    }
    guard let root else { return [] }
    var found: [StoreRow] = []
    context.source.inBatches(numbers.sorted()) { numbers in
      found += context.objects(numbers, in: root).compactMap { $0?.row }
    }
    return found
  }
}
