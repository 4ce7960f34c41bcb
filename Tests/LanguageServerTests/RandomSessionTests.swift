import Basics
import Foundation
import RandomLaws
import ScriptSyntax
import Testing

@testable import LanguageServer

@Suite("server: random edits, requests and broken bytes")
struct RandomSessionTests {
  private static let pieces = [
    "insert Book(title: \"", "😀", "e\u{301}", "\r\n", "\n", "\r", "\t",
    "entity Book { title: String }",
    "controller books = Book sort by title", "fetch books", "#> books willChangeContent",
    "#@ skip x",
    "{", "}", "(", ")", "\"", "let x = 1", "print $", "Book/1.", "\\(", "where title == ",
    "\u{FEFF}",
    "include \"a.frc\"", "include \"b.frc\"", "perform {", "#", ";", "SUBQUERY(", "日本",
  ]

  private static let methods = [
    "completion", "hover", "signatureHelp", "documentSymbol", "foldingRange", "definition",
    "references", "documentHighlight", "prepareRename", "semanticTokens/full", "formatting",
    "diagnostic", "codeLens", "inlayHint", "codeAction", "rename", "selectionRange",
    "rangeFormatting", "onTypeFormatting", "semanticTokens/range",
  ]

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

    /// Whether an edit may begin or end before a unit: not in a character or in a line's end.
    func isBoundary(_ unit: Int) -> Bool {
      guard unit < units.count, unit > 0 else { return true }
      let isLowSurrogate = 0xDC00...0xDFFF ~= units[unit]
      return !isLowSurrogate && !(units[unit] == 10 && units[unit - 1] == 13)
    }
  }

  @Test("no crash, no lost answer, and the text of the client")
  func session() throws {
    var steps = 0
    for seed in LawSeeds(seconds: 4, atLeast: 3) {
      steps += try Self.run(seed, steps: 400)
    }
    #expect(steps > 0)
  }

  private static func run(_ seed: UInt64, steps: Int) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let client = TestClient(files: ["/scripts/b.frc": "entity Note { text: String }\n"])
    client.start()
    let uris = ["file:///scripts/a.frc", "file:///scripts/b.frc"]
    var copies: [String: Copy] = [:]
    var asked: Set<Int> = []
    for step in 1...steps {
      let uri = uris[Int.random(in: 0..<2, using: &random)]
      let isIdle = Int.random(in: 0..<4, using: &random) == 0
      switch (Int.random(in: 0..<10, using: &random), copies[uri]) {
      case (0, nil), (1, nil), (2, nil):
        copies[uri] = Copy()
        client.open(uri, "")
      case (0, _?) where Int.random(in: 0..<8, using: &random) == 0:
        copies[uri] = nil
        client.note("textDocument/didClose", ["textDocument": ["uri": uri]])
      case (1, _): client.send(bytes: Self.brokenBytes(&random), isIdle: isIdle)
      case (2, _):
        if let result = client.host.finishRun() { client.server.take(result) }
      case (3...5, var copy?):
        var bounds = [0, 1].map { _ in Int.random(in: 0...copy.units.count, using: &random) }
        bounds.sort()
        bounds = bounds.map { bound in
          var bound = bound
          while !copy.isBoundary(bound) { bound -= 1 }
          return bound
        }
        let text = Self.pieces.randomElement(using: &random) ?? ""
        client.change(
          uri, TestClient.range(copy.place(bounds[0]), copy.place(bounds[1])), text, version: step)
        copy.units.replaceSubrange(bounds[0]..<bounds[1], with: text.utf16)
        copies[uri] = copy
        #expect(
          client.server.documents[uri]?.text.text == String(decoding: copy.units, as: UTF16.self),
          "seed \(seed), step \(step)")
      default:
        asked.insert(step)
        let method = Self.methods.randomElement(using: &random) ?? "hover"
        let line = Int.random(in: -1...6, using: &random)
        let character = [0, 3, 17, Int.max, -4].randomElement(using: &random) ?? 0
        let place = TestClient.place(line, character)
        client.send(
          [
            "id": step, "method": "textDocument/" + method,
            "params": [
              "textDocument": ["uri": uri], "position": place, "positions": [place],
              "range": TestClient.range((line, 0), (line + 2, character)), "newName": "other",
              "context": ["diagnostics": [] as [String], "includeDeclaration": true],
              "ch": "\n", "options": ["tabSize": 2, "insertSpaces": true],
            ],
          ], isIdle: isIdle)
      }
    }
    // A half message is completed by the next header.
    client.send(bytes: [])
    let answered = client.takeMessages().compactMap { message -> Int? in
      message["method"] == nil ? message["id"] as? Int : nil
    }
    #expect(answered.count == Set(answered).count, "seed \(seed)")
    #expect(Set(answered) == asked, "seed \(seed): \(asked.subtracting(answered).sorted())")
    for uri in uris { client.note("textDocument/didClose", ["textDocument": ["uri": uri]]) }
    #expect(client.server.documents.isEmpty)
    return steps
  }

  /// Bytes that are no message: wrong lengths, large headers, and texts that are not JSON.
  private static func brokenBytes(_ random: inout SeededGenerator) -> [UInt8] {
    let texts = [
      "Content-Length: 5\r\n\r\n{\"id\"", "Content-Length: -3\r\n\r\n", "Content-Length: x\r\n\r\n",
      "Content-Length: 99999999999999999999\r\n\r\n", "Content-Length: 9999999999\r\n\r\n",
      "\r\n\r\n",
      "Content-Length: 2\r\n\r\n[]", "Content-Length: 4\r\n\r\nnull", "nonsense\r\n\r\n",
      "Content-Length: 2\r\n\r\n{}", String(repeating: "X-Long: header\r\n", count: 400),
    ]
    return Array((texts.randomElement(using: &random) ?? "").utf8)
  }

  @Test("a length that takes the next message with it costs only itself")
  func wrongLength() {
    let client = TestClient()
    client.start()
    let request = #"{"jsonrpc":"2.0","id":7,"method":"textDocument/none","params":{}}"#
    let text =
      "Content-Length: 60\r\n\r\n{\"jsonrpc\":" + "Content-Length: \(request.count)\r\n\r\n"
    _ = client.takeMessages()
    client.send(bytes: Array((text + request).utf8))

    #expect(client.takeMessages().contains { $0["id"] as? Int == 7 })
  }

  @Test("a message may arrive byte by byte")
  func pieces() {
    let client = TestClient()
    client.start()
    let body = Array(#"{"jsonrpc":"2.0","id":7,"method":"nothing"}"#.utf8)
    for byte in MessageFrames.framed(body) { client.send(bytes: [byte]) }

    #expect(client.takeMessages().contains { $0["id"] as? Int == 7 })
  }

  @Test("a request that is cancelled while it waits is answered as cancelled")
  func cancelled() {
    let queue = MessageQueue()
    var reader = MessageReader()
    let bodies = [
      #"{"jsonrpc":"2.0","id":1,"method":"a"}"#, #"{"jsonrpc":"2.0","id":2,"method":"a"}"#,
      #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"#,
    ]
    for body in bodies { reader.append(MessageFrames.framed(Array(body.utf8))) }
    while let message = reader.next() { queue.add(.message(message)) }

    #expect(!queue.begin(.number(1)))
    #expect(queue.begin(.number(2)))
    #expect(!queue.begin(.number(2)))
  }
}
