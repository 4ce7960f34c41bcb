public import FetchedResults

/// Counts who changed the departures, from the history of the store.
///
/// Other programs may write the file, too: the history has their saves as well. What was counted
/// is deleted, because the history would grow without end. It stays for some more calls, in which
/// the others can read it.
public actor Journal {
  private let container: PersistentContainer
  private var token: PersistentHistoryToken?
  /// Where the last calls began to count, the oldest first.
  private var starts: [PersistentHistoryToken] = []
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
    token = try await Self.currentToken(of: container)
  }

  /// Counts what was saved since the last call.
  ///
  /// One task calls it again and again. Where another program deleted what was not counted yet,
  /// the count goes on with the next save.
  public func count() async throws {
    do {
      try await countNewSaves()
    } catch StoreError.historyTokenExpired {
      starts = []
      token = try await Self.currentToken(of: container)
    }
  }

  private static func currentToken(
    of container: PersistentContainer
  ) async throws -> PersistentHistoryToken? {
    try await container.performBackgroundTask {
      $0.persistentStoreCoordinator.currentPersistentHistoryToken
    }
  }

  private func countNewSaves() async throws {
    let first = starts.count == 3 ? starts.removeFirst() : nil
    let (counted, last) = try await container.performBackgroundTask { [token] context in
      var counted: [String: Entry] = [:]
      var last = token
      for transaction in try context.fetchHistory(after: token) {
        counted[transaction.author ?? "others", default: Entry()].saves += 1
        counted[transaction.author ?? "others", default: Entry()].changes +=
          transaction.changes.count
        last = transaction.token
      }
      // A token's own transaction stays, so that the call that begins there finds it.
      if let first { try context.deleteHistory(before: first) }
      return (counted, last)
    }
    if let token { starts.append(token) }
    token = last
    entries.merge(counted) { Entry(saves: $0.saves + $1.saves, changes: $0.changes + $1.changes) }
  }
}
