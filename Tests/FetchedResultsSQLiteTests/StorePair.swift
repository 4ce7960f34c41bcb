import Basics
import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

/// A store in memory and one in a file, on which the same operations are performed.
struct StorePair {
  private var random: SeededGenerator
  private let folder: StoreFolder
  private let models: [ManagedObjectModel]
  private let memory: PersistentStoreCoordinator
  private var file: PersistentStoreCoordinator
  /// Two contexts for each store.
  private var sides: [[ManagedObjectContext]] = []
  /// The controllers of each store's contexts.
  ///
  /// They are the same for both stores.
  private var watchers: [[Watcher]] = []
  /// Whether there are controllers.
  private let isWatched: Bool
  /// Whether the file is as Core Data writes it.
  private let isOfCoreData: Bool

  /// - Parameters:
  ///   - isWatched: Whether there are controllers that track the changes.
  ///   - isOfCoreData: Whether the file is as Core Data writes it.
  init(seed: UInt64, isWatched: Bool = false, isOfCoreData: Bool) throws {
    self.isWatched = isWatched
    self.isOfCoreData = isOfCoreData
    random = SeededGenerator(seed: seed)
    folder = StoreFolder()
    models = try (0..<2).map { _ in try Library.model(hasSiblings: isOfCoreData) }
    memory = PersistentStoreCoordinator(managedObjectModel: models[0])
    if isOfCoreData {
      do {
        _ = try folder.coordinator(models[1])
      }
      try CoreDataForm.give(to: folder, seed: seed)
    }
    file = try Self.open(models[1], in: folder)
    try makeContexts()
  }

  private static func open(
    _ model: ManagedObjectModel, in folder: StoreFolder
  ) throws -> PersistentStoreCoordinator {
    try folder.coordinator(model, migration: CoreDataForm.noMigration)
  }

  private var names: [String] { Library.names(hasSiblings: isOfCoreData) }

  private mutating func makeContexts() throws {
    let policy = MergePolicy.allCases.randomElement(using: &random) ?? .error
    sides = [memory, file].map { coordinator in
      (0..<2).map { _ in
        let context = ManagedObjectContext(coordinator: coordinator)
        context.mergePolicy = policy
        return context
      }
    }
    if isWatched { try makeWatchers() }
  }

  private mutating func makeWatchers() throws {
    let choices = (0..<4).map { _ in Watcher.Choice(using: &random) }
    watchers = []
    for contexts in sides {
      watchers.append(try choices.map { try Watcher($0, on: contexts[$0.context]) })
    }
  }

  /// Performs one operation on both stores.
  ///
  /// - Returns: The difference between the stores, or nil.
  mutating func step() throws -> String? {
    let which = Int.random(in: 0..<2, using: &random)
    switch Int.random(in: 0..<21, using: &random) {
    case 20: return try batch(which)
    case 0..<4:
      let name = names.randomElement(using: &random) ?? "Book"
      for side in sides { _ = try side[which].insert(name) }
    case 4..<11: return try change(which)
    case 11: return try delete(which)
    case 12..<15:
      let results = sides.map { side in Self.outcome { try side[which].save() } }
      if results[0] != results[1] { return "save: \(results)" }
      if results[0] != "" { for side in sides { side[which].rollback() } }
    case 15: for side in sides { side[which].rollback() }
    case 16:
      // Both continue with the saved state.
      if isOfCoreData {
        var form = CoreDataForm(folder: folder, random: random)
        try form.moveDataToFiles()
      }
      file = try Self.open(models[1], in: folder)
      let last = memory.managedObjectModel.entities.map { memory.store.lastNumber(in: $0.root) }
      let saved = file.managedObjectModel.entities.map { file.store.lastNumber(in: $0.root) }
      try makeContexts()
      // Only the store in memory knows numbers that were given and never saved.
      for (entity, (a, b)) in zip(file.managedObjectModel.entities, zip(last, saved))
      where entity.superentity == nil && b < a {
        for _ in b..<a { _ = file.store.reserveNumber(in: entity) }
      }
    case 17 where isWatched:
      for side in sides {
        if let save = side[1 - which].lastSave {
          side[which].mergeChanges(fromContextDidSave: save)
        }
      }
    case 18 where isWatched:
      // Some results are fetched again, over both read and unread rows.
      let index = Int.random(in: 0..<4, using: &random)
      let results = watchers.map { side in Self.outcome { try side[index].fetch() } }
      if results[0] != results[1] { return "performFetch: \(results)" }
    default: return try fetch(which)
    }
    for side in sides { side[which].processPendingChanges() }
    return watchersDifference()
  }

