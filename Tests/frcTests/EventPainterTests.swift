import FetchedResults
import ScriptRuntime
import Testing

@testable import frc

@Suite struct EventPainterTests {
  private static let book = try? EntityDescription(
    name: "Book",
    attributes: [AttributeDescription(name: "title", type: .string, isOptional: true)])

  /// Each kind of change of an object whose text has colours' words in it.
  private func changes() throws -> [(FetchedResultsChangeType, Event)] {
    let book = try #require(Self.book)
    return FetchedResultsChangeType.allCases.map { type in
      (
        type,
        .didChangeObject(
          controller: "insert", type: type,
          object: ShownObject(
            id: ObjectID(entity: book, number: 1), display: .string("delete insert")),
          indexPath: ResultsIndexPath(section: 0, row: 1),
          newIndexPath: ResultsIndexPath(section: 0, row: 2))
      )
    }
  }

  private func painted(_ event: Event, usesColor: Bool = true) -> [String] {
    let painter = EventPainter(usesColor: usesColor)
    return EventFormatter.text.lines(for: event).map { painter.paint($0, of: event) }
  }

  @Test("colours change no letter, and without them nothing is added")
  func letters() throws {
    let sequence = /\u{1B}\[[0-9;]*m/
    let others: [Event] = [
      .willChangeContent(controller: "books"), .didChangeContent(controller: "books"),
      .didChangeSection(controller: "books", type: .delete, index: 3, name: "insert"),
      .console("CoreData: error"), .error(message: "no", file: "", line: 1, column: 1),
    ]

    for event in try changes().map(\.1) + others {
      let plain = EventFormatter.text.lines(for: event)
      #expect(painted(event).map { $0.replacing(sequence, with: "") } == plain)
      #expect(painted(event) != plain)
      #expect(painted(event, usesColor: false) == plain)
    }
  }

  @Test("the word of the change has the colour of its kind, once")
  func kinds() throws {
    let colors: [FetchedResultsChangeType: String] = [
      .insert: "32", .delete: "31", .move: "33", .update: "34",
    ]

    for (type, event) in try changes() {
      let line = try #require(painted(event).first)
      let word = "\u{1B}[\(colors[type] ?? "")m\(type.rawValue)\u{1B}[0m"
      #expect(line.ranges(of: word).count == 1)
      #expect(line.hasPrefix("\u{1B}[2minsert didChange object \u{1B}[0m" + word + " Book/1"))
    }
  }
}
