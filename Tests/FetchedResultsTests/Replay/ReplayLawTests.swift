import Basics
import FetchedResults
import NaiveModel
import Testing

@Suite("the replay law")
struct ReplayLawTests {
  private typealias Law = ReplayLaw<Int64>

  /// Creates sections from a text such as `A: 1 2`.
  private func sections(_ words: [String]) -> [Law.Section] {
    words.map { section in
      let parts = section.split(separator: ":", omittingEmptySubsequences: false)
      return Law.Section(
        name: String(parts[0]), rows: parts[1].split(separator: " ").compactMap { Int64($0) })
    }
  }

  private func path(_ section: Int, _ row: Int) -> ResultsIndexPath {
    ResultsIndexPath(section: section, row: row)
  }

  private func breach(
    _ before: [String], _ changes: [Law.Change], _ after: [String]
  ) -> String? {
    Law(before: sections(before), changes: changes, after: sections(after)).breach?.description
  }

  @Test("nothing told fits where nothing changed")
  func nothing() {
    #expect(breach([], [], []) == nil)
    #expect(breach(["A: 1", "B: 2"], [], ["A: 1", "B: 2"]) == nil)
  }

  @Test("a place before the beginning is none")
  func negative() {
    let change = Law.Change.object(.insert, 2, at: nil, newIndexPath: path(0, -1))
    #expect(breach(["A: 1"], [change], ["A: 2 1"])?.contains("[0, -1]") == true)
  }

