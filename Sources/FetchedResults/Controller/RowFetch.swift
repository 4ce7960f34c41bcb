/// Fetches the rows of a controller, in order and in sections.
struct RowFetch {
  typealias Rows = (
    numbers: [Int64], runs: [SectionedResults.SectionRun], keys: [Int64: Snapshot],
    rows: [Int64: StoreRow]
  )

  let context: ManagedObjectContext
  let request: FetchRequest
  let names: SectionNames?
  let order: RowOrder

  /// Fetches rows, whose changes were processed before.
  ///
  /// - Parameter isTracking: Whether it decides a batch. Then the rows of each section
  ///   are brought together, rather than that it fails, where a section name comes
  ///   back after another one, and no row is read whole.
  /// - Throws: ``FetchError``, or
  ///   ``FetchedResultsError/outOfOrderSection(index:previousName:)``.
  func rows(isTracking: Bool = false) throws -> Rows {
    var numbers: [Int64]
    var keys: [Int64: Snapshot] = [:]
    let fetch = ContextFetch(context)
    let readsRows = !isTracking && fetch.readsRows(request)
    let found: FoundRows
    var sections = SectionOrder()
    var hasNilSection = false
    func append(_ value: Value, count: Int, _ names: SectionNames) {
      let section = names.name(of: value)
      hasNilSection = hasNilSection || section.isNil
      sections.append(section.name, count: count)
    }
    if order.needsKeys {
      (found, keys) = try fetch.keyedRows(request, by: order, readsRows: readsRows)
      numbers = found.numbers
      // What vanished between two looks at a store is no row.
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
    if let offence = sections.offence {
      if isTracking {
        let grouped = sections.grouped(numbers)
        return (grouped.numbers, grouped.runs, keys, found.rows)
      }
      throw FetchedResultsError.outOfOrderSection(
        index: offence.rank, previousName: offence.previousName)
    }
    return (numbers, sections.runs, keys, found.rows)
  }
}
