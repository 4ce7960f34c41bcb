import GoldenTesting
import RepositoryFiles
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

struct GoldenFileTests {
  @Test(
    "a script prints what it says that it prints, and its session is gone with its run",
    arguments: RepositoryFiles.scripts)
  func script(path: String) throws {
    let test = try GoldenFiles.test(at: path)
    weak var environment: FolderEnvironment?

    let outcome: GoldenOutcome
    do {
      let folder = FolderEnvironment()
      environment = folder
      outcome = GoldenRunner(environment: folder).run(test)
    }

    let report = outcome.passed ? "" : Self.report(outcome)
    #expect(report == "")
    #expect(environment == nil, "something of the session holds itself")
  }

  /// The scripts whose output differs with a store in a file, because they show its UUID, its SQL
  /// or the number of statements.
  private static let differences = Set(
    [
      "context/object-ids", "cache/another-value-of-a-variable", "predicates/normal-form",
      "predicates/numbers-and-texts", "predicates/reserved-keys", "relationships/inheritance",
      "language/stats", "history/errors", "observers/requests",
    ].map { "Tests/GoldenTests/Goldens/\($0).frc" })

  @Test(
    "a script prints the same on a store in a file, also one that does not describe its model",
    arguments: RepositoryFiles.scripts.filter { !differences.contains($0) }, [false, true])
  func store(path: String, isOfCoreData: Bool) throws {
    var test = try GoldenFiles.test(at: path)
    let source = test.source
    if TestDirectives(ScriptParser.parse(source)).stores == [.memory] {
      let text = "#@ matrix store=sqlite\n" + source.text(in: 0..<source.bytes.count)
      test = GoldenTest(source: SourceText(name: source.name, text: text), golden: test.golden)
    } else {
      // A script that names its stores always runs with those.
      guard isOfCoreData, !Self.describedModels.contains(path) else { return }
    }

    let outcome = GoldenRunner(environment: FolderEnvironment(isOfCoreData: isOfCoreData))
      .run(test)

    #expect(outcome.passed, "\(Self.report(outcome))")
  }

  /// The scripts that show what a migration says of a type that tables do not show.
  private static let describedModels: Set = ["Examples/migration.frc"]

  @Test("what differs on a store in a file does so", arguments: differences.sorted())
  func difference(path: String) throws {
    let test = try GoldenFiles.test(at: path)
    let text = "#@ matrix store=sqlite\n" + test.source.text(in: 0..<test.source.bytes.count)

    let outcome = GoldenRunner(environment: FolderEnvironment()).run(
      GoldenTest(source: SourceText(name: test.source.name, text: text)))

    #expect(!outcome.passed)
  }

  @Test(
    "a golden says its rule in its first line and stays under 40 lines",
    arguments: RepositoryFiles.scripts.filter { $0.hasPrefix("Tests/") })
  func shape(path: String) throws {
    let source = try GoldenFiles.test(at: path).source

    #expect(source.text(ofLine: 1).hasPrefix("# "))
    #expect(source.lineCount <= 41, "a file's last line end counts as one more")
  }

  @Test("a script's names all have a meaning", arguments: RepositoryFiles.scripts)
  func names(path: String) throws {
    let script = ScriptParser.parse(try GoldenFiles.test(at: path).source)

    let found = Checker(environment: FolderEnvironment()).check(script)

    let errors = found.map(\.diagnostic).filter { $0.severity == .error }
    #expect(errors.map(\.message) == [])
  }

  /// The differences, as the program reports them.
  private static func report(_ outcome: GoldenOutcome) -> String {
    let source = outcome.source
    var lines = outcome.warnings.map { DiagnosticRenderer().render($0, in: source) }
    for failure in outcome.failures {
      lines.append("line \(failure.lines.lowerBound): \(failure)")
      guard case .output(let mismatch) = failure.kind else { continue }
      lines += DiffRenderer().lines(of: OutputDiff(mismatch))
    }
    return lines.joined(separator: "\n")
  }
}
