import Basics
import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

/// SQL finds the same objects as memory.
///
/// Every other file is as Core Data writes it.
@Suite("Random predicates on both stores")
struct SQLPredicateLawTests {
  @Test("a predicate, a sort, a limit and an offset give the same rows")
  func random() throws {
    var asked = 0
    var found = 0
    for seed in LawSeeds(seconds: 0.5) {
      var random = SeededGenerator(seed: seed)
      let folder = StoreFolder()
      let isOfCoreData = seed % 2 == 1
      let models = try (0..<2).map { _ in try Library.model(hasSiblings: isOfCoreData) }
      if isOfCoreData {
        do {
          _ = try folder.coordinator(models[1])
        }
        try CoreDataForm.give(to: folder, seed: seed)
      }
      let contexts = [
        ManagedObjectContext(
          coordinator: PersistentStoreCoordinator(managedObjectModel: models[0])),
        try folder.context(models[1], migration: CoreDataForm.noMigration),
      ]
      try fill(contexts, &random)
      for step in 0..<150 {
        // Sometimes related objects have values that the store does not know.
        if step == 100 { try disturb(contexts, &random) }
        let question = Question(&random)
        let lines = contexts.map { question.lines(in: $0) }
        if lines[0] != lines[1] {
          Issue.record("seed \(seed), step \(step): \(question)\n\(lines[0])\nSQL: \(lines[1])")
          return
        }
        asked += 1
        found += lines[0].isEmpty || lines[0].hasPrefix("error") ? 0 : 1
      }
    }
    // The test means little if most requests find nothing.
    #expect(found > asked / 4)
  }

  @Test("patterns of other Unicode scalars find other texts, although Swift takes them for equal")
  func equalPatterns() throws {
    let folder = StoreFolder()
    let context = try folder.context(Library.model())
    for title in ["\u{E9}", "e\u{301}"] {
      _ = try context.insert("Book", ["title": .string(title)])
    }
    try context.save()
    for title in ["\u{E9}", "e\u{301}"] {
      #expect(try context.lines("Book", where: "title BEGINSWITH '\(title)'").count == 1)
      let book = try context.entity("Book")
      let found = try context.fetch(
        FetchRequest(
          entity: book, predicate: try FetchPredicate(format: "title LIKE '\(title)*'")))
      #expect(found.map { $0["title"] } == [.string(title)])
    }
  }

  private func fill(
    _ contexts: [ManagedObjectContext], _ random: inout SeededGenerator
  ) throws {
    let model = contexts[0].persistentStoreCoordinator.managedObjectModel
    let names = Library.names(hasSiblings: model.entitiesByName["Comic"] != nil)
    for _ in 0..<60 {
      let name = names.randomElement(using: &random) ?? "Book"
      var values: [String: PropertyValue] = [:]
      for attribute in contexts[0].persistentStoreCoordinator.managedObjectModel.entitiesByName[
        name]?.attributes ?? []
      where !attribute.isTransient {
        // The values of a tag are unique.
        if name != "Tag" { values[attribute.name] = Question.value(of: attribute.type, &random) }
      }
      for context in contexts { _ = try context.insert(name, values) }
    }
    for tag in 1...6 where Bool.random(using: &random) {
      for context in contexts {
        _ = try context.insert("Tag", ["name": .string(Question.texts[tag])])
      }
    }
    try relate(contexts, times: 120, &random)
    for context in contexts { try context.save() }
  }

  private func disturb(
    _ contexts: [ManagedObjectContext], _ random: inout SeededGenerator
  ) throws {
    if Bool.random(using: &random) {
      try relate(contexts, times: 5, &random)
    } else {
      let text = Question.value(of: .string, &random)
      for context in contexts {
        guard
          let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName[
            "Author"]
        else { continue }
        try context.fetch(FetchRequest(entity: entity)).first?.setValue(text, forKey: "name")
        context.processPendingChanges()
      }
    }
  }

  private func relate(
    _ contexts: [ManagedObjectContext], times: Int, _ random: inout SeededGenerator
  ) throws {
    func all(_ name: String) throws -> [[ManagedObject]] {
      try contexts.map { context in
        guard
          let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName[name]
        else { return [] }
        return try context.fetch(FetchRequest(entity: entity))
      }
    }
    let kinds = [
      ("Book", "author", "Author"), ("Book", "tags", "Tag"), ("Author", "friends", "Author"),
      ("Author", "favourite", "Book"), ("Author", "read", "Book"),
    ]
    var objects: [String: [[ManagedObject]]] = [:]
    for name in ["Author", "Book", "Tag"] { objects[name] = try all(name) }
    for _ in 0..<times {
      guard let (name, key, otherName) = kinds.randomElement(using: &random),
        let owners = objects[name], let others = objects[otherName],
        let owner = owners[0].indices.randomElement(using: &random),
        let other = others[0].indices.randomElement(using: &random)
      else { continue }
      for side in contexts.indices {
        let object = owners[side][owner]
        let value = PropertyValue.object(others[side][other].objectID)
        guard let ordinal = object.entity.relationshipOrdinal(named: key) else { continue }
        if !object.entity.relationships[ordinal].isToMany {
          try object.setValue(value, forKey: key)
        } else if !object.members(at: ordinal).contains(others[side][other].objectID) {
          try object.add(value, to: ordinal)
        }
      }
    }
    for context in contexts { context.processPendingChanges() }
  }
}

