import Basics
import FetchedResults
import RandomLaws
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Synchronization
import Testing

/// Long statements that are stopped at random moments.
@Suite struct StoppedTurnTests {
  @Test("a stopped statement leaves the session as it was, and does the same when it runs again")
  func random() throws {
    var stops = 0
    for seed in LawSeeds(seconds: 1.2, atLeast: 4) {
      var random = SeededGenerator(seed: seed)
      let work = LongWork.all[Int(seed % UInt64(LongWork.all.count))]
      stops += try StoppedRun(work, isInFile: seed / UInt64(LongWork.all.count) % 2 == 1)
        .check(at: 5, using: &random, "seed \(seed)")
    }
    #expect(stops > 0)
  }

  @Test(
    "each kind of long work stops at 200 random moments", .enabled(if: LawForm.isLong),
    arguments: LongWork.all.indices, [false, true])
  func everywhere(kind: Int, isInFile: Bool) throws {
    var random = SeededGenerator(seed: 44 + UInt64(kind))
    let work = LongWork.all[kind]
    let words = "\(kind) \(work.name), \(isInFile ? "file" : "memory")"
    var stops = 0
    while stops < 200 {
      // Making the sessions takes longer than a stop, so all stops have the same ones, unless a
      // statement ends.
      let found = try StoppedRun(work, isInFile: isInFile)
        .check(at: 200 - stops, using: &random, words)
      try #require(found > 0, "\(work.name) cannot be stopped")
      stops += found
    }
    print("\(words): \(stops) stops")
  }

  // A test runs in a task, in which a save and a fetch install checks of their own.
  @Test("a save that is stopped in a task is interrupted", arguments: [false, true])
  func saves(isInFile: Bool) throws {
    var random = SeededGenerator(seed: 44)
    let run = try StoppedRun(LongWork("save", [LongWork.fill]), isInFile: isInFile)
    #expect(try run.check(at: 20, using: &random, "save") > 0)
  }

  @Test("a batch request and an import that are stopped leave nothing", arguments: [false, true])
  func batches(isInFile: Bool) throws {
    var random = SeededGenerator(seed: 44)
    for work in LongWork.batches {
      let run = try StoppedRun(work, isInFile: isInFile)
      #expect(try run.check(at: 3, using: &random, "\(work.name)") > 0)
    }
  }

  @Test(
    "long work asks often whether to stop",
    arguments: LongWork.all.prefix(8) + LongWork.batches.prefix(2) + [LongWork.groups])
  private func questions(_ work: LongWork) throws {
    let work = work.repeated(LawForm.isLong ? 200_000 : 50_000)
    let parts = try timedParts(share: 6) {
      let session = try StoppableSession(work.before, isInFile: false)
      let times = try session.questions(of: work.statement, dropsInterrupted: true).times
      let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .seconds(60)
      return (longest, (times.last ?? .zero) - (times.first ?? .zero))
    }
    // A step takes up to a tenth of such short work.
    #expect(parts == nil, "\(work.name): longest time without a question, of the whole")
  }

  /// Measures a part of some work and the whole, up to three times: another process may take the
  /// processor in the part, but hardly each time.
  ///
  /// - Parameter share: The part should take less than the whole divided by this.
  /// - Returns: The last times, if the part took longer each time.
  private func timedParts(
    share: Int, _ measure: () throws -> (part: Duration, whole: Duration)
  ) throws -> (part: Duration, whole: Duration)? {
    var times: (part: Duration, whole: Duration)?
    for _ in 0..<3 {
      let measured = try measure()
      if measured.part * share < measured.whole { return nil }
      times = measured
    }
    return times
  }

