import FetchedResultsMacros
import Foundation
import Terminal
import Testing

@testable import Shelf

extension AppTests {
  @Suite("The drawn list after random changes")
  @MainActor
  struct RandomChangesTests {
    @Test("equals a fresh fetch", arguments: 1...8)
    func equalsFreshFetch(seed: UInt64) async throws {
      var random = Numbers(state: seed)
      let app = try RunningApp(columns: 80, rows: 200)
      for round in 0..<10 {
        for _ in 0..<Int.random(in: 1...8, using: &random) { act(on: app, &random) }
        let seed = random.next()
        async let background: Void = app.library.changeInBackground(round, seed: seed)
        for _ in 0..<Int.random(in: 1...4, using: &random) { act(on: app, &random) }
        try await background
        // Leaves whatever is being typed, but keeps the search.
        app.press(.escape)
        let search = ["", "a", "1", "Title 2"].randomElement(using: &random) ?? ""
        app.type("\u{1B}/\(search)\n")
        try await app.wait { text in
          list(of: text) == (try? app.library.freshList(search: search))
        }
      }
      try await app.quit()
    }

    /// The lines of the list: without the header, the two lines at the bottom, and the marks.
    private func list(of text: String) -> [String] {
      text.components(separatedBy: "\n").dropFirst().dropLast(2).filter { !$0.isEmpty }
        .map { $0.hasPrefix("> ") ? "  " + $0.dropFirst(2) : $0 }
    }

    private func act(on app: RunningApp, _ random: inout Numbers) {
      let number = Int.random(in: 1...30, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<4: app.type("aTitle \(number)\nAuthor \(number % 4)\nShelf \(number % 5)\n")
      case 4: app.type("e\n\n\u{7F}\(number % 5)\n")
      case 5: app.type("e\(number)\n\n\n")
      case 6: app.type("d")
      case 7: app.type("u")
      case 8: app.type("r")
      case 9: for _ in 0..<number { app.press(.down) }
      case 10: app.press(.home)
      default: app.type("/Title\n")
      }
    }
  }
}

/// Random numbers that begin the same way for the same seed.
private struct Numbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) ^ (state << 31)
  }
}
