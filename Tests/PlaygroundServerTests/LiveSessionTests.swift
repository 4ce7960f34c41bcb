import FetchedResults
import Foundation
import ScriptRuntime
import ScriptSyntax
import Synchronization
import Testing

@testable import PlaygroundServer

@Suite("A script that runs while it is written")
struct LiveSessionTests {
  private static let start = """
    entity Book { title: String }
    controller books = Book sort by title
    fetch books

    """

  /// A session, and what it sent.
  private final class Desk {
    private(set) var sent: [[String: Any]] = []
    let limit = TestLimit()
    private(set) lazy var session = LiveSession(
      SessionHost(
        environment: { NoFiles() }, evaluation: evaluation, limit: limit,
        beginLimit: { [limit] in limit.begin() }, isStopped: { [unowned self] in isStopped })
    ) { [unowned self] json in
      let object = try? JSONSerialization.jsonObject(with: Data(json.description.utf8))
      sent.append(object as? [String: Any] ?? [:])
      if sent.count == stoppingCount { isStopped = true }
    }
    var isStopped = false
    /// The number of messages of a run after which the page asks to stop.
    var stoppingCount: Int?

    private var evaluation: EvaluationEnvironment {
      var evaluation = EvaluationEnvironment(now: { Date(timeIntervalSince1970: 0) })
      evaluation.isCancelled = { [limit] in limit.excess != nil }
      return evaluation
    }

    func run(_ text: String, upTo line: Int? = nil) -> Answer {
      sent = []
      session.run(text, upTo: line, id: 1, isStale: { false })
      return Answer(sent)
    }
  }

  /// What a run sent.
  private struct Answer {
    let kept: Int?
    let steps: [[String]]
    let ran: Int?
    let hasFailed: Bool?
    let stopped: String?

    init(_ sent: [[String: Any]]) {
      kept = sent.first { $0["op"] as? String == "back" }?["count"] as? Int
      steps = sent.filter { $0["op"] as? String == "step" }.map { message in
        let step = message["step"] as? [String: Any]
        let frames = step?["frames"] as? [[String: Any]] ?? []
        return frames.flatMap { ($0["event"] as? [String: Any])?["text"] as? [String] ?? [] }
      }
      let done = sent.last { $0["op"] as? String == "done" }
      ran = done?["ran"] as? Int
      hasFailed = done?["failed"] as? Bool
      stopped = done?["stopped"] as? String
    }
  }

  private final class TestLimit: StatementLimit {
    private let state = Mutex((printed: 0, isOver: false))
    private let most = Mutex(Int.max)

    func begin() { state.withLock { $0 = (0, false) } }
    func allow(_ count: Int) { most.withLock { $0 = count } }
    func beginStatement() {}
    func note(_ event: Event) {
      let most = most.withLock(\.self)
      state.withLock {
        $0.printed += 1
        $0.isOver = $0.printed > most
      }
    }
    var excess: String? { state.withLock { $0.isOver ? "prints too much" : nil } }
  }