  @Test(
    "a turn that can no longer stop ends soon",
    arguments: [LongWork.ofContexts[0], LongWork.ofReplacing[0], LongWork.ofReplacing[10]])
  private func rest(_ work: LongWork) throws {
    let work = work.repeated(LawForm.isLong ? 200_000 : 5_000)
    let parts = try timedParts(share: 8) {
      let session = try StoppableSession(work.before, isInFile: true, keepsReasons: true)
      let (times, end) = try session.questions(of: work.statement, dropsInterrupted: false)
      return (end - (try #require(times.last)), end - (try #require(times.first)))
    }
    #expect(parts == nil, "\(work.name): time after the last question, of the whole")
  }

  @Test("before anything is undone, a stopped statement tells what it has done")
  func toldBefore() throws {
    let work = LongWork.all[0]
    let session = try StoppableSession(work.before, isInFile: false)
    let asked = try StoppableSession(work.before, isInFile: false)
      .run(work.statement, stoppingAfter: .max).asked

    #expect(try session.changes(atStopAfter: asked - 1, of: work.statement) == [1300, 1300])
  }

  @Test(
    "an undo, a rollback and a merge that are stopped put everything back",
    arguments: [false, true])
  func replacing(isInFile: Bool) throws {
    var random = SeededGenerator(seed: 44)
    for (kind, work) in LongWork.ofReplacing.enumerated() {
      let run = try StoppedRun(work, isInFile: isInFile)
      #expect(try run.check(at: 3, using: &random, "\(kind) \(work.statement)") > 0)
    }
  }

  @Test(
    "what replaces values beside other changes ends first",
    arguments: ["perform { undo; redo }", "perform { rollback }", "refresh all"])
  func replacingInTurn(_ statement: String) throws {
    let run = try StoppedRun(
      LongWork(statement, LongWork.tracked + [LongWork.fill]), isInFile: true)
    #expect(try run.outcome(ofStopAfter: 20) == .ended)
  }
}

/// A statement that takes long, and those before it.
private struct LongWork {
  let name: String
  let before: [String]
  let statement: String

  init(_ statement: String, _ before: [String]) {
    name = statement
    self.before = before
    self.statement = statement
  }

  /// The same work with another number of objects.
  func repeated(_ count: Int) -> LongWork {
    func text(_ statement: String) -> String { statement.replacing("1300", with: "\(count)") }
    return LongWork(text(statement), before.map(text))
  }

  static let fill =
    #"insert 1300 Book(title: "Book \(i * 7919 % 1300)", pages: i % 50)"#
  static let list = "controller books = Book sort by pages, title section by pages"
  static let groups = LongWork(
    "fetch Book values title, sum(pages) group by title sort by title", [fill, "save"])
  static let tracked = [list, "delegate books counts", "fetch books"]
  static let other = [
    "controller titles = Book where pages > 9 sort by title using localizedStandard",
    "delegate titles counts", "fetch titles",
  ]
  static let shelf = [
    fill, #"let shelf = insert Shelf(name: "A")"#, "update Book { shelf = $shelf }", "save",
  ]

  /// The statements before each kind define and fill what it works on.
  static let all = ofContexts + ofReplacing + batches

  /// Work that changes or reads a context.
  static let ofContexts = [
    LongWork(fill, tracked + other),
    LongWork("perform { for i in 1...1300 { insert Book(pages: i % 50) } }", tracked),
    LongWork("update Book { pages += 1; read = true }", [fill, "save"] + tracked + other),
    LongWork("update Book { pages += 1 }", tracked + [fill]),
    LongWork("delete Book", [fill, "save"] + tracked + other),
    LongWork("delete Book", tracked + [fill]),
    LongWork("delete shelf", shelf + tracked),
    LongWork(
      "update Book { shelf = $shelf }",
      tracked + [fill, #"let shelf = insert Shelf(name: "A")"#, "save"]),
    LongWork("save", [fill]),
    LongWork("save", [fill, "save", "update Book { pages += 1 }"]),
    LongWork("save", shelf + ["delete shelf"]),
    LongWork("fetch books", [fill, "save"] + tracked + ["change books where pages > 3"]),
    LongWork("fetch titles", [fill, "save"] + other),
    LongWork("fetch titles", [fill] + other),
    LongWork(#"fetch Book where title MATCHES "Book .*7" sort by title"#, [fill, "save"]),
    LongWork(#"count Book where title MATCHES "Book .*7""#, [fill, "save"]),
    groups,
    LongWork(
      "fetch Book values title, sum(pages) group by title sort by title", [fill, "save"]),
    LongWork("objects Book", [fill, "save"]),
    LongWork("show books", [fill, "save"] + tracked),
  ]

  /// Work that replaces values of a context.
  static let ofReplacing = [
    LongWork("rollback", tracked + other + [fill]),
    LongWork("rollback", [fill, "save"] + tracked + other + ["update Book { pages += 1 }"]),
    LongWork("rollback", shelf + tracked + ["delete shelf"]),
    LongWork("undo", tracked + other + [fill]),
    LongWork("undo", [fill]),
    LongWork("undo", [fill, "save"] + tracked + other + ["update Book { pages += 1 }"]),
    LongWork("undo", shelf + tracked + ["delete shelf"]),
    LongWork("undo", tracked + [fill, "save", "delete Book", "save"]),
    LongWork("redo", tracked + other + [fill, "undo"]),
    LongWork("redo", shelf + tracked + ["update Book { shelf = nil }", "undo"]),
    LongWork(
      "merge bg into main",
      [fill, "save", bg] + tracked + other + [
        "perform bg { update Book { pages += 1 }; save bg }"
      ]),
    LongWork(
      "merge bg into main",
      [fill, "save", bg] + tracked + [
        "update Book { read = true }",
        "perform bg { delete Book where pages > 9; update Book { pages += 1 }; save bg }",
      ]),
    LongWork("merge bg into main", [bg] + tracked + other + ["perform bg { \(fill); save bg }"]),
    LongWork(
      "merge bg into main",
      shelf + [bg] + tracked + [
        "perform bg { update Book { shelf = nil }; save bg }"
      ]),
  ]
  static let bg = "context bg"

  /// Work that changes the store, and then an import.
  static let batches = [
    LongWork("batch update Book { pages += 1 } returning count", [fill, "save"] + tracked),
    LongWork("batch delete Book where pages > 20 returning count", [fill, "save"] + tracked),
    LongWork(
      #"batch insert 1300 Book(title: "Book \(i)", pages: i % 50) returning count"#, tracked),
    LongWork(#"import "books.csv" into Book"#, tracked),
  ]
}

/// A session in which a statement is stopped again and again, beside one in which it is not.
private final class StoppedRun {
  enum Outcome { case stopped, ended }

  private let work: LongWork
  private let session: StoppableSession
  private let before: [StoppableSession.Seen]
  private let after: [StoppableSession.Seen]
  private let output: [String]
  /// How often the statement asks whether to stop.
  private let asked: Int

  init(_ work: LongWork, isInFile: Bool) throws {
    self.work = work
    session = try StoppableSession(work.before, isInFile: isInFile)
    // The state is read in other sessions, because reading it makes objects of rows.
    before = try StoppableSession(work.before, isInFile: isInFile).state()
    let whole = try StoppableSession(work.before, isInFile: isInFile)
    let first = whole.lines.count
    asked = try whole.run(work.statement, stoppingAfter: .max).asked
    output = Array(whole.lines[first...])
    after = whole.state()
  }

  /// Stops the statement at random moments, and then lets it end.
  ///
  /// - Returns: How often it was stopped.
  func check(
    at moments: Int, using random: inout SeededGenerator, _ words: String
  ) throws -> Int {
    var stops = 0
    for _ in 0..<moments {
      let moment = Int.random(in: 0..<max(asked, 1), using: &random)
      let place = "\(words): '\(work.statement)' stopped at \(moment) of \(asked)"
      switch try outcome(ofStopAfter: moment) {
      case .stopped: stops += 1
      case .ended:
        #expect(session.state() == after, "\(place), ended otherwise")
        return stops
      }
      let state = session.state()
      try #require(
        state == before, "\(place) left something: \(Self.difference(before, state))")
    }
    let first = session.lines.count
    #expect(try !session.run(work.statement, stoppingAfter: .max).isStopped)
    #expect(Array(session.lines[first...]) == output, "\(words): '\(work.statement)' again")
    let state = session.state()
    #expect(
      state == after, "\(words): '\(work.statement)' again: \(Self.difference(after, state))")
    return stops
  }

  func outcome(ofStopAfter moment: Int) throws -> Outcome {
    let first = session.lines.count
    let isStopped = try session.run(work.statement, stoppingAfter: moment).isStopped
    if isStopped { #expect(session.lines.count == first, "\(session.lines[first...])") }
    return isStopped ? .stopped : .ended
  }

  private static func difference(
    _ first: [StoppableSession.Seen], _ second: [StoppableSession.Seen]
  ) -> String {
    let changes = second.difference(from: first)
    return "\(changes.removals.prefix(3)) became \(changes.insertions.prefix(3))"
  }
}

/// A session whose statements can be stopped when they ask for the nth time.
private final class StoppableSession {
  private let interpreter: Interpreter
  private let stopper = Stopper()
  private let output = Output()

  var lines: [String] { output.lines }

  private final class Output {
    var lines: [String] = []
  }

  private final class Stopper: Sendable {
    /// The processor's time at each question; nil if it is not measured.
    let times = Locked<[Duration]?>(nil)
    let left = Atomic(Int.max)
    let asked = Atomic(0)

    func ask() -> Bool {
      asked.wrappingAdd(1, ordering: .relaxed)
      times.withLock { $0?.append(ThreadClock.now) }
      return left.wrappingSubtract(1, ordering: .relaxed).newValue < 0
    }

    func begin(_ count: Int) {
      left.store(count, ordering: .relaxed)
      asked.store(0, ordering: .relaxed)
    }
  }

  init(_ statements: [String], isInFile: Bool, keepsReasons: Bool = false) throws {
    var evaluation = EvaluationEnvironment()
    evaluation.isCancelled = { [stopper] in stopper.ask() }
    interpreter = Interpreter(environment: Files(), evaluation: evaluation) { [output] event in
      output.lines += event.lines
    }
    if isInFile { interpreter.useStore(at: "books.sqlite") }
    if keepsReasons { interpreter.keepReasons() }
    let model = [
      "entity Shelf { name: String, books: [Book] inverse shelf on delete cascade }",
      """
      entity Book { title: String = "", pages: Int64, read: Bool = false, shelf: Shelf? inverse books }
      """,
    ]
    for statement in model + statements { _ = try run(statement, stoppingAfter: .max) }
  }

  /// Runs a statement.
  ///
  /// - Returns: Whether it was stopped, and how often it asked.
  func run(_ text: String, stoppingAfter count: Int) throws -> (isStopped: Bool, asked: Int) {
    let script = ScriptParser.parse(SourceText(name: "test", text: text))
    try #require(script.diagnostics.isEmpty, "\(script.diagnostics)")
    stopper.begin(count)
    defer { stopper.begin(.max) }
    do {
      try interpreter.run(script)
    } catch {
      try #require(error.kind == .interrupted, "\(text): \(error.diagnostic.message)")
      #expect(interpreter.wasReverted, "\(text): something is left")
      return (true, stopper.asked.load(ordering: .relaxed))
    }
    return (false, stopper.asked.load(ordering: .relaxed))
  }

  /// Runs a statement to its end, and returns the processor's time at each of its questions and at
  /// the end.
  ///
  /// - Parameter dropsInterrupted: Whether it may stop anywhere, also while controllers call their
  ///   delegates.
  func questions(
    of text: String, dropsInterrupted: Bool
  ) throws -> (times: [Duration], end: Duration) {
    interpreter.dropsInterrupted = dropsInterrupted
    defer { interpreter.dropsInterrupted = false }
    stopper.times.withLock { $0 = [] }
    _ = try run(text, stoppingAfter: .max)
    let end = ThreadClock.now
    return stopper.times.withLock { times in
      defer { times = nil }
      return (times ?? [], end)
    }
  }

  /// Stops a statement.
  ///
  /// - Returns: How many insertions it tells of, and how many new objects there are then.
  func changes(atStopAfter count: Int, of text: String) throws -> [Int] {
    var changes: [Int] = []
    interpreter.onStop = { [session = interpreter.session] done in
      changes += [done.inserted, session.context.insertedObjects.count]
    }
    defer { interpreter.onStop = nil }
    try #require(try run(text, stoppingAfter: count).isStopped)
    return changes
  }

  /// Everything that statements can see: objects with their unsaved changes, rows of the store, and
  /// what controllers show.
  func state() -> [Seen] {
    let session = interpreter.session
    let context = session.context
    var seen: [Seen] = []
    for entity in session.entities {
      for object in context.registeredObjects(of: entity) { seen.append(Seen("object", object)) }
      let other = ManagedObjectContext(coordinator: session.coordinator)
      for object in (try? other.fetch(FetchRequest(entity: entity))) ?? [] {
        seen.append(Seen("row", object))
      }
      seen.append(Seen("last \(session.coordinator.store.lastNumber(in: entity.root))"))
    }
    seen += context.insertedObjects.map { Seen("inserted", $0.objectID) }
    seen += context.updatedObjects.map { Seen("updated", $0.objectID) }
    seen += context.deletedObjects.map { Seen("deleted", $0.objectID) }
    seen.append(
      Seen(
        "undo \(context.undoManager?.canUndo ?? false), tally \(session.tally.inserted)"))
    for name in session.controllerNames {
      guard let controller = session.controllers[name]?.controller else { continue }
      seen.append(Seen("\(name) \(controller.trackingError.map { "\($0)" } ?? "tracks")"))
      if let sections = controller.sections {
        for section in sections {
          seen.append(Seen("\(name) section \(section.name) \(section.numberOfObjects)"))
        }
      }
      if let objects = controller.fetchedObjects {
        for object in objects { seen.append(Seen(name, object.objectID)) }
      }
    }
    return seen
  }

  /// Something that statements can see; comparing it costs less than its description.
  ///
  /// Identities are compared by their names, because each session has entities of its own.
  struct Seen: Hashable {
    let words: String
    var number: Int64 = 0
    var values: [PropertyValue] = []

    init(_ words: String, _ object: ObjectID? = nil) {
      self.words = object.map { words + " " + $0.entity.name } ?? words
      number = object?.number ?? 0
    }

    init(_ words: String, _ object: ManagedObject) {
      self.init(words, object.objectID)
      values = object.entity.propertyNames.enumerated().map { place, name in
        let value = object[name]
        return place < object.entity.attributes.count ? value : .string("\(value)")
      }
      values += [.bool(object.isDeleted), .bool(object.hasChanges)]
    }
  }
}

/// A folder with stores and a file to import.
private final class Files: ScriptEnvironment {
  private let stores = StoreFiles()

  func contents(at path: String, from includer: String) throws(UnreadableSource) -> [UInt8] {
    let rows = (1...1300).map { "Book \($0),\($0 % 50)\n" }
    return Array(("title,pages\n" + rows.joined()).utf8)
  }

  func store(
    at path: String, from includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    try stores.store(
      at: path, from: includer, isReadOnly: isReadOnly, for: model, migration: migration)
  }
}
