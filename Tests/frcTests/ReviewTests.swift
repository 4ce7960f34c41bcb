import Foundation
import GoldenTesting
import ScriptSyntax
import ScriptWorlds
import Testing

@testable import frc

/// A review as a value: answers, undo, patterns, resuming.
@Suite("A review")
struct ReviewTests {
  /// The blocks that an update of some scripts would change.
  private func review(_ texts: String...) -> Review {
    Review(texts.enumerated().flatMap { blocks(of: "\($0).frc", $1) })
  }

  private func blocks(of name: String, _ text: String) -> [GoldenUpdate.Proposal] {
    let test = GoldenTest(source: SourceText(name: name, text: text))
    return GoldenUpdate(GoldenRunner(environment: ScriptFiles()).run(test)).accepted
  }

  private func answers(_ review: Review) -> [Review.Answer?] {
    review.blocks.indices.map(review.answer)
  }

  @Test("an answer is for a block, for the rest of its file, or for all that is left")
  func scopes() {
    var review = review("print 1\n#> 0\nprint 2\nprint 3\n", "print 4\n", "print 5\n")
    #expect(review.blocks.map(\.isNew) == [false, true, true, true, true])

    #expect(review.current == 0)
    let did1 = review.answer(.reject)
    #expect(did1)
    #expect(review.current == 1)
    let did2 = review.answer(.accept, .file)
    #expect(did2)
    #expect(answers(review) == [.reject, .accept(["2"]), .accept(["3"]), nil, nil])
    let did3 = review.answer(.accept, .all)
    #expect(did3)
    #expect(review.current == nil)
    let did4 = review.answer(.accept)
    #expect(!did4)
  }

  @Test("files whose names differ only in Unicode form are two files")
  func nameForms() {
    let names = ["\u{e9}.frc", "e\u{301}.frc"]
    let keys = [Array(names[0].utf8): "1", Array(names[1].utf8): "2"]
    var review = Review(names.flatMap { blocks(of: $0, "print 1\n") }, keys: keys)

    _ = review.answer(.accept, .file)
    #expect(answers(review) == [.accept(["1"]), nil])
    var sums = UpdateSums()
    sums.add(review.blocks)
    #expect(sums.words == "2 blocks in 2 files: 2 new")
  }

  @Test("answers for names that an earlier version wrote without percent-encoding are found")
  func plainNames() throws {
    let text = """
      {"version":1,"entries":[{"file":"\u{e9}.frc","expected":[],"actual":["1"],"step":0}]}
      """
    var record = try JSONDecoder().decode(ReviewRecord.self, from: Data(text.utf8))
    record.encodeNames()
    let name = "\u{e9}.frc"
    var review = Review(
      blocks(of: name, "print 1\n"), keys: [Array(name.utf8): "%C3%A9.frc"])

    review.resume(record)
    #expect(answers(review) == [.reject])
    #expect(record.replacing(answersFor: ["%C3%A9.frc"], by: ReviewRecord()).isEmpty)
  }

  @Test("undo takes back what was answered together, step by step")
  func undo() {
    var review = review("print 1\nprint 2\n", "print 3\n")
    _ = review.answer(.accept)
    _ = review.answer(.reject, .all)

    let did5 = review.undo()
    #expect(did5)
    #expect(answers(review) == [.accept(["1"]), nil, nil])
    let did6 = review.undo()
    #expect(did6)
    #expect(answers(review) == [nil, nil, nil])
    let did7 = review.undo()
    #expect(!did7)
  }

  @Test("lines of one's own are accepted if they fit the output")
  func edited() {
    var review = review("print \"run 17\"\n#> run 12\n")

    let did8 = review.accept(["run 18"])
    #expect(!did8)
    #expect(review.current == 0)
    let did9 = review.accept(["run [int]"])
    #expect(did9)
    #expect(answers(review) == [.accept(["run [int]"])])
  }

