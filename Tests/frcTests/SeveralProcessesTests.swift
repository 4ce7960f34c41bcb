import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

@Suite("One file, several processes")
struct SeveralProcessesTests {
  private let frc: FRCProgram

  init() throws { frc = try FRCProgram() }

  @Test("processes that insert into several entities save, and a third one follows them")
  func inserts() throws {
    let isLong = ProcessInfo.processInfo.environment["FRC_LONG"] == "1"
    let saves = isLong ? 2000 : 60
    let model = try Self.model()
    let file = frc.folder.appendingPathComponent("shared.sqlite")
    let context = ManagedObjectContext(
      coordinator: try PersistentStoreCoordinator(managedObjectModel: model, sqliteStoreAt: file))
    let controllers = try [nil, "name"].flatMap { section in
      try ["A", "B"].map { entity in
        try FetchedResultsController(
          fetchRequest: FetchRequest(
            entity: try #require(model[entity]),
            sortDescriptors: [FetchSortDescriptor(key: "name"), FetchSortDescriptor(key: "rank")]),
          managedObjectContext: context, sectionNameKeyPath: section)
      }
    }
    let listener = Listener()
    for controller in controllers {
      controller.delegate = listener
      try controller.performFetch()
    }
    let processes = try (0..<2).map { index in
      try frc.write(Self.script(index: index, saves: saves), to: "\(index).frc")
      let process = frc.process(["run", "\(index).frc"])
      process.standardOutput = FileHandle.nullDevice
      process.standardError = try output("\(index).err")
      try process.run()
      return process
    }
    repeat {
      // All of it is one state of the file, though others go on writing.
      try context.coordinator.store.readingOneState {
        try context.mergeChangesFromStore()
        context.processPendingChanges()
        for controller in controllers {
          #expect(controller.trackingError == nil)
          let fresh = try FetchedResultsController(
            fetchRequest: controller.fetchRequest, managedObjectContext: context,
            sectionNameKeyPath: controller.sectionNameKeyPath)
          try fresh.performFetch()
          #expect(controller.lines == fresh.lines)
        }
      }
      // Some rows are looked at, and some are not.
      _ = controllers[0].fetchedObjects?.first?["rank"]
      for object in controllers[3].fetchedObjects.map(Array.init) ?? [] { _ = object["rank"] }
    } while processes.contains(where: \.isRunning)
    for (index, process) in processes.enumerated() {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(try frc.read("\(index).err") == "")
    }
    try context.mergeChangesFromStore()
    context.processPendingChanges()
    // Each round of either process leaves one A and one B.
    for controller in controllers {

      #expect(controller.fetchedObjects?.count == 2 * saves)
    }
  }

  private func output(_ name: String) throws -> FileHandle {
    try frc.write("", to: name)
    return try FileHandle(forWritingTo: frc.folder.appendingPathComponent(name))
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: ["A", "B"].map { name in
        try EntityDescription(
          name: name,
          attributes: [
            try AttributeDescription(name: "name", type: .string, isOptional: true),
            try AttributeDescription(name: "rank", type: .integer64, isOptional: true),
          ])
      })
  }

  private static func script(index: Int, saves: Int) -> String {
    """
    store sqlite "shared.sqlite"
    entity A { name: String?, rank: Int? }
    entity B { name: String?, rank: Int? }
    for i in 1...\(saves) {
      insert A(name: "\(index == 0 ? "k" : "m")\\(i % 3)", rank: i)
      let going = insert B(name: "\(index == 0 ? "x" : "c")", rank: 0 - i)
      let staying = insert B(name: "q\\(i % 2)", rank: i)
      save
      delete going
      staying.rank = i * 7 % 10
      save
    }
    """
  }
}

private final class Listener: FetchedResultsControllerDelegate {
  let implementedMethods = FetchedResultsDelegateMethods.changes
}

extension FetchedResultsController {
  fileprivate var lines: [String] {
    (sections.map(Array.init) ?? []).map { "\($0.name): \($0.objects.numbers)" }
  }
}
