import FetchedResultsMacros
import Foundation
import Observation

// Of this file, SwiftData would need nothing else but its own import.

/// The open trips, on the main actor.
@MainActor final class OpenTrips {
  let observer: ResultsObserver<Trip, Never>

  init(_ container: ModelContainer) throws {
    observer = try ResultsObserver(
      filterBy: #Predicate { $0.isOpen }, sortBy: [SortDescriptor(\.name)],
      modelContainer: container)
  }

  /// Waits until there are this many trips.
  func wait(for count: Int) async {
    for await current in Observations({ self.observer.results.count }) where current == count {
      return
    }
  }
}

/// The trips by country, on an actor of their own.
actor TripsByCountry {
  private var observer: ResultsObserver<Trip, String>?

  /// Begins to observe.
  ///
  /// An initializer of the actor could not: until it ends, the observer would not know the actor.
  func observe(_ container: ModelContainer) throws {
    observer = try ResultsObserver(sectionBy: \.country, modelContainer: container)
  }

  /// Waits until these are the titles.
  func wait(for titles: [String]) async {
    while observer?.sections?.sectionTitles != titles {
      await Task.yield()
    }
  }

  /// Saves a trip, and returns the titles of the sections until the next turn.
  func add(_ name: String, _ country: String?) throws -> [String] {
    guard let observer else { return [] }
    insertTrip(name, country, into: observer.modelContext)
    try observer.modelContext.save()
    return observer.sections?.sectionTitles ?? []
  }

  /// Closes the trips of a country, and returns how many.
  func close(_ country: String) throws -> Int {
    guard let observer, let section = observer.sections?[sectionTitle: country] else { return 0 }
    for trip in section { trip.isOpen = false }
    try observer.modelContext.save()
    return section.count
  }

  /// How many trips there are.
  var count: Int { observer?.results.count ?? 0 }

  /// Returns where a trip is.
  func path(of name: String) -> IndexPath? {
    guard let observer else { return nil }
    return observer.results.first { $0.name == name }.flatMap { observer.indexPath(for: $0) }
  }
}
