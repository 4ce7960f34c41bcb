import FetchedResults
import Foundation
import Testing

@testable import Departures

@Suite("The board and its followers")
@BoardActor
struct BoardTests {
  let model: DepartureModel
  let board: Board
  let timetable: Timetable

  init() throws {
    model = try DepartureModel()
    let container = PersistentContainer(managedObjectModel: model.model)
    board = try Board(model, container: container, keeping: 50)
    timetable = try Timetable(model, container: container, seed: 7)
  }

  @Test("a follower's list is the controller's after 300 random changes")
  func follow() async throws {
    try await withPassedOnChanges {
      var follower = Follower(try board.messages(after: nil), model: model)
      for _ in 0..<10 {
        for _ in 0..<30 { try await timetable.change() }
        #expect(try await follower.catchUp(with: board))
      }
      #expect(board.currentList.count > 1)
      // The first message has everything; another one would hide a wrong difference.
      #expect(follower.replacements <= 2)
    }
  }

  @Test("one that was away gets what it missed, or everything if that is too much")
  func away() async throws {
    try await withPassedOnChanges {
      var follower = Follower(try board.messages(after: nil), model: model)
      for _ in 0..<20 { try await timetable.change() }
      #expect(try await follower.catchUp(with: board))

      let replacements = follower.replacements
      for _ in 0..<5 { try await timetable.change() }
      follower.messages = try board.messages(after: follower.last).makeAsyncIterator()
      #expect(try await follower.catchUp(with: board))
      #expect(follower.replacements == replacements)

      for _ in 0..<100 { try await timetable.change() }
      try await settle()
      follower.messages = try board.messages(after: follower.last).makeAsyncIterator()
      #expect(try await follower.catchUp(with: board))
      #expect(follower.replacements == replacements + 1)
    }
  }

  @Test(
    "an ID of another run, or of no message, brings the whole list", arguments: ["x-1", "", "-"])
  func unknownID(last: String) async throws {
    try await withPassedOnChanges {
      try await timetable.change()
      var follower = Follower(try board.messages(after: last), model: model)
      #expect(try await follower.catchUp(with: board))
    }
  }

  @Test("one that does not read is dropped")
  func slow() async throws {
    try await withPassedOnChanges {
      let messages = try board.messages(after: nil)
      for _ in 0..<200 { board.sendSignOfLife() }
      var count = 0
      for await _ in messages { count += 1 }
      #expect(count == 150)
    }
  }

  @Test("a message is an event of one line")
  func event() async throws {
    let message = Message(id: "a-1", text: "{}")
    #expect(message.event == "id: a-1\ndata: {}\n\n")
    #expect(Message.signOfLife.event == ": still here\n\n")
  }

  private func withPassedOnChanges(_ body: () async throws -> Void) async throws {
    let task = Task { try await board.passOnChanges() }
    try await body()
    task.cancel()
    try await task.value
  }

  /// Waits until the board has merged what was saved.
  private func settle() async throws {
    var other = Follower(try board.messages(after: nil), model: model)
    #expect(try await other.catchUp(with: board))
  }
}

/// What a page does, in Swift.
private struct Follower {
  var messages: AsyncStream<Message>.AsyncIterator
  private(set) var last: String?
  private(set) var replacements = 0
  private var sections: [FetchedResultsSnapshot.Section] = []
  private var rows: [String: DepartureRow] = [:]
  private let model: DepartureModel
  private let decoder = JSONDecoder()

  init(_ messages: AsyncStream<Message>, model: DepartureModel) {
    self.model = model
    self.messages = messages.makeAsyncIterator()
    decoder.userInfo[.managedObjectModel] = model.model
  }

  /// Reads messages until the list is the board's.
  ///
  /// Returns false if it never is.
  @BoardActor
  mutating func catchUp(with board: Board) async throws -> Bool {
    // Merges of the last saves may still be under way; their messages come, too.
    for _ in 0..<1_000 {
      if list == board.currentList, !list.isEmpty, try await board.hasMerged(model) { return true }
      guard let message = await messages.next(isolation: #isolation) else { return false }
      let update = try decoder.decode(Update.self, from: Data(message.text.utf8))
      if update.difference.replacement != nil { replacements += 1 }
      try update.difference.apply(to: &sections)
      rows.merge(update.rows) { $1 }
      last = message.id
    }
    return false
  }

  private var list: [DepartureSection] {
    sections.map { section in
      DepartureSection(
        name: section.identifier,
        rows: section.itemIdentifiers.compactMap { id in
          rows[id.description].map { IdentifiedRow(id: id.description, row: $0) }
        })
    }
  }
}

extension Board {
  /// Whether the list has everything that was saved.
  fileprivate func hasMerged(_ model: DepartureModel) async throws -> Bool {
    let departure = model.departure
    let saved = try await container.performBackgroundTask { context in
      try context.fetch(FetchRequest(entity: departure))
        .map { IdentifiedRow(id: $0.objectID.description, row: DepartureRow($0)) }
    }
    return Set(saved) == Set(currentList.flatMap(\.rows))
  }
}
