import PredicateSyntax

/// A fetch of dictionaries: values of what the store has, past unsaved changes.
struct DictionaryFetch {
  private let request: FetchRequest
  /// Reads what the store has.
  private let reader: ManagedObjectContext
  private let properties: [FetchedProperty]
  /// The key paths of the values that each row gives, or that all rows of a group share.
  private let keys: [String]
  /// Those of the properties that are computed of a group.
  private let aggregates: [FetchedProperty]
  private let isGrouped: Bool

  /// - Throws: ``FetchError`` if the properties do not fit together.
  init(_ request: FetchRequest, in context: ManagedObjectContext) throws(FetchError) {
    self.request = request
    reader = ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
    reader.environment = context.environment
    reader.progress = context.progress
    let check = DictionaryRequestCheck(request)
    properties = check.properties
    aggregates = properties.filter { $0.function != nil }
    isGrouped = check.isGrouped
    keys = isGrouped ? request.propertiesToGroupBy : properties.map(\.keyPath)
    try ContextFetch(reader).checkEntity(of: request)
    try check.check()
  }

  /// Returns the dictionaries in the request's order; without one, in order of the first rows.
  ///
  /// - Complexity: O(*n* log *n*) in the rows of the entity.
  func run() throws(FetchError) -> [FetchedDictionary] {
    let fetch = ContextFetch(reader)
    return try fetch.stopping(by: reader.stopCheck(counts: false)) { () throws(FetchError) in
      let found = try fetch.readingOneState { () throws(FetchError) -> [FoundGroup] in
        try groups()
      }
      let dictionaries = try dictionaries(of: found)
      let rest = dictionaries.dropFirst(max(request.fetchOffset, 0))
      return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
    }
  }

  /// Returns the dictionaries of those groups that the request asks for, in its order.
  private func dictionaries(
    of groups: [FoundGroup]
  ) throws(FetchError) -> [FetchedDictionary] {
    var stop = StopCheck.Loop(over: groups.count)
    var rows: [(group: FoundGroup, dictionary: FetchedDictionary)] = []
    let having = havingPredicate
    for group in groups {
      if stop.isWanted(after: 4) { throw .cancelled }
      let dictionary = dictionary(of: group)
      guard try matches(dictionary, having) else { continue }
      rows.append((group, dictionary))
    }
    try sort(&rows)
    guard request.returnsDistinctResults else { return rows.map(\.dictionary) }
    var seen: Set<[PropertyValue]> = []
    var distinct: [FetchedDictionary] = []
    for row in rows {
      if stop.isWanted(after: 4) { throw .cancelled }
      let key = row.dictionary.entries.map(\.value.groupKey)
      if seen.insert(key).inserted { distinct.append(row.dictionary) }
    }
    return distinct
  }

  // MARK: Groups

  private func groups() throws(FetchError) -> [FoundGroup] {
    var found: [FoundGroup]
    if let groups = try groupsOfStore() { found = groups } else { found = try groupsOfRows() }
    if found.isEmpty, isGrouped, request.propertiesToGroupBy.isEmpty {
      // What is computed of nothing is a row anyway, as in SQL.
      do {
        var none = GroupCollector(aggregates.compactMap(\.function), isGrouped: true)
        try none.add(0, keys: [], values: aggregates.map { _ in .null })
        found = try none.found()
      } catch {
        throw FetchError.predicate(error)
      }
    }
    return found
  }

  private var rowsOnly: FetchRequest {
    var rows = FetchRequest(entity: request.entity, predicate: request.predicate)
    rows.includesSubentities = request.includesSubentities
    return rows
  }

  /// Asks the store for the groups; nil if it does not form them.
  private func groupsOfStore() throws(FetchError) -> [FoundGroup]? {
    let entity = request.entity
    let places = keys.compactMap { entity.attributeIndex(named: $0) }
    let computed = aggregates.compactMap { aggregate in
      entity.attributeIndex(named: aggregate.keyPath).flatMap { place in
        aggregate.function.map { StoreGroups.Aggregate(function: $0, place: place) }
      }
    }
    guard places.count == keys.count, computed.count == aggregates.count else { return nil }
    return try ContextFetch(reader).withBatchRequest(rowsOnly) { asked, _ throws(FetchError) in
      try reader.persistentStoreCoordinator.store.groups(
        StoreGroups(request: asked, keys: places, aggregates: computed, isGrouped: isGrouped))
    }
  }

