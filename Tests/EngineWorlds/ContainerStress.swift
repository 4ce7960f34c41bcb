import Basics
package import FetchedResults
import Foundation
import RandomLaws

/// Background writers that save at random, and controllers on other actors that receive the
/// changes.
package struct ContainerStress: Sendable {
  private let container: PersistentContainer
  private let book: EntityDescription

  package init(_ container: PersistentContainer) throws {
    self.container = container
    book = try BookShelf.book(of: container.managedObjectModel)
  }

  /// How many saves a run has: `FRC_SAVES`, or 400.
  private static var saves: Int {
    ProcessInfo.processInfo.environment["FRC_SAVES"].flatMap(Int.init) ?? 400
  }

  private static let writers = 8
  private static let followers = 4
  private static let savesBetweenQuietMoments = 10

  /// Saves, and compares each controller with a new fetch whenever no writer is active.
  ///
  /// - Returns: The differences.
  package func run() async throws -> [String] {
    let seed: UInt64 = LawForm.isLong ? .random(in: 0..<1_000_000) : 1
    var followers: [Follower] = []
    for _ in 0..<Self.followers { followers.append(try await Follower(container, book)) }
    let writers = try (0..<Self.writers).map { _ in try container.newBackgroundContext() }
    let rounds = max(1, Self.saves / Self.writers / Self.savesBetweenQuietMoments)
    for round in 0..<rounds {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, writer) in writers.enumerated() {
          group.addTask {
            try await write(with: writer, seed: seed &+ UInt64(round * 100 + number))
          }
        }
        try await group.waitForAll()
      }
      for (number, follower) in followers.enumerated() {
        if let difference = try await follower.difference() {
          return ["seed \(seed), round \(round), controller \(number): \(difference)"]
        }
      }
    }
    return []
  }

  private func write(with writer: BackgroundContext, seed: UInt64) async throws {
    for save in 0..<Self.savesBetweenQuietMoments {
      try await writer.perform { context in
        context.mergePolicy = .mergeByPropertyObjectTrump
        var random = SeededGenerator(seed: seed &* 1000 &+ UInt64(save))
        try BookShelf.change(in: context, of: book, using: &random)
        try context.save()
      }
    }
  }

  /// An actor with a controller, as an app's main actor has one.
  private actor Follower {
    private let container: PersistentContainer
    private let book: EntityDescription
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController
    private var sections: [FetchedResultsSnapshot.Section] = []
    private var failure: String?

    init(_ container: PersistentContainer, _ book: EntityDescription) async throws {
      self.container = container
      self.book = book
      context = try container.newContext()
      controller = try BookShelf.controller(in: context, of: book)
      controller.observe { [weak self] difference in
        self?.assumeIsolated { $0.apply(difference) }
      }
      try fetch()
    }

    private func fetch() throws { try controller.performFetch() }

    private func apply(_ difference: SectionedDifference) {
      do {
        try difference.apply(to: &sections)
      } catch {
        failure = failure ?? "\(error)"
      }
    }

    /// The difference from a new fetch; nil if there is none.
    func difference() throws -> String? {
      context.processPendingChanges()
      if let failure { return failure }
      if let error = controller.trackingError { return "\(error)" }
      let fresh = try BookShelf.controller(in: try container.newContext(isolation: nil), of: book)
      try fresh.performFetch()
      let wanted = fresh.sectionIDs
      if controller.sectionIDs != wanted { return "the controller is not a fresh fetch" }
      return sections == wanted ? nil : "the differences do not give a fresh fetch"
    }
  }
}
