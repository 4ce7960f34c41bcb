import Foundation
import Terminal
import Testing

@testable import Shelf

/// The tests of the running app, one after the other: all of them use the main actor.
@Suite("The app", .serialized)
enum AppTests {}

/// An app whose loop runs, for tests.
@MainActor
final class RunningApp {
  let library: Library
  let app: Bookshelf
  private let loop: Task<Void, any Error>
  private let draws = DrawCount()

  init(columns: Int = 60, rows: Int = 12) throws {
    library = try Library(file: nil)
    app = Bookshelf(library, size: TerminalSize(columns: columns, rows: rows))
    loop = Task { [app, draws] in try await app.run { _ in draws.count += 1 } }
  }

  /// Presses the keys of a text.
  func type(_ text: String) {
    for character in text {
      switch character {
      case "\n": press(.enter)
      case "\u{1B}": press(.escape)
      case "\u{7F}": press(.backspace)
      default: press(.character(character))
      }
    }
  }

  func press(_ key: Key) { app.send.yield(.key(key)) }

  /// The screen as text, without blanks at the ends of lines.
  var text: String { app.lines.map { $0.text.trimmingSuffix(" ") }.joined(separator: "\n") }

  /// Waits until the screen is as it should be, and fails after ten seconds.
  func wait(
    for condition: (String) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let end = ContinuousClock.now + .seconds(10)
    while true {
      let count = draws.count
      if condition(text) { return }
      guard ContinuousClock.now < end else {
        Issue.record("not seen; the screen is:\n\(text)", sourceLocation: sourceLocation)
        return
      }
      while draws.count == count, ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  /// Waits for a whole screen.
  func expect(
    _ screen: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await wait(for: { $0 == screen }, sourceLocation: sourceLocation)
    #expect(text == screen, sourceLocation: sourceLocation)
  }

  /// Ends the loop.
  func quit() async throws {
    app.send.yield(.stop)
    try await loop.value
  }
}

/// How often the screen was drawn.
@MainActor
private final class DrawCount {
  var count = 0
}

extension String {
  func trimmingSuffix(_ character: Character) -> String {
    var text = self
    while text.last == character { text.removeLast() }
    return text
  }
}
