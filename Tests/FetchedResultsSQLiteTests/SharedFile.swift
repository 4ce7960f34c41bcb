import Basics
import FetchedResults

/// A context with controllers for a file that several contexts write.
///
/// It has its own coordinator or shares another's.
final class SharedFilePlace {
  let name: String
  let context: ManagedObjectContext
  /// Whether all rows are read after each turn.
  let looksAtRows: Bool
  let controllers: [FetchedResultsController]
  /// Saves of others that are not merged yet.
  var unmerged: [ContextSave] = []
  private(set) var breaches: [String] = []
  private var checkers: [CheckingDelegate] = []

  /// The model of the file: two root entities, one of them with a sub-entity.
  static func model() throws -> ManagedObjectModel {
    func attributes() throws -> [AttributeDescription] {
      [
        try AttributeDescription(name: "name", type: .string, isOptional: true),
        try AttributeDescription(name: "rank", type: .integer64, defaultValue: 0),
      ]
    }
    let first = try EntityDescription(name: "First", attributes: attributes())
    return try ManagedObjectModel(entities: [
      first, try EntityDescription(name: "Part", superentity: first, attributes: []),
      try EntityDescription(name: "Second", attributes: attributes()),
    ])
  }

  /// - Parameter isTracking: Whether there are controllers.
  init(
    _ name: String, on coordinator: PersistentStoreCoordinator, looksAtRows: Bool,
    isTracking: Bool = true
  ) throws {
    self.name = name
    self.looksAtRows = looksAtRows
    context = ManagedObjectContext(coordinator: coordinator)
    context.mergePolicy = .mergeByPropertyObjectTrump
    var controllers: [FetchedResultsController] = []
    for (entity, section, sorts) in [
      ("First", nil, ["name", "rank"]), ("First", "name", ["name", "rank"]),
      ("Second", "name", ["name", "rank"]), ("Second", "name", ["rank"]),
    ] where isTracking {
      guard let entity = coordinator.managedObjectModel.entitiesByName[entity] else { continue }
      controllers.append(
        try FetchedResultsController(
          fetchRequest: FetchRequest(
            entity: entity,
            predicate: section == nil ? try FetchPredicate(format: "rank < 7") : nil,
            sortDescriptors: sorts.map { FetchSortDescriptor(key: $0) },
            fetchBatchSize: 3), managedObjectContext: context, sectionNameKeyPath: section))
    }
    for (limit, offset, section) in [(4, 0, nil), (6, 2, "name")] where isTracking {
      guard let entity = coordinator.managedObjectModel.entitiesByName["First"] else { continue }
      let controller = try FetchedResultsController(
        fetchRequest: FetchRequest(
          entity: entity, sortDescriptors: ["name", "rank"].map { FetchSortDescriptor(key: $0) },
          fetchLimit: limit, fetchOffset: offset, fetchBatchSize: offset),
        managedObjectContext: context, sectionNameKeyPath: section)
      controller.keepsFetchLimit = true
      controllers.append(controller)
    }
    self.controllers = controllers
    for controller in controllers {
      let checker = CheckingDelegate(of: Listener()) { [unowned self] breach in
        breaches.append("\(breach)")
      }
      checkers.append(checker)
      controller.delegate = checker
      try Self.fetch(controller)
    }
    look()
  }

  /// Fetches.
  ///
  /// A controller whose sections are out of order keeps no results.
  private static func fetch(_ controller: FetchedResultsController) throws {
    do {
      try controller.performFetch()
    } catch FetchedResultsError.outOfOrderSection {}
  }

  /// Reads every row, if `looksAtRows` is true.
  func look() {
    guard looksAtRows else { return }
    for controller in controllers {
      for object in controller.fetchedObjects.map(Array.init) ?? [] { _ = object["rank"] }
    }
  }

