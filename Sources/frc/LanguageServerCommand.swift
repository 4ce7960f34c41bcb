import ArgumentParser
import Foundation
import GoldenTesting
import LanguageServer
import Platform
import ScriptRuntime
import ScriptSyntax
import Synchronization

/// `frc lsp`: the language server for editors, over standard input and output.
struct LanguageServerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp", abstract: "Serve an editor, by the Language Server Protocol.",
    discussion: """
      An editor starts this command, and talks with it over standard input and output. \
      Editors/README.md says how to set up an editor.

      Scripts read files by the rules of 'frc test', and frc.toml counts. They run in the \
      background after each edit, with the limits of 'frc test', in processes of their own.
      """)

  @OptionGroup var access: ReadingOptions

  func run() throws {
    // A worker may die while it is written to.
    Signal.brokenPipe.ignore()
    let queue = MessageQueue()
    let access = access.paths
    Thread { Self.read(into: queue) }.start()
    // Scripts may be nested deeply.
    ProcessCalls.startThread(stackSize: 64 << 20) { Self.serve(access, queue) }
    while true { Thread.sleep(forTimeInterval: 3600) }
  }

  private static func read(into queue: MessageQueue) {
    var reader = MessageReader()
    while let piece = try? FileDescriptor.standardInput.read(upTo: 1 << 16), !piece.isEmpty {
      reader.append(piece)
      while let message = reader.next() { queue.add(.message(message)) }
    }
    queue.add(.end)
  }

  /// Answers messages until the client says `exit` or goes away.
  private static func serve(_ access: AllowedPaths, _ queue: MessageQueue) -> Never {
    let host = EditorHost(access, queue)
    func end(_ status: Int32) -> Never {
      host.endAll()
      TemporaryFolder.removeAll()
      ProcessCalls.endAtOnce(status: status)
    }
    let server = LanguageServer(
      host: host, version: FRC.version, isCancelled: { queue.begin($0) },
      output: { body in
        // If this fails, the editor is gone.
        let bytes = MessageFrames.framed(body)
        if (try? FileDescriptor.standardOutput.write(bytes)) == nil { end(1) }
      })
    while true {
      switch queue.next(whenEmpty: server.idle) {
      case .message(let message): server.receive(message)
      case .result(let result): server.take(result)
      case .page(let result): server.take(page: result)
      case .end: end(1)
      }
      if let status = server.exitStatus { end(status) }
    }
  }
}

/// Gives the language server files by the permissions of `frc test`, and runs scripts in processes.
final class EditorHost: ServerHost {
  private let access: AllowedPaths
  // What `frc test` does without options. The parser of the command line fills that in, which takes
  // longer than to read a script.
  private let options: RunOptions?
  private let queue: MessageQueue
  private let runs = BackgroundRuns()

  init(_ access: AllowedPaths, _ queue: MessageQueue) {
    self.access = access
    self.queue = queue
    var options = try? RunOptions.parse([])
    options?.access.allowRead = access.reads
    options?.access.allowWrite = access.writes
    self.options = options
  }

  // MARK: Files

  func settingsProblem(around path: String) -> SettingsProblem? {
    let folder = RealPath.folder(of: RealPath.ofMissing(path))
    do throws(ProjectSettings.Failure) {
      _ = try Project(from: folder)
      return nil
    } catch {
      let file = URL(fileURLWithPath: folder + "/" + error.file).standardizedFileURL.path
      return SettingsProblem(path: file, line: error.line, reason: error.reason)
    }
  }

  func rulesPage(around path: String) -> String? {
    let name = "Documentation/Rules.md"
    let folders = [Project.root(ofTests: path)] + Self.folders(above: WorkerProcess.program)
    return folders.map { $0 + "/" + name }.first(where: FileStatus.exists)
      .map { URL(fileURLWithPath: $0).absoluteString }
  }

  private static func folders(above path: String) -> [String] {
    Array(
      sequence(first: RealPath.folder(of: RealPath.ofMissing(path))) { folder in
        folder == "/" ? nil : RealPath.folder(of: folder)
      })
  }

