import Departures
import FlyingFox
import Foundation

/// The addresses of the server.
struct Service {
  let board: Board
  let timetable: Timetable
  let server: HTTPServer

  init(board: Board, timetable: Timetable, port: UInt16) throws {
    self.board = board
    self.timetable = timetable
    // The machine itself only: everyone who reaches the server may change the list.
    server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
  }

  /// Answers until the task is cancelled.
  func run() async throws {
    await addPage()
    await server.appendRoute("GET /events") { [board] request in
      let last = request.headers[HTTPHeader("Last-Event-ID")]
      let messages = try await board.messages(after: last)
      return HTTPResponse(
        statusCode: .ok,
        headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
        body: HTTPBodySequence(from: EventBody(messages: messages)))
    }
    await server.appendRoute("GET /list") { [board] _ in
      HTTPResponse(
        statusCode: .ok, headers: [.contentType: "application/json"],
        body: try JSONEncoder().encode(await board.currentList))
    }
    await server.appendRoute("POST /changes") { [timetable] request in
      for _ in 0..<min(1_000, request.query["count"].flatMap { Int($0) } ?? 1) {
        try await timetable.change()
      }
      return HTTPResponse(statusCode: .noContent)
    }
    try await server.run()
  }

  private func addPage() async {
    let files: [(path: String, type: String, bytes: [UInt8])] = [
      ("/", "text/html; charset=utf-8", PackageResources.index_html),
      ("/list.css", "text/css", PackageResources.list_css),
      ("/list.js", "text/javascript", PackageResources.list_js),
    ]
    for file in files {
      await server.appendRoute(HTTPRoute(method: .GET, path: file.path)) { _ in
        HTTPResponse(
          statusCode: .ok, headers: [.contentType: file.type], body: Data(file.bytes))
      }
    }
  }
}
