public import FetchedResults
import Foundation

/// The trains of the days to come, which are imported by the thousand.
public struct Plans: Sendable {
  private let model: DepartureModel
  private let container: PersistentContainer
  /// Held while new trains take the place of old ones, so that imports of one day do not mix.
  private let replacing = NSLock()

  /// Creates the plans of a container.
  public init(_ model: DepartureModel, container: PersistentContainer) {
    self.model = model
    self.container = container
  }

  /// Replaces the trains of a day.
  ///
  /// Neither the old trains nor the new ones are ever in memory as a whole. The new ones wait in
  /// the store, on a day that no request names. So an import that fails leaves the old ones.
  ///
  /// - Parameters:
  ///   - day: The day, counted from today.
  ///   - rows: A train each.
  ///   - didReplace: Called with the old trains, and then with the new ones, for contexts that may
  ///     show them.
  /// - Returns: How many trains the day has now.
  public func replace<Rows: AsyncSequence & Sendable>(
    day: Int32, by rows: Rows, didReplace: @Sendable (BatchResult) async -> Void
  ) async throws -> Int where Rows.Element == DepartureRow {
    let waitingDay = Int64.random(in: .min..<Int64(Int32.min))
    let waiting = try model.request(day: waitingDay)
    do {
      // The board merges a save as a whole, so small saves keep its turns short.
      let count = try await container.insertObjects(
        of: model.departure, from: rows, savingEvery: 250, author: "import"
      ) { row, object in
        object["line"] = .string(row.line)
        object["destination"] = .string(row.destination)
        object["minute"] = .int(row.minute)
        object["day"] = .int(waitingDay)
      }
      let results = try await finish { context in
        guard try context.count(for: waiting) == count else { throw RemovedTrains() }
        return try replacing.withLock {
          [
            try context.execute(
              BatchDeleteRequest(
                fetchRequest: try model.request(day: day), resultType: .objectIDs)),
            try context.execute(
              BatchUpdateRequest(
                entity: model.departure, predicate: waiting.predicate,
                propertiesToUpdate: ["day": .value(.int(Int64(day)))], resultType: .objectIDs)),
          ]
        }
      }
      for result in results { await didReplace(result) }
      return count
    } catch {
      _ = try? await finish { try $0.execute(BatchDeleteRequest(fetchRequest: waiting)) }
      throw error
    }
  }

  /// Removes the trains of imports that the end of the program cut off.
  public func removeWaiting() async throws {
    _ = try await finish { context in
      try context.execute(BatchDeleteRequest(fetchRequest: try model.waitingRequest))
    }
  }

  /// Changes the store in a task of its own, which goes on if the request's task is cancelled.
  private func finish<Result: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
  ) async throws -> Result {
    try await Task {
      try await container.performBackgroundTask { context in
        context.transactionAuthor = "import"
        return try body(context)
      }
    }.value
  }

  /// Returns the first trains of a line on a day.
  public func departures(day: Int32, line: String, limit: Int = 20) async throws -> [DepartureRow] {
    try await container.performBackgroundTask { context in
      var request = try model.request(day: day, sortedBy: ["minute"])
      request.predicate = try FetchPredicate(format: "day == %d AND line == %@", Int(day), line)
      request.fetchLimit = limit
      return try context.fetch(request).map(DepartureRow.init)
    }
  }

  /// Returns how many trains the store has on all days.
  public func count() async throws -> Int {
    try await container.performBackgroundTask { context in
      try context.count(for: FetchRequest(entity: model.departure))
    }
  }
}

/// A line that names no train.
public struct UnreadableLine: Error {
  /// The line, or its beginning.
  public let line: String
}

/// Another program removed trains while they were imported, because it was started meanwhile.
struct RemovedTrains: Error {}

/// The trains that the lines of a text name, which arrives in parts.
///
/// A line has a train's line, destination and minute, divided by semicolons.
public struct Lines<Parts: AsyncSequence & Sendable, Bytes: Collection<UInt8> & Sendable>:
  AsyncSequence, Sendable
where Parts.Element == Bytes {
  /// What a line says.
  public typealias Element = DepartureRow

  private let parts: Parts

  /// Divides a text into lines.
  public init(_ parts: Parts) { self.parts = parts }

  /// Returns an iterator over the trains.
  public func makeAsyncIterator() -> Iterator { Iterator(parts: parts.makeAsyncIterator()) }

  /// Returns the train of one line after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var parts: Parts.AsyncIterator
    /// What was read of the text.
    private var read: [UInt8] = []
    /// Where the next line begins in it.
    private var start = 0
    private var isOver = false

    fileprivate init(parts: Parts.AsyncIterator) { self.parts = parts }

    /// Returns the next train; nil at the end.
    ///
    /// - Throws: ``UnreadableLine``, after the rest of the text was read and dropped: most clients
    ///   wait for no answer before they have sent everything.
    public mutating func next() async throws -> DepartureRow? {
      do {
        return try await nextLine().map { try DepartureRow(line: $0) }
      } catch let error as UnreadableLine {
        while try await parts.next() != nil {}
        throw error
      }
    }

    /// Returns the next line without its end; nil at the end.
    private mutating func nextLine() async throws -> String? {
      while true {
        if let end = read[start...].firstIndex(of: UInt8(ascii: "\n")) {
          defer { start = end + 1 }
          return String(decoding: read[start..<end], as: UTF8.self)
        }
        read.removeFirst(start)
        start = 0
        if isOver {
          defer { read = [] }
          return read.isEmpty ? nil : String(decoding: read, as: UTF8.self)
        }
        // A text without line breaks would be in memory as a whole.
        if read.count > 10_000 {
          throw UnreadableLine(line: String(decoding: read.prefix(100), as: UTF8.self))
        }
        if let part = try await parts.next() { read += part } else { isOver = true }
      }
    }
  }
}