  /// Returns the difference between the stores' controllers: their callbacks, and sometimes their
  /// results.
  private mutating func watchersDifference() -> String? {
    let isShown = Int.random(in: 0..<4, using: &random) == 0
    let place = Int.random(in: 0..<20, using: &random)
    for index in watchers.first?.indices ?? 0..<0 {
      let told = watchers.map { $0[index].take(isShown: isShown, place: place) }
      if told[0] != told[1] {
        return "\(watchers[0][index].choice)\nmemory:\n\(told[0])\nfile:\n\(told[1])"
      }
    }
    return nil
  }

  private static func outcome(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch {
      return "\(error)"
    }
  }

  /// Returns the same object in both stores; nil if there is none.
  private mutating func object(_ name: String, _ which: Int) throws -> [ManagedObject]? {
    let found = try sides.map { side -> [ManagedObject] in
      guard
        let entity = side[which].persistentStoreCoordinator.managedObjectModel.entitiesByName[name]
      else { return [] }
      return try side[which].fetch(FetchRequest(entity: entity))
    }
    guard found[0].count == found[1].count, !found[0].isEmpty else { return nil }
    let index = Int.random(in: found[0].indices, using: &random)
    return [found[0][index], found[1][index]]
  }

  private mutating func delete(_ which: Int) throws -> String? {
    guard
      let objects = try object(
        ["Author", "Book", "Tag"].randomElement(using: &random) ?? "", which)
    else { return nil }
    for (side, object) in zip(sides, objects) { side[which].delete(object) }
    return nil
  }