  /// The settings of `frc.toml` around a script.
  private func settings(ofScriptAt path: String) -> TestSettings? {
    guard let options else { return nil }
    let folder = RealPath.folder(of: RealPath.ofMissing(path))
    var file = ProjectSettings()
    // The editor shows what is wrong with it.
    if let project = try? Project(from: folder) {
      // Its paths are relative to the folder of the script.
      file = project.settings.relative(to: folder + "/")
    }
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

  /// The largest number of files below a project's folder that is searched for scripts.
  private static let mostFiles = 20_000

  func scripts(around path: String) -> [SourceText]? {
    let permissions = permissions(ofScriptAt: path)
    var folders = [Project.root(ofTests: path)]
    var scripts: [SourceText] = []
    var count = 0
    while let folder = folders.popLast() {
      guard let names = try? FolderNames.names(in: folder) else { continue }
      count += names.count
      guard count <= Self.mostFiles else { return nil }
      for name in names where name.bytes.first != UInt8(ascii: ".") {
        guard let text = name.text else { continue }
        let hasScript = text.hasSuffix(".frc") || GoldenTest.isMarkdown(text)
        guard hasScript || name.mayBeFolder else { continue }
        let path = folder + "/" + text
        // Links are not followed, as in 'frc test'.
        switch (try? FileStatus(path, followsLinks: false))?.kind {
        case .folder: folders.append(path)
        case .regular where hasScript:
          if let script = try? permissions.script(at: path, named: path) { scripts.append(script) }
        case .regular, .special, nil: break
        }
      }
    }
    return scripts
  }

  func realPath(of path: String) -> String {
    // The URI of a text without a file is no path.
    path.hasPrefix("/") ? RealPath.ofMissing(path) : path
  }

  // MARK: Runs

  func startRun(_ request: RunRequest) {
    guard let settings = settings(ofScriptAt: request.test.test.source.name) else { return }
    let worker = WorkerSettings(settings.suite, settings.permissions)
    let queue = queue
    runs.begin(request.uri, after: .milliseconds(request.pause)) { run in
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
      // A full pipe would stop the process, so the rest is read, too.
      while try !child.errors.read(upTo: 1 << 16).isEmpty {}
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

/// The runs in the background, at most one for each document, and few at the same time.
final class BackgroundRuns: Sendable {
  /// One run, which any thread may cancel.
  final class Run: Sendable {
    fileprivate let start: ContinuousClock.Instant
    fileprivate let work: @Sendable (Run) -> Void
    private let cancelled = Atomic(false)

    fileprivate init(_ start: ContinuousClock.Instant, _ work: @escaping @Sendable (Run) -> Void) {
      self.start = start
      self.work = work
    }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    func cancel() { cancelled.store(true, ordering: .relaxed) }
  }

  private struct State {
    /// The last run of each document.
    var runs: [String: Run] = [:]
    var waiting: [Run] = []
    var threads = 0
  }

  /// An editor can open a thousand scripts at once.
  private static let most = max(2, ProcessInfo.processInfo.activeProcessorCount)

  private let state = Mutex(State())

  /// Cancels the run of a document, and begins another one after a pause.
  func begin(_ uri: String, after pause: Duration, _ work: @escaping @Sendable (Run) -> Void) {
    let run = Run(.now + pause, work)
    let needsThread = state.withLock { state in
      state.runs[uri]?.cancel()
      state.runs[uri] = run
      state.waiting.append(run)
      guard state.threads < Self.most else { return false }
      state.threads += 1
      return true
    }
    if needsThread { Thread.detachNewThread { [self] in perform() } }
  }

  /// Performs runs until none waits.
  private func perform() {
    while true {
      enum Next {
        case run(Run)
        case pause, end
      }
      let next: Next = state.withLock { state in
        state.waiting.removeAll(where: \.isCancelled)
        // The document that was edited last runs first.
        if let place = state.waiting.lastIndex(where: { $0.start <= .now }) {
          return .run(state.waiting.remove(at: place))
        }
        guard state.waiting.isEmpty else { return .pause }
        state.threads -= 1
        return .end
      }
      switch next {
      case .run(let run): run.work(run)
      case .pause: Thread.sleep(forTimeInterval: 0.02)
      case .end: return
      }
    }
  }

  func cancel(_ uri: String) { state.withLock { $0.runs.removeValue(forKey: uri)?.cancel() } }

  func cancelAll() {
    state.withLock { state in
      for run in state.runs.values { run.cancel() }
      state.runs = [:]
      state.waiting = []
    }
  }
}
