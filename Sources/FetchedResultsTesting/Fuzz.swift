import Foundation
import ScriptFuzzing
import ScriptRuntime
import ScriptSyntax

/// Tests a list with random turns, and fails at the line of the call.
///
/// It also fails if no shape has a controller that can be fetched. Each turn inserts, deletes and
/// changes objects, and ends like a pass of the run loop. After it,
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
/// - Returns: The reduced failure, or one without a script if no shape has a controller that can be
///   fetched; nil if the list agrees with its controller after every turn.
public func findFailure<List: FuzzedList>(
  turns: Int = 10_000, seed: UInt64? = nil, shapes: [FuzzShape] = FuzzShape.all,
  moves: Bool = true, filePath: String = #filePath, line: Int = #line,
  _ makeList: @escaping () throws -> List
) -> FuzzFailure? {
  let place = TestPlace(path: filePath, line: line)
  let seed = seed ?? .random(in: 0...UInt64(UInt32.max))
  let file = TurnsFile(place, seed)
  let fuzzer = ListFuzzer(
    shapes: shapes, moves: moves, makeList: makeList, onStatements: file.record)
  let (found, hasCompared) = fuzzer.run(turns: turns, seed: seed)
  guard let first = found.first else {
    return hasCompared || turns <= 0 ? nil : FuzzFailure(untested: "\(List.self)", place)
  }
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

/// The entities and controllers to test a list with: the statements at the start of a world.
///
/// The rows of the built-in shapes are objects with a text attribute `title`.
public struct FuzzShape: Hashable, Sendable, CustomStringConvertible {
  /// The name that a failure shows.
  public let name: String
  /// Statements of frc that define entities and controllers.
  ///
  /// `fuzz` adds objects and the fetch.
  public let script: String

  /// The name.
  public var description: String { name }

  /// Creates a shape of your own.
  ///
  /// ```swift
  /// FuzzShape("recipes", """
  ///   entity Recipe { name: String = "", course: String = "" }
  ///   controller recipes = Recipe sort by course, name section by course
  ///   """)
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name that a failure shows.
  ///   - script: Statements of frc. Each controller that they define gets a list.
  public init(_ name: String, _ script: String) {
    self.name = name
    self.script = script
  }

  /// Rows without sections, sorted by a number and a text that are often equal.
  public static let plain = FuzzShape(
    "plain",
    """
    entity Book { title: String = "a", year: Int = 0 }
    controller books = Book sort by year, title
    """)

  /// Rows that enter and leave the results because of a predicate.
  public static let filtered = FuzzShape(
    "filtered",
    """
    entity Book { title: String = "a", year: Int = 0, done: Bool = false }
    controller books = Book where done == NO sort by title, year
    """)

  /// Sections by a text.
  public static let sectioned = FuzzShape(
    "sectioned",
    """
    entity Book { title: String = "a", genre: String = "a" }
    controller books = Book sort by genre, title section by genre
    """)

  /// A few sections whose rows enter and leave, with a section key that may be nil.
  public static let filteredSections = FuzzShape(
    "filteredSections",
    """
    entity Book { title: String = "a", genre: String?, done: Bool = false }
    controller books = Book where done == NO sort by genre desc, title section by genre
    """)

  /// Sections that change their order, because they are sorted by a number and not by their name.
  public static let movingSections = FuzzShape(
    "movingSections",
    """
    entity Book { title: String = "a", genre: String?, place: Int = 0 }
    controller books = Book sort by place, title section by genre
    """)

  /// Rows of an entity and of its sub-entity.
  public static let inherited = FuzzShape(
    "inherited",
    """
    entity Item { title: String = "a", kind: String = "a" }
    entity Book : Item { year: Int = 0 }
    controller items = Item sort by kind, title section by kind
    """)

  /// Sections by the name of a related object.
  ///
  /// Changes of that object are reported.
  public static let related = FuzzShape(
    "related",
    """
    entity Author { name: String = "a", books: [Book] inverse author }
    entity Book { title: String = "a", author: Author? inverse books }
    controller books = Book sort by author.name, title section by author.name track related
    """)

  /// The built-in shapes without sections.
  public static let withoutSections = [plain, filtered]
  /// The built-in shapes with sections.
  public static let withSections = [
    sectioned, filteredSections, movingSections, inherited, related,
  ]
  /// All built-in shapes.
  public static let all = withoutSections + withSections
}

/// A failure of a list that does not show its controller's results, with steps to reproduce it.
public struct FuzzFailure: Error, Hashable, Sendable {
  /// The difference, in one or more lines.
  public let reason: String
  /// The shortest script found with the same failure, as statements of frc; empty if nothing was
  /// tested.
  public let script: String
  /// The number of statements in the script, including nested ones.
  public let statementCount: Int
  /// The callbacks that the script's last turn sends to the delegate.
  public let callbacks: [String]
  /// A test for Swift Testing that reproduces the failure.
  public let test: String
  /// The path of the file that contains the failed call.
  public let filePath: String
  /// The line of the failed call, counted from 1.
  public let line: Int
  /// The seed of the random turns; nil for a failure of a script.
  public let seed: UInt64?
  private let headline: String

  /// The origin of a failing script.
  enum Run {
    case turns(Int, of: Int, shape: FuzzShape, seed: UInt64)
    case script
  }

  init(script: ParsedScript, failure: TrialFailure, list: String, run: Run, _ place: TestPlace) {
    (reason, filePath, line) = (failure.reason, place.path, place.line)
    let text = script.source.text(in: 0..<script.source.bytes.count)
    self.script = text.hasSuffix("\n") ? text : text + "\n"
    statementCount = script.statementCount
    callbacks = script.hasErrors ? [] : Self.lastCallbacks(of: script)
    let problem =
      switch failure.kind {
      case .list: "\(list) shows something else than its controller has"
      case .listFault: "\(list) could not follow its controller"
      case .replayLaw, .changes, .callbacks, .sections, .store, .rows, .unique, .derived, .error,
        .golden:
        "the script cannot run"
      }
    switch run {
    case .turns(let turn, let turns, let shape, let seed):
      self.seed = seed
      headline =
        "\(problem): turn \(turn) of \(turns), shape \(shape), seed \(seed)"
      test = Self.test(named: "\(list)Seed\(seed)", list, self.script)
    case .script:
      seed = nil
      headline = problem
      test = Self.test(named: "\(list)Script", list, self.script)
    }
  }

  /// A failure of shapes that let no list be compared with a controller.
  init(untested list: String, _ place: TestPlace) {
    reason = "no shape has a controller that can be fetched"
    (filePath, line) = (place.path, place.line)
    (script, statementCount, callbacks, test, seed) = ("", 0, [], "", nil)
    headline = "\(list) was not tested"
  }

  /// Returns the callbacks of the script's last statement, without the list.
  private static func lastCallbacks(of script: ParsedScript) -> [String] {
    var lines: [String] = []
    let interpreter = Interpreter(
      environment: ScriptFolder(), evaluation: TrialClock.evaluation,
      stepLimit: TrialRun.stepLimit
    ) { lines += $0.lines }
    interpreter.prepare(for: script)
    for statement in script.statements {
      lines = []
      do {
        try interpreter.run(statement, in: script.source)
      } catch {
        return lines
      }
    }
    return lines
  }

  private static func test(named name: String, _ list: String, _ script: String) -> String {
    let type = list.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let first = name.first.map { $0.lowercased() } ?? ""
    let letters = (first + name.dropFirst()).filter { $0.isLetter || $0.isNumber || $0 == "_" }
    // A raw string needs no escapes.
    let quote = script.contains("\\") || script.contains("\"\"\"") ? "#" : ""
    let lines = script.split(separator: "\n").map { "    \($0)\n" }.joined()
    return """
      @Test func \(letters)() throws {
        try replay(
          \(quote)\"\"\"
      \(lines)    \"\"\"\(quote)
        ) { \(type)() }
      }
      """
  }
}

extension FuzzFailure: CustomStringConvertible {
  /// The failure with its place, the script, the callbacks and the test.
  public var description: String {
    var parts = ["\(filePath):\(line): \(headline)", reason]
    let last = callbacks.isEmpty ? "" : "\nIts last statement sends:\n\(callbacks.indented)"
    if let seed {
      parts.append("A script of \(statementCount) statements shows it:\n\(script.lines.indented)")
      if !last.isEmpty { parts.append(String(last.dropFirst())) }
      parts.append("This test repeats it:\n\(test.lines.indented)")
      parts.append("'fuzz(seed: \(seed))' makes the same turns again.")
    } else if !last.isEmpty {
      parts.append(String(last.dropFirst()))
    }
    return parts.joined(separator: "\n\n")
  }
}

extension String {
  fileprivate var lines: [String] {
    split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      .reversed().drop { $0.isEmpty }.reversed()
  }
}

extension [String] {
  fileprivate var indented: String {
    map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n")
  }
}
