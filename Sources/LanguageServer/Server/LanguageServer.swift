import Basics
import Foundation
import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// A server of the Language Server Protocol 3.17 for scripts.
///
/// It takes messages one after another and sends answers. It reads no file and starts no process:
/// its host does.
package final class LanguageServer {
  let host: any ServerHost
  private let version: String
  private let output: ([UInt8]) -> Void
  /// Returns whether a request was cancelled while it waited.
  private let isCancelled: (RequestID) -> Bool
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()
  private(set) var documents: [String: Document] = [:]
  private var stage = Stage.new
  private(set) var encoding = PositionEncoding.utf16
  private(set) var client = ClientAbilities()
  private var settings = Settings()
  private var lastRequest = 0
  private var lastGeneration = 0
  var progress = RunProgress()
  /// The problems of settings that are shown, by the documents around which they are.
  private var settingsProblems: [String: SettingsProblem] = [:]
  /// The request for the user's settings that was not answered yet.
  private var settingsRequest: RequestID?
  /// The documents whose run the user asked for, so that its verdict is shown.
  var awaitedRuns: Set<String> = []

  private enum Stage { case new, running, shutDown }

  /// The status with which the program ends; nil if it goes on.
  package private(set) var exitStatus: Int32?

  /// - Parameters:
  ///   - version: The version of the program.
  ///   - isCancelled: Returns whether a request was cancelled while it waited.
  ///   - output: Receives each message, without its header.
  package init(
    host: any ServerHost, version: String,
    isCancelled: @escaping (RequestID) -> Bool = { _ in false },
    output: @escaping ([UInt8]) -> Void
  ) {
    self.host = host
    self.version = version
    self.isCancelled = isCancelled
    self.output = output
    encoder.outputFormatting = [.withoutEscapingSlashes]
  }

  // MARK: Receiving

  /// Handles a message.
  package func receive(_ message: IncomingMessage) {
    switch message.kind {
    case .broken(let error): respond(nil, error)
    case .answer(let id):
      if id == settingsRequest {
        settingsRequest = nil
        result(message.body).map { (it: [Settings?]) in configure(it.first.flatMap(\.self)) }
      }
      progress.answered(id).map(sendProgress)
    case .notification(let method): note(method, message.body)
    case .request(let id, let method):
      if isCancelled(id) {
        respond(id, ResponseError(.requestCancelled, "the request was cancelled"))
      } else {
        answer(id, method, message.body)
      }
    }
  }

  /// Sends what waits until no message does: diagnostics, and runs in the background.
  ///
  /// So of many edits only the last one is looked at.
  package func idle() {
    guard stage == .running else { return }
    for document in documents.values.sorted(by: { $0.uri < $1.uri }) where document.isDirty {
      document.isDirty = false
      if !client.pullsDiagnostics { publish(document) }
      show(host.settingsProblem(around: document.path), of: document.uri)
      if document.needsRun {
        document.needsRun = false
        if settings.live ?? true { startRun(of: document, pause: settings.pause ?? 400) }
      }
    }
  }

  /// Takes the result of a run, unless the text has changed since it began.
  package func take(_ result: RunResult) {
    guard let document = documents[result.uri], document.generation == result.version else {
      return
    }
    document.live = LiveResults(outcome: result.outcome, explanations: result.explanations)
    document.isDirty = true
    progress.ended(result.uri).map(sendProgress)
    for method in client.refreshes { request(method, Nothing?.none) }
    if awaitedRuns.remove(result.uri) != nil { show(verdictOf: result.outcome) }
  }

  private func note(_ method: String, _ body: [UInt8]) {
    // Before `initialize` and after `shutdown` only the end is accepted.
    guard method == "exit" || stage == .running else { return }
    switch method {
    case "exit": exitStatus = stage == .shutDown ? 0 : 1
    case "textDocument/didOpen":
      params(body).map { (it: OpenParams) in open(it.textDocument) } ?? lose(body)
    case "textDocument/didChange": params(body).map(change) ?? lose(body)
    case "textDocument/didClose":
      params(body).map { (it: DocumentParams) in close(it.textDocument.uri) }
    case "initialized":
      askForSettings()
      watchFiles()
    case "workspace/didChangeConfiguration":
      params(body).map { (it: ConfigurationParams) in it.settings?.frc }.map { settings in
        if let settings { configure(settings) } else { askForSettings() }
      }
    // A run reads included files from the disk.
    case "textDocument/didSave":
      params(body).map { (it: DocumentParams) in
        invalidate(dependingOn: documents[it.textDocument.uri]?.realPath, mayBeNew: true)
      }
    // A file on the disk may be one that is included, or frc.toml.
    case "workspace/didChangeWatchedFiles": documents.values.forEach(changed)
    // The others change nothing that the server keeps.
    default: break
    }
  }

  private func params<Params: Decodable>(_ body: [UInt8]) -> Params? {
    try? decoder.decode(MessageParams<Params>.self, from: Data(body)).params
  }

  private func result<Value: Decodable>(_ body: [UInt8]) -> Value? {
    try? decoder.decode(MessageResult<Value>.self, from: Data(body)).result
  }

  private func answer(_ id: RequestID, _ method: String, _ body: [UInt8]) {
    switch stage {
    case .new where method != "initialize":
      return respond(id, ResponseError(.serverNotInitialized, "'initialize' must come first"))
    case .shutDown:
      return respond(id, ResponseError(.invalidRequest, "the server is shut down"))
    case .running where method == "initialize":
      return respond(id, ResponseError(.invalidRequest, "'initialize' was sent before"))
    case .new, .running: break
    }
    guard let answer = answers[method] else {
      return respond(id, ResponseError(.methodNotFound, "unknown method '\(method)'"))
    }
    answer(self, id, body)
  }

  // MARK: Sending

  private typealias Answer = (LanguageServer, RequestID, [UInt8]) -> Void

  /// Makes the answer to a method from what returns its result.
  private static func answer<Params: Decodable, Value: Encodable>(
    _ work: @escaping (LanguageServer) -> (Params) throws -> Value?
  ) -> Answer {
    { server, id, body in
      guard let params: Params = server.params(body) else {
        return server.respond(
          id, ResponseError(.invalidParams, "the parameters are not those of the method"))
      }
      do {
        server.send(ResponseMessage(id: id, result: .success(try work(server)(params))))
      } catch let error as ResponseError {
        server.respond(id, error)
      } catch {
        server.respond(id, ResponseError(.internalError, "\(error)"))
      }
    }
  }

  private let answers: [String: Answer] = [
    "initialize": LanguageServer.answer(LanguageServer.initialize),
    "shutdown": { server, id, _ in
      server.stage = .shutDown
      for uri in server.documents.keys { server.host.cancelRun(of: uri) }
      server.send(ResponseMessage<Nothing>(id: id, result: .success(nil)))
    },
    "textDocument/completion": LanguageServer.answer(LanguageServer.completion),
    "textDocument/hover": LanguageServer.answer(LanguageServer.hover),
    "textDocument/signatureHelp": LanguageServer.answer(LanguageServer.signatureHelp),
    "textDocument/documentSymbol": LanguageServer.answer(LanguageServer.symbols),
    "textDocument/foldingRange": LanguageServer.answer(LanguageServer.folds),
    "textDocument/selectionRange": LanguageServer.answer(LanguageServer.selections),
    "textDocument/semanticTokens/full": LanguageServer.answer(LanguageServer.tokens),
    "textDocument/semanticTokens/range": LanguageServer.answer(LanguageServer.tokensInRange),
    "textDocument/definition": LanguageServer.answer(LanguageServer.definition),
    "textDocument/references": LanguageServer.answer(LanguageServer.references),
    "textDocument/documentHighlight": LanguageServer.answer(LanguageServer.highlights),
    "textDocument/prepareRename": LanguageServer.answer(LanguageServer.prepareRename),
    "textDocument/rename": LanguageServer.answer(LanguageServer.rename),
    "textDocument/formatting": LanguageServer.answer(LanguageServer.formatting),
    "textDocument/rangeFormatting": LanguageServer.answer(LanguageServer.rangeFormatting),
    "textDocument/onTypeFormatting": LanguageServer.answer(LanguageServer.formattingAfterLineEnd),
    "textDocument/codeAction": LanguageServer.answer(LanguageServer.actions),
    "textDocument/diagnostic": LanguageServer.answer(LanguageServer.diagnostics),
    "textDocument/inlayHint": LanguageServer.answer(LanguageServer.hints),
    "textDocument/codeLens": LanguageServer.answer(LanguageServer.lenses),
    "workspace/executeCommand": LanguageServer.answer(LanguageServer.execute),
  ]

  private func respond(_ id: RequestID?, _ error: ResponseError) {
    send(ResponseMessage<Nothing>(id: id, result: .failure(error)))
  }

  private func send(_ message: some Encodable) {
    // Every message is a plain value of texts and numbers, which JSON can hold.
    guard let body = try? encoder.encode(message) else { return }
    output(Array(body))
  }

  func notify(_ method: String, _ params: some Encodable) {
    send(SentMessage(method: method, params: params))
  }

  /// Sends a request to the client, and returns its name.
  @discardableResult
  func request(_ method: String, _ params: (some Encodable)?) -> RequestID {
    lastRequest += 1
    let id = RequestID.number(lastRequest)
    send(SentMessage(id: id, method: method, params: params))
    return id
  }

  private func sendProgress(_ params: ProgressParams) { notify("$/progress", params) }

  private func publish(_ document: Document) {
    let items = DiagnosticItems(document: document, analysis: analysis(of: document)).items
    notify(
      "textDocument/publishDiagnostics",
      PublishParams(uri: document.uri, version: document.version, diagnostics: items))
  }

  /// Shows the problem of a settings file in that file, once for all documents around which it is.
  ///
  /// A message says it, too, because editors show no diagnostics of files that are not open.
  private func show(_ problem: SettingsProblem?, of uri: String) {
    let old = settingsProblems[uri]
    guard old != problem else { return }
    if let problem, !settingsProblems.values.contains(problem) {
      let line = problem.line.map { ":\($0)" } ?? ""
      show("\(problem.path)\(line): \(problem.reason)", type: 1)
    }
    settingsProblems[uri] = problem
    for path in Set([old, problem].compactMap(\.?.path)) {
      let known = settingsProblems.values.first { $0.path == path }
      let items = known.map { problem in
        let line = max(0, (problem.line ?? 1) - 1)
        let range = TextRange(
          start: Position(line: line, character: 0), end: Position(line: line + 1, character: 0))
        return DiagnosticItem(range: range, severity: 1, source: "frc", message: problem.reason)
      }
      notify(
        "textDocument/publishDiagnostics",
        PublishParams(
          uri: self.uri(of: path), version: nil, diagnostics: [items].compactMap(\.self)))
    }
  }

  // MARK: Lifecycle

  private func initialize(_ params: InitializeParams) -> InitializeResult? {
    let offered = params.capabilities.general?.positionEncodings ?? []
    encoding = offered.lazy.compactMap(PositionEncoding.init).first ?? .utf16
    client = ClientAbilities(params.capabilities)
    settings = params.initializationOptions ?? Settings()
    stage = .running
    return InitializeResult(
      capabilities: ServerCapabilities(
        positionEncoding: encoding,
        semanticTokensProvider: .init(legend: .init(tokenTypes: TokenColours.types)),
        executeCommandProvider: .init(commands: ScriptCommand.allCases.map(\.rawValue))),
      serverInfo: .init(name: "frc", version: version))
  }

  /// Asks the client for the settings of its user, if it does not send them itself.
  private func askForSettings() {
    guard client.hasConfiguration else { return }
    settingsRequest = request(
      "workspace/configuration", ConfigurationRequest(items: [.init(section: "frc")]))
  }

  /// Asks the client to tell when a file changes that a script can depend on.
  private func watchFiles() {
    guard client.watchesFiles else { return }
    let watchers = ["**/*.frc", "**/*.golden", "**/frc.toml"].map(Registrations.Watcher.init)
    request("client/registerCapability", Registrations(watchers))
  }

  private func configure(_ new: Settings?) {
    guard let new, new != settings else { return }
    settings = new
    for document in documents.values {
      document.isDirty = true
      document.needsRun = true
      guard !(new.live ?? true) else { continue }
      cancelRun(of: document)
      document.live = nil
    }
  }

  // MARK: Documents

  private func open(_ item: TextDocumentItem) {
    let text = DocumentText(item.text, encoding: encoding)
    documents[item.uri].map(cancelRun)
    lastGeneration += 1
    let document = Document(
      uri: item.uri, version: item.version, text: text, generation: lastGeneration,
      realPath: host.realPath(of:))
    documents[item.uri] = document
    invalidate(dependingOn: document.realPath, mayBeNew: true)
  }

  private func change(_ params: ChangeParams) {
    guard let document = documents[params.textDocument.uri] else { return }
    for change in params.contentChanges { document.text.replace(change.range, with: change.text) }
    document.version = params.textDocument.version ?? document.version + 1
    changed(document)
    invalidate(dependingOn: document.realPath)
  }

  private func close(_ uri: String) {
    guard let document = documents.removeValue(forKey: uri) else { return }
    cancelRun(of: document)
    awaitedRuns.remove(uri)
    show(nil, of: uri)
    invalidate(dependingOn: document.realPath)
    guard !client.pullsDiagnostics else { return }
    notify(
      "textDocument/publishDiagnostics", PublishParams(uri: uri, version: nil, diagnostics: []))
  }

  /// Closes the document whose text or edit cannot be read.
  ///
  /// Otherwise later answers would be about another text than the client's.
  private func lose(_ body: [UInt8]) {
    guard let uri = params(body).map({ (it: DocumentParams) in it.textDocument.uri }) else {
      return
    }
    close(uri)
    show("a message about '\(uri)' cannot be read; close the document and open it again", type: 1)
  }

  private func changed(_ document: Document) {
    cancelRun(of: document)
    lastGeneration += 1
    document.invalidate(lastGeneration)
  }

  /// Forgets what is known of the documents that include a file with a real path.
  ///
  /// - Parameter mayBeNew: Whether the file may be on the disk only now. Not every client tells when
  ///   a file is created.
  private func invalidate(dependingOn path: String?, mayBeNew: Bool = false) {
    guard let path else { return }
    for document in documents.values where document.realPath != path {
      guard document.includes(path) || mayBeNew && document.lacksFile else { continue }
      changed(document)
    }
  }

  func cancelRun(of document: Document) {
    host.cancelRun(of: document.uri)
    progress.ended(document.uri).map(sendProgress)
  }

  /// Returns the open document with a URI.
  ///
  /// - Throws: `ResponseError` if there is none.
  func document(_ id: DocumentID) throws(ResponseError) -> Document {
    guard let document = documents[id.uri] else {
      throw ResponseError(.invalidParams, "the document '\(id.uri)' is not open")
    }
    return document
  }

  func analysis(of document: Document) -> Analysis {
    document.analysis { openFiles(ofScriptAt: document.path) }
  }

  /// Returns the files of a script, with the texts of the other open documents.
  func openFiles(ofScriptAt path: String) -> OpenFiles {
    let own = host.realPath(of: path)
    let others = documents.values.filter { $0.realPath != own }
    return OpenFiles(
      host.environment(ofScriptAt: path),
      texts: Dictionary(others.map { ($0.realPath, $0.text.bytes) }) { first, _ in first },
      resolved: host.realPath(of:))
  }

  /// Returns the URI of a file, as the client writes it if the file is open.
  func uri(of path: String) -> String {
    let real = host.realPath(of: path)
    let open =
      documents.values.first { $0.path == path }
      ?? documents.values.first { $0.realPath == real }
    return open?.uri ?? Document.uri(of: path)
  }
}