  /// Merges the saves of others.
  func catchUp(using random: inout SeededGenerator) throws -> String {
    defer { unmerged = [] }
    switch random.number(0...5) {
    case 0:
      try context.mergeChangesFromStore()
      return "merges the file"
    case 1:
      context.refreshAllObjects()
      // A refresh does not include saves in the same coordinator.
      for save in unmerged { context.mergeChanges(fromContextDidSave: save) }
      return "refreshes all"
    case 2...3 where context.persistentStoreCoordinator.tracksPersistentHistory:
      return "merges \(try context.mergeHistory().count) transactions"
    default:
      for save in unmerged { context.mergeChanges(fromContextDidSave: save) }
      return "merges \(unmerged.count) saves"
    }
  }

  /// Returns how a controller differs from a new fetch, and what else is wrong; nil if nothing is.
  func fault() throws -> String? {
    if let breach = breaches.first { return breach }
    for controller in controllers {
      if let error = controller.trackingError { return "stopped: \(error)" }
      guard controller.fetchedObjects != nil else { continue }
      let fresh = try freshLines(like: controller)
      guard controller.shownLines != fresh else { continue }
      return "\(controller.fetchRequest.entity.name) by \(controller.sectionNameKeyPath ?? "-")\n"
        + "tracked \(controller.shownLines)\nfresh   \(fresh)"
    }
    return nil
  }

  /// Returns the result of a new fetch, with the rows of each section together.
  ///
  /// No row is read.
  private func freshLines(like controller: FetchedResultsController) throws -> [String] {
    func fetched(
      _ request: FetchRequest, section: String?
    ) throws -> FetchedResultsController {
      let fresh = try FetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section)
      fresh.keepsFetchLimit = controller.keepsFetchLimit
      try fresh.performFetch()
      return fresh
    }
    let request = controller.fetchRequest
    let section = controller.sectionNameKeyPath
    guard let section, request.sortDescriptors.first?.key != section else {
      return try fetched(request, section: section).shownLines
    }
    var bySection = request
    bySection.sortDescriptors.insert(FetchSortDescriptor(key: section), at: 0)
    var names: [Int64: String] = [:]
    for section in try fetched(bySection, section: section).sections.map(Array.init) ?? [] {
      for number in section.objects.numbers { names[number] = section.name }
    }
    var sections: [(name: String, numbers: [Int64])] = []
    for number in try fetched(request, section: nil).fetchedObjects?.numbers ?? [] {
      let name = names[number] ?? ""
      if let index = sections.firstIndex(where: { $0.name == name }) {
        sections[index].numbers.append(number)
      } else {
        sections.append((name, [number]))
      }
    }
    return sections.map { "\($0.name): \($0.numbers)" }
  }

  /// Makes one random change.
  func edit(using random: inout SeededGenerator) throws -> String {
    let model = context.persistentStoreCoordinator.managedObjectModel
    guard let name = ["First", "Part", "Second", "Second"].randomElement(using: &random),
      let entity = model.entitiesByName[name]
    else { return "" }
    func values(_ object: ManagedObject) throws {
      if random.chance(2) {
        try object.setValue(
          [.null, "a", "b", "c", "d"].randomElement(using: &random) ?? .null, forKey: "name")
      }
      try object.setValue(.int(Int64(random.number(0...8))), forKey: "rank")
    }
    let last = context.persistentStoreCoordinator.store.lastNumber(in: entity.root)
    let number = Int64(random.number(1...Int(max(last, 1))))
    let object = context.object(entity: entity, number: number)
    // About as many objects are inserted as deleted.
    switch (random.number(0...9), object) {
    case (0...1, _) where last < 40 || random.chance(2):
      let object = context.insert(entity)
      try values(object)
      return "inserts \(object.objectID)"
    case (2, let object?):
      context.delete(object)
      return "deletes \(object.objectID)"
    case (_, let object?) where !object.isDeleted:
      try values(object)
      return "changes \(object.objectID)"
    default: return ""
    }
  }
}

/// A delegate that receives all calls.
private final class Listener: FetchedResultsControllerDelegate {
  let implementedMethods = FetchedResultsDelegateMethods.changes
}

extension FetchedResultsController {
  /// The sections and the numbers of their objects.
  ///
  /// No object is read.
  fileprivate var shownLines: [String] {
    (sections.map(Array.init) ?? []).map { "\($0.name): \($0.objects.numbers)" }
  }
}
