import LineEditor
import Platform
import PlaygroundServer

/// Serves browsers and the processes of their sessions, all on one thread that never waits for one
/// of them.
final class PlaygroundLoop {
  private let listener: ListeningSocket
  private let admission: Admission
  private let files: PlaygroundFiles
  private let limits: ServerLimits
  private let makeSettings: (_ learner: String) -> PlaygroundSettings
  private var gate: SessionGate
  private var clients: [Int32: PlaygroundClient] = [:]
  /// Processes that were killed, and whose output has not ended yet.
  private var ending: [PlaygroundProcess] = []
  private var classroom: Classroom?
  private let start = ContinuousClock.now

  /// The longest time between two looks at what must end, in milliseconds.
  private static let pause = 100
  /// The bytes that wait for a process, above which its page must wait.
  private static let mostForProcess = 8 << 20
  /// The seconds that a connection may take to receive the last bytes.
  private static let endingTime = 3.0

  init(
    _ listener: ListeningSocket, admission: Admission, files: PlaygroundFiles,
    limits: ServerLimits, classroom: Classroom?,
    makeSettings: @escaping (_ learner: String) -> PlaygroundSettings
  ) {
    self.listener = listener
    self.admission = admission
    self.files = files
    self.limits = limits
    self.classroom = classroom
    self.makeSettings = makeSettings
    gate = SessionGate(limits)
  }

  private var now: Double { start.duration(to: .now) / .seconds(1) }

  /// Serves until a signal asks the program to end.
  ///
  /// Then all processes end at once.
  func run() {
    while InterruptFlag.exitStatus == nil { turn() }
    let processes = clients.values.compactMap(\.process) + ending
    for process in processes { process.kill() }
    for process in processes { _ = process.end() }
    clients = [:]
    ending = []
  }

  /// What became ready.
  private enum Source {
    case listener
    case client(PlaygroundClient)
    case output(PlaygroundProcess, PlaygroundClient?)
    case input(PlaygroundProcess)
    case errors(PlaygroundProcess)
  }

  private func turn() {
    var sources: [Source] = [.listener]
    var watches = [FileDescriptor.Watch(listener.descriptor, reads: true, writes: false)]
    func add(_ source: Source, _ descriptor: FileDescriptor, reads: Bool, writes: Bool) {
      guard reads || writes else { return }
      sources.append(source)
      watches.append(FileDescriptor.Watch(descriptor, reads: reads, writes: writes))
    }
    for client in clients.values {
      let mayRead =
        !client.isPaced && client.process.map { $0.waiting < Self.mostForProcess } ?? true
        && client.waiting < limits.mostOutput
      add(
        .client(client), client.connection.descriptor, reads: mayRead, writes: client.waiting > 0)
      guard let process = client.process else { continue }
      add(
        .output(process, client), process.output, reads: client.waiting < limits.mostOutput,
        writes: false)
      add(.input(process), process.input, reads: false, writes: process.waiting > 0)
      add(.errors(process), process.errors, reads: process.areErrorsOpen, writes: false)
    }
    for process in ending {
      add(.output(process, nil), process.output, reads: true, writes: false)
    }
    let ready = FileDescriptor.wait(for: watches, milliseconds: Self.pause)
    let now = now
    for (source, state) in zip(sources, ready)
    where state.canRead || state.canWrite || state.isBroken {
      serve(source, state, now)
    }
    endLate(now)
  }

  private func serve(_ source: Source, _ state: FileDescriptor.Readiness, _ now: Double) {
    switch source {
    case .listener: accept(now)
    case .client(let client):
      if client.isClosed { return }
      if state.canWrite {
        client.writeSome(now)
        // Requests that waited until the client had read.
        if !client.head.isEmpty { takeRequests(of: client, now) }
      }
      if state.canRead || state.isBroken { read(client, now) }
      if client.isClosed { remove(client) }
    case .output(let process, let client):
      if state.canRead || state.isBroken { readOutput(of: process, for: client, now) }
    case .input(let process): process.writeSome()
    case .errors(let process): process.skipErrors()
    }
  }

