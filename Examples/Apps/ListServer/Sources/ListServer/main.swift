import Departures
import FetchedResults
import FlyingFox
import FlyingSocks
import Foundation

let usage = """
  usage: ListServer [--file FILE] [--port PORT] [--still] [--keep COUNT]
         ListServer --file FILE --write-first-version COUNT

    --file FILE    keeps the departures in a file, which is migrated if it is an older one;
                   they are in memory only if it is left out
    --port PORT    the port; 8080 if it is left out, 0 for any that is free
    --still        changes the list only when POST /changes asks for it
    --keep COUNT   how many messages are kept for browsers that were away; 500
    --write-first-version COUNT
                   writes so many departures as the first version of the program did, and ends
  """

var port: UInt16 = 8080
var isStill = false
var keptCount = 500
var file: URL?
var oldCount: Int?
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  switch argument {
  case "--still": isStill = true
  case "--port": port = wanted("a port", arguments.popFirst(), in: 0 ... .max)
  case "--file":
    guard let path = arguments.popFirst(), !path.isEmpty else { fail("expected a file") }
    file = URL(filePath: path)
  case "--write-first-version":
    oldCount = wanted("a number from 1", arguments.popFirst(), in: 1 ... .max)
  case "--keep":
    keptCount = wanted("a number from 0 to 100000", arguments.popFirst(), in: 0...100_000)
  case "--help":
    print(usage)
    exit(0)
  default: fail("unknown argument '\(argument)'")
  }
}

func wanted<Number: FixedWidthInteger>(
  _ name: String, _ text: String?, in range: ClosedRange<Number>
) -> Number {
  guard let number = text.flatMap({ Number($0) }), range.contains(number) else {
    fail("expected \(name), found '\(text ?? "")'")
  }
  return number
}

func fail(_ message: String) -> Never {
  report("\(message)\n\(usage)")
  exit(2)
}

func report(_ message: String) {
  FileHandle.standardError.write(Data("ListServer: \(message)\n".utf8))
}

/// Does something again and again, also after an error, such as while another program writes.
func always(
  _ name: String, after pause: Duration, _ body: @Sendable () async throws -> Void
) async throws {
  while true {
    try await Task.sleep(for: pause)
    do { try await body() } catch { report("\(name): \(error.localizedDescription)") }
  }
}

// A browser that leaves in the middle of a message is no reason to end.
signal(SIGPIPE, SIG_IGN)

@MainActor
func serve() async throws {
  if let oldCount {
    guard let file else { fail("expected --file beside --write-first-version") }
    try await DepartureModel.writeFirstVersion(to: file, count: oldCount)
    return
  }

  let model = try DepartureModel()
  let container =
    if let file {
      try model.container(at: file) { report in
        for change in report.changes { print("migrated: \(change)") }
      }
    } else { PersistentContainer(managedObjectModel: model.model) }
  let board = try await Board(model, container: container, keeping: keptCount)
  let timetable = try Timetable(model, container: container, seed: 1)
  let journal = try await Journal(container: container)
  let plans = Plans(model, container: container)
  let service = try Service(
    board: board, timetable: timetable, plans: plans, journal: journal, port: port)
  for _ in 0..<20 { try await timetable.change() }

  try await withThrowingTaskGroup { group in
    group.addTask { try await board.passOnChanges() }
    group.addTask { try await service.run() }
    group.addTask {
      try await service.server.waitUntilListening()
      if case .ip4(let address, let port) = await service.server.listeningAddress {
        print("http://\(address):\(port)/")
        fflush(nil)
      }
      while true {
        try await Task.sleep(for: .seconds(10))
        await board.sendSignOfLife()
      }
    }
    if file != nil {
      group.addTask {
        try await always("journal", after: .seconds(2)) {
          await board.mergeOthersSaves()
          try await journal.count()
        }
      }
    }
    if !isStill {
      group.addTask {
        try await always("timetable", after: .seconds(1)) { try await timetable.change() }
      }
    }
    // The first error ends the program.
    try await group.next()
  }
}

do {
  try await serve()
  exit(0)
} catch SocketError.failed("Bind", _, let message) {
  report("cannot listen on port \(port): \(message); choose another with --port")
} catch {
  report(error.localizedDescription)
}
exit(1)