  /// Runs a batch request in both stores, and merges its result into the contexts or not.
  private mutating func batch(_ which: Int) throws -> String? {
    let name = names.randomElement(using: &random) ?? "Book"
    let action = Int.random(in: 0..<4, using: &random)
    let least = Int64.random(in: 0..<6, using: &random)
    let (limit, isMerged) = (Int.random(in: 0..<3, using: &random), Bool.random(using: &random))
    let predicates = ["pages >= %d", "pages == nil OR author.name != nil", "SELF != nil"]
    let format = predicates.randomElement(using: &random) ?? ""
    var results: [[ObjectID]] = []
    let outcomes = sides.map { side in
      Self.outcome {
        let entity = try #require(
          side[0].persistentStoreCoordinator.managedObjectModel.entitiesByName[name])
        let isBook = entity.attributeIndex(named: "pages") != nil
        let predicate = isBook ? try FetchPredicate(format: format, least) : nil
        let result: BatchResult
        switch action {
        case 0:
          result = try side[which].execute(
            BatchInsertRequest(
              entity: entity, objects: isBook ? [["pages": .int(least)], [:]] : [[:]],
              resultType: .objectIDs))
        case 1 where isBook:
          let properties: [String: BatchUpdateRequest.NewValue] = [
            "pages": .sum(.int(1)), "title": .value(.string("batch")), "price": .sum(.double(0.1)),
            "weight": .sum(.double(0.1)), "cost": .sum(.int(1)),
          ]
          result = try side[which].execute(
            BatchUpdateRequest(
              entity: entity, predicate: predicate,
              propertiesToUpdate: properties.filter { least > 2 || $0.key != "weight" },
              resultType: .objectIDs))
        default:
          result = try side[which].execute(
            BatchDeleteRequest(
              fetchRequest: FetchRequest(
                entity: entity, predicate: predicate, fetchLimit: action == 2 ? 1 + limit : 0),
              resultType: .objectIDs))
        }
        results.append(result.objectIDs ?? [])
        if isMerged {
          ManagedObjectContext.mergeChanges(fromRemoteContextSave: result.changes, into: side)
        }
      }
    }
    let texts = results.map { $0.map(\.description) }
    if outcomes[0] != outcomes[1] || texts.first != texts.last {
      return "batch: \(outcomes) \(texts)"
    }
    return nil
  }

  private mutating func change(_ which: Int) throws -> String? {
    let name = names.randomElement(using: &random) ?? "Book"
    guard let objects = try object(name, which) else { return nil }
    let entity = objects[0].entity
    let key = entity.propertyNames.filter { $0 != "mood" }.randomElement(using: &random) ?? ""
    if let ordinal = entity.relationshipOrdinal(named: key) {
      let relationship = entity.relationships[ordinal]
      guard let others = try object(relationship.destination, which) else { return nil }
      for (object, other) in zip(objects, others) {
        let id = PropertyValue.object(other.objectID)
        if !relationship.isToMany {
          try object.setValue(id, forKey: key)
        } else if object.members(at: ordinal).contains(other.objectID) {
          try object.remove(id, from: ordinal)
        } else {
          try object.add(id, to: ordinal)
        }
      }
      return nil
    }
    guard let index = entity.attributeIndex(named: key) else { return nil }
    let value = value(of: entity.attributes[index].type)
    for object in objects { try object.setValue(value, forKey: key) }
    return nil
  }

  private mutating func value(of type: AttributeType) -> PropertyValue {
    let number = Int.random(in: -2...5, using: &random)
    if number == 5 { return .null }
    switch type {
    case .string:
      return .string(["", "a", "B", "b", "é", "e\u{301}", "名", "\u{1F4DA}"][number + 2])
    case .integer16, .integer32, .integer64: return .int(Int64(number))
    case .double, .float: return .double(Double(number) / 4)
    // Foundation makes an inaccurate floating-point number of seven hundredths.
    case .decimal: return .decimal(Decimal(number * 7) / 100)
    case .boolean: return .bool(number > 1)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1000.25))
    case .uuid:
      let byte = UInt8(number + 2)
      return .uuid(UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)))
    case .uri: return URL(string: "http://x/\(number)").map(PropertyValue.uri) ?? .null
    case .binaryData:
      return .data(Data(CoreDataForm.externalMark + Array(repeating: 7, count: number + 2)))
    }
  }

  private static let predicates: [(entity: String, format: String)] = [
    ("Book", "pages == 1"), ("Book", "pages != 1"), ("Book", "pages > 0 AND price < 1"),
    ("Book", "NOT (pages == 1 AND price > 0)"), ("Book", "NOT (pages != 1 OR title > 'a')"),
    ("Book", "pages != 1 AND author.name == 'a'"), ("Book", "NOT (NOT (title == nil))"),
    ("Book", "price BETWEEN {0, 1} OR title >= 'b'"), ("Book", "NOT (pages BETWEEN {0, 2})"),
    ("Book", "pages == nil OR isNew == YES"), ("Book", "NOT (pages >= 2)"),
    ("Book", "title == 'b'"), ("Book", "title != 'b'"), ("Book", "title < 'b'"),
    ("Book", "title ==[cd] 'E'"), ("Book", "title CONTAINS[c] 'B' AND pages > 0"),
    ("Book", "title IN {'a', 'b'}"), ("Book", "pages BETWEEN {0, 2}"),
    ("Book", "author.name == 'a'"), ("Book", "author == nil"), ("Book", "tags.@count > 0"),
    ("Book", "ANY tags.name == 'b'"), ("Book", "date > CAST(0, 'NSDate')"),
    ("Book", "weight <= 0.25"), ("Book", "cost == 0.07"), ("Book", "cost < 0.14"),
    ("Book", "isNew != YES"),
    ("Book", "price == 0.5 OR price == nil"), ("Manga", "volume >= 0"),
    ("Author", "books.@count > 1"), ("Author", "ANY friends.name == 'a'"),
    ("Author", "favourite.title == 'a'"), ("Author", "read.@count == 1"),
    ("Author", "SUBQUERY(books, $b, $b.pages > 0).@count > 0"), ("Tag", "name LIKE '*'"),
  ]

  private mutating func fetch(_ which: Int) throws -> String? {
    guard let (name, format) = Self.predicates.randomElement(using: &random) else { return nil }
    let isFiltered = Bool.random(using: &random)
    let keys =
      models[0].entitiesByName[name]?.attributes.filter { !$0.isTransient }.map(\.name) ?? []
    let descriptors = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
      keys.randomElement(using: &random).map {
        FetchSortDescriptor(
          key: $0, ascending: Bool.random(using: &random),
          selector: FetchSortDescriptor.Selector.allCases.randomElement(using: &random) ?? .compare)
      }
    }
    let lines = sides.map { side in
      Result { try side[which].lines(name, where: isFiltered ? format : nil, by: descriptors) }
    }.map { result -> String in
      switch result {
      case .success(let lines): lines.joined(separator: "\n")
      case .failure(let error): "\(error)"
      }
    }
    guard lines[0] != lines[1] else { return nil }
    return "\(name) \(isFiltered ? format : "") \(descriptors)\nmemory:\n\(lines[0])\n"
      + "file:\n\(lines[1])"
  }
}