  /// Reads every row.
  private func groupsOfRows() throws(FetchError) -> [FoundGroup] {
    let paths = keys + aggregates.map(\.keyPath)
    let order = try RowOrder(
      paths.map { FetchSortDescriptor(key: $0) }, entity: request.entity,
      locale: reader.environment.locale)
    let graph = CachingObjectGraph(reader)
    var collector = GroupCollector(aggregates.compactMap(\.function), isGrouped: isGrouped)
    let numbers = try ContextFetch(reader).numbers(rowsOnly)
    var stop = StopCheck.Loop(over: numbers.count)
    try reader.source.inBatches(numbers) { numbers throws(FetchError) in
      for (number, row) in zip(numbers, reader.source.rows(Array(numbers), in: request.entity.root))
      {
        if stop.isWanted(after: 8) { throw .cancelled }
        guard let row else { continue }
        let snapshot = order.keys(
          of: ObjectValues(
            objectID: ObjectID(entity: row.entity, number: number), snapshot: row.snapshot,
            graph: graph))
        let values = order.keys.map { snapshot[$0.attribute] }
        do throws(InvalidPredicateError) {
          try collector.add(
            number, keys: Array(values[..<keys.count]), values: Array(values[keys.count...]))
        } catch {
          throw FetchError.predicate(error)
        }
      }
      try reader.checkReads()
    }
    let found: [FoundGroup]
    do {
      found = try collector.found()
    } catch {
      throw FetchError.predicate(error)
    }
    if StopCheck.isStopped(over: numbers.count) { throw .cancelled }
    return found
  }

  private func dictionary(of group: FoundGroup) -> FetchedDictionary {
    var aggregates = group.aggregates.makeIterator()
    return FetchedDictionary(
      properties.enumerated().map { index, property in
        if property.function != nil {
          return FetchedDictionary.Entry(name: property.name, value: aggregates.next() ?? .null)
        }
        let place = isGrouped ? keys.firstIndex(of: property.keyPath) : index
        let value = place.map { group.keys[$0] } ?? .null
        let isShared = isGrouped || request.returnsDistinctResults
        return FetchedDictionary.Entry(
          name: property.name, value: isShared ? value.withoutUnusedSign : value)
      })
  }

  /// The condition on the dictionaries, in which a key path is one key, as it is in them.
  private var havingPredicate: FetchPredicate? {
    guard let having = request.havingPredicate else { return nil }
    let names = Set(properties.map(\.name).filter { $0.contains(".") })
    guard !names.isEmpty else { return having }
    let tree = having.tree.rewritten { operand in
      guard let path = operand.keyPath, names.contains(path) else { return nil }
      return OperandTree(.key(path, of: nil), range: operand.range)
    }
    return FetchPredicate(tree: tree, arguments: having.arguments, variables: having.variables)
  }

  private func matches(
    _ dictionary: FetchedDictionary, _ having: FetchPredicate?
  ) throws(FetchError) -> Bool {
    guard let having else { return true }
    let values = Dictionary(dictionary.entries.map { ($0.name, $0.value) }) { first, _ in first }
    do {
      return try having.evaluate(with: values, environment: reader.environment)
    } catch {
      throw FetchError.predicate(error)
    }
  }

  // MARK: Order

  private func sort(
    _ rows: inout [(group: FoundGroup, dictionary: FetchedDictionary)]
  ) throws(FetchError) {
    let keys = request.sortDescriptors.map { descriptor in
      (
        descriptor: descriptor,
        strings: StringOrder(descriptor.selector, locale: reader.environment.locale),
        isValue: properties.contains { $0.name == descriptor.key }
      )
    }
    StopCheck.sort(&rows) { left, right in
      for key in keys {
        let name = key.descriptor.key
        let result = Self.compare(
          value(name, of: left, key.isValue), value(name, of: right, key.isValue), key.strings)
        if result != 0 { return key.descriptor.ascending == (result < 0) }
      }
      return left.group.first < right.group.first
    }
    if StopCheck.isStopped(over: rows.count) { throw .cancelled }
  }

