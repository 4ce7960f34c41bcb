import Basics
import FetchedResults
import TableViews

/// A context that is changed at random, with controllers and their tables.
final class TableWorld {
  /// The content of a cell.
  struct Content: Equatable {
    let number: Int64
    let values: ObjectSnapshot

    init(_ object: ManagedObject) {
      number = object.objectID.number
      values = object.snapshot
    }
  }

  typealias Table = FetchedResultsTable<Content>

  /// A controller's configuration.
  struct Configuration {
    let name: String
    let sort: [String]
    var section: String?
    var format: String?

    static let all = [
      Configuration(name: "one section", sort: ["k"]),
      Configuration(name: "one section, with a predicate", sort: ["-t", "k"], format: "k > 2"),
      Configuration(name: "sections by name", sort: ["s", "k"], section: "s"),
      Configuration(name: "sections by number", sort: ["-k", "t"], section: "k"),
      Configuration(name: "sections that change places", sort: ["b", "t"], section: "s"),
      Configuration(
        name: "sections with a predicate", sort: ["s", "-t"], section: "s", format: "t != k"),
    ]
  }

  /// A table of the world, with its exceptions since it was last loaded.
  final class Watched {
    let configuration: Configuration
    let table: Table
    private let controller: FetchedResultsController
    fileprivate(set) var raised: [TableViewException] = []

    init(_ configuration: Configuration, _ mode: Table.Mode, in world: TableWorld) throws {
      self.configuration = configuration
      let request = FetchRequest(
        entity: world.entity,
        predicate: try configuration.format.map { try FetchPredicate(format: $0) },
        sortDescriptors: configuration.sort.map { key in
          FetchSortDescriptor(
            key: key.hasPrefix("-") ? String(key.dropFirst()) : key,
            ascending: !key.hasPrefix("-"))
        })
      controller = try FetchedResultsController(
        fetchRequest: request, managedObjectContext: world.context,
        sectionNameKeyPath: configuration.section)
      var onEvent: (Table.Event) -> Void = { _ in }
      table = Table(
        of: .controller(controller), mode: mode,
        content: Content.init,
        onEvent: { onEvent($0) })
      controller.delegate = table
      try controller.performFetch()
      table.loadIfFetched()
      onEvent = { [unowned self] event in
        if case .exception(let exception, _) = event { raised.append(exception) }
      }
    }

    /// Whether the table shows its controller's sections with their headers, and each cell the
    /// current content.
    var isRight: Bool {
      let sections = controller.sections.map(Array.init) ?? []
      let shown = table.table.sections
      return shown.count == sections.count
        && sections.indices.allSatisfy { index in
          let objects = sections[index].objects
          let title = configuration.section == nil ? nil : sections[index].name
          return shown[index].title == title && shown[index].cells.count == objects.count
            && zip(shown[index].cells, objects).allSatisfy { $0.content == Content($1) }
        }
    }

    func begin() { raised = [] }
  }

  let entity: EntityDescription
  let context: ManagedObjectContext
  private var objects: [ManagedObject] = []
  private var random: SeededGenerator
  private var bases: [String: Int] = [:]
  private(set) var watched: [Watched] = []

  private static let names = ["", "A", "B", "C", "D"]

  /// Creates a world with a table for each configuration.
  init(seed: UInt64, mode: Table.Mode) throws {
    random = SeededGenerator(seed: seed)
    entity = try EntityDescription(
      name: "Thing",
      attributes: [
        AttributeDescription(name: "k", type: .integer64),
        AttributeDescription(name: "t", type: .integer64),
        AttributeDescription(name: "s", type: .string),
        AttributeDescription(name: "b", type: .integer64),
      ])
    context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(entities: [entity])))
    for (index, name) in Self.names.enumerated() { bases[name] = index }
    for _ in 0..<Int.random(in: 0...12, using: &random) { insert() }
    context.processPendingChanges()
    watched = try Configuration.all.map { try Watched($0, mode, in: self) }
  }
}

// MARK: - Turns

extension TableWorld {
  /// Makes one random turn.
  func turn() {
    for watched in watched { watched.begin() }
    let most = [1, 2, 5, 12].randomElement(using: &random) ?? 1
    for _ in 0..<Int.random(in: 1...most, using: &random) { act() }
    context.processPendingChanges()
  }

  private func act() {
    guard let object = objects.randomElement(using: &random) else { return insert() }
    switch Int.random(in: 0..<14, using: &random) {
    case 0..<3: insert()
    case 3..<6:
      context.delete(object)
      objects.removeAll { $0 === object }
    case 6..<8: object["k"] = key()
    case 8..<10: object["t"] = key()
    case 10: place(object, in: Self.names.randomElement(using: &random) ?? "")
    case 11: object["t"] = object["t"]
    case 12: swapSections()
    default: swap(object)
    }
  }

  private func key() -> PropertyValue { .int(Int64.random(in: 0..<6, using: &random)) }

  private func insert() {
    let object = context.insert(entity)
    object["k"] = key()
    object["t"] = key()
    place(object, in: Self.names.randomElement(using: &random) ?? "")
    objects.append(object)
  }

  private func place(_ object: ManagedObject, in section: String) {
    object["s"] = .string(section)
    object["b"] = .int(Int64(bases[section] ?? 0))
  }

  private func swap(_ object: ManagedObject) {
    guard let other = objects.randomElement(using: &random) else { return }
    let (k, t) = (object["k"], object["t"])
    object["k"] = other["k"]
    object["t"] = other["t"]
    other["k"] = k
    other["t"] = t
  }

  /// Exchanges two sections, if they are not sorted by their names.
  private func swapSections() {
    let pair = Self.names.shuffled(using: &random).prefix(2)
    guard let first = pair.first, let second = pair.last else { return }
    (bases[first], bases[second]) = (bases[second], bases[first])
    for object in objects where [first, second].contains(object["s"].string) {
      place(object, in: object["s"].string ?? "")
    }
  }
}