  // MARK: Connections

  private func accept(_ now: Double) {
    for _ in 0..<64 {
      // Files that slow clients hold are needed now, so the oldest of these goes.
      let waiting = clients.values.filter { $0.process == nil }
      if waiting.count >= limits.waiting, let oldest = waiting.min(by: { $0.last < $1.last }) {
        remove(oldest)
      }
      do throws(SystemError) {
        guard let connection = try listener.nextConnection() else { return }
        clients[connection.descriptor.number] = PlaygroundClient(connection, now: now)
      } catch {
        let oldest = waiting.min { $0.last < $1.last }
        guard let oldest, error.isShortageOfFiles else { return }
        remove(oldest)
      }
    }
  }

  private func remove(_ client: PlaygroundClient) {
    client.isClosed = true
    if let process = client.process {
      process.kill()
      ending.append(process)
      client.process = nil
    }
    if let student = client.student { classroom?.leave(student) }
    clients[client.connection.descriptor.number] = nil
  }

  /// Ends what has taken too long.
  private func endLate(_ now: Double) {
    for client in clients.values {
      if client.isPaced, client.pacing.delay(now: now) == 0 {
        client.isPaced = false
        takeMessages(of: client, now)
      }
      switch client.phase {
      case .request where now - client.last > limits.requestTime:
        if client.head.isEmpty {
          remove(client)
        } else {
          client.finish(with: Response(.tooSlow).bytes(closes: true), now: now)
        }
      case .ending where now - client.last > Self.endingTime: remove(client)
      case .session where now - client.last > limits.idleTime:
        end(client, code: 4001, "nothing happened for \(Int(limits.idleTime / 60)) minutes", now)
      case .session where client.waiting > 0 && now - client.lastRead > limits.readTime:
        remove(client)
      case .session where client.process == nil && now - client.last > limits.requestTime:
        end(client, code: 4000, "nobody joined", now)
      case .request, .ending, .session: break
      }
      if client.isClosed { remove(client) }
    }
  }

  /// Ends a session and tells the page why.
  private func end(_ client: PlaygroundClient, code: Int, _ reason: String, _ now: Double) {
    if let process = client.process {
      process.kill()
      ending.append(process)
      client.process = nil
    }
    client.finish(with: WebSocketFrame.close(code: code, reason: reason), now: now)
  }

  // MARK: Requests

  private func read(_ client: PlaygroundClient, _ now: Double) {
    let piece: [UInt8]
    do throws(SystemError) {
      piece = try client.connection.descriptor.readOnce(upTo: 1 << 16)
    } catch {
      if !error.mayPass { client.isClosed = true }
      return
    }
    guard !piece.isEmpty else {
      client.isClosed = true
      return
    }
    switch client.phase {
    // What a refused client still sends is dropped.
    case .ending: break
    case .request:
      client.head += piece
      takeRequests(of: client, now)
    case .session:
      client.reader.append(piece)
      takeMessages(of: client, now)
    }
  }

  private func takeRequests(of client: PlaygroundClient, _ now: Double) {
    while case .request = client.phase, client.waiting < limits.mostOutput {
      switch Request.take(from: &client.head) {
      case .incomplete: return
      case .refused(let status):
        client.finish(with: Response(status).bytes(closes: true), now: now)
      case .request(let request): answer(request, client, now)
      }
    }
  }

  private func answer(_ request: Request, _ client: PlaygroundClient, _ now: Double) {
    client.last = now
    let response: Response
    switch admission.answer(to: request) {
    case .refused(let status, let reason):
      let refusal = Response(status, body: reason + "\n")
      return client.finish(with: refusal.bytes(to: request.method, closes: true), now: now)
    case .file(let path, let role): response = files.response(to: path, role)
    case .session(let role): return open(request, role, client, now)
    }
    let bytes = response.bytes(closes: request.isLast)
    if request.isLast { client.finish(with: bytes, now: now) } else { client.send(bytes, now: now) }
  }

