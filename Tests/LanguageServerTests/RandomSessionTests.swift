import Basics
import RandomLaws
import Testing

@testable import LanguageServer

@Suite("server: random edits, requests and broken bytes")
struct RandomSessionTests {
  @Test("no crash, no lost answer, the text of the client, and nothing left after closing")
  func session() throws {
    var cancelled = 0
    for seed in LawSeeds(seconds: 2.5, atLeast: 3) {
      let session = RandomSession(seed)
      for step in 1...LawForm.rounds(400, long: 100_000) { session.take(step: step) }
      session.end()
      cancelled += session.cancelled
    }
    if LawSeeds.areMany { #expect(cancelled > 0) }
  }

  @Test("each beginning of a message costs only itself")
  func halves() {
    let half = MessageFrames.framed(Array(#"{"jsonrpc":"2.0","method":"initialized"}"#.utf8))
    for count in 0..<half.count {
      for second in [0, 3, 19] {
        expectAnswer(after: Array(half.prefix(count) + half.prefix(second)))
      }
    }
  }

  @Test("a wrong length costs only its message", arguments: [-30, -1, 1, 5, 20, 60, 1_000_000])
  func wrongLength(_ difference: Int) {
    let body = #"{"jsonrpc":"2.0","method":"initialized","params":{}}"#
    let wrong = "Content-Length: \(body.utf8.count + difference)\r\n\r\n" + body
    expectAnswer(after: Array(wrong.utf8))
  }

  /// Expects that a request is answered that follows some bytes.
  private func expectAnswer(after bytes: [UInt8]) {
    let whole = MessageFrames.framed(Array(#"{"jsonrpc":"2.0","id":7,"method":"none"}"#.utf8))
    for piece in [1, 7, 1000] {
      let client = TestClient()
      client.start()
      var rest = (bytes + whole)[...]
      while !rest.isEmpty {
        client.send(bytes: Array(rest.prefix(piece)))
        rest = rest.dropFirst(piece)
      }
      let answers = client.takeMessages().filter { $0["id"] as? Int == 7 }
      #expect(
        answers.count == 1,
        "after \(String(decoding: bytes, as: UTF8.self)), in pieces of \(piece)")
    }
  }

  @Test("a message may arrive byte by byte")
  func pieces() {
    let client = TestClient()
    client.start()
    let body = Array(#"{"jsonrpc":"2.0","id":7,"method":"nothing"}"#.utf8)
    for byte in MessageFrames.framed(body) { client.send(bytes: [byte]) }

    #expect(client.takeMessages().contains { $0["id"] as? Int == 7 })
  }

  @Test("a stream of beginnings of headers takes linear time")
  func beginnings() {
    let text = Array(String(repeating: "Content-Length:", count: 20_000).utf8)
    var frames = MessageFrames()
    frames.append(text)
    var broken = 0
    let time = ContinuousClock().measure { while frames.next() != nil { broken += 1 } }

    #expect(broken > 0)
    // Looking through the rest at each of them would take minutes.
    #expect(time < .seconds(20))
  }

  @Test("a request that is cancelled while it waits is answered as cancelled")
  func cancelled() {
    let client = TestClient()
    client.start()
    let bodies = [
      #"{"jsonrpc":"2.0","id":1,"method":"a"}"#, #"{"jsonrpc":"2.0","id":2,"method":"a"}"#,
      #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"#,
      #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":9}}"#,
    ]
    client.send(bytes: bodies.flatMap { MessageFrames.framed(Array($0.utf8)) })
    // The name of an answered request may be used again.
    client.send(bytes: MessageFrames.framed(Array(bodies[2].utf8)))
    client.send(bytes: MessageFrames.framed(Array(bodies[1].utf8)))

    let codes = client.takeMessages().compactMap { message -> [Int]? in
      guard let id = message["id"] as? Int, let error = message["error"] as? [String: Any] else {
        return nil
      }
      return [id, error["code"] as? Int ?? 0]
    }
    #expect(codes == [[1, -32601], [2, -32800], [2, -32601]])
  }
}

/// A client that does what comes, and knows what its server must have.
private final class RandomSession {
  private static let uris = [
    "file:///scripts/a.frc", "file:///scripts/b.frc", "file:///scripts/page.md",
  ]

  private static let pieces = [
    "insert Book(title: \"", "😀", "e\u{301}", "\r\n", "\n", "\r", "\t",
    "entity Book { title: String }",
    "controller books = Book sort by title", "fetch books", "#> books willChangeContent",
    "#@ skip x",
    "{", "}", "(", ")", "\"", "let x = 1", "print $", "Book/1.", "\\(", "where title == ",
    "\u{FEFF}",
    "include \"a.frc\"", "include \"b.frc\"", "perform {", "#", ";", "SUBQUERY(", "日本",
    "\n```frc\n", "\n```\n", "\n# Heading\n",
  ]

  private static let methods = [
    "completion", "hover", "signatureHelp", "documentSymbol", "foldingRange", "definition",
    "references", "documentHighlight", "prepareRename", "semanticTokens/full", "formatting",
    "diagnostic", "codeLens", "inlayHint", "codeAction", "rename", "selectionRange",
    "rangeFormatting", "onTypeFormatting", "semanticTokens/range",
  ]

  private let seed: UInt64
  private var random: SeededGenerator
  private let client = TestClient(files: ["/scripts/b.frc": "entity Note { text: String }\n"])
  private var copies: [String: Copy] = [:]
  /// The bytes that were not sent yet.
  private var outbox: [UInt8] = []
  private var asked: Set<Int> = []
  private var answered: [Int] = []
  /// The requests that a cancellation was written for.
  private var regretted: Set<Int> = []
  private(set) var cancelled = 0
  private var documents: [WeakDocument] = []
  private var step = 0

  private struct WeakDocument {
    weak var document: Document?
  }

  init(_ seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    client.start(["window": ["workDoneProgress": true]])
  }

  /// Does one thing: an edit, a request, a cancellation, or something wrong.
  func take(step: Int) {
    self.step = step
    let uri = Self.uris[number(below: Self.uris.count)]
    switch (number(below: 12), copies[uri]) {
    case (0...2, nil): open(uri)
    case (0, _?) where number(below: 8) == 0: close(uri)
    case (1, _): outbox += brokenBytes()
    case (2, _):
      if let result = client.host.finishRun() { client.server.take(result) }
    case (3...6, let copy?): edit(uri, copy)
    case (7, _):
      // One that waits, one that was answered, or one that never was.
      let id = max(0, step - number(below: 40))
      regretted.insert(id)
      write(["method": "$/cancelRequest", "params": ["id": id]])
    default: ask(uri)
    }
    switch number(below: 8) {
    case 0: deliverAll()
    case 1...3: send(number(below: 300))
    default: break
    }
  }

  /// Delivers everything, and checks that nothing was lost and that nothing is kept.
  func end() {
    step += 1
    ask(Self.uris[0])
    deliverAll()
    #expect(answered.count == Set(answered).count, "seed \(seed)")
    let lost = asked.subtracting(answered).sorted()
    #expect(lost.isEmpty && Set(answered) == asked, "seed \(seed): \(lost)")
    for uri in Self.uris { close(uri) }
    deliverAll()
    while client.host.finishRun() != nil {}
    #expect(client.server.documents.isEmpty)
    #expect(documents.allSatisfy { $0.document == nil }, "seed \(seed)")
    #expect(client.server.progress.isEmpty && client.server.awaitedRuns.isEmpty, "seed \(seed)")
    #expect(client.queue.isEmpty, "seed \(seed)")
  }

  private func number(below end: Int) -> Int { Int.random(in: 0..<end, using: &random) }

  private func send(_ count: Int) {
    client.send(bytes: Array(outbox.prefix(count)), isIdle: number(below: 4) == 0)
    outbox.removeFirst(min(outbox.count, count))
  }

  // MARK: Steps

  private func write(_ message: [String: Any]) { outbox += TestClient.framed(message) }

  private func open(_ uri: String) {
    copies[uri] = Copy()
    write([
      "method": "textDocument/didOpen",
      "params": [
        "textDocument": ["uri": uri, "languageId": "frc", "version": step, "text": ""]
      ],
    ])
  }

  private func close(_ uri: String) {
    copies[uri] = nil
    write(["method": "textDocument/didClose", "params": ["textDocument": ["uri": uri]]])
  }

  private func edit(_ uri: String, _ old: Copy) {
    var copy = old
    let changes = (0...number(below: 3)).map { _ -> [String: Any] in
      let text = Self.pieces[number(below: Self.pieces.count)]
      guard number(below: 30) > 0 else {
        copy.units = Array(text.utf16)
        return ["text": text]
      }
      let bounds = [0, 1].map { _ in copy.boundary(number(below: copy.units.count + 1)) }.sorted()
      let range = TestClient.range(copy.place(bounds[0]), copy.place(bounds[1]))
      copy.units.replaceSubrange(bounds[0]..<bounds[1], with: text.utf16)
      return ["range": range, "text": text]
    }
    copies[uri] = copy
    write([
      "method": "textDocument/didChange",
      "params": ["textDocument": ["uri": uri, "version": step], "contentChanges": changes],
    ])
  }

  private func ask(_ uri: String) {
    asked.insert(step)
    let method = Self.methods[number(below: Self.methods.count)]
    let line = number(below: 8) - 1
    let character = [0, 3, 17, Int.max, -4][number(below: 5)]
    let place = TestClient.place(line, character)
    write([
      "id": step, "method": "textDocument/" + method,
      "params": [
        "textDocument": ["uri": uri], "position": place, "positions": [place],
        "range": TestClient.range((line, 0), (line + 2, character)), "newName": "other",
        "context": ["diagnostics": [] as [String], "includeDeclaration": true],
        "ch": "\n", "options": ["tabSize": 2, "insertSpaces": true],
      ],
    ])
  }

  /// Sends what waits, takes all answers, and compares the texts.
  private func deliverAll() {
    // A half message ends where the next one begins.
    write(["method": "$/setTrace", "params": ["value": "off"]])
    while !outbox.isEmpty { send(1 + number(below: 2000)) }
    for message in client.takeMessages() where message["method"] == nil {
      guard let id = message["id"] as? Int else { continue }
      answered.append(id)
      guard (message["error"] as? [String: Any])?["code"] as? Int == -32800 else { continue }
      cancelled += 1
      #expect(regretted.contains(id), "seed \(seed), step \(step): \(id) was not cancelled")
    }
    #expect(Set(client.server.documents.keys) == Set(copies.keys), "seed \(seed), step \(step)")
    for (uri, copy) in copies {
      let document = client.server.documents[uri]
      #expect(
        document?.text.text == String(decoding: copy.units, as: UTF16.self),
        "seed \(seed), step \(step)")
      if !documents.contains(where: { $0.document === document }) {
        documents.removeAll { $0.document == nil }
        documents.append(WeakDocument(document: document))
      }
    }
  }

  /// Bytes that are no message: wrong lengths, large headers, beginnings, and texts that are not
  /// JSON.
  private func brokenBytes() -> [UInt8] {
    let message = TestClient.framed(["method": "$/setTrace", "params": ["value": "off"]])
    let body = String(decoding: message.drop { $0 != UInt8(ascii: "{") }, as: UTF8.self)
    let texts = [
      "Content-Length: 5\r\n\r\n{\"id\"", "Content-Length: -3\r\n\r\n", "Content-Length: x\r\n\r\n",
      "Content-Length: 99999999999999999999\r\n\r\n", "Content-Length: 9999999999\r\n\r\n",
      "\r\n\r\n",
      "Content-Length: 2\r\n\r\n[]", "Content-Length: 4\r\n\r\nnull", "nonsense\r\n\r\n",
      "Content-Length: 2\r\n\r\n{}", String(repeating: "X-Long: header\r\n", count: 400),
      "Content-Length: \(number(below: 200))\r\n\r\n" + body,
      "Content-Length: 200000000\r\n\r\n" + body,
    ]
    let choice = number(below: texts.count + 4)
    guard texts.indices.contains(choice) else {
      return Array(message.prefix(number(below: message.count)))
    }
    return Array(texts[choice].utf8)
  }
}

/// A client's copy of a document, which counts in UTF-16.
private struct Copy {
  var units: [UInt16] = []

  /// The place of a unit, as a client would count it.
  func place(_ unit: Int) -> (Int, Int) {
    var line = 0
    var start = 0
    var index = 0
    while index < unit {
      let isEnd =
        units[index] == 10
        || units[index] == 13 && (index + 1 >= units.count || units[index + 1] != 10)
      index += 1
      if isEnd {
        line += 1
        start = index
      }
    }
    return (line, unit - start)
  }

  /// The last unit up to one before which an edit may begin or end: not in a character or in a
  /// line's end.
  func boundary(_ unit: Int) -> Int {
    guard unit < units.count, unit > 0 else { return unit }
    let isLowSurrogate = 0xDC00...0xDFFF ~= units[unit]
    return isLowSurrogate || units[unit] == 10 && units[unit - 1] == 13 ? unit - 1 : unit
  }
}
