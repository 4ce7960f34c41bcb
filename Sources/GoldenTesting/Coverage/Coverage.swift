import Basics
import FetchedResults
import ScriptRuntime
import ScriptSyntax
import TableViews

/// The parts of the language and of the controller's rules that a suite exercises.
package struct Coverage: Hashable, Sendable {
  /// The areas that are counted.
  package enum Area: String, CaseIterable, Sendable {
    /// The reasons why callbacks are sent or not: the headings of Rules.md.
    case rules
    case statements
    /// The callbacks that delegates receive.
    case callbacks
    /// The exceptions that tables raise if updates are inconsistent.
    case tableExceptions = "table exceptions"

    /// All items of the area.
    package var items: [String] {
      switch self {
      case .rules: Rule.allCases.map(\.rawValue)
      case .statements: StatementKind.allCases.map(\.rawValue)
      case .callbacks: CallbackKind.allCases.map(\.rawValue)
      case .tableExceptions: TableUpdateError.Kind.allCases.map(\.rawValue)
      }
    }
  }

  /// An item, and the number of tests that exercise it.
  package struct Item: Hashable, Sendable {
    package let name: String
    package let tests: Int
  }

  /// The number of tests that exercise each item, by name.
  private var tests: [Area: [String: Int]] = [:]

  package init() {}

  /// Creates the coverage of one test.
  init(_ exercised: [Area: Set<String>]) {
    tests = exercised.mapValues { names in
      Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
    }
  }

  /// Adds the coverage of other tests.
  package mutating func add(_ other: Coverage) {
    for (area, counts) in other.tests {
      tests[area, default: [:]].merge(counts, uniquingKeysWith: +)
    }
  }

  /// Returns the items of an area, with the least exercised first.
  package func items(_ area: Area) -> [Item] {
    area.items.map { Item(name: $0, tests: tests[area]?[$0] ?? 0) }
      .ordered { ($0.tests, $0.name) < ($1.tests, $1.name) }
  }

  /// Returns the share of the items in some areas that is exercised.
  package func share(of areas: [Area] = Area.allCases) -> Share {
    let items = areas.flatMap(items)
    return Share(covered: items.count { $0.tests > 0 }, count: items.count)
  }

  /// A share: a number of items out of all.
  package struct Share: Hashable, Sendable {
    package let covered: Int
    package let count: Int

    package init(covered: Int, count: Int) {
      self.covered = covered
      self.count = count
    }

    /// The share in percent, from 0 to 100.
    package var percent: Double { count == 0 ? 100 : Double(covered) * 100 / Double(count) }

    /// The share in words: `30 of 40 (75.0 %)`.
    package var words: String {
      let tenths = Int((percent * 10).rounded(.down))
      return "\(covered) of \(count) (\(tenths / 10).\(tenths % 10) %)"
    }
  }
}

extension Coverage {
  /// The coverage for people: each area, with the least exercised items first.
  package var lines: [String] {
    let width = Area.allCases.flatMap(items).map { "\($0.tests)".count }.max() ?? 1
    var lines = ["coverage: \(share().words)"]
    for area in Area.allCases {
      lines.append("\(area.rawValue): \(share(of: [area]).words)")
      for item in items(area) {
        lines.append("  " + "\(item.tests)".rightAligned(toColumns: width) + " " + item.name)
      }
    }
    return lines
  }

  /// The coverage for tools: one JSON object for each item, and one for the whole.
  package var jsonLines: [String] {
    let lines = Area.allCases.flatMap { area in
      items(area).map { item in
        JSON.object([
          ("event", .string("coverage")), ("area", .string(area.rawValue)),
          ("name", .string(item.name)), ("tests", .number("\(item.tests)")),
        ]).description
      }
    }
    let share = share()
    let summary = JSON.object([
      ("event", .string("coverageSummary")), ("covered", .number("\(share.covered)")),
      ("count", .number("\(share.count)")),
    ])
    return lines + [summary.description]
  }
}

/// The kinds of callback that a controller's delegate receives.
enum CallbackKind: String, CaseIterable {
  case willChangeContent
  case insert = "didChangeObject insert"
  case delete = "didChangeObject delete"
  case move = "didChangeObject move"
  case update = "didChangeObject update"
  case insertSection = "didChangeSection insert"
  case deleteSection = "didChangeSection delete"
  case didChangeContent
  case snapshot
  case difference
  case counts
  case results
  case replaced

  /// The kind of an event; nil if it is not a callback.
  init?(_ event: Event) {
    switch event.callback?.kind {
    case .willChangeContent: self = .willChangeContent
    case .didChangeObject(let type, _, _, _):
      self =
        switch type {
        case .insert: .insert
        case .delete: .delete
        case .move: .move
        case .update: .update
        }
    case .didChangeSection(let type, _, _):
      switch type {
      case .insert: self = .insertSection
      case .delete: self = .deleteSection
      case .move, .update: return nil
      }
    case .didChangeContent: self = .didChangeContent
    case .snapshot: self = .snapshot
    case .difference: self = .difference
    case .counts: self = .counts
    case .results: self = .results
    case .replaced: self = .replaced
    case nil: return nil
    }
  }
}

extension GoldenRunner {
  /// Runs a test on its first store and returns what it exercises.
  ///
  /// This is a separate run: keeping reasons costs time, and changes what some statements print.
  package func coverage(of test: PreparedTest) -> Coverage {
    let record = ExerciseRecord()
    observe(test) { interpreter in
      interpreter.keepReasons()
      interpreter.onStatement = { record.add(.statements, StatementKind($0.kind).rawValue) }
      interpreter.onExplanations = { for item in $0 { record.add(.rules, item.rule.rawValue) } }
    } emit: { event in
      if let callback = CallbackKind(event) { record.add(.callbacks, callback.rawValue) }
      if case .exception(_, let exception) = event, let problem = exception.problem {
        record.add(.tableExceptions, problem.rawValue)
      }
    }
    return Coverage(record.exercised)
  }

  /// The items that one run has exercised so far.
  private final class ExerciseRecord {
    var exercised: [Coverage.Area: Set<String>] = [:]

    func add(_ area: Coverage.Area, _ name: String) {
      exercised[area, default: []].insert(name)
    }
  }
}

extension GoldenSuite {
  /// Returns what the tests exercise, from a separate run on the first store of each.
  ///
  /// If the run is stopped, the tests that have not begun are left out.
  package func coverage() -> Coverage {
    let suite = self
    var coverage = Coverage()
    ParallelWork.perform(Array(tests.indices), threads: options.threads) { index in
      suite.coverage(of: index)
    } deliver: { _, result in
      coverage.add(result)
      return true
    }
    return coverage
  }

  private func coverage(of index: Int) -> Coverage {
    guard !isInterrupted() else { return Coverage() }
    return GoldenRunner(
      environment: environment(), locale: options.locale, stores: options.stores,
      timeout: options.timeout, limits: options.limits, isStopped: isInterrupted
    ).coverage(of: tests[index])
  }
}