  private func value(
    _ name: String, of row: (group: FoundGroup, dictionary: FetchedDictionary), _ isValue: Bool
  ) -> PropertyValue {
    if isValue { return row.dictionary[name] ?? .null }
    return keys.firstIndex(of: name).map { row.group.keys[$0] } ?? .null
  }

  private static func compare(_ left: PropertyValue, _ right: PropertyValue, _ strings: StringOrder)
    -> Int
  {
    switch (left, right) {
    case (.string(let a), .string(let b)): strings.compare(a, b)
    case (.object(let a), .object(let b)):
      a.number < b.number ? -1 : a.number == b.number ? 0 : 1
    // A NaN comes before all numbers, as in a fetch of objects.
    default: left.ordering(right)?.rawValue ?? (left.isNaN ? 0 : 1) - (right.isNaN ? 0 : 1)
    }
  }
}

/// Checks that the properties of a fetch of dictionaries fit together.
package struct DictionaryRequestCheck {
  private let request: FetchRequest
  /// The values of each dictionary.
  let properties: [FetchedProperty]
  /// Whether a dictionary describes a group of rows rather than one row.
  let isGrouped: Bool

  package init(_ request: FetchRequest) {
    self.request = request
    let groups = request.propertiesToGroupBy
    let names =
      groups.isEmpty
      ? request.entity.attributes.filter { !$0.isTransient }.map(\.name) : groups
    properties =
      request.propertiesToFetch.isEmpty
      ? names.map { FetchedProperty($0) } : request.propertiesToFetch
    isGrouped = !groups.isEmpty || properties.contains { $0.function != nil }
  }

  /// - Throws: ``FetchError`` in Apple's words if Core Data has them.
  package func check() throws(FetchError) {
    let groups = request.propertiesToGroupBy
    for path in properties.map(\.keyPath) + groups { try checkPath(path) }
    for property in properties { try checkFunction(of: property) }
    var names: Set<String> = []
    for property in properties where !names.insert(property.name).inserted {
      throw FetchError.repeatedProperty(property.name)
    }
    let plain = properties.filter { $0.function == nil }.map(\.keyPath)
    if isGrouped, let property = plain.first(where: { !groups.contains($0) }) {
      throw FetchError.ungroupedProperty(property, groups: groups)
    }
    guard request.havingPredicate == nil || !groups.isEmpty else {
      throw FetchError.havingWithoutGroup
    }
    for path in request.havingPredicate?.tree.keyPaths ?? [] where !names.contains(path) {
      throw FetchError.notInResult(path, clause: "having", names: names.sorted())
    }
    let sortable = names.union(isGrouped ? groups : plain)
    for key in request.sortDescriptors.map(\.key) where !sortable.contains(key) {
      throw FetchError.notInResult(key, clause: "sort", names: sortable.sorted())
    }
  }

  private func checkPath(_ path: String) throws(FetchError) {
    do {
      try RowOrder.check(path, of: request.entity, isSort: true)
    } catch {
      throw error == .toManyKey ? FetchError.toManyProperty(path) : error
    }
  }

  private func checkFunction(of property: FetchedProperty) throws(FetchError) {
    guard let function = property.function, function == .sum || function == .average else { return }
    guard request.entity.attribute(atKeyPath: property.keyPath)?.type.isNumeric == true else {
      throw FetchError.notNumeric(property.keyPath, function: function.rawValue)
    }
  }
}

