public import FetchedResults
public import Observation

/// Counts the saves of some classes and authors, by any context or process.
///
/// ```swift
/// let sync = try HistoryObserver(
///   observedModels: [Trip.self], authors: ["App"], modelContainer: container)
/// for await _ in Observations({ sync.eventCounter }) { upload(sync.takeTransactions()) }
/// ```
///
/// The names and the meaning are those of SwiftData's HistoryObserver of iOS 27, as far as Apple
/// documents them. ``historyTokens``, ``takeTransactions()`` and ``readError`` are additions.
///
/// - Apple documents: ``eventCounter`` grows if a notification has transactions that match. Empty
///   sets match all. Without tokens, it counts from the moment at which the observer is created.
/// - Others have measured: It also grows for saves of the app itself.
/// - Assumed here: It grows by one for all saves that are noticed together.
///
/// An observer makes its store keep a history. Any actor may use the observer.
public final class HistoryObserver: Observable, Sendable {
  /// The container whose store is observed.
  public let modelContainer: ModelContainer
  /// The classes whose changes count; empty for all.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose transactions count; empty for all.
  public let authors: Set<String>

  private struct State: Sendable {
    var count = 0
    var token: PersistentHistoryToken
    var transactions: [PersistentHistoryTransaction] = []
    var error: StoreError?
  }

  private let reader: HistoryReader
  private let state: Locked<State>
  private let registrar = ObservationRegistrar()
  private let tasks = Locked<[Task<Void, Never>]>([])

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - historyTokens: Where to begin, by the identifier of the store; nil for the present place.
  ///   - observedModels: The classes whose changes count; empty for all.
  ///   - authors: The authors whose transactions count; empty for all.
  ///   - modelContainer: The container.
  ///   - interval: How often to look for saves of other processes; nil for never. Saves of the
  ///     container's own contexts are noticed at once.
  ///   - isolation: The actor that makes the observer: the caller's.
  /// - Throws: `StoreError` if the store cannot be opened, or cannot keep a history.
  public init(
    historyTokens: [String: any HistoryToken]? = nil,
    observedModels: [any PersistentModel.Type] = [], authors: Set<String> = [],
    modelContainer: ModelContainer, checkingEvery interval: Duration? = .milliseconds(250),
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.modelContainer = modelContainer
    self.observedModels = observedModels
    self.authors = authors
    reader = try HistoryReader(
      ofEntitiesNamed: Set(observedModels.map { $0.historyName }), authors: authors,
      after: (historyTokens ?? [:]).compactMapValues { $0 as? PersistentHistoryToken },
      in: modelContainer)
    state = Locked(State(token: reader.start))
    let reader = reader
    // Saves between the token and now.
    let first = Task<Void, Never> { [weak self] in await self?.update() }
    let saves = Task<Void, Never> { [weak self] in
      for await _ in reader.arrivals { await self?.update() }
    }
    let others = interval.map { interval in
      Task<Void, Never> { [weak self] in
        while (try? await Task.sleep(for: interval)) != nil { await self?.update() }
      }
    }
    tasks.withLock { $0 = [first, saves] + [others].compactMap(\.self) }
  }

  deinit {
    for task in tasks.withLock({ $0 }) { task.cancel() }
  }

  /// The number of times that matching transactions were noticed.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return state.withLock { $0.count }
  }

  /// The reason why the history could not be read last; nil if it was read.
  public var readError: StoreError? {
    registrar.access(self, keyPath: \.readError)
    return state.withLock { $0.error }
  }

  /// The place up to which the history was read, by the identifier of the store.
  ///
  /// An app keeps it, and gives it to the observer of its next run. It belongs to the transactions
  /// that ``takeTransactions()`` has returned; use ``take()`` if others may save in between.
  public var historyTokens: [String: PersistentHistoryToken] {
    state.withLock { [$0.token.storeID: $0.token] }
  }

  /// Removes and returns the transactions that were noticed since the last call, oldest first.
  public func takeTransactions() -> [PersistentHistoryTransaction] { take().transactions }

  /// Removes and returns the transactions that were noticed since the last call, and the tokens to
  /// begin after them.
  public func take() -> (
    transactions: [PersistentHistoryTransaction], historyTokens: [String: PersistentHistoryToken]
  ) {
    state.withLock { state in
      defer { state.transactions = [] }
      return (state.transactions, [state.token.storeID: state.token])
    }
  }

  /// Reads what is new in the history, without waiting for a notification.
  public func update() async {
    do {
      // The reader calls this before it reads on, so transactions come in their order.
      try await reader.read { [weak self] in self?.receive($0) }
      report(nil)
    } catch {
      report(error)
    }
  }

  private func receive(_ reading: HistoryReader.Reading) {
    if reading.transactions.isEmpty {
      state.withLock { $0.token = reading.token }
      return
    }
    registrar.withMutation(of: self, keyPath: \.eventCounter) {
      state.withLock { state in
        state.count += 1
        state.transactions += reading.transactions
        state.token = reading.token
      }
    }
  }

  private func report(_ error: StoreError?) {
    guard state.withLock({ $0.error }) != error else { return }
    registrar.withMutation(of: self, keyPath: \.readError) {
      state.withLock { $0.error = error }
    }
  }
}

extension ManagedEntity {
  /// The name of the class's entity.
  fileprivate static var historyName: String { managedSchema.name }
}
