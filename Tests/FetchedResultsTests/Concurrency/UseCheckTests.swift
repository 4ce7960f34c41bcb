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
      // What Swift 6 would not compile, and Swift 5 mode does.
      nonisolated(unsafe) let shelf = try BookShelf()
      let controller = try shelf.controller()
      // The first thread stays within its call, so that the second one surely meets it there.
      // A race of two quick calls may damage memory before either of them sees the other.
      let isWithin = DispatchSemaphore(value: 0)
      try controller.performFetch()
      controller.observe { _ in
        guard Thread.current.name == "first" else { return }
        isWithin.signal()
        Thread.sleep(forTimeInterval: 60)
      }
      Thread.detachNewThread {
        Thread.current.name = "first"
        shelf.add("Emma", genre: "classic")
        shelf.context.processPendingChanges()
      }
      isWithin.wait()
      shelf.add("Dune", genre: "SF")
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