  @Test("each kind of change fits where it is told by the right places, in any order")
  func kinds() {
    #expect(
      breach(
        ["A: 1 2", "K: 4 5"],
        [
          .object(.update, 5, at: path(1, 1), newIndexPath: path(0, 2)),
          .object(.move, 2, at: path(0, 1), newIndexPath: path(1, 0)),
          .section(.insert, index: 1, name: "M"),
          .object(.insert, 7, at: nil, newIndexPath: path(1, 1)),
          .object(.delete, 1, at: path(0, 0), newIndexPath: nil),
          .section(.delete, index: 0, name: "A"),
          .object(.insert, 9, at: nil, newIndexPath: path(0, 0)),
        ], ["K: 9 4 5", "M: 2 7"]) == nil)
  }

  @Test("what cannot be carried out, or gives other sections, breaks it")
  func breaches() {
    let old = ["A: 1 2", "B: 3"]
    func insert(_ row: Int64, _ section: Int, _ index: Int) -> Law.Change {
      .object(.insert, row, at: nil, newIndexPath: path(section, index))
    }
    func delete(_ row: Int64, _ section: Int, _ index: Int) -> Law.Change {
      .object(.delete, row, at: path(section, index), newIndexPath: nil)
    }
    let cases: [(changes: [Law.Change], after: [String], breach: String)] = [
      (
        [], ["A: 1 2", "B: 4"],
        "section 1 should be 'B' [3] according to the callbacks, and is 'B' [4]"
      ),
      (
        [], ["A: 1 2"], "section 1 should be 'B' [3] according to the callbacks, and is absent"
      ),
      (
        [], old + ["C: 4"], "section 2 should be absent according to the callbacks, and is 'C' [4]"
      ),
      (
        [.object(.insert, 4, at: path(0, 0), newIndexPath: path(0, 0))], old,
        "the insert of 4 must have only a new index path"
      ),
      (
        [.object(.delete, 1, at: path(0, 0), newIndexPath: path(0, 0))], old,
        "the delete of 1 must have only an old index path"
      ),
      (
        [.object(.move, 1, at: path(0, 0), newIndexPath: nil)], old,
        "the move of 1 must have both index paths"
      ),
      (
        [.object(.update, 1, at: nil, newIndexPath: path(0, 0))], old,
        "the update of 1 must have both index paths"
      ),
      (
        [delete(1, 0, 0), .object(.update, 1, at: path(0, 0), newIndexPath: path(0, 0))], old,
        "two changes name the row that was at [0, 0]"
      ),
      (
        [insert(4, 0, 0), .object(.move, 1, at: path(0, 0), newIndexPath: path(0, 0))], old,
        "two changes name the row that is now at [0, 0]"
      ),
      ([delete(2, 0, 0)], ["A: 2", "B: 3"], "2 was not at [0, 0], where 1 was"),
      ([delete(2, 2, 0)], old, "2 was not at [2, 0], where nothing was"),
      (
        [.object(.update, 1, at: path(0, 0), newIndexPath: path(0, 1))], old,
        "1 does not end up at [0, 1], where the callbacks put 2"
      ),
      ([insert(4, 1, 2)], old, "4 does not end up at [1, 2], where the callbacks put nothing"),
      ([insert(4, 2, 0)], old, "4 does not end up at [2, 0], where the callbacks put nothing"),
      ([.section(.delete, index: 2, name: "C")], old, "there was no section 2 to delete"),
      (
        [.section(.delete, index: 1, name: "C"), delete(3, 1, 0)], ["A: 1 2"],
        "the deleted section 1 is called 'B', not 'C'"
      ),
      (
        [.section(.delete, index: 1, name: "B")], ["A: 1 2"],
        "3 was in the deleted section 1 and was neither deleted nor moved"
      ),
      (
        [.section(.delete, index: 1, name: "B"), .section(.delete, index: 1, name: "B")], old,
        "section 1 is deleted twice"
      ),
      (
        [.section(.insert, index: 1, name: "C"), .section(.insert, index: 1, name: "C")], old,
        "section 1 is inserted twice"
      ),
      (
        [.section(.insert, index: 4, name: "C")], old, "there is no place for a section 4"
      ),
      (
        [.section(.move, index: 1, name: "B")], old,
        "section 1 cannot have a change of type move"
      ),
      (
        [.section(.insert, index: 1, name: "C"), insert(4, 1, 0)], ["A: 1 2", "D: 4", "B: 3"],
        "section 1 should be 'C' [4] according to the callbacks, and is 'D' [4]"
      ),
    ]
    for (changes, after, expected) in cases {
      #expect(breach(old, changes, after) == expected)
    }
  }

  @Test("of random batches those told right keep it, and those with one lie break it")
  func random() {
    for seed in 0..<UInt64(300) {
      var batch = RandomBatch(seed: seed)
      #expect(batch.law.breach == nil, "seed \(seed): \(batch.law)")

      let lie = batch.lie()
      #expect(lie == nil || lie?.breach != nil, "seed \(seed): \(lie as Any)")
    }
  }

  @Test("of two images of one controller, the verdict is that of all rows", arguments: 0..<40)
  func images(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let shelf = try Shelf()
    let isSectioned = !seed.isMultiple(of: 3)
    let controller = try shelf.controller(
      sort: "publisher", "title", section: isSectioned ? "publisher" : nil)
    controller.treeShape = CountedTreeShape(leafCapacity: 4, fanOut: 3)
    let delegate = RecordingDelegate(keepsWords: false)
    controller.delegate = delegate
    var books = (0..<120).map { shelf.insert("\($0)", .string("p\($0 % 40)")) }
    try controller.performFetch()
    var image = try #require(controller.image())
    for turn in 0..<25 {
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let publisher = PropertyValue.string("p\(Int.random(in: 0..<50, using: &random))")
        let index = books.indices.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<4, using: &random) {
        case 0: books.append(shelf.insert("\(turn)", publisher))
        case 1: shelf.context.delete(books.remove(at: index))
        case 2: books[index]["title"] = .string("\(Int.random(in: 0..<900, using: &random))")
        default: books[index]["publisher"] = publisher
        }
      }
      shelf.context.processPendingChanges()
      let after = try #require(controller.image(after: image))
      let told = Law(
        before: sections(of: image), changes: delegate.callbacks.compactMap(\.change),
        after: sections(of: after))
      delegate.forget()

      #expect(sections(of: after) == sections(of: try #require(controller.image())))
      #expect(Law.breach(of: told.changes, from: image, to: after) == nil, "seed \(seed), \(turn)")
      for _ in 0..<8 {
        var batch = RandomBatch(told, seed: .random(in: 0..<1_000_000, using: &random))
        guard let lie = batch.lie() else { continue }
        #expect(
          Law.breach(of: lie.changes, from: image, to: after) == lie.breach,
          "seed \(seed), \(turn): \(lie)")
      }
      #expect(image.isEqual(to: after) == (told.before == told.after))
      image = after
    }
  }

  /// All sections of an image.
  private func sections(of image: ResultsImage) -> [Law.Section] {
    var numbers: [Int64] = []
    image.rows.forEachItem { numbers.append($0) }
    var found: [Law.Section] = []
    image.sections.forEachItem { section in
      found.append(
        Law.Section(
          name: section.name.string, rows: Array(numbers.prefix(section.rowCount))))
      numbers.removeFirst(section.rowCount)
    }
    return found
  }

  @Test("one change among many rows leaves nearly all of two images shared")
  func sharing() throws {
    let shelf = try Shelf()
    let books = (0..<20_000).map { shelf.insert("\($0)", .string("p\($0 % 100)")) }
    let controller = try shelf.controller(sort: "publisher", "title", section: "publisher")
    let delegate = RecordingDelegate(keepsWords: false)
    controller.delegate = delegate
    try controller.performFetch()
    let before = try #require(controller.image())

    books[7]["publisher"] = "p50"
    shelf.context.processPendingChanges()
    let after = try #require(controller.image(after: before))

    let parts = ResultsImage.Rows.parts(of: before.rows, and: after.rows)
    #expect(parts.one.count < 600)
    #expect(parts.other.count < 600)
    #expect(parts.one.reduce(0) { $0 + $1.count } == 20_000)
  }
}

