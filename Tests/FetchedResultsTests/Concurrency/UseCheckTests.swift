#if DEBUG
import EngineWorlds
import FetchedResults
import Foundation
import Testing

@Suite("One context, two threads")
struct UseCheckTests {
  @Test("a debug build ends where two threads use a context at the same time")
  func twoThreads() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      // Swift 6 does not compile this, but Swift 5 mode does.
      nonisolated(unsafe) let shelf = try BookShelf()
      let controller = try shelf.controller()
      // The first thread stays inside its call, so that the second is sure to find it there. Two
      // short calls at the same time could damage memory before one of them is noticed.
      let isWithin = DispatchSemaphore(value: 0)
      try controller.performFetch()
      nonisolated(unsafe) var isObserved = false
      controller.observe { _ in
        // The first call comes at once, on this thread.
        guard isObserved else { return }
        isWithin.signal()
        Thread.sleep(forTimeInterval: 60)
      }
      isObserved = true
      Thread.detachNewThread {
        shelf.add("Emma", genre: "classic")
        shelf.context.processPendingChanges()
      }
      // A thread that does not come there fails the test, instead of holding up the whole run.
      try #require(isWithin.wait(timeout: .now() + 50) == .success)
      shelf.add("Dune", genre: "SF")
      withExtendedLifetime(controller) {}
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("two threads use one ManagedObjectContext"), "\(message)")
  }

  @Test("one thread after the other may use a context, also within its own calls")
  func oneAfterTheOther() throws {
    nonisolated(unsafe) let shelf = try BookShelf()
    let controller = try shelf.controller()
    controller.observe { _ in
      shelf.context.processPendingChanges()
      _ = try? shelf.context.fetch(FetchRequest(entity: shelf.book))
    }
    try controller.performFetch()
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      shelf.add("Emma", genre: "classic")
      shelf.context.processPendingChanges()
      done.signal()
    }
    done.wait()
    shelf.add("Dune", genre: "SF")
    shelf.context.processPendingChanges()
    #expect(controller.fetchedObjects?.count == 2)
  }
}
#endif
