public import FetchedResults
public import Foundation

/// The actor that the list belongs to.
///
/// A context stays on the actor that made it. Everything that is isolated to this one may use the
/// board's context.
@globalActor
public actor BoardActor {
  /// The one instance.
  public static let shared = BoardActor()

  private let queue = TimedQueue(label: "Board")

  /// The queue that everything of this actor runs on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    queue.asUnownedSerialExecutor()
  }

  /// The longest time in which others had to wait for the actor, since the last call.
  public nonisolated func takeLongestJob() -> LongestJob { queue.takeLongest() }
}

/// The list of departures, and those who follow it.
///
/// Each difference of the controller becomes a message with a number. The board keeps the newest
/// messages. A follower that was away gets those it missed, or the whole list if they are gone.
@BoardActor
public final class Board {
  /// The departures; other contexts of it may write them.
  public nonisolated let container: PersistentContainer
  private let context: ManagedObjectContext
  private let controller: FetchedResultsController

  /// Tells this run of the program from an earlier one, whose numbers mean nothing here.
  private let run = String(UInt32.random(in: .min ... .max), radix: 36)
  /// The number of the newest message.
  private var number = 0
  /// The newest messages, oldest first.
  private var kept: [Message] = []
  private let keptCount: Int
  /// The list as JSON, and the number of the message that it was made after.
  private var encodedList: (number: Int, text: Data)?
  /// The list after the newest message.
  private var sections: [FetchedResultsSnapshot.Section] = []
  private var followers: [Int: AsyncStream<Message>.Continuation] = [:]
  private var followerCount = 0

  /// Creates a board with no followers.
  ///
  /// - Parameters:
  ///   - model: The model of the departures.
  ///   - container: The departures.
  ///   - keptCount: How many messages are kept for followers that were away.
  public init(
    _ model: DepartureModel, container: PersistentContainer, keeping keptCount: Int = 500
  ) throws {
    self.container = container
    self.keptCount = keptCount
    context = try container.newContext()
    controller = try FetchedResultsController(
      fetchRequest: try model.request, managedObjectContext: context, sectionNameKeyPath: "status")
  }

  /// Follows the controller and passes on each difference, until the task is cancelled.
  public func passOnChanges() async throws {
    // A controller follows its context from the fetch on only if someone observes it by then.
    let changes = controller.changes
    try await controller.performFetch()
    for await difference in changes {
      try difference.apply(to: &sections)
      number += 1
      let message = try message(difference)
      kept.append(message)
      if kept.count > keptCount { kept.removeFirst() }
      for (id, follower) in followers { send(message, to: follower, id) }
    }
  }

  /// Returns the messages from now on.
  ///
  /// - Parameter last: The ID of the last message that the follower has seen; nil for none. If the
  ///   messages after it are kept, they come first. Otherwise the whole list comes first.
  public func messages(after last: String?) throws -> AsyncStream<Message> {
    // A follower that does not read is dropped. It connects again and gets what it missed.
    let (stream, follower) = AsyncStream.makeStream(
      of: Message.self, bufferingPolicy: .bufferingOldest(keptCount + 100))
    if let missed = missedMessages(after: last) {
      for message in missed { follower.yield(message) }
    } else {
      follower.yield(try message(SectionedDifference(replacingBy: sections)))
    }
    followerCount += 1
    let id = followerCount
    followers[id] = follower
    follower.onTermination = { [weak self] _ in
      Task { @BoardActor in self?.followers[id] = nil }
    }
    return stream
  }

  /// Sends everyone an empty message.
  ///
  /// Writing is how a server finds out that a reader is gone.
  public func sendSignOfLife() {
    for (id, follower) in followers { send(.signOfLife, to: follower, id) }
  }

  /// Merges what other programs saved, which a context does not notice while it rests.
  public func mergeOthersSaves() { context.processPendingChanges() }

  /// Merges what a batch request did to the store, because contexts do not see it by themselves.
  ///
  /// It merges some hundred objects at a time. In between the actor does what else it has to do.
  public func merge(_ result: BatchResult) async {
    for (key, ids) in result.changes {
      for start in stride(from: 0, to: ids.count, by: Self.mostMerged) {
        ManagedObjectContext.mergeChanges(
          fromRemoteContextSave: [key: Array(ids[start..<min(start + Self.mostMerged, ids.count)])],
          into: [context])
        context.processPendingChanges()
        await Task.yield()
      }
    }
  }

  /// How many objects of a batch request are merged without a pause.
  private static var mostMerged: Int { 500 }

  /// Returns the list as JSON.
  ///
  /// It is made once for each change, however many ask for it.
  public func listAsJSON() throws -> Data {
    if let encodedList, encodedList.number == number { return encodedList.text }
    let text = try JSONEncoder().encode(currentList)
    encodedList = (number, text)
    return text
  }

  /// The list as the controller has it now, for comparison.
  public var currentList: [DepartureSection] {
    controller.sections?.map { section in
      DepartureSection(
        name: section.name,
        rows: section.objects.map { object in
          IdentifiedRow(id: object.objectID.description, row: DepartureRow(object))
        })
    } ?? []
  }
}

extension Board {
  private func send(
    _ message: Message, to follower: AsyncStream<Message>.Continuation, _ id: Int
  ) {
    guard case .dropped = follower.yield(message) else { return }
    follower.finish()
    followers[id] = nil
  }

  private func missedMessages(after last: String?) -> ArraySlice<Message>? {
    guard let parts = last?.split(separator: "-"), parts.count == 2, parts[0] == run,
      let seen = Int(parts[1]), seen <= number, number - seen <= kept.count
    else { return nil }
    return kept.suffix(number - seen)
  }

  private func message(_ difference: SectionedDifference) throws -> Message {
    var shown = difference.objects.filter { $0.type != .delete }.map(\.objectID)
    for section in difference.replacement ?? [] { shown += section.itemIdentifiers }
    var rows: [String: DepartureRow] = [:]
    for id in shown {
      // One that was deleted meanwhile has no row. A later message takes it off the list.
      guard let object = try? context.existingObject(with: id) else { continue }
      rows[id.description] = DepartureRow(object)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let update = Update(number: number, difference: difference, rows: rows)
    return Message(
      id: "\(run)-\(number)", text: String(decoding: try encoder.encode(update), as: UTF8.self))
  }
}