  private func open(
    _ request: Request, _ role: Admission.Role, _ client: PlaygroundClient, _ now: Double
  ) {
    guard let acceptance = WebSocketFrame.acceptance(of: request) else {
      return client.finish(with: Response(.badRequest).bytes(closes: true), now: now)
    }
    client.send(acceptance.bytes(closes: false), now: now)
    // A student's session has no process until they join.
    let open = clients.values.count { if case .session = $0.phase { true } else { false } }
    client.phase = .session(role)
    switch gate.answer(to: client.connection.peer, sessions: open, now: now) {
    case .refused(let status, let reason):
      return end(client, code: 4000 + status.rawValue % 1000, reason, now)
    case .open: break
    }
    if role == .owner { begin(client, learner: "", now) }
    client.reader.append(client.head)
    client.head = []
    takeMessages(of: client, now)
  }

  private func begin(_ client: PlaygroundClient, learner: String, _ now: Double) {
    do throws(SystemError) {
      client.process = try PlaygroundProcess(makeSettings(learner))
    } catch {
      end(client, code: 4503, "no process can be started: \(error.words)", now)
    }
  }

  // MARK: Messages

  private func takeMessages(of client: PlaygroundClient, _ now: Double) {
    while !client.isClosed, case .session(let role) = client.phase {
      guard client.pacing.delay(now: now) == 0 else {
        client.isPaced = true
        return
      }
      guard let message = client.reader.next() else { return }
      _ = client.pacing.allows(now: now)
      client.last = now
      switch message {
      case .ping(let bytes): client.send(WebSocketFrame.pong(bytes), now: now)
      case .close: end(client, code: 1000, "", now)
      case .broken(WebSocketReader.tooLarge):
        let most = WebSocketReader.mostBytes >> 20
        end(client, code: WebSocketReader.tooLarge, "a message has at most \(most) MB", now)
      case .broken(let code): end(client, code: code, "the message is damaged", now)
      case .text(let text): take(text, from: client, role, now)
      }
    }
  }

  private func take(
    _ text: [UInt8], from client: PlaygroundClient, _ role: Admission.Role, _ now: Double
  ) {
    guard let channel = text.first.flatMap({ PlaygroundChannel($0) }) else {
      return end(client, code: 1008, "the message has no known channel", now)
    }
    if channel.isForProcess {
      client.process?.send(text)
    } else if channel == .share, classroom != nil {
      share(text.dropFirst(), of: client, role, now)
    }
  }

  /// Handles a message about the class.
  private func share(
    _ text: ArraySlice<UInt8>, of client: PlaygroundClient, _ role: Admission.Role, _ now: Double
  ) {
    guard let request = ClassRequest(text) else { return }
    if let answer = classroom?.take(request, from: client.student, role), let classroom {
      switch answer {
      case .joined(let student, let name):
        client.student = student
        begin(client, learner: name, now)
        client.send(text: Array("x{\"joined\":\(classroom.round)}".utf8), now: now)
      case .refused(let reason): end(client, code: 4403, reason, now)
      case .text(let text): client.send(text: Array("x".utf8) + text.utf8, now: now)
      case .ended:
        // Their pages lead to the form of the class: none may join again by itself.
        for other in clients.values where other.student != nil {
          end(other, code: 4403, Classroom.hasEnded, now)
        }
      }
    }
  }

  // MARK: Processes

  private func readOutput(
    of process: PlaygroundProcess, for client: PlaygroundClient?, _ now: Double
  ) {
    let goesOn = process.readSome()
    while let message = process.next() {
      guard let client, client.process === process,
        let channel = message.first.flatMap({ PlaygroundChannel($0) })
      else { continue }
      if channel.isForPage {
        client.send(text: message, now: now)
      } else if channel == .results, let student = client.student {
        classroom?.note(results: Array(message.dropFirst()), of: student)
      }
    }
    guard !goesOn else { return }
    let cause = process.end()
    ending.removeAll { $0 === process }
    guard let client, client.process === process else { return }
    client.process = nil
    end(client, code: 4002, cause.map(PlaygroundEnd.words) ?? "the session has ended", now)
  }
}
