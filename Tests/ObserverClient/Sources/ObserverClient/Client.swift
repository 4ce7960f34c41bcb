import FetchedResultsMacros
import Foundation

@main
struct Client {
  @MainActor
  static func main() async throws {
    let container = try makeContainer()
    let sync = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
    let open = try OpenTrips(container)
    let countries = TripsByCountry()
    try await countries.observe(container)

    // Two actors and the background save at the same time; every observer sees everything.
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        group.addTask {
          _ = try await countries.add("a\(number)", number.isMultiple(of: 2) ? "Peru" : nil)
        }
        group.addTask {
          try await container.performBackgroundTask { context in
            insertTrip("b\(number)", "Chad", into: context)
            try context.save()
          }
        }
      }
      for number in 0..<20 {
        insertTrip("c\(number)", "Fiji", into: open.observer.modelContext)
        try await open.observer.modelContext.save()
      }
      try await group.waitForAll()
    }
    await open.wait(for: 60)
    await countries.wait(for: ["", "Chad", "Fiji", "Peru"])
    while await countries.count < 60 { await Task.yield() }
    let path = await countries.path(of: "b0")
    expect(path?.first == 1, "b0 is in the section of Chad")

    let closed = try await countries.close("Chad")
    expect(closed == 20, "there are 20 trips to Chad, not \(closed)")
    await open.wait(for: 40)
    open.observer.filterBy = nil
    expect(open.observer.results.count == 60, "a filter applies at once")

    while sync.eventCounter == 0 { await Task.yield() }
    await sync.update()
    let changes = sync.takeTransactions().flatMap(\.changes)
    expect(changes.count == 80, "the history has 80 changes, not \(changes.count)")
    print("60 trips on two actors, and their history")
  }

  private static func expect(_ isTrue: Bool, _ text: String) {
    guard !isTrue else { return }
    print("wrong:", text)
    exit(EXIT_FAILURE)
  }
}
