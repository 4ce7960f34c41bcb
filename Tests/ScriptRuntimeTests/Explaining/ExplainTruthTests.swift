import Basics
import RandomLaws
import Testing

/// The output of `explain` for random turns is correct.
///
/// The expected output is computed only from the objects' values before and after.
@Suite("The evidence that explain prints")
struct ExplainTruthTests {
  private static let controllers = [
    PlainController(
      name: "thick",
      definition: "Book where pages > 100 sort by publisher, title section by publisher",
      matches: { Int($0["pages"] ?? "") ?? 0 > 100 },
      sort: [.text("publisher"), .text("title")], section: "publisher",
      predicateKeys: ["pages"]),
    PlainController(
      name: "pages", definition: "Book sort by pages desc, title", matches: { _ in true },
      sort: [.number("pages", ascending: false), .text("title")], section: nil,
      predicateKeys: []),
    PlainController(
      name: "either", definition: "Book where pages < 60 OR title == 'b' sort by title",
      matches: { Int($0["pages"] ?? "") ?? 0 < 60 || $0["title"] == "b" },
      sort: [.text("title")], section: nil, predicateKeys: ["pages", "title"]),
    // Books of the same publisher have the same shelf, so that sections exchange places.
    PlainController(
      name: "shelves", definition: "Book sort by shelf, title section by publisher",
      matches: { _ in true }, sort: [.number("shelf", ascending: true), .text("title")],
      section: "publisher", predicateKeys: []),
  ]

  /// Returns a world with all controllers, which have fetched.
  private static func world() throws -> ExplainedWorld {
    let definitions = controllers.map { "controller \($0.name) = \($0.definition)" }
    let fetches = controllers.map { "fetch \($0.name)" }
    return try ExplainedWorld(
      ([RandomTurns.model] + definitions + fetches).joined(separator: "\n"))
  }

  @Test("is true of random turns")
  func truth() throws {
    for seed in LawSeeds(seconds: 0.5, from: 1) {
      var turns = RandomTurns(seed: seed)
      let world = try Self.world()
      for _ in 0..<60 {
        let turn = turns.next(of: world.after)
        try world.explain(turn)
        for controller in Self.controllers {
          let review = ExplainReview(world, controller)
          review.check()
          if !review.faults.isEmpty {
            Issue.record("seed \(seed): \(turn): \(review.faults.joined(separator: "; "))")
            return
          }
        }
      }
    }
  }

  @Test("what a kept limit hides counts as matching, until it no longer matches")
  func keptLimit() throws {
    let world = try ExplainedWorld(
      """
      entity Book { title: String, pages: Int }
      insert 3 Book(title: "t\\(i)", pages: 5)
      controller first = Book where pages > 0 sort by title limit 1 keep limit
      fetch first
      """)
    func told(_ turn: String, of object: String) throws -> (rule: String?, after: Bool?) {
      try world.explain(turn)
      let entry = world.printed.first {
        $0["object"] as? String == object || ($0["objects"] as? [String])?.contains(object) == true
      }
      let match = entry?["predicate"] as? ExplainedWorld.Printed
      return (entry?["rule"] as? String, match?["after"] as? Bool)
    }

    #expect(try told("Book/1.title = \"z\"", of: "Book/1") == ("left-limit", true))
    #expect(try told("Book/1.pages = 4", of: "Book/1") == ("outside-limit", true))
    #expect(try told("Book/1.pages = 0", of: "Book/1") == ("stays-outside", false))
    #expect(try told("Book/1.pages = 6", of: "Book/1") == ("outside-limit", true))
  }

  @Test("an observer announces nothing for what is again as it was, and a rollback is no save")
  func undoneChanges() throws {
    let world = try ExplainedWorld(
      """
      entity Book { title: String, pages: Int = 5 }
      insert 2 Book(title: "t\\(i)")
      save
      observer books = Book where pages < 6 sort by title
      show books
      """)
    func waits() -> Bool? {
      world.printed.first { $0["rule"] as? String == "unsaved" }.map { $0["untold"] != nil }
    }

    try world.explain("Book/1.title = \"z\"")
    #expect(waits() == true)
    try world.explain("Book/1.title = \"t1\"")
    #expect(waits() == false)
    try world.explain("perform { Book/1.title = \"z\"\nchange books where pages < 7 }")
    try world.explain("rollback")
    #expect(world.printed.contains { $0["rule"] as? String == "saved" } == false)
    #expect(world.printed.contains { $0["rule"] as? String == "batch" })
  }

  @Test("a lie is found", arguments: Lie.allCases)
  func lie(_ lie: Lie) throws {
    let thick = Self.controllers[0]
    let world = try ExplainedWorld(
      """
      \(RandomTurns.model)
      controller thick = \(thick.definition)
      fetch thick
      perform {
        insert Book(title: "a", publisher: "ace", pages: 200, shelf: 0)
        insert Book(title: "b", publisher: "ace", pages: 200, shelf: 0)
        insert Book(title: "c", publisher: "ace", pages: 200, shelf: 0)
        insert Book(title: "d", publisher: "tor", pages: 20, shelf: 0)
      }
      """)
    try world.explain(
      "perform { Book/1.title = \"x\"; Book/2.publisher = \"tor\"; Book/4.pages = 30 }")

    let truth = ExplainReview(world, thick)
    truth.check()
    let told = ExplainReview(world, thick, printed: lie.told(of: world.printed))
    told.check()

    #expect(truth.faults == [])
    #expect(told.faults != [])
  }

