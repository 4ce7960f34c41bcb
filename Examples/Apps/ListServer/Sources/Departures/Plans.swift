public import FetchedResults
import Foundation

/// The trains of the days to come, which are imported by the thousand.
public actor Plans {
  private let model: DepartureModel
  private let container: PersistentContainer
  /// The replacement that began last, for which the next one waits, so that they do not mix.
  private var replacing: Task<Int, any Error>?

  /// Creates the plans of a container.
  public init(_ model: DepartureModel, container: PersistentContainer) {
    self.model = model
    self.container = container
  }

  /// Replaces the trains of a day.
  ///
  /// Neither the old trains nor the new ones are ever in memory as a whole. The new ones wait in a
  /// temporary file. So a text that is refused in its middle, or cut off, leaves the old ones.
  ///
  /// - Parameters:
  ///   - day: The day, counted from today.
  ///   - rows: A train each.
  ///   - didDelete: Called with the old trains, for contexts that may show them.
  /// - Returns: How many trains the day has now.
  public func replace<Rows: AsyncSequence & Sendable>(
    day: Int, by rows: Rows, didDelete: @escaping @Sendable (BatchResult) async -> Void
  ) async throws -> Int where Rows.Element == DepartureRow {
    let file = try await Self.write(rows)
    // A sequence may just end where its task is cancelled.
    try Task.checkCancellation()
    // What was deleted is replaced, too, even if the time of the request is over.
    let task = Task { [replacing, model, container] in
      _ = await replacing?.result
      let deleted = try await container.performBackgroundTask { context in
        context.transactionAuthor = "import"
        return try context.execute(
          BatchDeleteRequest(fetchRequest: try model.request(day: day), resultType: .objectIDs))
      }
      await didDelete(deleted)
      let parts = AsyncThrowingStream {
        try file.read(upToCount: 1 << 16).flatMap { $0.isEmpty ? nil : $0 }
      }
      // The board merges a save as a whole, so small saves keep its turns short.
      return try await container.insertObjects(
        of: model.departure, from: Lines(parts), savingEvery: 250, author: "import"
      ) { row, object in
        object["day"] = .int(Int64(day))
        object["line"] = .string(row.line)
        object["destination"] = .string(row.destination)
        object["minute"] = .int(row.minute)
      }
    }
    replacing = task
    return try await task.value
  }

  /// Writes trains to a temporary file, and returns it at its beginning.
  private static func write<Rows: AsyncSequence & Sendable>(
    _ rows: Rows
  ) async throws -> FileHandle where Rows.Element == DepartureRow {
    let place = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).departures")
    try Data().write(to: place)
    let file = try FileHandle(forUpdating: place)
    // Without a name, it is gone once it is closed.
    try FileManager.default.removeItem(at: place)
    var text = Data()
    for try await row in rows {
      text += Data("\(row.line);\(row.destination);\(row.minute)\n".utf8)
      guard text.count > 1 << 16 else { continue }
      try file.write(contentsOf: text)
      text = Data()
    }
    try file.write(contentsOf: text)
    try file.seek(toOffset: 0)
    return file
  }

  /// Returns the first trains of a line on a day.
  public func departures(day: Int, line: String, limit: Int = 20) async throws -> [DepartureRow] {
    try await container.performBackgroundTask { context in
      var request = try model.request(day: day, sortedBy: ["minute"])
      request.predicate = try FetchPredicate(format: "day == %d AND line == %@", day, line)
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
          return try Self.text(of: read[start..<end])
        }
        read.removeFirst(start)
        start = 0
        if isOver {
          defer { read = [] }
          return read.isEmpty ? nil : try Self.text(of: read[...])
        }
        // A text without line breaks would be in memory as a whole.
        if read.count > Self.mostBytes { throw Self.unreadable(read[...]) }
        if let part = try await parts.next() { read += part } else { isOver = true }
      }
    }

    /// The largest size of a line, in bytes.
    private static var mostBytes: Int { 10_000 }

    /// Returns a line; what it is must not depend on how the text was divided into parts.
    private static func text(of line: ArraySlice<UInt8>) throws -> String {
      guard line.count <= mostBytes, let text = String(validating: line, as: UTF8.self) else {
        throw unreadable(line)
      }
      return text
    }

    private static func unreadable(_ line: ArraySlice<UInt8>) -> UnreadableLine {
      UnreadableLine(line: String(decoding: line.prefix(100), as: UTF8.self))
    }
  }
}