/// Sections of random rows before and after a batch, and the changes between them.
private struct RandomBatch {
  let law: ReplayLaw<Int64>
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    var before: [Int64: String] = [:]
    var after: [Int64: String] = [:]
    for number in Int64(1)...20 {
      let name = String("ABCDE".randomElement(using: &random) ?? "A")
      if !random.chance(4) { before[number] = name }
      if random.chance(3) { continue }
      after[number] =
        random.chance(2) ? name : String("ABCDE".randomElement(using: &random) ?? "A")
    }
    func results(_ rows: [Int64: String]) -> NaiveResults {
      NaiveResults(
        rows: rows.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
          .map { NaiveResults.Row(number: $0.key, section: $0.value) }, isSectioned: true)
    }
    func sections(_ results: NaiveResults) -> [ReplayLaw<Int64>.Section] {
      results.sections.map { ReplayLaw.Section(name: $0.name, rows: $0.numbers) }
    }
    let old = results(before)
    let new = results(after)
    let changes = old.callbacks(new, changed: Set(1...20)).compactMap(\.change)
    law = ReplayLaw(
      before: sections(old), changes: changes.shuffled(using: &random), after: sections(new))
  }

  init(_ law: ReplayLaw<Int64>, seed: UInt64) {
    self.law = law
    random = SeededGenerator(seed: seed)
  }

  /// Returns the same batch with one change missing or at a wrong place; nil if no such mistake
  /// would be noticed.
  mutating func lie() -> ReplayLaw<Int64>? {
    var lie = law
    let places = law.changes.indices.filter {
      if case .object(.update, _, _, _) = law.changes[$0] { false } else { true }
    }
    guard let place = places.randomElement(using: &random) else { return nil }
    let change = lie.changes.remove(at: place)
    guard random.chance(2) else { return lie }
    switch change {
    case .object(let type, let row, var path, var newPath):
      if newPath == nil { path?.row += 1 } else { newPath?.row += 1 }
      lie.changes.append(.object(type, row, at: path, newIndexPath: newPath))
    case .section(let type, let index, let name):
      lie.changes.append(.section(type, index: index + 1, name: name))
    }
    return lie
  }
}

extension Callback {
  /// What the callback reports; nil for the beginning and the end of a batch.
  fileprivate var change: ReplayLaw<Int64>.Change? {
    switch self {
    case .object(let type, let row, let path, let newPath):
      .object(type, row, at: path, newIndexPath: newPath)
    case .section(let type, let index, let name): .section(type, index: index, name: name)
    case .willChange, .didChange: nil
    }
  }
}