  @Test("a pattern stands for what differs, by its type")
  func patterns() {
    func pattern(_ expected: String, _ actual: String) -> [String]? {
      var review = review("print \"\(actual)\"\n#> \(expected)\n")
      guard review.answer(.pattern), case .accept(let lines) = review.answer(to: 0) else {
        return nil
      }
      return lines
    }

    #expect(pattern("run 12 ended", "run 17 ended") == ["run [int] ended"])
    #expect(pattern("by Ann, twice", "by Bob, twice") == ["by [..], twice"])
    #expect(
      pattern(
        "id 11111111-2222-3333-4444-555555555555 of a book",
        "id 21111111-2222-3333-4444-555555555555 of a book")?.first?.hasPrefix("id [") == true)
    #expect(pattern("one", "two words that share nothing") == nil)
  }

  @Test("of output that nothing was expected of, dates and UUIDs become patterns")
  func newPatterns() {
    var review = review(
      "print \"at 2026-01-01T00:00:00Z by 11111111-2222-3333-4444-555555555555\"\n", "print 1\n")

    let did10 = review.answer(.pattern)
    #expect(did10)
    #expect(answers(review) == [.accept(["at [date] by [uuid]"]), nil])
    let did11 = review.answer(.pattern)
    #expect(!did11)
    #expect(review.current == 1)
  }

  @Test("a review goes on where it was left, but for blocks that print something else now")
  func resumed() throws {
    var first = review("print 1\n#> 0\nprint 2\nprint 3\n", "print 4\n")
    _ = first.answer(.accept)
    _ = first.answer(.reject)
    let record = try JSONDecoder().decode(
      ReviewRecord.self, from: JSONEncoder().encode(first.record(onlyRejected: false)))

    var second = review("# one more line\nprint 1\n#> 0\nprint 2\nprint 5\n", "print 4\n")
    second.resume(record)
    #expect(answers(second) == [.accept(["1"]), .reject, nil, nil])
    let did12 = second.undo()
    #expect(did12)
    #expect(second.current == 1)

    var third = review("print 1\n#> 0\nprint 2\nprint 3\n")
    third.resume(first.record(onlyRejected: true))
    #expect(answers(third) == [nil, .reject, nil])
    var fourth = review("print 1\n#> 0\nprint 2\nprint 3\n")
    fourth.resume(first.record(onlyRejected: true), withRejected: false)
    #expect(answers(fourth) == [nil, nil, nil])
  }

  @Test("the answers of two reviews are kept together, those for a script of the newer one")
  func merged() {
    var both = review("print 1\n", "print 2\n")
    _ = both.answer(.reject)
    _ = both.answer(.accept)
    var first = review("print 1\n")
    _ = first.answer(.accept)

    let merged = both.record(onlyRejected: false)
      .replacing(answersFor: ["0.frc"], by: first.record(onlyRejected: false))

    var resumed = review("print 1\n", "print 2\n")
    resumed.resume(merged)
    #expect(answers(resumed) == [.accept(["1"]), .accept(["2"])])
    // They were not given together.
    let undone = resumed.undo()
    #expect(undone)
    #expect(answers(resumed) == [nil, .accept(["2"])])
    #expect(merged.replacing(answersFor: ["0.frc", "1.frc"], by: ReviewRecord()).isEmpty)
  }

  @Test("of two blocks that are the same each has its own answer")
  func same() {
    var first = review("print 1\nprint 1\n")
    _ = first.answer(.accept)
    _ = first.answer(.reject)

    var second = review("print 1\nprint 1\n")
    second.resume(first.record(onlyRejected: false))
    #expect(answers(second) == [.accept(["1"]), .reject])
  }

  @Test("the rule of each callback that changed is found by running the block again")
  func explanation() throws {
    let text = """
      entity Book { title: String }
      insert 2 Book(title: "b\\(i)")
      controller books = Book sort by title
      fetch books
      Book/1.title = "z"
      #> books willChangeContent
      #> books didChange object update Book/1 "z" [0, 0]
      #> books didChangeContent
      print 1
      """
    let runner = GoldenRunner(environment: ScriptFiles())
    let test = PreparedTest(GoldenTest(source: SourceText(name: "test.frc", text: text)))
    let blocks = GoldenUpdate(runner.run(test.test)).accepted

    #expect(
      BlockExplanation(of: try #require(blocks.first), in: test, runner).lines == [
        #"books didChange object move Book/1 "z" [0, 0] -> [0, 1]"#,
        "  rule passed-unchanged: the object is now on the other side of a row that did not change",
      ])
    #expect(BlockExplanation(of: try #require(blocks.last), in: test, runner).lines == [])
  }

  @Test("of a callback that is no longer sent, the rule says why not")
  func lostCallback() throws {
    let text = """
      entity Book { title: String, pages: Int = 0 }
      controller books = Book where pages > 5 sort by title
      fetch books
      insert 2 Book(title: "b\\(i)", pages: 5)
      #> books willChangeContent
      #> books didChange object insert Book/1 "b1" [0, 0]
      #> books didChangeContent
      """
    let runner = GoldenRunner(environment: ScriptFiles())
    let test = PreparedTest(GoldenTest(source: SourceText(name: "test.frc", text: text)))
    let block = try #require(GoldenUpdate(runner.run(test.test)).accepted.first)

    #expect(
      BlockExplanation(of: block, in: test, runner).lines == [
        #"books sends nothing about Book/1 "b1""#,
        "  rule stays-outside: the object was not in the results before, and is not now",
      ])
  }
}
