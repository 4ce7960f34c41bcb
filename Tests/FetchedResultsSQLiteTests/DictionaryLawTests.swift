import Basics
import FetchedResults
import FetchedResultsSQLite
import Testing

/// Random fetches of dictionaries give the same result with a store in memory, with a store in a
/// file, and with a simple loop over the rows.
@Suite("Laws of dictionary results")
struct DictionaryLawTests {
  @Test("both stores give what a plain loop gives", arguments: 1...30)
  func alike(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed &* 7919)
    let folder = StoreFolder()
    let rows = (0..<Int.random(in: 0...25, using: &random)).map { _ in Row(using: &random) }
    let memory = try Self.store(rows) { PersistentStoreCoordinator(managedObjectModel: $0) }
    let file = try Self.store(rows) { try folder.coordinator($0) }
    for _ in 0..<40 {
      let question = Question(using: &random)
      let wanted = question.answer(rows)
      for context in [memory, file] {
        let found = try context.fetchDictionaries(try question.request(in: context))
          .map { $0.entries.map { "\($0.name): \($0.value)" } }

        #expect(found == wanted, "seed \(seed): \(question)")
      }
    }
  }

  /// Returns a context for a store with the rows.
  ///
  /// It changes some of them without saving.
  private static func store(
    _ rows: [Row], _ make: (ManagedObjectModel) throws -> PersistentStoreCoordinator
  ) throws -> ManagedObjectContext {
    let coordinator = try make(try Library.model())
    let context = ManagedObjectContext(coordinator: coordinator)
    var authors: [String: ManagedObject] = [:]
    for row in rows {
      let book = try context.insert(row.isManga ? "Manga" : "Book")
      try book.setValue(row.title.map { .string($0) } ?? .null, forKey: "title")
      try book.setValue(row.pages.map { .int($0) } ?? .null, forKey: "pages")
      guard let name = row.author else { continue }
      let author = try authors[name] ?? context.insert("Author")
      authors[name] = author
      try author.setValue(.string(name), forKey: "name")
      try book.setValue(.object(author.objectID), forKey: "author")
    }
    try context.save()
    // Unsaved changes have no influence.
    try context.insert("Book").setValue(.int(1), forKey: "pages")
    for author in authors.values { try author.setValue(.string("unsaved"), forKey: "name") }
    return context
  }
}

/// A book for the simple loop.
private struct Row {
  let title: String?
  let pages: Int64?
  let author: String?
  let isManga: Bool

  init(using random: inout SeededGenerator) {
    title = ["Dune", "Emma", "Kim", "", nil].randomElement(using: &random) ?? nil
    pages = [1, 2, 3, 400, -5, nil].randomElement(using: &random) ?? nil
    author = ["Ann", "Bob", nil].randomElement(using: &random) ?? nil
    isManga = Int.random(in: 0..<4, using: &random) == 0
  }

  subscript(key: String) -> PropertyValue {
    switch key {
    case "title": title.map { .string($0) } ?? .null
    case "pages": pages.map { .int($0) } ?? .null
    default: author.map { .string($0) } ?? .null
    }
  }
}

/// A request, and its expected result.
private struct Question: CustomStringConvertible {
  private let groups: [String]
  private let values: [FetchedProperty]
  private let least: Int64?
  private let isExact: Bool
  private let mostCounted: Int64?
  private let isDistinct: Bool
  private let isDescending: Bool?
  private let limit: Int
  private let offset: Int

  private static let keys = ["title", "pages", "author.name"]

  init(using random: inout SeededGenerator) {
    let keys = Self.keys.shuffled(using: &random)
    let isGrouped = Bool.random(using: &random)
    groups = isGrouped ? Array(keys.prefix(Int.random(in: 0...2, using: &random))) : []
    var values = (isGrouped ? groups : Array(keys.prefix(2))).map { FetchedProperty($0) }
    if isGrouped {
      values.append(FetchedProperty("pages", function: .count, name: "counted"))
      let functions: [FetchedProperty.Function] = [.sum, .min, .max, .average]
      for function in functions where Bool.random(using: &random) {
        values.append(FetchedProperty("pages", function: function))
      }
      if Bool.random(using: &random) { values.append(FetchedProperty("title", function: .max)) }
    }
    self.values = values
    least = Bool.random(using: &random) ? Int64.random(in: -6...5, using: &random) : nil
    isExact = Int.random(in: 0..<3, using: &random) == 0
    mostCounted =
      !groups.isEmpty && Bool.random(using: &random) ? Int64.random(in: 0...4, using: &random) : nil
    isDistinct = Bool.random(using: &random)
    isDescending = Bool.random(using: &random) ? Bool.random(using: &random) : nil
    limit = Int.random(in: 0..<4, using: &random)
    offset = Int.random(in: 0..<3, using: &random)
  }

