import FetchedResults
import Foundation
import Testing

@testable import Departures

@Suite("The plans of the days to come, in a file")
struct PlansTests {
  private let folder: URL
  private let model: DepartureModel

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "departures-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    model = try DepartureModel()
  }

  private func withContainer(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (PersistentContainer, Plans) async throws -> Void
  ) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try model.container(at: folder.appending(path: "departures.sqlite"))
    try await body(container, Plans(model, container: container))
  }

  @Test("an import replaces the trains of its day, and of no other")
  func replace() async throws {
    try await withContainer { _, plans in
      let first = Lines(Parts(["S1;Docks;10\nS2;Fo", "rest;5\nS1;Air", "port;7"]))
      let imported = try await plans.replace(day: 1, by: first) { _ in }
      #expect(imported == 3)
      let destinations = try await plans.departures(day: 1, line: "S1").map(\.destination)
      #expect(destinations == ["Airport", "Docks"])
      let other = try await plans.replace(day: 2, by: Lines(Parts(["S1;Docks;10\n"]))) { _ in }
      #expect(other == 1)
      let none = try await plans.replace(day: 1, by: Lines(Parts([]))) { deleted in
        #expect(deleted.objectIDs?.count == 3)
      }
      #expect(none == 0)
      let left = try await plans.count()
      #expect(left == 1)
    }
  }

  @Test(
    "a line that names no train ends an import, and the old trains stay",
    arguments: [
      "S1;Docks", "S1;Docks;noon", "", "S1;Docks;1440", "S1;Docks;-1",
      "S1;Docks;9223372036854775807",
    ])
  func unreadable(line: String) async throws {
    try await withContainer { _, plans in
      _ = try await plans.replace(day: 1, by: Lines(Parts(["S1;Old;1439"]))) { _ in }
      let many = String(repeating: "S1;Docks;0\n", count: 600)
      await #expect(throws: UnreadableLine.self) {
        try await plans.replace(day: 1, by: Lines(Parts([many, line, "\n"]))) { _ in }
      }
      #expect(try await plans.departures(day: 1, line: "S1").map(\.minute) == [1439])
      #expect(try await plans.count() == 1)
    }
  }

  @Test(
    "so does a line that is no text or too long, in however few parts it arrives",
    arguments: [[0xFF], Array(repeating: UInt8(ascii: "a"), count: 10_000)])
  func strange(name: [UInt8]) async throws {
    try await withContainer { _, plans in
      _ = try await plans.replace(day: 1, by: Lines(Parts(["S1;Old;5"]))) { _ in }
      let parts = AsyncStream { sender in
        sender.yield(Array("S1;".utf8) + name + Array(";1\n".utf8))
        sender.finish()
      }
      await #expect(throws: UnreadableLine.self) {
        try await plans.replace(day: 1, by: Lines(parts)) { _ in }
      }
      #expect(try await plans.departures(day: 1, line: "S1").map(\.destination) == ["Old"])
    }
  }

  @Test("a cancelled import leaves the old trains")
  func cancelled() async throws {
    try await withContainer { _, plans in
      _ = try await plans.replace(day: 1, by: Lines(Parts(["S1;Old;5"]))) { _ in }
      let (parts, sender) = AsyncStream.makeStream(of: [UInt8].self)
      let task = Task { try await plans.replace(day: 1, by: Lines(parts)) { _ in } }
      sender.yield(Array(String(repeating: "S1;Docks;0\n", count: 600).utf8))
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await plans.departures(day: 1, line: "S1").map(\.destination) == ["Old"])
      #expect(try await plans.count() == 1)
    }
  }

  @Test("of imports of one day side by side, one stays")
  func sideBySide() async throws {
    try await withContainer { _, plans in
      for _ in 0..<10 {
        try await withThrowingTaskGroup { group in
          for number in 0..<4 {
            let lines = String(repeating: "S\(number);Docks;0\n", count: 200)
            group.addTask { try await plans.replace(day: 1, by: Lines(Parts([lines]))) { _ in } }
          }
          try await group.waitForAll()
        }
        #expect(try await plans.count() == 200)
      }
    }
  }

  @Test("a merged deletion takes the trains off the list")
  @BoardActor
  func deletionOfToday() async throws {
    try await withContainer { container, plans in
      let board = try Board(model, container: container)
      let task = Task { try await board.passOnChanges() }
      let lines = Lines(Parts(["S1;Docks;10\nS2;Forest;5\n"]))
      let imported = try await plans.replace(day: 0, by: lines) { _ in }
      #expect(imported == 2)
      while board.currentList.first?.rows.count != 2 { try await Task.sleep(for: .milliseconds(5)) }
      _ = try await plans.replace(day: 0, by: Lines(Parts([]))) { await board.merge($0) }
      #expect(board.currentList.isEmpty)
      task.cancel()
      try await task.value
    }
  }

  @Test("the journal counts each save once, by its author")
  func journal() async throws {
    try await withContainer { container, plans in
      let journal = try await Journal(container: container)
      let timetable = try Timetable(model, container: container, seed: 3)
      for _ in 0..<3 { try await timetable.change() }
      try await journal.count()
      #expect(await journal.entries.mapValues(\.saves) == ["timetable": 3])
      _ = try await plans.replace(day: 1, by: Lines(Parts(["S1;Docks;10\n"]))) { _ in }
      try await journal.count()
      try await journal.count()
      #expect(await journal.entries.mapValues(\.saves) == ["timetable": 3, "import": 1])
      #expect(await journal.entries["import"]?.changes == 1)
    }
  }

  @Test("a journal counts what another one has counted, and goes on after what was deleted")
  func journals() async throws {
    try await withContainer { container, _ in
      let first = try await Journal(container: container)
      let second = try await Journal(container: container)
      let timetable = try Timetable(model, container: container, seed: 3)
      for _ in 0..<2 {
        try await timetable.change()
        try await first.count()
      }
      try await second.count()
      #expect(await second.entries.mapValues(\.saves) == ["timetable": 2])
      for _ in 0..<6 {
        try await timetable.change()
        try await first.count()
      }
      try await second.count()
      #expect(await second.entries.mapValues(\.saves) == ["timetable": 2])
      try await timetable.change()
      try await second.count()
      #expect(await second.entries.mapValues(\.saves) == ["timetable": 3])
      #expect(await first.entries.mapValues(\.saves) == ["timetable": 8])
    }
  }

  @Test("a file of the first version is migrated, and its trains are of no day")
  func migration() async throws {
    let file = folder.appending(path: "departures.sqlite")
    try await DepartureModel.writeFirstVersion(to: file, count: 2_500)
    try await withContainer { container, plans in
      #expect(try await plans.count() == 2_500)
      let lines = try await container.performBackgroundTask { context in
        try context.fetch(FetchRequest(entity: model.departure)).prefix(2)
          .map { [$0["line"], $0["day"]] }
      }
      #expect(lines == [[.string("S2"), .null], [.string("S3"), .null]])
    }
  }
}

/// A text that arrives in parts.
private struct Parts: AsyncSequence, Sendable {
  typealias Element = [UInt8]

  let parts: [String]

  init(_ parts: [String]) { self.parts = parts }

  func makeAsyncIterator() -> Iterator { Iterator(parts: parts.makeIterator()) }

  struct Iterator: AsyncIteratorProtocol {
    var parts: IndexingIterator<[String]>

    mutating func next() async -> [UInt8]? { parts.next().map { Array($0.utf8) } }
  }
}
