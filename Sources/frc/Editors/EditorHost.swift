import ArgumentParser
import Foundation
import GoldenTesting
import LanguageServer
import Platform
import ScriptRuntime
import ScriptSyntax
import Synchronization

/// Gives the language server files by the permissions of `frc test`, and runs scripts in processes.
final class EditorHost: ServerHost {
  private let access: AllowedPaths
  private let queue: MessageQueue
  private let runs = BackgroundRuns()

  init(_ access: AllowedPaths, _ queue: MessageQueue) {
    self.access = access
    self.queue = queue
  }

  // MARK: Files

  /// The settings of `frc.toml` around a script.
  private func settings(ofScriptAt path: String) -> TestSettings? {
    let folder = RealPath.folder(of: RealPath.ofMissing(path))
    var file = ProjectSettings()
    if let project = try? Project(from: folder) {
      // Its paths are relative to the folder of the script.
      file = project.settings.relative(to: folder + "/")
    }
    // The parser of the command line fills in what no option says.
    guard var options = try? RunOptions.parse([]) else { return nil }
    options.access.allowRead = access.reads
    options.access.allowWrite = access.writes
    return TestSettings(paths: [path], options, file)
  }

  private func permissions(ofScriptAt path: String) -> Permissions {
    settings(ofScriptAt: path)?.permissions ?? access.permissions(ofTests: [path])
  }

  func environment(ofScriptAt path: String) -> any ScriptEnvironment {
    FileEnvironment(permissions: permissions(ofScriptAt: path))
  }

  func test(of source: SourceText) -> GoldenTest {
    let path = GoldenTest.goldenPath(of: source.name)
    guard (try? FileStatus(path, followsLinks: false)) != nil else {
      return GoldenTest(source: source)
    }
    let golden = try? permissions(ofScriptAt: source.name).script(at: path, named: path)
    return GoldenTest(source: source, golden: golden)
  }

  // MARK: Runs

  func startRun(_ request: RunRequest) {
    guard let settings = settings(ofScriptAt: request.test.test.source.name) else { return }
    let worker = WorkerSettings(settings.suite, settings.permissions)
    let run = runs.begin(request.uri)
    let queue = queue
    Thread.detachNewThread {
      run.wait(milliseconds: request.pause)
      guard !run.isCancelled else { return }
      if let result = Self.result(of: request, worker, run) { queue.add(.result(result)) }
    }
  }

  /// Runs a script twice, because output that is not always the same cannot be accepted, and once
  /// with explanations.
  private static func result(
    of request: RunRequest, _ settings: WorkerSettings, _ run: BackgroundRuns.Run
  ) -> RunResult? {
    let tests = [request.test, request.test] + [request.explained].compactMap(\.self)
    let executor = WorkerExecutor(tests, settings, StartFailure())
    let isCancelled: @Sendable () -> Bool = { run.isCancelled }
    let first = executor.runs(of: 0, isStopped: isCancelled)
    guard !run.isCancelled else { return nil }
    // A script that was stopped by a limit would be stopped again.
    let isFinished = first.allSatisfy { $0.end == .finished }
    let again = isFinished ? executor.runs(of: 1, isStopped: isCancelled) : []
    let explained =
      isFinished && tests.count > 2 ? executor.runs(of: 2, isStopped: isCancelled) : []
    guard !run.isCancelled else { return nil }
    let outcome = request.test.outcome(of: first, again: again, isCancelled: isCancelled)
    return RunResult(
      uri: request.uri, version: request.version, outcome: outcome,
      explanations: explained.first?.blocks ?? [])
  }

  func cancelRun(of uri: String) { runs.cancel(uri) }

  /// Cancels all runs, and waits until their processes have ended.
  func endAll() { runs.cancelAll() }

  // MARK: Pages

  func startPage(of uri: String, path: String) {
    let queue = queue
    Thread.detachNewThread {
      queue.add(.page(PageResult(page: Self.page(of: path))))
    }
  }

  /// Lets `frc play` write a page into the folder of temporary files, where it stays.
  private static func page(of path: String) -> Result<String, UnreadableSource> {
    let page = "\(TemporaryFolder.parent)/frc-page-\(UUID().uuidString).html"
    do throws(SystemError) {
      let child = try ChildProcess(WorkerProcess.program, ["play", path, "-o", page])
      let said = try child.errors.readToEnd(atMost: 4096)
      let end = child.end()
      guard end == .status(0) else {
        let words = String(decoding: said, as: UTF8.self).split(separator: "\n").first
        return .failure(UnreadableSource(reason: words.map(String.init) ?? "frc play failed"))
      }
      return .success(page)
    } catch {
      return .failure(UnreadableSource(error))
    }
  }
}

/// The runs in the background, at most one for each document.
final class BackgroundRuns: Sendable {
  /// One run, which any thread may cancel.
  final class Run: Sendable {
    private let cancelled = Atomic(false)

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// Waits for a time, or until the run is cancelled.
    func wait(milliseconds: Int) {
      let end = ContinuousClock.now + .milliseconds(milliseconds)
      while !isCancelled, ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.02) }
    }
  }

  private let runs = Mutex<[String: Run]>([:])

  /// Cancels the run of a document, and begins another one.
  func begin(_ uri: String) -> Run {
    let run = Run()
    runs.withLock { runs in
      runs[uri]?.cancel()
      runs[uri] = run
    }
    return run
  }

  func cancel(_ uri: String) { runs.withLock { $0.removeValue(forKey: uri)?.cancel() } }

  func cancelAll() {
    runs.withLock { runs in
      for run in runs.values { run.cancel() }
      runs = [:]
    }
  }
}
