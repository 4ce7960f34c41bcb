import FetchedResults
import FetchedResultsSQLite
import Foundation
import PseudoTerminal
import RandomLaws
import Testing

@Suite("One file, several processes")
struct SeveralProcessesTests {
  private let frc: FRCProgram

  init() throws { frc = try FRCProgram() }

  @Test("processes that insert into several entities save, and a third one follows them")
  func inserts() throws {
    let saves = LawForm.isLong ? 2000 : 60
    let model = try Self.model()
    let file = frc.folder.appendingPathComponent("shared.sqlite")
    let context = ManagedObjectContext(
      coordinator: try PersistentStoreCoordinator(managedObjectModel: model, sqliteStoreAt: file))
    let controllers = try [nil, "name"].flatMap { section in
      try ["A", "B"].map { entity in
        try FetchedResultsController(
          fetchRequest: FetchRequest(
            entity: try #require(model.entitiesByName[entity]),
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
      // Everything is read from one state of the file, although others continue to write.
      try context.persistentStoreCoordinator.store.readingOneState {
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
      // Some rows are read, and others are not.
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
    // Each round of either process adds one A and one B.
    for controller in controllers {

      #expect(controller.fetchedObjects?.count == 2 * saves)
    }
  }

  @Test("two processes merge each other's history: controllers follow, and no save is lost")
  func history() throws {
    let saves = LawForm.isLong ? 1000 : 40
    let file = frc.folder.appendingPathComponent("shared.sqlite")
    let folder = frc.folder.path
    let model = "Item { name: String?, rank: Int? }; entity Entry { process: Int?, index: Int? }"
    let head =
      "store sqlite \"shared.sqlite\" history; entity \(model); "
      + "entity Counter { value: Int? }; "
    #expect(
      try frc.run(["-e", head + "set author \"setup\"; insert Counter(value: 0); save"]).errors
        == "")
    let processes = try (1...2).map { number in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: PseudoTerminal.builtProgram("HistoryProbe"))
      process.arguments = [file.path, "\(number)", "\(saves)"]
      process.currentDirectoryURL = URL(fileURLWithPath: folder)
      process.standardOutput = try output("\(number).out")
      try process.run()
      return process
    }
    for (index, process) in processes.enumerated() {
      process.waitUntilExit()
      let printed = try frc.read("\(index + 1).out")
      if LawForm.isLong { print(printed, terminator: "") }
      #expect(process.terminationStatus == 0, "\(printed)")
      #expect(printed.contains("\(saves) saves"))
    }
    let result = try frc.run([
      "-e",
      head + "print Counter/1.value; count Entry; count Entry where process == 1; "
        + "history by \"process 1\"; history by \"process 2\"",
    ])
    let lines = result.output.split(separator: "\n")
    #expect(lines.prefix(3) == ["\(2 * saves)", "\(2 * saves)", "\(saves)"])
    // Each save is one transaction, and inserts one entry.
    #expect(lines.count { $0.hasPrefix("transaction ") } == 2 * saves)
    #expect(lines.count { $0.hasPrefix("  insert Entry/") } == 2 * saves)
  }

  @Test("runs of tests that end together lose no result of each other")
  func testRuns() throws {
    // A long record takes time to change.
    for number in 0..<1000 { try frc.write("print 1\n#> 1\n", to: "t/passes/\(number).frc") }
    for number in 0..<24 { try frc.write("print 1\n#> 2\n", to: "t/fails/\(number).frc") }
    #expect(try frc.run("test", "t/passes").status == 0)

    let processes = try (0..<24).map { number in
      let process = frc.process(["test", "t/fails/\(number).frc"])
      process.standardOutput = FileHandle.nullDevice
      process.standardError = try output("\(number).err")
      try process.run()
      return process
    }
    for (number, process) in processes.enumerated() {
      process.waitUntilExit()
      #expect(process.terminationStatus == 1)
      #expect(try frc.read("\(number).err") == "")
    }

    #expect(try frc.run("test", "t", "--failed").output.hasSuffix("\n0 passed, 24 failed\n"))
    #expect(try frc.shell("ls -A .frc").output == ".gitignore\nlast.json\n")
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