/// What the client says that it can do.
struct ClientAbilities {
  private(set) var pullsDiagnostics = false
  private(set) var showsProgress = false
  private(set) var showsDocuments = false
  private(set) var hasConfiguration = false
  private(set) var watchesFiles = false
  /// The requests that make the client ask again for what a run changes.
  private(set) var refreshes: [String] = []

  init() {}

  init(_ capabilities: InitializeParams.Capabilities) {
    pullsDiagnostics = capabilities.textDocument?.diagnostic != nil
    showsProgress = capabilities.window?.workDoneProgress ?? false
    showsDocuments = capabilities.window?.showDocument?.support ?? false
    let workspace = capabilities.workspace
    hasConfiguration = workspace?.configuration ?? false
    watchesFiles = workspace?.didChangeWatchedFiles?.dynamicRegistration ?? false
    if workspace?.inlayHint?.refreshSupport == true {
      refreshes.append("workspace/inlayHint/refresh")
    }
    if workspace?.codeLens?.refreshSupport == true {
      refreshes.append("workspace/codeLens/refresh")
    }
    if pullsDiagnostics, workspace?.diagnostics?.refreshSupport == true {
      refreshes.append("workspace/diagnostic/refresh")
    }
  }
}

/// The progress of runs, which a client shows only after it has agreed to each.
struct RunProgress {
  private struct Run {
    let token: String
    let title: String
    var isShown = false
  }

