import Departures
import FlyingFox
import Foundation

/// The addresses of the server.
struct Service {
  let board: Board
  let timetable: Timetable
  let plans: Plans
  let journal: Journal
  let server: HTTPServer

  init(
    board: Board, timetable: Timetable, plans: Plans, journal: Journal, port: UInt16
  ) throws {
    self.board = board
    self.timetable = timetable
    self.plans = plans
    self.journal = journal
    // The machine itself only: everyone who reaches the server may change the list. An import takes
    // longer than other requests. The time limit of each request stays in memory until it is over,
    // so it is short.
    server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: port), timeout: 30, logger: .disabled)
  }

  /// Answers until the task is cancelled.
  func run() async throws {
    await addPage()
    await answer("GET /events") { [board] request in
      let last = request.headers[HTTPHeader("Last-Event-ID")]
      let messages = try await board.messages(after: last)
      return HTTPResponse(
        statusCode: .ok,
        headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
        body: HTTPBodySequence(from: EventBody(messages: messages)))
    }
    await answer("GET /list") { [board] _ in
      HTTPResponse(
        statusCode: .ok, headers: [.contentType: "application/json"],
        body: try await board.listAsJSON())
    }
    await addPlans()
    await answer("POST /changes") { [timetable] request in
      guard let count = request.query["count"].map({ Int($0) }) ?? 1, (0...1_000).contains(count)
      else { return refusal("expected a count from 0 to 1000") }
      for _ in 0..<count { try await timetable.change() }
      return HTTPResponse(statusCode: .noContent)
    }
    try await server.run()
  }

  /// Answers requests; an operator can read why one failed.
  private func answer(
    _ route: HTTPRoute, _ body: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
  ) async {
    await server.appendRoute(route) { request in
      do {
        return try await body(request)
      } catch {
        FileHandle.standardError.write(
          Data("\(request.method.rawValue) \(request.path): \(error)\n".utf8))
        return HTTPResponse(statusCode: .internalServerError)
      }
    }
  }

  private func addPlans() async {
    await answer("GET /departures") { [plans] request in
      guard let day = request.query["day"].flatMap({ Int($0) }) else {
        return refusal("expected a day, as in day=1")
      }
      return try json(try await plans.departures(day: day, line: request.query["line"] ?? ""))
    }
    await answer("POST /departures") { [board, plans] request in
      guard let day = request.query["day"].flatMap({ Int($0) }) else {
        return refusal("expected a day, as in day=1")
      }
      do {
        let count = try await plans.replace(day: day, by: Lines(request.bodySequence)) {
          await board.merge($0)
        }
        return try json(["count": count])
      } catch let error as UnreadableLine {
        return refusal(
          "unreadable line: \(error.line); write it as S3;Harbour;725, with a minute below 1440")
      }
    }
    await answer("GET /status") { [plans, journal] _ in
      try json(
        Status(
          departures: try await plans.count(), longestTurn: BoardActor.shared.takeLongestJob(),
          journal: await journal.entries))
    }
  }

  /// What an operator wants to know.
  private struct Status: Codable {
    /// How many trains the file has.
    let departures: Int
    /// The longest time in which the board's actor could do nothing else since the last request.
    let longestTurn: LongestJob
    /// Who changed the trains since the start.
    let journal: [String: Journal.Entry]
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

private func json(_ value: some Encodable) throws -> HTTPResponse {
  HTTPResponse(
    statusCode: .ok, headers: [.contentType: "application/json"],
    body: try JSONEncoder().encode(value))
}

private func refusal(_ reason: String) -> HTTPResponse {
  HTTPResponse(statusCode: .badRequest, body: Data("\(reason)\n".utf8))
}
