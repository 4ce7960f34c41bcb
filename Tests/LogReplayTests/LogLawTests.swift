import Basics
import LogReplay
import RandomLaws
import Testing

/// The law of logs: callbacks that are printed in a known format are read back unchanged.
@Suite("The law of logs")
struct LogLawTests {
  private static var seeds: LawSeeds {
    LawSeeds(seconds: 0.1, atLeast: LawForm.rounds(10, long: 100_000))
  }

  private static func read(_ text: String, _ patterns: [String] = []) throws -> DelegateLog {
    var options = LogReader.Options()
    options.patterns = try patterns.map { try CallbackPattern($0) }
    return try LogReader.read(Array(text.utf8), named: "law", options)
  }

  @Test("A log has the callbacks that were printed", arguments: LogFormat.all)
  func formats(_ format: LogFormat) throws {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let callbacks = RandomCallbacks(&random)
      let text = format.print(callbacks)
      let log = try Self.read(text, format.patterns)
      guard log.entries.map(\.event) == format.events(callbacks), log.unread.isEmpty,
        log.counts.notUnderstood == 0
      else {
        Issue.record(
          """
          \(format), seed \(seed):
          \(text)
          expected \(format.events(callbacks))
          found \(log.entries.map(\.event))
          unread \(log.unread)
          """)
        return
      }
    }
  }

  private static let swiftLog = "2026-01-02T10:00:00+0000 info com.example"

  /// Two controllers whose lines differ only in what comes before them.
  static let prefixes = [
    ["[BooksVC] ", "[AuthorsVC] "], ["BooksVC ", "AuthorsVC "],
    ["2026-01-02 10:00:00.1 App[1:2] books ", "2026-01-02 10:00:00.1 App[1:2] authors "],
    ["<NSFetchedResultsController: 0x6000> ", "<NSFetchedResultsController: 0x7000> "],
    ["BooksVC.swift:12 ", "AuthorsVC.swift:99 "],
    ["2026-01-02 10:00:00.1 App[1:2] BooksVC: ", "2026-01-02 10:00:00.1 App[1:2] AuthorsVC: "],
    ["-[BooksVC ", "-[AuthorsVC "],
    ["\(swiftLog).app : [App] books ", "\(swiftLog).app : [App] authors "],
    ["\(swiftLog).books : [App] ", "\(swiftLog).authors : [App] "],
  ]

  @Test("Interleaved batches belong to their controllers", arguments: prefixes)
  func controllers(_ prefixes: [String]) throws {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      // The lines of each controller, shuffled together without a change of their order.
      var rest = (0..<2).map { _ in
        let callbacks = RandomCallbacks(&random)
        let format = LogFormat.all[4]
        return Array(zip(format.print(callbacks).split(separator: "\n"), format.events(callbacks)))[
          ...]
      }
      var lines: [String] = []
      var expected: [[LogEvent]] = [[], []]
      while let index = rest.indices.filter({ !rest[$0].isEmpty }).randomElement(using: &random) {
        guard let (line, event) = rest[index].popFirst() else { break }
        lines.append(prefixes[index] + line)
        expected[index].append(event)
      }
      let log = try Self.read(lines.joined(separator: "\n"))
      var found: [String: [LogEvent]] = [:]
      for entry in log.entries {
        found[entry.event.controllerName, default: []].append(entry.event.unnamed)
      }
      guard Set(found.values) == Set(expected), found.count == 2 else {
        Issue.record("seed \(seed): \(lines.joined(separator: "\n"))\n\(found)")
        return
      }
    }
  }
}

extension LogEvent {
  fileprivate var controllerName: String {
    switch self {
    case .willChange(let name), .object(let name, _), .section(let name, _), .didChange(let name):
      name
    case .controller, .sections, .returned, .whole, .operation, .exception: ""
    }
  }

  fileprivate var unnamed: LogEvent {
    switch self {
    case .willChange: .willChange(controller: "controller")
    case .object(_, let change): .object(controller: "controller", change)
    case .section(_, let change): .section(controller: "controller", change)
    case .didChange: .didChange(controller: "controller")
    case .controller, .sections, .returned, .whole, .operation, .exception: self
    }
  }
}
