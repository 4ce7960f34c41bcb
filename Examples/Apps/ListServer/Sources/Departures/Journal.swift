public import FetchedResults

/// Counts who changed the departures, from the history of the store.
///
/// Other programs may write the file, too: the history has their saves as well. What was counted
/// is deleted, because the history would grow without end.
public actor Journal {
  private let container: PersistentContainer
  private var token: PersistentHistoryToken?
  /// What each author did, by the author's name.
  public private(set) var entries: [String: Entry] = [:]

  /// What one author did.
  public struct Entry: Hashable, Sendable, Codable {
    /// How often the author saved.
    public var saves = 0
    /// How many objects these saves inserted, changed or deleted.
    public var changes = 0
  }

  /// Creates a journal of what happens from now on.
  public init(container: PersistentContainer) async throws {
    self.container = container
    token = try await container.performBackgroundTask {
      $0.persistentStoreCoordinator.currentPersistentHistoryToken
    }
  }

  /// Counts what was saved since the last call.
  ///
  /// One task calls it again and again.
  public func count() async throws {
    let (counted, last) = try await container.performBackgroundTask { [token] context in
      var counted: [String: Entry] = [:]
      var last = token
      for transaction in try context.fetchHistory(after: token) {
        counted[transaction.author ?? "others", default: Entry()].saves += 1
        counted[transaction.author ?? "others", default: Entry()].changes +=
          transaction.changes.count
        last = transaction.token
      }
      // The token's own transaction stays, so that the next call finds where to begin.
      if let last { try context.deleteHistory(before: last) }
      return (counted, last)
    }
    token = last
    entries.merge(counted) { Entry(saves: $0.saves + $1.saves, changes: $0.changes + $1.changes) }
  }
}