  /// The name of the value to sort by; nil if the request has no values.
  private var sortName: String? { values.first?.name }

  func request(in context: ManagedObjectContext) throws -> FetchRequest {
    let entity = try context.entity("Book")
    var request = FetchRequest(entity: entity, fetchLimit: limit, fetchOffset: offset)
    if let least { request.predicate = try FetchPredicate(format: "pages >= %d", least) }
    request.includesSubentities = !isExact
    request.resultType = .dictionaries
    request.propertiesToFetch = values
    request.propertiesToGroupBy = groups
    if let mostCounted {
      request.havingPredicate = try FetchPredicate(format: "counted <= %d", mostCounted)
    }
    request.returnsDistinctResults = isDistinct
    if let isDescending, let sortName {
      request.sortDescriptors = [FetchSortDescriptor(key: sortName, ascending: !isDescending)]
    }
    return request
  }

  func answer(_ rows: [Row]) -> [[String]] {
    let matching = rows.filter { row in
      (!isExact || !row.isManga)
        && least.map { least in row.pages.map { $0 >= least } ?? false }
          ?? true
    }
    var found = sets(of: matching).map { set in
      values.map { (name: $0.name, value: value($0, set)) }
    }
    if let mostCounted {
      found = found.filter { row in
        guard case .int(let count)? = row.first(where: { $0.name == "counted" })?.value else {
          return false
        }
        return count <= mostCounted
      }
    }
    if let isDescending { found = sorted(found, isDescending) }
    var texts = found.map { $0.map { "\($0.name): \($0.value)" } }
    if isDistinct {
      var seen: Set<[String]> = []
      texts = texts.filter { seen.insert($0).inserted }
    }
    let rest = texts.dropFirst(offset)
    return Array(limit > 0 ? rest.prefix(limit) : rest)
  }

  /// Returns the groups of rows, in the order of their first rows.
  private func sets(of rows: [Row]) -> [[Row]] {
    guard values.contains(where: { $0.function != nil }) else { return rows.map { [$0] } }
    guard !groups.isEmpty else { return [rows] }
    var sets: [[Row]] = []
    for row in rows {
      let place = sets.firstIndex { set in groups.allSatisfy { set[0][$0] == row[$0] } }
      if let place { sets[place].append(row) } else { sets.append([row]) }
    }
    return sets
  }

  private func value(_ property: FetchedProperty, _ rows: [Row]) -> PropertyValue {
    let all = rows.map { $0[property.keyPath] }.filter { $0 != .null }
    let numbers = all.compactMap { if case .int(let number) = $0 { number } else { nil } }
    let texts = all.compactMap { if case .string(let text) = $0 { text } else { nil } }
    switch property.function {
    case nil: return rows[0][property.keyPath]
    case .count?: return .int(Int64(all.count))
    case .sum?: return .int(numbers.reduce(0, +))
    case .min?: return numbers.min().map { .int($0) } ?? texts.min().map { .string($0) } ?? .null
    case .max?: return numbers.max().map { .int($0) } ?? texts.max().map { .string($0) } ?? .null
    case .average?:
      return numbers.isEmpty
        ? .null : .double(Double(numbers.reduce(0, +)) / Double(numbers.count))
    }
  }

  /// Sorts by the first value with insertion sort.
  ///
  /// Nil comes first, and equal values stay in order.
  private func sorted(
    _ rows: [[(name: String, value: PropertyValue)]], _ isDescending: Bool
  ) -> [[(name: String, value: PropertyValue)]] {
    var result: [[(name: String, value: PropertyValue)]] = []
    for row in rows {
      let place = result.lastIndex { other in
        isDescending
          ? !Self.precedes(other[0].value, row[0].value)
          : !Self.precedes(row[0].value, other[0].value)
      }
      result.insert(row, at: place.map { $0 + 1 } ?? 0)
    }
    return result
  }

  private static func precedes(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
    switch (left, right) {
    case (.null, .null): false
    case (.null, _): true
    case (.int(let a), .int(let b)): a < b
    case (.string(let a), .string(let b)): a < b
    default: false
    }
  }

  var description: String {
    "group by \(groups), values \(values.map(\.name)), least \(least ?? -99), exact \(isExact), "
      + "having \(mostCounted ?? -1), distinct \(isDistinct), "
      + "descending \(isDescending.map(\.description) ?? "-"), limit \(limit), offset \(offset)"
  }
}
