import FetchedResults
import Foundation
import ScriptFuzzing
import ScriptSyntax

/// Tests a list with random turns, and fails at the line of the call.
///
/// Each turn inserts, deletes and changes objects, and ends as a pass of the run loop does. Then
/// the list has to show exactly the sections of its controller. What fails is reduced to a script
/// of a few statements, and to a test that repeats it.
///
/// ```swift
/// @Test func bookList() throws {
///   try fuzz(turns: 10_000) { BookList() }
/// }
/// ```
///
/// The statements of the current world are kept in a file while `fuzz` runs, because Swift cannot
/// catch a trap. The file's path and the seed go to standard error at the beginning. After a trap
/// the file ends with the turn that trapped; ``replay(_:fileID:filePath:line:column:_:)`` repeats
/// it in a debugger.
///
/// - Parameters:
///   - turns: How many turns to make.
///   - seed: What the turns follow from; at random by default. The failure names it.
///   - shapes: The entities and controllers to test with. Each world uses one of them.
///   - moves: Whether objects may change so that rows and sections move. Objects are inserted and
///     deleted in any case.
///   - makeList: Makes a list for one controller. It is called often.
/// - Throws: ``FuzzFailure``, outside of Swift Testing only. In a test of Swift Testing the failure
///   is recorded at the line of the call.
/// - Complexity: O(*t* *n*) for *t* turns of lists with up to *n* rows, and no more than about a
///   hundred rows.
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

/// Tests a list with random turns, as `fuzz` does, and returns the failure instead of failing.
///
/// - Returns: The failure, reduced; nil if the list follows its controller in every turn.
public func findFailure<List: FuzzedList>(
  turns: Int = 10_000, seed: UInt64? = nil, shapes: [FuzzShape] = FuzzShape.all,
  moves: Bool = true, filePath: String = #filePath, line: Int = #line,
  _ makeList: @escaping () throws -> List
) -> FuzzFailure? {
  let place = TestPlace(path: filePath, line: line)
  let seed = seed ?? .random(in: 0...UInt64(UInt32.max))
  let file = TurnsFile(place, seed)
  let fuzzer = ListFuzzer(shapes: shapes, moves: moves, makeList: makeList, hear: file.hear)
  guard let found = fuzzer.run(turns: turns, seed: seed) else { return nil }
  let script = ScriptParser.parse(SourceText(name: "script", text: found.script))
  let entities = Set(script.entityTexts)
  let reduced = Reducer.reduce(script) { candidate in
    // A list may trap where an entity lacks an attribute that it shows.
    guard entities.isSuperset(of: candidate.entityTexts) else { return nil }
    return ListTrial.failure(of: candidate, makeList)?.failure
  }
  return FuzzFailure(
    script: reduced?.script ?? script, failure: reduced?.failure ?? found.failure,
    list: "\(List.self)", run: .turns(found, of: turns, seed: seed), place)
}

/// Runs a script with a list as the delegate of each controller, and fails at the line of the call
/// if the list differs from its controller.
///
/// It repeats what `fuzz` found. Keep such a test: it fails until the list is mended.
///
/// - Parameters:
///   - script: Statements of frc.
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
    : ListTrial.failure(of: script, makeList)?.failure
  guard let words else { return }
  try place.report(
    FuzzFailure(script: script, failure: words, list: "\(List.self)", run: .script, place))
}

extension ParsedScript {
  /// The definitions of entities, without what only separates their parts.
  fileprivate var entityTexts: [String] {
    statements.compactMap { statement in
      guard case .entity = statement.kind else { return nil }
      return source.text(in: statement.range).filter {
        !$0.isWhitespace && $0 != "," && $0 != ";"
      }
    }
  }
}

extension TestPlace {
  /// Records a failure in a test of Swift Testing, and throws it elsewhere.
  fileprivate func report(_ failure: FuzzFailure) throws(FuzzFailure) {
    guard Self.isInTest else { throw failure }
    record(failure.description)
  }
}
