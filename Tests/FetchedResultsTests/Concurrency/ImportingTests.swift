import EngineWorlds
import FetchedResults
import Synchronization
import Testing

@Suite("Importing a sequence")
struct ImportingTests {
  /// What an import did.
  private struct Steps {
    var asked = 0
    var filled: [Int] = []
    var saved: [Int] = []
    /// How many elements waited at most for their objects, and for their save.
    var mostAhead = 0
    var mostUnsaved = 0
  }

  /// Numbers that note when they are asked for.
  private struct Numbers: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let count: Int
    let steps: SharedSteps
    private var number = 0

    init(_ count: Int, _ steps: SharedSteps) {
      self.count = count
      self.steps = steps
    }

    func makeAsyncIterator() -> Numbers { self }

    mutating func next() async -> Int? {
      guard number < count else { return nil }
      defer { number += 1 }
      steps.value.withLock { steps in
        steps.asked += 1
        steps.mostAhead = Swift.max(steps.mostAhead, steps.asked - steps.filled.count)
        steps.mostUnsaved = Swift.max(steps.mostUnsaved, steps.asked - (steps.saved.last ?? 0))
      }
      return number
    }
  }

  private final class SharedSteps: Sendable {
    let value = Mutex(Steps())
  }

  @Test(
    "reads at most 250 elements ahead, and none of the next group before a save",
    arguments: [
      (0, 1), (1, 1), (20, 1), (1, 3), (30, 3), (31, 3), (249, 250), (250, 250), (251, 250),
      (500, 250), (501, 250), (250, 700), (251, 700), (699, 700), (700, 700), (701, 700),
      (701, 251),
    ])
  func order(count: Int, group: Int) async throws {
    let container = PersistentContainer(managedObjectModel: try BookShelf.model())
    let book = try BookShelf.book(of: container.managedObjectModel)
    let shared = SharedSteps()

    let noteSave: @Sendable (Int) -> Void = { saved in
      shared.value.withLock { $0.saved.append(saved) }
    }
    let inserted = try await container.insertObjects(
      of: book, from: Numbers(count, shared), savingEvery: group, didSave: noteSave
    ) { number, object in
      object["pages"] = .int(Int64(number))
      shared.value.withLock { $0.filled.append(number) }
    }

    let steps = shared.value.withLock { $0 }
    #expect(inserted == count)
    #expect(steps.filled == Array(0..<count))
    let full = Array(stride(from: group, to: count, by: group))
    #expect(steps.saved == full + (count > 0 ? [count] : []))
    #expect(steps.mostAhead == min(count, group, 250))
    #expect(steps.mostUnsaved == min(count, group))
    let found = try await container.performBackgroundTask { context in
      try context.fetch(
        FetchRequest(entity: book, sortDescriptors: [FetchSortDescriptor(key: "pages")])
      ).map { $0["pages"] }
    }
    #expect(found == (0..<count).map { .int(Int64($0)) })
  }
}
