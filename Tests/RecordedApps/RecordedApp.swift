import Basics
import CoreData
import Foundation

/// A mistake that an app makes once in a session.
public enum AppMistake: String, CaseIterable, Sendable {
  /// An insert or a delete of a row is not carried out.
  case forgottenRow
  /// An insert or a delete of a section is not carried out.
  case forgottenSection
  /// A row is inserted or deleted one row below.
  case wrongRow
  /// A move only reloads its row.
  case reloadForMove
  /// An operation is called after `endUpdates`.
  case lateOperation
  /// `endUpdates` is not called.
  case missingEnd
}

/// A random session of an app whose controller is recorded.
public struct RecordedApp {
  /// What the recorder wrote.
  public let log: [UInt8]
  /// Whether there was an opportunity for the mistake.
  public let hasMistake: Bool
  /// Whether the table raised an exception or showed wrong rows because of the mistake.
  ///
  /// For example, a row of a new section need not be inserted.
  public let hasEffect: Bool

  /// Runs a session.
  ///
  /// - Parameters:
  ///   - seed: The seed, which determines the session.
  ///   - mistake: The mistake to make; nil for none.
  public init(seed: UInt64, mistake: AppMistake? = nil) throws {
    var random = SeededGenerator(seed: seed)
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("recorded-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    let session = try Session(&random, file, mistake)
    try session.run(&random)
    log = Array(try Data(contentsOf: file))
    hasMistake = session.table.hasMistake
    hasEffect = session.table.hasEffect
  }
}

/// The model, the context and the controller of an app.
private final class Session {
  let table: AppTable
  private let context: NSManagedObjectContext
  private let container: NSPersistentContainer
  private let controller: NSFetchedResultsController<NSManagedObject>
  private let recorder: FetchedResultsRecorder
  private var objects: [NSManagedObject] = []

  init(_ random: inout SeededGenerator, _ file: URL, _ mistake: AppMistake?) throws {
    container = NSPersistentContainer(name: "App", managedObjectModel: Self.model())
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, _ in }
    context = container.viewContext
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    let hasSections = !random.chance(3)
    request.sortDescriptors =
      (hasSections ? [NSSortDescriptor(key: "shelf", ascending: true)] : [])
      + [NSSortDescriptor(key: "rank", ascending: true)]
    if random.chance(2) { request.predicate = NSPredicate(format: "isShown == YES") }
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context,
      sectionNameKeyPath: hasSections ? "shelf" : nil, cacheName: nil)
    table = AppTable(mistake, place: random.number(0...3))
    controller.delegate = table
    recorder = FetchedResultsRecorder(
      of: controller, named: "books", in: FetchedResultsLog(at: file))
    table.recorder = recorder
  }

  private static func model() -> NSManagedObjectModel {
    let book = NSEntityDescription()
    book.name = "Book"
    book.properties = [
      attribute("shelf", .stringAttributeType), attribute("rank", .integer64AttributeType),
      attribute("title", .stringAttributeType), attribute("isShown", .booleanAttributeType),
    ]
    let model = NSManagedObjectModel()
    model.entities = [book]
    return model
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
  }

  func run(_ random: inout SeededGenerator) throws {
    for _ in 0..<random.number(0...8) { insert(&random) }
    try context.save()
    try recorder.performFetch()
    for _ in 0..<random.number(4...9) {
      for _ in 0..<random.number(1...5) { change(&random) }
      context.processPendingChanges()
      if random.chance(3) { try context.save() }
    }
  }

  private func insert(_ random: inout SeededGenerator) {
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
    book.setValue("ABCD".randomElement(using: &random).map { String($0) }, forKey: "shelf")
    book.setValue(random.number(0...30), forKey: "rank")
    book.setValue("new", forKey: "title")
    book.setValue(!random.chance(4), forKey: "isShown")
    objects.append(book)
  }

  private func change(_ random: inout SeededGenerator) {
    guard let place = objects.indices.randomElement(using: &random), !random.chance(4) else {
      return insert(&random)
    }
    let book = objects[place]
    switch random.number(0...5) {
    case 0:
      context.delete(book)
      objects.remove(at: place)
    case 1:
      book.setValue("ABCD".randomElement(using: &random).map { String($0) }, forKey: "shelf")
    case 2: book.setValue(!random.chance(3), forKey: "isShown")
    case 3: book.setValue("title \(random.number(0...9))", forKey: "title")
    default: book.setValue(random.number(0...30), forKey: "rank")
    }
  }
}
