import ArgumentParser
import GoldenTesting
import LineEditor
import NearNames
import Platform
import ScriptRuntime
import ScriptSyntax

/// Finds the tests that the options select.
struct TestChoice {
  let options: ChoiceOptions
  let settings: TestSettings
  let history: HistoryFile
  let output: Output

  /// The selected tests.
  struct Chosen {
    var tests: [PreparedTest] = []
    /// Golden files without a script.
    var strayGoldens: [String] = []
    /// Whether a script in a folder could not be read.
    ///
    /// The other scripts run nevertheless.
    var isIncomplete = false
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
    let (tests, isIncomplete) = try read(search)
    var chosen = Chosen(tests: try chosen(of: tests), isIncomplete: isIncomplete)
    if options.part?.number ?? 1 == 1 {
      chosen.strayGoldens = search.strayGoldens.filter(options.pathFilter.accepts)
    }
    return chosen
  }

  private func read(_ search: TestSearch) throws -> (tests: [PreparedTest], isIncomplete: Bool) {
    let scripts = search.scripts
    let (permissions, areNamed) = (settings.permissions, settings.areNamed)
    let read = ParallelWork.results(scripts.count, threads: settings.suite.threads) {
      scripts[$0].read(permissions, isNamed: areNamed && !scripts[$0].isFound)
    }
    var tests: [PreparedTest] = []
    var failures = search.failures
    var unread: [TestSearch.Failure] = []
    for (script, result) in zip(scripts, read) {
      switch result {
      case .success(let test): tests.append(test)
      case .failure(let failure) where script.isFound: unread.append(failure)
      case .failure(let failure): failures.append(failure)
      }
    }
    for failure in failures + unread {
      output.writeError("frc: error: \(failure.description)")
    }
    if let status = InterruptFlag.exitStatus { throw ExitCode(status) }
    if failures.isEmpty, unread.isEmpty, tests.isEmpty {
      output.writeError("frc: error: no test found")
    }
    guard failures.isEmpty, !tests.isEmpty else { throw ExitCode(2) }
    return (tests, !unread.isEmpty)
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

  /// Reports why no test has the requested names.
  private func nothing(of tests: [PreparedTest], _ tags: [TagExpression]) -> ExitCode {
    let asksTags = !options.tag.isEmpty || !options.skipTag.isEmpty
    let what = options.filter.isEmpty ? "tags" : asksTags ? "text and tags" : "text"
    let known = tests.reduce(into: Set<String>()) { $0.formUnion($1.directives.tags) }
    let unknown = tags.reduce(into: Set<String>()) { $0.formUnion($1.names) }
      .subtracting(known).sorted()
    let near = unknown.lazy.compactMap { name in
      nearestName(to: name, among: known.sorted()).map { "; for '\(name)', did you mean '\($0)'?" }
    }
    return refusal(
      "no test found: no script has the \(what) asked for" + (near.first ?? ""))
  }

  // MARK: Changes

  private func changed(
    of tests: [PreparedTest], since revision: String
  ) throws -> [PreparedTest] {
    let files: Set<String>
    do throws(ChangedFiles.Failure) {
      files = try ChangedFiles.since(revision)
    } catch {
      throw refusal("--changed: \(error.reason)")
    }
    let reached = ReachedFiles(settings.permissions)
    return tests.filter { test in
      let reach = reached.reach(of: test)
      // A script that computes a path may use any file.
      return !reach.isComplete && !files.isEmpty || files.contains(where: reach.contains)
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
