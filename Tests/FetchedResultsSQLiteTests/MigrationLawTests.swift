import Basics
import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

/// Compares migrations of random models with a simple migration in memory.
///
/// The files are as Core Data writes them: entities with other numbers, references to missing
/// objects, data in files of its own, and siblings whose properties have equal names.
@Suite("Every migration is as a naive one")
struct MigrationLawTests {
  /// The source of the old model.
  enum Source: CaseIterable {
    case metadata
    case given
    /// From several models, by the tables.
    case versions
    case tables

    /// Whether the file says of which model it is, or the app does.
    var isDescribed: Bool { self == .metadata || self == .given }
  }

  @Test("of random changes", arguments: Source.allCases)
  func random(_ source: Source) throws {
    for seed in LawSeeds(seconds: 0.4, atLeast: 5, from: 1) { try check(seed, source) }
  }

  @Test(
    "random changes that failed once",
    arguments: [343, 413, 927, 1225, 1327, 1732, 1826, 1877] as [UInt64])
  func failed(_ seed: UInt64) throws { try check(seed, .tables) }

  @Test("a file of the model itself is read as it was written, and stays as it is")
  func reading() throws {
    for seed in LawSeeds(seconds: 0.6, atLeast: 5, from: 1) {
      try Law(seed, isDescribed: false).read()
    }
  }

  private func check(_ seed: UInt64, _ source: Source) throws {
    try Law(seed, isDescribed: source.isDescribed).migrate(source)
  }
}

/// One random file.
private struct Law {
  private let seed: UInt64
  private let folder: StoreFolder
  private let old: MigrationWorld
  private var form: CoreDataForm
  /// How many references to missing objects the file has.
  private var dangling = 0

  init(_ seed: UInt64, isDescribed: Bool) throws {
    self.seed = seed
    folder = StoreFolder()
    old = MigrationWorld(seed: seed, isDescribed: isDescribed)
    form = CoreDataForm(folder: folder, random: SeededGenerator(seed: seed))
    do {
      let coordinator = try folder.coordinator(old.model())
      try old.write(to: coordinator)
    }
    if form.random.chance(2) { try form.renumberEntities() }
    if form.random.chance(2) { dangling = try form.addDanglingReferences() }
    try form.moveDataToFiles()
  }

  private func fail(_ words: String, _ world: MigrationWorld? = nil) {
    Issue.record("seed \(seed): \(words)\n\(world?.trail ?? [])\n\(old.outline)")
  }

  private func differences(_ found: [String], _ wanted: [String]) -> String {
    let pairs = zip(found, wanted).filter { $0 != $1 }
    return """
      found  \(pairs.map(\.0).joined(separator: "\n       "))
      wanted \(pairs.map(\.1).joined(separator: "\n       "))
      \(found.count) and \(wanted.count) objects
      """
  }

  // MARK: Migrating

  func migrate(_ source: MigrationLawTests.Source) throws {
    var world = old
    world.change()
    do {
      if !source.isDescribed { try folder.removeModel() }
      var reports: [MigrationReport] = []
      func open(allowsDataLoss: Bool) throws -> PersistentStoreCoordinator {
        let versions = { source == .versions ? [try? old.model()].compactMap(\.self) : [] }
        var migration = StoreMigration.inferred(
          allowsDataLoss: allowsDataLoss, from: source == .given ? try old.model() : nil,
          versions: versions)
        migration.didMigrate = { reports.append($0) }
        return try folder.coordinator(world.model(), migration: migration)
      }
      var refused: [MigrationLoss] = []
      var coordinator: PersistentStoreCoordinator?
      do {
        coordinator = try open(allowsDataLoss: false)
      } catch StoreError.migration(_, .dataLoss(let losses)) {
        refused = losses
      }
      // A file that fits the model is used as it is, and keeps what it has besides.
      if coordinator == nil || reports.isEmpty {
        coordinator = nil
        coordinator = try open(allowsDataLoss: true)
      } else if world.dropsData {
        fail("data went without a word: \(reports)", world)
      }
      guard let coordinator else { return }
      let (found, wanted) = (try world.lines(of: coordinator), world.lines)
      if found != wanted { fail("\(source)\n" + differences(found, wanted), world) }
      if !refused.isEmpty, reports.last?.dropped != refused {
        fail("\(source): announced \(refused), and dropped \(reports)", world)
      }
      try checkRemains(reports, world)
    } catch {
      fail("\(source): \(error)\n\(world.lines.joined(separator: "\n"))", world)
    }
  }

  /// Checks that a migration left no reference to a missing object, and no file without a reference.
  private func checkRemains(_ reports: [MigrationReport], _ world: MigrationWorld) throws {
    let (files, named) = try form.externalFiles()
    if files != named { fail("files \(files), references to \(named)", world) }
    let removed = reports.flatMap(\.dangling).reduce(0) { $0 + $1.count }
    if !reports.isEmpty, removed != dangling {
      fail("\(dangling) dangling references, \(reports.map(\.dangling))", world)
    }
  }

  // MARK: Reading

  func read() throws {
    do {
      try folder.removeModel()
      let before = try form.contents()
      var migration = StoreMigration.inferred(allowsDataLoss: true)
      migration.didMigrate = { fail("migrated: \($0)") }
      let coordinator = try folder.coordinator(old.model(), migration: migration)
      let (found, wanted) = (try old.lines(of: coordinator), old.lines)
      if found != wanted { fail(differences(found, wanted)) }
      if try form.contents() != before { fail("the file was changed") }
      try compareImplied(coordinator)
    } catch {
      fail("\(error)")
    }
  }

  /// Compares the values that are read with the model and with the entities that the tables imply.
  private func compareImplied(_ coordinator: PersistentStoreCoordinator) throws {
    let implied = try ImpliedModel(ofStoreAt: folder.file().path, named: "library.sqlite")
    let other = try folder.coordinator(
      ManagedObjectModel(entities: implied.entities), isReadOnly: true)
    let (found, wanted) = (try values(of: other), try values(of: coordinator))
    if found != wanted { fail("implied\n" + differences(found, wanted)) }
  }

  /// The values of each object without their names, which tables do not show exactly.
  private func values(of coordinator: PersistentStoreCoordinator) throws -> [String] {
    let context = ManagedObjectContext(coordinator: coordinator)
    var lines: [String] = []
    for entity in coordinator.managedObjectModel.entities where entity.superentity == nil {
      for object in try context.fetch(FetchRequest(entity: entity)) {
        let values = object.entity.propertyNames.compactMap { Self.plain(object[$0]) }.sorted()
        lines.append("\(object.objectID) \(values.joined(separator: " "))")
      }
    }
    if let failure = coordinator.takeReadFailure() { throw failure }
    return lines.sorted()
  }

  /// A value as its column has it; nil for none, for lists, and for data, whose type may be unclear.
  private static func plain(_ value: PropertyValue) -> String? {
    switch value {
    case .null, .list, .data, .uuid: nil
    case .bool(let flag): flag ? "1" : "0"
    case .int(let number): "\(number)"
    case .double(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .string(let text): text
    case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
    case .uri(let address): address.absoluteString
    case .object(let id): "\(id.number)"
    }
  }
}
