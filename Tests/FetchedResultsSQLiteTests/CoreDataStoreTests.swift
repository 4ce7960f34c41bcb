import FetchedResults
import FetchedResultsSQLite
import Foundation
import RepositoryFiles
import Testing

/// Stores that Apple's Core Data wrote, if they are available beside the project.
private let stores = RepositoryFiles.shared.appending(path: "stores").path

@Suite(
  "Stores that Core Data wrote", .enabled(if: FileManager.default.fileExists(atPath: stores)))
struct CoreDataStoreTests {
  private let folder = StoreFolder()

  private struct Sample {
    let store: String
    let model: String
    let tables: [String]
  }

  private static let samples = [
    Sample(
      store: "coredataplus-samplemodel/SampleModel_V1.sqlite",
      model: "coredataplus-samplemodel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel",
      tables: ["Car", "Person"]),
    // One of its entities still has the name that it had in the first version.
    Sample(
      store: "coredataplus-samplemodel/SampleModel_V2.sqlite",
      model: "coredataplus-samplemodel/SampleModel.xcdatamodeld/SampleModel2.xcdatamodel",
      tables: ["Car", "Person"]),
    Sample(
      store: "coredataplus-samplemodel3/SampleModel3_V1.sqlite",
      model: "coredataplus-samplemodel3/SampleModel3.xcdatamodeld/SampleModel3.xcdatamodel",
      tables: ["User"]),
  ]

  private func open(_ sample: Sample) throws -> ManagedObjectContext {
    let model = try Data(contentsOf: URL(fileURLWithPath: "\(stores)/\(sample.model)/contents"))
    let url = folder.file("copy.sqlite")
    if !FileManager.default.fileExists(atPath: url.path) {
      _ = try folder.copy("\(stores)/\(sample.store)", as: "copy.sqlite")
    }
    return ManagedObjectContext(
      coordinator: try PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(
          entities: try ModelFile(contents: Array(model)).entities), sqliteStoreAt: url))
  }

  @Test("every row is read", arguments: 0..<3)
  func rows(index: Int) throws {
    let sample = Self.samples[index]
    let context = try open(sample)
    for name in sample.tables {
      let count = try folder.lines(
        "SELECT count(*) FROM Z\(name.uppercased())", in: "copy.sqlite")
      #expect(try context.lines(name).map { _ in "" }.count.description == count.first)
    }
  }

  @Test("a write changes what was asked and nothing else", arguments: 0..<3)
  func writes(index: Int) throws {
    let sample = Self.samples[index]
    let context = try open(sample)
    func dump() throws -> [String: [String]] {
      var dump: [String: [String]] = [:]
      for table in sample.tables.map({ "Z" + $0.uppercased() })
        + ["Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY", "sqlite_master"]
      {
        dump[table] = try folder.lines("SELECT * FROM \(table)", in: "copy.sqlite")
      }
      return dump
    }
    let before = try dump()
    let entity = try #require(
      context.persistentStoreCoordinator.managedObjectModel.entitiesByName[sample.tables[0]])
    let objects = try context.fetch(FetchRequest(entity: entity))
    let key = entity.attributes.first { $0.type == .string }?.name ?? ""
    try objects[0].setValue(.string("changed"), forKey: key)
    context.delete(objects[1])
    try context.save()

    let after = try dump()
    #expect(try folder.lines("PRAGMA integrity_check", in: "copy.sqlite") == ["ok"])
    for (table, lines) in before where table != "Z" + sample.tables[0].uppercased() {
      #expect(after[table]?.count == lines.count)
      let changed = zip(lines, after[table] ?? []).filter { $0 != $1 }.map(\.0)
      // The owner of the deleted object has one fewer member, which counts as a change.
      #expect(changed.count <= 1, "\(table): \(changed)")
    }
    let table = "Z" + sample.tables[0].uppercased()
    let kept = Set(after[table] ?? [])
    #expect(after[table]?.count == (before[table]?.count ?? 0) - 1)
    #expect((before[table] ?? []).filter { !kept.contains($0) }.count == 2)
  }
}