/// Groups rows by their values, and computes functions of each group, row by row.
package struct GroupCollector {
  private let functions: [FetchedProperty.Function]
  private let isGrouped: Bool
  private var groups: [Group] = []
  private var places: [[PropertyValue]: Int] = [:]

  private struct Group {
    let first: Int64
    let keys: [PropertyValue]
    var totals: [Total]
  }

  /// - Parameter isGrouped: Whether rows with the same keys form one group.
  package init(_ functions: [FetchedProperty.Function], isGrouped: Bool) {
    self.functions = functions
    self.isGrouped = isGrouped
  }

  /// Adds a row; rows come in order of their numbers.
  ///
  /// - Throws: ``InvalidPredicateError`` if a value is not a number.
  package mutating func add(
    _ number: Int64, keys: [PropertyValue], values: [PropertyValue]
  ) throws(InvalidPredicateError) {
    let place: Int
    let shared = keys.contains(where: \.isNaN) ? keys.map(\.groupKey) : keys
    if isGrouped, let known = places[shared] {
      place = known
    } else {
      place = groups.count
      if isGrouped { places[shared] = place }
      groups.append(
        Group(first: number, keys: keys, totals: functions.map { _ in Total() }))
    }
    for (index, value) in values.enumerated() {
      try groups[place].totals[index].add(value, for: functions[index])
    }
  }

  /// Returns the groups in order of their first rows, without the last ones if the work is to stop.
  package func found() throws(InvalidPredicateError) -> [FoundGroup] {
    var found: [FoundGroup] = []
    var stop = StopCheck.Loop(over: groups.count)
    for group in groups {
      if stop.isWanted(after: 4) { break }
      var aggregates: [PropertyValue] = []
      for (function, total) in zip(functions, group.totals) {
        aggregates.append(try total.value(of: function))
      }
      found.append(FoundGroup(first: group.first, keys: group.keys, aggregates: aggregates))
    }
    return found
  }
}

/// The state of a function over the values of a group.
///
/// Nil values do not count.
private struct Total {
  private var count: Int64 = 0
  private var sum = PredicateArithmetic.Number.int(0)
  private var extreme = PropertyValue.null

  mutating func add(
    _ value: PropertyValue, for function: FetchedProperty.Function
  ) throws(InvalidPredicateError) {
    guard !value.isNull else { return }
    count += 1
    switch function {
    case .count: break
    case .sum, .average:
      let number = try PredicateStatistics.number(.value(value), function.rawValue)
      sum = try PredicateArithmetic.apply(.add, sum, number)
    case .min: replaceExtreme(by: value, if: .ascending)
    case .max: replaceExtreme(by: value, if: .descending)
    }
  }

  /// Keeps the more extreme value; a NaN only if there is no number.
  private mutating func replaceExtreme(by value: PropertyValue, if wanted: ValueOrdering) {
    if extreme.isNull || (extreme.isNaN && !value.isNaN)
      || Self.ordering(value, extreme) == wanted
    {
      extreme = value.withoutUnusedSign
    }
  }

  /// Compares two values; objects by their numbers, as a sort does.
  private static func ordering(_ left: PropertyValue, _ right: PropertyValue) -> ValueOrdering? {
    guard case .object(let first) = left, case .object(let second) = right else {
      return left.ordering(right)
    }
    return PropertyValue.int(first.number).ordering(.int(second.number))
  }

  func value(of function: FetchedProperty.Function) throws(InvalidPredicateError) -> PropertyValue {
    switch function {
    case .count: return .int(count)
    case .sum: return sum.value.scalar ?? .null
    case .min, .max: return extreme
    case .average:
      guard count > 0 else { return .null }
      if case .decimal = sum {
        return try PredicateArithmetic.apply(.divide, sum, .int(count)).value.scalar ?? .null
      }
      return .double(sum.double / Double(count))
    }
  }
}

extension PropertyValue {
  /// The value without the sign of zero or of NaN, which values of one group may differ in.
  fileprivate var withoutUnusedSign: PropertyValue {
    guard case .double(let number) = self else { return self }
    return number == 0 ? .double(0) : number.isNaN ? .double(.nan) : self
  }

  /// A value that is equal for all values of one group, to which every NaN of a property belongs.
  fileprivate var groupKey: PropertyValue { isNaN ? .string("nan") : self }
}