  /// A wrong statement that `explain` could print.
  enum Lie: CaseIterable {
    case rule, oldValue, newValue, predicate, previous, oldPath, passed, role, silence, omission
    case section

    /// Returns the output with the wrong statement.
    func told(of printed: [ExplainedWorld.Printed]) -> [ExplainedWorld.Printed] {
      printed.compactMap { entry in
        var entry = entry
        var keys = entry["keys"] as? [ExplainedWorld.Printed] ?? []
        let isMove = entry["object"] as? String == "Book/1"
        switch self {
        case .rule: if isMove { entry["rule"] = "kept-place" }
        case .oldValue: if isMove { keys[0]["old"] = "q" }
        case .newValue: if isMove { keys[0]["new"] = "q" }
        case .role: if isMove { keys[0]["roles"] = ["predicate"] }
        case .predicate: if isMove { entry["predicate"] = ["before": true, "after": false] }
        case .previous:
          if isMove, var place = entry["new"] as? ExplainedWorld.Printed {
            place["previous"] = "Book/2"
            entry["new"] = place
          }
        case .oldPath:
          if isMove, var place = entry["old"] as? ExplainedWorld.Printed {
            place["indexPath"] = [0, 1]
            entry["old"] = place
          }
        case .passed: if isMove { entry["passed"] = ["Book/2"] }
        case .silence:
          if entry["rule"] as? String == "stays-outside" { entry["objects"] = ["Book/3"] }
        case .omission: if isMove { return nil }
        case .section: if entry["name"] != nil { entry["new"] = ["index": 1, "rows": 2] }
        }
        if !keys.isEmpty { entry["keys"] = keys }
        return entry
      }
    }
  }

  @Test("every rule of a change comes up in random turns")
  func rules() throws {
    let all: Set = [
      "batch", "changed-section", "created", "deleted", "kept-place", "other-entity",
      "passed-changed", "passed-unchanged", "section-emptied", "section-filled",
      "section-reordered", "started-matching", "stays-outside", "stopped-matching",
    ]
    var seen: Set<String> = []
    for seed in UInt64(1)...30 where !seen.isSuperset(of: all) {
      var turns = RandomTurns(seed: seed)
      let world = try Self.world()
      for _ in 0..<40 {
        try world.explain(turns.next(of: world.after))
        seen.formUnion(world.printed.compactMap { $0["rule"] as? String })
      }
    }

    #expect(all.subtracting(seen) == [])
  }
}

/// Turns as script text, for a few books.
struct RandomTurns {
  static let model = """
    entity Author { name: String, books: [Book] inverse author }
    entity Book { title: String, publisher: String, pages: Int, shelf: Int, author: Author? inverse books }
    perform { insert Author(name: "x"); insert Author(name: "y") }
    """
  private static let publishers = ["ace", "orb", "tor", "von"]
  private static let titles = ["a", "b", "c", "d", "é"]

  private var generator: SeededGenerator
  private var shelves = [0, 1, 2, 3]
  private var lastNumber = 0

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Returns a turn of one or several changes.
  mutating func next(of books: [Int: ExplainedWorld.Values]) -> String {
    var live = books.keys.sorted()
    var publishers = books.compactMapValues { $0["publisher"] }
    var statements: [String] = []
    if Int.random(in: 0..<5, using: &generator) == 0 {
      shelves.shuffle(using: &generator)
      for book in live { statements.append("Book/\(book).shelf = \(shelf(publishers[book]))") }
    }
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let publisher = pick(Self.publishers)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0...1 where live.count < 14, 2 where live.count < 3:
        lastNumber += 1
        statements.append(
          "insert Book(title: \"\(pick(Self.titles))\", publisher: \"\(publisher)\", "
            + "pages: \(pages), shelf: \(shelf(publisher)))")
      case _ where live.isEmpty: break
      case 2: statements.append("delete Book/\(live.remove(at: index(live)))")
      case 3:
        let book = live[index(live)]
        publishers[book] = publisher
        statements.append("Book/\(book).publisher = \"\(publisher)\"")
        statements.append("Book/\(book).shelf = \(shelf(publisher))")
      case 4...5: statements.append("Book/\(live[index(live)]).title = \"\(pick(Self.titles))\"")
      case 6: statements.append("Book/\(live[index(live)]).pages = \(pages)")
      default:
        let author = Int.random(in: 1...2, using: &generator)
        statements.append("Book/\(live[index(live)]).author = Author/\(author)")
      }
    }
    if statements.isEmpty { statements.append("Author/1.name = \"z\"") }
    return "perform { \(statements.joined(separator: "; ")) }"
  }

  private var pages: Int {
    mutating get { [20, 50, 90, 120, 150, 200].randomElement(using: &generator) ?? 20 }
  }

  private func shelf(_ publisher: String?) -> Int {
    shelves[publisher.flatMap(Self.publishers.firstIndex(of:)) ?? 0]
  }

  private mutating func pick(_ words: [String]) -> String {
    words.randomElement(using: &generator) ?? ""
  }

  private mutating func index(_ live: [Int]) -> Int {
    Int.random(in: live.indices, using: &generator)
  }
}
