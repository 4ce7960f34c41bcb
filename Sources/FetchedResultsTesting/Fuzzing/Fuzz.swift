import FetchedResults
import Foundation
import ScriptFuzzing
import ScriptSyntax

/// Tests a list with random turns, and fails at the line of the call.
///
/// Each turn inserts, deletes and changes objects, and ends like a pass of the run loop. After it,
/// the list must show exactly the sections of its controller. A few failures are reduced, and the
/// shortest is reported: a script of a few statements, and a test that reproduces it.
///
/// ```swift
/// @Test func bookList() throws {
///   try fuzz(turns: 10_000) { BookList() }
/// }
/// ```
///
/// The statements of the current world are kept in a file while `fuzz` runs, because Swift cannot
/// catch a trap. The file's path and the seed are printed to standard error at the beginning. After
/// a trap, the last turn in the file is the one that trapped. Use
/// ``replay(_:filePath:line:column:_:)`` to run it again in a debugger.
///
/// - Parameters:
///   - turns: How many turns to make.
///   - seed: The seed of the turns; random by default. The failure names it.
///   - shapes: The entities and controllers to test with. Each world uses one of them.
///   - moves: Whether objects may change so that rows and sections move. Objects are inserted and
///     deleted in any case.
///   - filePath: The file of the call, which the failure names.
///   - line: The line of the call.
///   - column: The column of the call.
///   - makeList: Creates a list for one controller. It is called often.
/// - Throws: ``FuzzFailure``, outside of Swift Testing only. In a test of Swift Testing the failure
///   is recorded at the line of the call.
/// - Complexity: O(*t* *n*) for *t* turns of lists with up to *n* rows, which is at most about a
///   hundred.
public func fuzz<List: FuzzedList>(
  turns: Int = 10_000, seed: UInt64? = nil, shapes: [FuzzShape] = FuzzShape.all,
  moves: Bool = true, filePath: String = #filePath, line: Int = #line, column: Int = #column,
  _ makeList: @escaping () throws -> List
) throws(FuzzFailure) {
  let place = TestPlace(path: filePath, line: line, column: column)
  let failure = findFailure(
    turns: turns, seed: seed, shapes: shapes, moves: moves, filePath: filePath, line: line,
    makeList)
  if let failure { try place.report(failure) }
}

/// Tests a list with random turns, as `fuzz` does, but returns the failure.
///
/// - Parameters:
///   - turns: How many turns to make.
///   - seed: The seed of the turns; random by default. The failure names it.
///   - shapes: The entities and controllers to test with. Each world uses one of them.
///   - moves: Whether objects may change so that rows and sections move.
///   - filePath: The file of the call, which the failure names.
///   - line: The line of the call.
///   - makeList: Creates a list for one controller. It is called often.
/// - Returns: The reduced failure; nil if the list agrees with its controller after every turn.
public func findFailure<List: FuzzedList>(
  turns: Int = 10_000, seed: UInt64? = nil, shapes: [FuzzShape] = FuzzShape.all,
  moves: Bool = true, filePath: String = #filePath, line: Int = #line,
  _ makeList: @escaping () throws -> List
) -> FuzzFailure? {
  let place = TestPlace(path: filePath, line: line)
  let seed = seed ?? .random(in: 0...UInt64(UInt32.max))
  let file = TurnsFile(place, seed)
  let fuzzer = ListFuzzer(shapes: shapes, moves: moves, makeList: makeList, hear: file.hear)
  let found = fuzzer.run(turns: turns, seed: seed)
  guard let first = found.first else { return nil }
  let reduced = found.map { ReducedFailure($0, makeList) }
  let shortest = reduced.min { $0.script.statementCount < $1.script.statementCount }
  guard let shortest else { return nil }
  let run = FuzzFailure.Run.turns(first.turn, of: turns, shape: shortest.shape, seed: seed)
  return FuzzFailure(
    script: shortest.script, failure: shortest.failure, list: "\(List.self)", run: run, place)
}

/// Runs a script with a list as the delegate of each controller, and fails at the line of the call
/// if the list differs from its controller.
///
/// It repeats what `fuzz` found. Keep such a test: it fails until the list is fixed.
///
/// - Parameters:
///   - script: Statements of frc.
///   - filePath: The file of the call, which the failure names.
///   - line: The line of the call.
///   - column: The column of the call.
///   - makeList: Makes a list for one controller.
/// - Throws: ``FuzzFailure``, outside of Swift Testing only.
public func replay<List: FuzzedList>(
  _ script: String, filePath: String = #filePath, line: Int = #line, column: Int = #column,
  _ makeList: @escaping () throws -> List
) throws(FuzzFailure) {
  let place = TestPlace(path: filePath, line: line, column: column)
  let script = ScriptParser.parse(SourceText(name: "script", text: script))
  let words =
    script.hasErrors
    ? TrialFailure(
      .error("syntax"), DiagnosticRenderer().render(script.diagnostics, in: script.source))
    : ListTrial.failure(of: script, makeList)
  guard let words else { return }
  try place.report(
    FuzzFailure(script: script, failure: words, list: "\(List.self)", run: .script, place))
}

extension TestPlace {
  /// Records a failure in a test of Swift Testing, and throws it elsewhere.
  fileprivate func report(_ failure: FuzzFailure) throws(FuzzFailure) {
    guard Self.isInTest else { throw failure }
    record(failure.description)
  }
}
