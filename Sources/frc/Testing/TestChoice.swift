import ArgumentParser
import Basics
import GoldenTesting
import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// Finds the tests that the options select.
struct TestChoice {
  let options: ChoiceOptions
  let settings: TestSettings
  let history: LastRunFile
  let output: Output

  /// The selected tests.
  struct Chosen {
    var tests: [PreparedTest] = []
    /// Golden files without a script.
    var strayGoldens: [String] = []
    /// Files in folders that look like tests and were not read.
    ///
    /// The other scripts run nevertheless.
    var unread: [UnreadFile] = []

    /// Whether a script could not be read.
    var isIncomplete: Bool { unread.contains(where: \.isError) }
  }

  /// Finds, reads and selects tests, and reports those that cannot be read.
  ///
  /// Exits with status 2 if a path names no test, or if none is left.
  func chosen() throws -> Chosen {
    guard !settings.paths.isEmpty else {
      throw refusal(
        "no path: name scripts or folders, or write 'paths = [\"Scripts\"]' into \(Project.fileName)"
      )
    }
    let search = TestSearch(settings.paths, leavingOut: settings.fixtures)
    let (tests, unread) = try read(search)
    var chosen = Chosen(tests: try chosen(of: tests))
    let isFirstPart = options.part?.number ?? 1 == 1
    if isFirstPart { chosen.strayGoldens = search.strayGoldens.filter(options.pathFilter.accepts) }
    // A script that cannot be read may be one of the wanted ones.
    chosen.unread = unread.filter {
      $0.isError || isFirstPart && options.pathFilter.accepts($0.path)
    }
    return chosen
  }

  private func read(_ search: TestSearch) throws -> (tests: [PreparedTest], unread: [UnreadFile]) {
    let scripts = search.scripts
    let (permissions, areNamed) = (settings.permissions, settings.areNamed)
    let read = ParallelWork.results(scripts.count, threads: settings.suite.threads) {
      scripts[$0].read(permissions, isNamed: areNamed && !scripts[$0].isFound)
    }
    var tests: [PreparedTest] = []
    var search = search
    for (script, result) in zip(scripts, read) {
      switch result {
      case .success(let test): tests.append(test)
      case .failure(let failure): search.refuse(script, failure)
      }
    }
    let isRefused = !search.failures.isEmpty || tests.isEmpty
    // In a run, they are listed with the results.
    for message in isRefused ? search.messages : search.errors { output.writeError(message) }
    if let status = InterruptFlag.exitStatus { throw ExitCode(status) }
    if search.findsAll, tests.isEmpty { output.writeError("frc: error: no test found") }
    guard !isRefused else { throw ExitCode(2) }
    return (tests, search.unread)
  }

  /// Returns the tests that the options select.
  ///
  /// A shard, and a selection of failed or changed tests, may be empty. If options select by name
  /// and no test has it, that is an error.
  private func chosen(of tests: [PreparedTest]) throws -> [PreparedTest] {
    let tags = try tagExpressions()
    let filter = options.pathFilter
    let named = tests.filter { test in
      let own = test.directives.tags
      return (tags.isEmpty || tags.contains { $0.matches(own) })
        && !options.skipTag.contains(where: own.contains)
        && filter.accepts(test.test.source.name)
    }
    if named.isEmpty, !tests.isEmpty { throw nothing(of: tests, tags) }
    var chosen = named
    if let revision = options.revision { chosen = try changed(of: chosen, since: revision) }
    if let part = options.part {
      let run = try recorded(options.times)
      warnOfTimes(of: chosen, in: run)
      chosen = part.indices(of: chosen.map(\.test.source.name), seconds: run.seconds)
        .map { chosen[$0] }
    }
    return options.failed ? try failed(of: chosen) : chosen
  }

  private func tagExpressions() throws -> [TagExpression] {
    try options.tag.map { text in
      do throws(ScriptDiagnostic) {
        return try TagExpression(text)
      } catch {
        let source = SourceText(name: "--tag", text: text)
        output.writeError(painted: DiagnosticRenderer().render(error.diagnostic, in: source))
        throw ExitCode(2)
      }
    }
  }

