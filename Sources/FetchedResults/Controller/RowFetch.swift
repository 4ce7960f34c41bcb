/// Fetches the rows of a controller, in order and in sections.
struct RowFetch {
  let context: ManagedObjectContext
  let request: FetchRequest
  let names: SectionNames?
  let order: RowOrder
  /// The part of the rows that is shown, if the controller keeps the limit; otherwise nil.
  let window: LimitWindow?
  /// Whether only the numbers of rows in each section are asked for, and laid over the rows.
  var countsSections = false

  /// The matching rows before they are divided into sections.
  struct Matching {
    let numbers: [Int64]
    var sections: SectionOrder
    let keys: [Int64: ObjectSnapshot]
    /// The rows that were read whole.
    var rows: [Int64: StoreRow] = [:]
    /// Whether rows are in sections that are not their own.
    var hasForeignRows = false
  }

  /// The rows that a controller shows.
  struct Rows {
    let numbers: [Int64]
    let runs: [SectionedResults.SectionRun]
    let keys: [Int64: ObjectSnapshot]
    let rows: [Int64: StoreRow]
    /// All matching rows in the sort order, if the limit is kept; otherwise nil.
    let matching: [Int64]?
  }

  init(
    context: ManagedObjectContext, request: FetchRequest, names: SectionNames?, order: RowOrder,
    window: LimitWindow?
  ) {
    self.context = context
    self.request = window == nil ? request : request.withoutLimit
    self.names = names
    self.order = order
    self.window = window
  }

  /// Fetches all rows of the request, or all matching rows if the limit is kept.
  ///
  /// The caller has processed changes before.
  ///
  /// - Parameter isTracking: Whether the fetch decides a batch. Then no row is read whole.
  /// - Throws: ``FetchError``.
  func matching(isTracking: Bool = false) throws -> Matching {
    var numbers: [Int64]
    var keys: [Int64: ObjectSnapshot] = [:]
    let fetch = ContextFetch(context)
    let readsRows = !isTracking && window == nil && fetch.readsRows(request)
    let found: FoundRows
    var sections = SectionOrder()
    var count = 0
    var hasNilSection = false
    var counts: SectionCounts?
    if countsSections, let names {
      counts = SectionCounts(keyPath: names.keyPath, request.sortDescriptors)
    }
    let shown = window?.ranks(among: .max) ?? 0..<Int.max
    func append(_ value: PropertyValue, count next: Int, _ names: SectionNames) {
      let section = names.name(of: value)
      if section.isNil, shown.overlaps(count..<count + next) { hasNilSection = true }
      sections.append(section.name, count: next)
      counts?.add(section.name, value, count: next)
      count += next
    }
    if order.needsKeys {
      (found, keys) = try fetch.keyedRows(request, by: order, readsRows: readsRows)
      numbers = found.numbers
      // A row that disappeared between two reads of a store is dropped.
      numbers.removeAll { keys[$0] == nil }
      if let names {
        for number in numbers { append(keys[number]?[names.index] ?? .null, count: 1, names) }
      }
    } else {
      found = try fetch.processedRows(
        request, sectionIndex: order.sectionIndex, readsRows: readsRows)
      numbers = found.numbers
      if let names {
        for run in found.sections ?? [] { append(run.value, count: run.count, names) }
      }
    }
    if hasNilSection, let names { context.console?(names.nilValueMessage) }
    var matching = Matching(numbers: numbers, sections: sections, keys: keys, rows: found.rows)
    if let counted = counts?.order(), counted.runs != sections.runs {
      matching.sections = counted
      matching.hasForeignRows = true
    }
    return matching
  }

  /// Returns the shown rows among those that match.
  ///
  /// - Parameter isTracking: Whether the rows decide a batch. Then the rows of each section are
  ///   brought together. Otherwise the method throws if a section name occurs again after another
  ///   one.
  /// - Throws: ``FetchedResultsError/outOfOrderSection(index:previousName:)``.
  func rows(of found: Matching, isTracking: Bool = false) throws -> Rows {
    let ranks = window?.ranks(among: found.numbers.count)
    let numbers = ranks.map { Array(found.numbers[$0]) } ?? found.numbers
    let sections = ranks.map(found.sections.cut(to:)) ?? found.sections
    var shown = (numbers: numbers, runs: sections.runs)
    if let offence = sections.offence {
      guard isTracking else {
        throw FetchedResultsError.outOfOrderSection(
          index: offence.rank, previousName: offence.previousName)
      }
      shown = sections.grouped(numbers)
    }
    return Rows(
      numbers: shown.numbers, runs: shown.runs, keys: found.keys,
      rows: ranks == nil || isTracking ? found.rows : readRows(numbers),
      matching: ranks == nil ? nil : found.numbers)
  }

  /// Reads the rows of a window whole, if a fetch without a window would.
  private func readRows(_ numbers: [Int64]) -> [Int64: StoreRow] {
    guard ContextFetch(context).readsRows(request),
      let rows = context.source.readableRows(numbers, in: request.entity.root)
    else { return [:] }
    var found: [Int64: StoreRow] = [:]
    for case (let number, let row?) in zip(numbers, rows) { found[number] = row }
    return found
  }
}

extension FetchRequest {
  /// The request for all rows that match.
  var withoutLimit: FetchRequest {
    var request = self
    request.fetchLimit = 0
    request.fetchOffset = 0
    return request
  }
}