  /// The documents that run, by the request that asked the client.
  private var asked: [RequestID: String] = [:]
  private var runs: [String: Run] = [:]
  private var count = 0

  /// Whether nothing runs.
  var isEmpty: Bool { asked.isEmpty && runs.isEmpty }

  /// Returns the token for a new run.
  mutating func token() -> String {
    count += 1
    return "frc-run-\(count)"
  }

  mutating func began(_ uri: String, _ token: String, title: String, asking id: RequestID) {
    asked[id] = uri
    runs[uri] = Run(token: token, title: title)
  }

  /// Returns what to send when the client has agreed; nil if the run is over.
  mutating func answered(_ id: RequestID) -> ProgressParams? {
    guard let uri = asked.removeValue(forKey: id), var run = runs[uri] else { return nil }
    run.isShown = true
    runs[uri] = run
    return ProgressParams(token: run.token, value: .init(kind: "begin", title: run.title))
  }

  /// Returns what to send when a run ends; nil if it is not shown.
  mutating func ended(_ uri: String) -> ProgressParams? {
    guard let run = runs.removeValue(forKey: uri) else { return nil }
    // An answer that comes later shows nothing.
    asked = asked.filter { $0.value != uri }
    return run.isShown ? ProgressParams(token: run.token, value: .init(kind: "end")) : nil
  }
}
