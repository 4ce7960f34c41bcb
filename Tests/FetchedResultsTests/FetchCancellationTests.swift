import FetchedResults
import Synchronization
import Testing

@Suite struct FetchCancellationTests {
  private final class Counter: Sendable {
    let asked = Mutex(0)
  }

  @Test("a fetch stops between two objects, saved or not", arguments: [false, true])
  func stops(_ isSaved: Bool) throws {
    let shelf = try Shelf()
    for index in 1...100 { shelf.insert("\(index)") }
    if isSaved { try shelf.context.save() }
    let counter = Counter()
    shelf.context.environment.isCancelled = {
      counter.asked.withLock { asked in
        asked += 1
        return asked > 10
      }
    }

    #expect(throws: FetchError.cancelled) { try shelf.context.fetch(shelf.request(sort: "title")) }

    #expect(counter.asked.withLock { $0 } == 11)
    shelf.context.environment.isCancelled = { false }
    #expect(try shelf.context.fetch(shelf.request(sort: "title")).count == 100)
  }
}
