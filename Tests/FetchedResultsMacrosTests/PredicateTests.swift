import FetchedResultsMacros
import Foundation
import Testing

/// A fetch with a predicate finds the same objects as Foundation's own evaluation.
@Suite("Foundation's predicates")
struct PredicateTests {
  /// A predicate with a name for messages.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let predicate: Predicate<Book>

    init(_ name: String, _ predicate: Predicate<Book>) {
      testDescription = name
      self.predicate = predicate
    }
  }

  @Test(
    "agree with their evaluation",
    arguments: [(.memory, 1), (.file, 1), (.file, 2)] as [(Library.Kind, UInt64)])
  func agreement(kind: Library.Kind, seed: UInt64) throws {
    let library = try Library(kind)
    library.fill(60, seed: seed)
    for test in Self.cases { try compare(test, in: library, "unsaved") }
    // A predicate must not depend on what an earlier one has read.
    for test in Self.cases {
      try library.renew()
      try compare(test, in: library, "saved")
    }
  }

  private func compare(_ test: Case, in library: Library, _ state: String) throws {
    let request = try FetchRequest<Book>(predicate: test.predicate)
    let found = try library.context.fetch(request)
    let expected = try library.context.fetch(FetchRequest<Book>()).filter {
      try test.predicate.evaluate($0)
    }
    let format = request.predicate?.predicateFormat ?? ""
    #expect(
      found.map(\.description) == expected.map(\.description),
      "\(test.testDescription), \(state): \(format)")
  }

  @Test("there are enough of them, and most find some books and not all")
  func strength() throws {
    #expect(Self.cases.count >= 60)
    let library = try Library(.memory)
    library.fill(60, seed: 1)
    let counts = try Self.cases.map { test in
      try library.context.count(for: FetchRequest<Book>(predicate: test.predicate))
    }
    #expect(counts.filter { $0 > 0 && $0 < 60 }.count >= 60)
  }
}