  /// Reports that no test has the requested names, with the options and the tags that exist.
  private func nothing(of tests: [PreparedTest], _ tags: [TagExpression]) -> ExitCode {
    let asked =
      options.tag.map { "--tag '\($0)'" } + options.skipTag.map { "--skip-tag '\($0)'" }
      + options.filter.map { "--filter '\($0)'" }
    let none =
      tests.count == 1 ? "the only script is not" : "none of \(tests.count) scripts is"
    let words = "no test found: \(none) chosen by \(asked.joined(separator: " "))"
    guard !options.tag.isEmpty || !options.skipTag.isEmpty else { return refusal(words) }
    let known = tests.reduce(into: Set<String>()) { $0.formUnion($1.directives.tags) }.sorted()
    let unknown = tags.reduce(into: Set<String>()) { $0.formUnion($1.names) }
      .subtracting(known).sorted()
    let near = unknown.lazy.compactMap { name in
      nearestName(to: name, among: known).map { "; for '\(name)', did you mean '\($0)'?" }
    }
    return refusal(words + (near.first ?? "; " + Self.list(tags: known)))
  }

  private static func list(tags: [String]) -> String {
    let most = 20
    if tags.isEmpty { return "no script has a tag" }
    let rest = tags.count - most
    return (tags.count == 1 ? "the only tag is " : "the tags are ")
      + tags.prefix(most).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  // MARK: Changes

  private func changed(
    of tests: [PreparedTest], since revision: String
  ) throws -> [PreparedTest] {
    let changed: ChangedFiles
    do throws(ChangedFiles.Failure) {
      changed = try ChangedFiles(since: revision)
    } catch {
      throw refusal("--changed: \(error.reason)")
    }
    if let other = tests.map(\.test.source.name).first(where: { !changed.mayHave($0) }) {
      throw refusal(
        "--changed: '\(other)' is not in the git repository '\(changed.repository)'; run frc in "
          + "the repository of the script, or leave out --changed")
    }
    let files = changed.files
    let reached = ReachedFiles(settings.permissions)
    return tests.filter { test in
      let reach = reached.reach(of: test)
      // A script that computes a path may use any file.
      return !reach.isComplete && !files.isEmpty || reach.contains(anyOf: files)
    }
  }

  // MARK: Earlier runs

  private func failed(of tests: [PreparedTest]) throws -> [PreparedTest] {
    guard let run = history.read() else {
      throw refusal("--failed: there is no earlier run, or its record cannot be read")
    }
    let keys = tests.map { history.key($0.test.source.name) }
    guard tests.isEmpty || keys.contains(where: run.knows) else {
      throw refusal("--failed: none of these scripts was run before")
    }
    return zip(tests, keys).filter { run.isToDo($0.1) }.map(\.0)
  }

  /// Reads JSON reports.
  ///
  /// Exits with status 2 if a file is not a report.
  ///
  /// A missing file counts as empty, because on every machine it does not exist before the first
  /// run.
  private func recorded(_ files: [String]) throws -> RecordedRun {
    var run = RecordedRun()
    for file in files {
      guard (try? FileStatus(file)) != nil else {
        output.writeError(
          "frc: warning: there is no '\(file)' yet, so each part has as many scripts; "
            + "--report json=\(file) writes it")
        continue
      }
      let text: SourceText
      do {
        text = try FileEnvironment.read(file)
      } catch {
        throw refusal("cannot read '\(file)': \(error.reason)")
      }
      guard run.add(String(decoding: text.bytes, as: UTF8.self)) else {
        throw refusal("'\(file)' is not a JSON report of frc test")
      }
    }
    return run
  }

  /// Warns if a report contains times, but for none of the scripts.
  ///
  /// Then the shards are not balanced.
  private func warnOfTimes(of tests: [PreparedTest], in run: RecordedRun) {
    let names = tests.map(\.test.source.name)
    guard let first = names.first, let recorded = run.anyPath,
      names.allSatisfy({ run.seconds(of: $0) == nil })
    else { return }
    output.writeError(
      "frc: warning: --times has the time of no script, so each part has as many scripts; it names "
        + "'\(recorded)', and this run '\(first)': write the path as in the run that made the report"
    )
  }

  private func refusal(_ words: String) -> ExitCode {
    output.writeError("frc: error: \(words)")
    return ExitCode(2)
  }
}