/// A random request.
private struct Question: CustomStringConvertible {
  let entity: String
  let format: String
  let sort: [FetchSortDescriptor]
  let limit: Int
  let offset: Int
  let locale: String

  static let texts = [
    "", "a", "A", "b", "é", "e\u{301}", "名", "ab", "aé", "Straße", "İ", "10", "9",
  ]

  static func value(of type: AttributeType, _ random: inout SeededGenerator) -> PropertyValue {
    let number = Int.random(in: -2...4, using: &random)
    if number == 4 { return .null }
    switch type {
    case .string: return .string(texts.randomElement(using: &random) ?? "")
    case .integer16, .integer32, .integer64: return .int(Int64(number))
    case .double, .float: return .double(Double(number) / 4)
    case .decimal: return .decimal(Decimal(number * 7) / 100)
    case .boolean: return .bool(number > 1)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1000.25))
    case .uuid:
      return .uuid(UUID(uuid: (UInt8(number + 2), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)))
    case .uri: return URL(string: "http://x/\(number)").map(PropertyValue.uri) ?? .null
    case .binaryData: return .data(Data(repeating: 7, count: number + 2))
    }
  }

  init(_ random: inout SeededGenerator) {
    let entity = ["Author", "Book", "Book", "Manga", "Tag"].randomElement(using: &random) ?? "Book"
    self.entity = entity
    format = Self.predicate(entity, depth: 2, &random)
    let keys =
      ["Author": ["name"], "Tag": ["name"]][entity] ?? [
        "title", "pages", "price", "date", "cost", "uuid", "link",
      ]
    sort = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
      keys.randomElement(using: &random).map {
        FetchSortDescriptor(
          key: $0, ascending: Bool.random(using: &random),
          selector: FetchSortDescriptor.Selector.allCases.randomElement(using: &random) ?? .compare)
      }
    }
    limit = Bool.random(using: &random) ? Int.random(in: 1...5, using: &random) : 0
    offset = Bool.random(using: &random) ? Int.random(in: 1...5, using: &random) : 0
    locale = ["en", "ja", "tr", "sv"].randomElement(using: &random) ?? "en"
  }

  var description: String {
    "\(entity) where \(format) sort by \(sort) limit \(limit) offset \(offset) in \(locale)"
  }

  /// Returns the rows' numbers and their count, or the error.
  func lines(in context: ManagedObjectContext) -> String {
    context.environment.locale = locale
    guard let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName[entity]
    else { return "" }
    do {
      let request = FetchRequest(
        entity: entity, predicate: try FetchPredicate(format: format), sortDescriptors: sort,
        fetchLimit: limit, fetchOffset: offset)
      let found = try context.fetch(request).map { String($0.objectID.number) }
      let count = try context.count(for: request)
      return found.joined(separator: " ") + (count == found.count ? "" : " but \(count)")
    } catch {
      // Which row raises first is undefined.
      return "error: \("\(error)".prefix { $0 != "(" })"
    }
  }

  // MARK: Predicates

  private static func predicate(
    _ entity: String, depth: Int, _ random: inout SeededGenerator
  ) -> String {
    guard depth > 0 else { return comparison(entity, &random) }
    func part(_ random: inout SeededGenerator) -> String {
      predicate(entity, depth: depth - 1, &random)
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return "(\(part(&random))) AND (\(part(&random)))"
    case 1: return "(\(part(&random))) OR (\(part(&random)))"
    case 2: return "NOT (\(part(&random)))"
    default: return comparison(entity, &random)
    }
  }

  /// Returns a path to an attribute and its type.
  ///
  /// The path may begin with to-one relationships.
  private static func attribute(
    _ entity: String, _ random: inout SeededGenerator
  ) -> (path: String, type: AttributeType) {
    switch entity {
    case "Author":
      if Int.random(in: 0..<3, using: &random) == 0 {
        let (path, type) = attribute("Book", &random)
        return ("favourite.\(path)", type)
      }
      return ("name", .string)
    case "Tag": return ("name", .string)
    default:
      if Int.random(in: 0..<4, using: &random) == 0 { return ("author.name", .string) }
      let all: [(String, AttributeType)] = [
        ("title", .string), ("title", .string), ("pages", .integer32), ("price", .double),
        ("weight", .float), ("cost", .decimal), ("isNew", .boolean), ("date", .date),
        ("uuid", .uuid), ("link", .uri), ("cover", .binaryData),
      ]
      return all.randomElement(using: &random) ?? ("title", .string)
    }
  }

  private static func toMany(_ entity: String, _ random: inout SeededGenerator) -> (String, String)
  {
    switch entity {
    case "Author":
      return [("books", "Book"), ("friends", "Author"), ("read", "Book")]
        .randomElement(using: &random) ?? ("books", "Book")
    case "Tag": return ("books", "Book")
    default: return Bool.random(using: &random) ? ("tags", "Tag") : ("author.books", "Book")
    }
  }

  private static func comparison(_ entity: String, _ random: inout SeededGenerator) -> String {
    let number = Int.random(in: 0..<4, using: &random)
    let order = ["==", "!=", "<", "<=", ">", ">="].randomElement(using: &random) ?? "=="
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      let (path, destination) = toMany(entity, &random)
      let modifier = ["ANY", "ALL", "NONE"].randomElement(using: &random) ?? "ANY"
      let (member, type) = attribute(destination, &random)
      return "\(modifier) \(path).\(member) \(test(type, &random))"
    case 1:
      return "\(toMany(entity, &random).0).@count \(order) \(number)"
    case 2:
      let (path, destination) = toMany(entity, &random)
      let (member, type) = attribute(destination, &random)
      return "SUBQUERY(\(path), $x, $x.\(member) \(test(type, &random))).@count \(order) \(number)"
    case 3:
      return ["TRUEPREDICATE", "FALSEPREDICATE", "1 == 1"].randomElement(using: &random) ?? ""
    case 4 where entity == "Book":
      let pairs = [("price", "weight"), ("pages", "isNew"), ("title", "title"), ("date", "date")]
      let (left, right) = pairs.randomElement(using: &random) ?? ("title", "title")
      return "\(left) \(order) \(right)"
    case 4:
      let toOne = entity == "Author" ? "favourite" : entity == "Tag" ? "name" : "author"
      return "\(toOne) \(Bool.random(using: &random) ? "==" : "!=") nil"
    default:
      let (path, type) = attribute(entity, &random)
      return "\(path) \(test(type, &random))"
    }
  }

  /// Returns an operator with its right side.
  private static func test(_ type: AttributeType, _ random: inout SeededGenerator) -> String {
    let order = ["==", "!=", "<", "<=", ">", ">="].randomElement(using: &random) ?? "=="
    let kind = Int.random(in: 0..<8, using: &random)
    if kind == 0 { return Bool.random(using: &random) ? "== nil" : "!= nil" }
    func number(_ random: inout SeededGenerator) -> Int { Int.random(in: -2...4, using: &random) }
    switch type {
    case .string:
      let text = texts.randomElement(using: &random) ?? ""
      let options =
        ["", "", "[c]", "[d]", "[cd]", "[n]", "[l]", "[cdl]"]
        .randomElement(using: &random) ?? ""
      switch kind {
      case 1: return "IN {'a', \"\(text)\", \(Bool.random(using: &random) ? "nil" : "'b'")}"
      case 2: return "\(order)\(options) '\(text)'"
      case 3:
        let pattern = ["*", "a*", "?", "*é", "A?"].randomElement(using: &random) ?? "*"
        return "LIKE\(options) '\(pattern)'"
      case 4:
        let pattern = ["a.*", "(a|b)+", "[", ".", "É"].randomElement(using: &random) ?? "."
        return "MATCHES\(options.contains("l") ? "" : options) '\(pattern)'"
      case 5, 6:
        let name = ["CONTAINS", "BEGINSWITH", "ENDSWITH"].randomElement(using: &random) ?? ""
        return "\(name)\(options) '\(text)'"
      default: return "\(order) '\(text)'"
      }
    case .integer16, .integer32, .integer64:
      switch kind {
      case 1: return "IN {0, \(number(&random)), nil}"
      case 2: return "BETWEEN {\(number(&random)), \(number(&random))}"
      default: return "\(order) \(number(&random))"
      }
    case .double, .float:
      let bound = Double(number(&random)) / 4
      return kind == 1 ? "BETWEEN {\(bound), 0.5}" : "\(order) \(bound)"
    case .boolean: return "\(kind < 4 ? "==" : "!=") YES"
    case .date: return "\(order) CAST(\(Double(number(&random)) * 1000.25), 'NSDate')"
    case .decimal:
      let bound = String(format: "%.2f", Double(number(&random) * 7) / 100)
      switch kind {
      case 1: return "IN {0.07, \(bound), nil}"
      case 2: return "BETWEEN {\(bound), 0.14}"
      default: return "\(order) \(bound)"
      }
    case .uuid:
      let uuid = "CAST('0\(number(&random) + 2)000000-0000-0000-0000-000000000009', 'NSUUID')"
      return kind == 1 ? "IN {\(uuid), nil}" : "\(order) \(uuid)"
    case .uri:
      let link = "CAST('http://x/\(number(&random))', 'NSURL')"
      return kind == 1 ? "IN {\(link), nil}" : "\(order) \(link)"
    case .binaryData:
      let bytes = Data(repeating: 7, count: number(&random) + 2).base64EncodedString()
      return "\(order) CAST('\(bytes)', 'NSData')"
    }
  }
}
