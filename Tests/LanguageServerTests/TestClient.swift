import Foundation
import GoldenTesting
import ScriptRuntime
import ScriptSyntax

@testable import LanguageServer

/// A client of the server, which sees only the bytes of messages.
final class TestClient {
  let host: TestHost
  private(set) var server: LanguageServer
  let queue = MessageQueue()
  private let inbox = Inbox()
  private var reader = MessageReader()
  private var lastID = 0

  private final class Inbox {
    var messages: [[String: Any]] = []
  }

  init(files: [String: String] = [:]) {
    host = TestHost(files: files)
    server = LanguageServer(
      host: host, version: "test", isCancelled: { [queue] in queue.begin($0) },
      output: { [inbox] body in
        let value = try? JSONSerialization.jsonObject(with: Data(body))
        inbox.messages.append(value as? [String: Any] ?? [:])
      })
  }

  /// Sends bytes, and lets the server do what it does when no message waits.
  func send(bytes: [UInt8], isIdle: Bool = true) {
    reader.append(bytes)
    while let message = reader.next() { queue.add(.message(message)) }
    while let item = queue.take() {
      if case .message(let message) = item { server.receive(message) }
    }
    if isIdle { server.idle() }
  }

  /// Returns the bytes of a message.
  static func framed(_ message: [String: Any]) -> [UInt8] {
    var message = message
    message["jsonrpc"] = "2.0"
    let body = try? JSONSerialization.data(withJSONObject: message)
    return MessageFrames.framed(Array(body ?? Data()))
  }

  func send(_ message: [String: Any]) { send(bytes: Self.framed(message)) }

  func note(_ method: String, _ params: [String: Any]) {
    send(["method": method, "params": params])
  }

  /// Sends a request and returns its answer.
  func ask(_ method: String, _ params: [String: Any]) -> [String: Any] {
    lastID += 1
    send(["id": "q\(lastID)", "method": method, "params": params])
    return inbox.messages.last { $0["id"] as? String == "q\(lastID)" } ?? [:]
  }

  /// Sends a request and returns its result as JSON with sorted keys.
  func result(_ method: String, _ params: [String: Any]) -> String {
    text(ask(method, params)["result"] ?? NSNull())
  }

  func text(_ value: Any) -> String {
    let data = try? JSONSerialization.data(
      withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes])
    return String(decoding: data ?? Data(), as: UTF8.self)
  }

  /// The messages so far, which are forgotten then.
  func takeMessages() -> [[String: Any]] {
    defer { inbox.messages = [] }
    return inbox.messages
  }

  /// The messages of the last diagnostics of a document.
  func diagnostics(of uri: String) -> [String] {
    let sent = inbox.messages.last { message in
      (message["params"] as? [String: Any])?["uri"] as? String == uri
        && message["method"] as? String == "textDocument/publishDiagnostics"
    }
    let items = (sent?["params"] as? [String: Any])?["diagnostics"] as? [[String: Any]] ?? []
    return items.compactMap { $0["message"] as? String }
  }

  func start(_ capabilities: [String: Any] = [:], options: [String: Any]? = nil) {
    var params: [String: Any] = ["capabilities": capabilities]
    params["initializationOptions"] = options
    _ = ask("initialize", params)
    note("initialized", [:])
  }

  func open(_ uri: String, _ text: String) {
    note(
      "textDocument/didOpen",
      ["textDocument": ["uri": uri, "languageId": "frc", "version": 1, "text": text]])
  }

  /// Replaces a range of a document; nil is the whole text.
  func change(_ uri: String, _ range: [String: Any]?, _ text: String, version: Int = 2) {
    var change: [String: Any] = ["text": text]
    change["range"] = range
    note(
      "textDocument/didChange",
      ["textDocument": ["uri": uri, "version": version], "contentChanges": [change]])
  }

  static func place(_ line: Int, _ character: Int) -> [String: Any] {
    ["line": line, "character": character]
  }

  static func range(_ start: (Int, Int), _ end: (Int, Int)) -> [String: Any] {
    ["start": place(start.0, start.1), "end": place(end.0, end.1)]
  }

  func at(_ uri: String, _ line: Int, _ character: Int) -> [String: Any] {
    ["textDocument": ["uri": uri], "position": Self.place(line, character)]
  }
}

/// Files in memory, and runs that wait until a test finishes them.
final class TestHost: ServerHost {
  var files: [String: String]
  var hasTooManyFiles = false
  /// Links to folders, each with the folder.
  var links: [String: String] = [:]
  var settingsProblem: SettingsProblem?
  private(set) var started: [RunRequest] = []
  private(set) var cancelled: [String] = []
  /// The paths of the files of which pages were asked for.
  private(set) var pages: [String] = []
  /// How many paths were looked up.
  private(set) var lookups = 0

  init(files: [String: String]) { self.files = files }

  func environment(ofScriptAt path: String) -> any ScriptEnvironment { MemoryFiles(files) }

  func test(of source: SourceText) -> GoldenTest {
    let path = GoldenTest.goldenPath(of: source.name)
    return GoldenTest(source: source, golden: files[path].map { SourceText(name: path, text: $0) })
  }

  func scripts(around path: String) -> [SourceText]? {
    let scripts = files.filter { $0.key.hasSuffix(".frc") || GoldenTest.isMarkdown($0.key) }
      .sorted { $0.key < $1.key }
    return hasTooManyFiles ? nil : scripts.map { SourceText(name: $0.key, text: $0.value) }
  }

  func realPath(of path: String) -> String {
    lookups += 1
    let link = links.first { path.hasPrefix($0.key + "/") }
    return link.map { $0.value + path.dropFirst($0.key.count) } ?? path
  }

  func settingsProblem(around path: String) -> SettingsProblem? { settingsProblem }

  func rulesPage(around path: String) -> String? { "file:///Rules.md" }

  func startRun(_ request: RunRequest) { started.append(request) }

  func cancelRun(of uri: String) {
    cancelled.append(uri)
    started.removeAll { $0.uri == uri }
  }

  func startPage(of uri: String, path: String) { pages.append(path) }

  /// Runs the script that was started last, and returns its result.
  func finishRun() -> RunResult? {
    guard let request = started.popLast() else { return nil }
    let runner = GoldenRunner(environment: MemoryFiles(files))
    let runs = runner.runs(of: request.test)
    let explained = request.explained.map { runner.runs(of: $0) }
    return RunResult(
      uri: request.uri, version: request.version, outcome: request.test.outcome(of: runs),
      explanations: explained?.first?.blocks ?? [])
  }
}

final class MemoryFiles: ScriptEnvironment {
  private let files: [String: String]

  init(_ files: [String: String]) { self.files = files }

  func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
    let name = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: "/scripts/"))
      .standardizedFileURL.path
    guard let text = files[name] else { throw UnreadableSource(reason: "no such file") }
    return SourceText(name: name, text: text)
  }
}