  /// No files, except for one that prints another number each time.
  private final class NoFiles: ScriptEnvironment {
    private var count = 0
    func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
      guard path == "count" else { throw UnreadableSource(reason: "no such file") }
      count += 1
      return SourceText(name: path, text: "print \(count)")
    }
  }

  @Test("what has run stays, and only the rest runs")
  func appended() {
    let desk = Desk()
    var answer = desk.run(Self.start + "insert Book(title: \"a\")\n")
    #expect(answer.kept == 0)
    #expect(answer.steps.map(\.count) == [0, 0, 0, 3])
    answer = desk.run(Self.start + "\n# a comment\ninsert Book(title: \"a\")\nprint 7\n")
    #expect(answer.kept == 4)
    #expect(answer.steps == [["7"]])
    #expect(answer.ran == 5)
  }

  @Test("a change goes back to the first statement that differs")
  func changed() {
    let desk = Desk()
    let rest = "insert Book(title: \"b\")\nprint books.fetchedObjects.count\n"
    _ = desk.run(Self.start + "insert Book(title: \"a\")\n" + rest)
    let answer = desk.run(Self.start + "print 1\n" + rest)
    #expect(answer.kept == 3)
    #expect(answer.steps.first == ["1"])
    #expect(answer.steps.last == ["1"])
  }

  @Test("an entity runs again when an entity that it uses is defined below it, or no longer is")
  func entityBelow() {
    let desk = Desk()
    let post = "entity Post { title: String, body: Text? }\n"
    let text = "entity Text { size: Int, post: Post? inverse body }\n"
    #expect(desk.run(post).hasFailed == true)
    var answer = desk.run(post + text)
    #expect(answer.hasFailed == false)
    #expect(answer.kept == 0)
    #expect(answer.ran == 2)
    // Another entity is no reason to run them again.
    answer = desk.run(post + text + "entity Book { title: String }\n")
    #expect(answer.kept == 2)
    answer = desk.run(post + "entity Other { size: Int }\n")
    #expect(answer.kept == 0)
    #expect(answer.hasFailed == true)
    // Nor may it use one that was below it without having run.
    let start = "entity Book { title: String }\n"
    #expect(desk.run(start + text, upTo: 1).hasFailed == false)
    answer = desk.run(start + post)
    #expect(answer.hasFailed == true)
  }

  @Test("to a line and back again, through statements that only look")
  func line() {
    let desk = Desk()
    let text = Self.start + "insert Book(title: \"a\")\nshow books\ninsert Book(title: \"b\")\n"
    #expect(desk.run(text, upTo: 5).ran == 5)
    #expect(desk.run(text, upTo: 3).ran == 3)
    #expect(desk.run(text, upTo: 6).steps.count == 3)
    #expect(desk.run(text, upTo: 0).ran == 0)
    let answer = desk.run(text)
    #expect(answer.steps.count == 6)
    #expect(answer.steps.last?.contains { $0.contains("insert Book/2") } == true)
  }

  @Test("nothing runs after a failure, or after an error of the syntax")
  func failures() {
    let desk = Desk()
    var answer = desk.run("print 1\nfetch nothing\nprint 2\n")
    #expect(answer.hasFailed == true)
    #expect(answer.ran == 2)
    answer = desk.run("print 1\nprint 2\nentity {\nprint 3\n")
    #expect(answer.ran == 2)
    #expect(answer.kept == 1)
  }

  @Test("a statement that exceeds a limit is taken back, and the session goes on")
  func limit() {
    let desk = Desk()
    desk.limit.allow(10)
    let text = "let a = 1\nrepeat 100000 { print a }\nprint 2\n"
    var answer = desk.run(text)
    #expect(answer.stopped == "the statement prints too much")
    #expect(answer.ran == 1)
    answer = desk.run("let a = 1\nprint a\n")
    #expect(answer.steps == [["1"]])
  }

  @Test("a stop between two statements keeps the rest from running, and what has run stays")
  func stoppedBetween() {
    let desk = Desk()
    // The answer about going back, and two statements.
    desk.stoppingCount = 3
    var answer = desk.run("print 1\nprint 2\nprint 3\nprint 4\n")
    #expect(answer.steps == [["1"], ["2"]])
    #expect(answer.ran == 2)
    #expect(answer.stopped == "the script was stopped")
    // A request that waited when the page asked neither runs nor goes back.
    answer = desk.run("print 3\n")
    #expect(answer.kept == nil)
    #expect(answer.ran == 2)
    desk.isStopped = false
    desk.stoppingCount = nil
    answer = desk.run("print 1\nprint 3\n")
    #expect(answer.kept == 1)
    #expect(answer.steps == [["3"]])
    #expect(answer.stopped == nil)
  }

  @Test("a statement with very many events has a short record with all rows")
  func large() throws {
    let desk = Desk()
    let answer = desk.run(
      Self.start + "perform {\nfor i in 1...20000 { insert Book(title: \"book\") }\n}\n")
    #expect(answer.steps.last?.count ?? 0 <= 210)
    #expect(answer.steps.last?.last?.contains("more events") == true)
    let message = try #require(desk.sent.last { $0["op"] as? String == "step" })
    let step = try #require(message["step"] as? [String: Any])
    #expect(step["session"] as? Bool == true)
    #expect(String(describing: step["lists"] ?? "").contains("20000"))
  }

  @Test("a statement is tried, and nothing changes")
  func tried() {
    let desk = Desk()
    _ = desk.run(Self.start)
    desk.session.tryStatement(Self.start + "insert Book(title: \"a\")\n", at: 4, id: 2)
    let events = desk.sent.last?["events"] as? [[String: Any]]
    #expect(events?.count == 3)
    #expect(desk.run(Self.start + "print books.fetchedObjects.count\n").steps == [["0"]])
    desk.session.tryStatement(Self.start, at: 99, id: 3)
    #expect(desk.sent.last?["failure"] as? String == "there is no complete statement on line 99")
  }

  @Test("a golden has each statement's output, and a page plays the script")
  func files() {
    let desk = Desk()
    desk.session.makeGolden("print 1\n#> old\nlet a = 2\nprint a\n", id: 1)
    #expect(
      desk.sent.last?["text"] as? String == "print 1\n#> 1\nlet a = 2\nprint a\n#> 2\n")
    desk.session.makePage("print 1\n", title: "<b>", id: 2)
    let page = desk.sent.last?["text"] as? String
    #expect(page?.contains("<title>&lt;b&gt;</title>") == true)
    desk.session.makeGolden("entity {", id: 3)
    #expect(desk.sent.last?["failure"] as? String == "the script has errors; correct them first")
    desk.session.makePage("print 8\n\n#@ skip slow\nprint 7\n", title: "", id: 4)
    let played = desk.sent.last?["text"] as? String
    #expect(played?.contains("\"text\":[\"8\"]") == true)
    #expect(played?.contains("\"text\":[\"7\"]") == false)
    desk.session.makePage("#@ skip later\n\nprint 1\n", title: "", id: 5)
    #expect(desk.sent.last?["failure"] as? String == "tests skip the script: later")
  }

  @Test("output that differs in a second run is not expected, except by a pattern that matches it")
  func unstable() {
    let desk = Desk()
    desk.session.makeGolden("print 1\ninclude \"count\"\n", id: 1)
    #expect(
      desk.sent.last?["failure"] as? String
        == "a second run prints something else at line 2; write the expected lines with a "
        + "pattern, such as '#> [..]'")
    desk.session.makeGolden("print 1\ninclude \"count\"\n#> [..]\n", id: 2)
    #expect(desk.sent.last?["text"] as? String == "print 1\n#> 1\ninclude \"count\"\n#> [..]\n")
  }
}
