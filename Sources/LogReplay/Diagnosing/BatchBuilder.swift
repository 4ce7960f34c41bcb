import FetchedResults
import TableViews

/// Divides a log into batches.
struct BatchBuilder {
  /// The batches in the order of their first lines.
  private(set) var batches: [LogBatch] = []
  private(set) var controllers: [LoggedController] = []
  /// Errors in the order of the callbacks themselves.
  private(set) var mistakes: [LogMistake] = []
  /// Exceptions that belong to no batch.
  private(set) var strayExceptions: [(line: Int, exception: LoggedException)] = []
  /// The sections that the log lists outside of batches.
  private(set) var listings: [Listing] = []

  /// The sections that a controller had between two batches.
  struct Listing {
    /// How many batches precede it.
    let batches: Int
    let controller: String
    let sections: LoggedSections
    /// Whether a fetch read them, and the log contains every later fetch as well.
    let isFetch: Bool
  }
  /// Whether the log ends in the middle of a batch.
  private(set) var endsInBatch = false

  /// The open batches by controller, innermost last.
  private var open: [String: [Int]] = [:]
  /// The last finished batch of each controller.
  private var ended: [String: Int] = [:]
  /// The batches whose `controllerDidChangeContent` is running.
  private var returning: [String: [Int]] = [:]
  /// The batch of the last line.
  ///
  /// Exceptions belong to it.
  private var last: Int?
  /// The first lines of batches whose end is missing.
  private let endless: Set<Int>
  /// The controllers whose batches have both a beginning and an end in the log.
  ///
  /// Not every app prints both.
  private let beginning: Set<String>
  private let ending: Set<String>
  /// The batches whose beginning is missing in the log.
  private var cut: Set<Int> = []
  private let logsReturns: Bool
  /// The tables that are between `beginUpdates` and `endUpdates`.
  private var updating: Set<String> = []

  init(_ log: DelegateLog) {
    endless = Self.endless(in: log)
    beginning = Set(
      log.entries.compactMap { if case .willChange(let name) = $0.event { name } else { nil } })
    ending = Set(
      log.entries.compactMap { if case .didChange(let name) = $0.event { name } else { nil } })
    logsReturns = log.entries.contains { if case .returned = $0.event { true } else { false } }
    for entry in log.entries { add(entry) }
    for places in open.values {
      if places.contains(where: { !cut.contains($0) }) { endsInBatch = true }
      for place in places { finishWithoutEnd(place, isLast: true) }
    }
  }

  /// The first lines of batches that never end.
  private static func endless(in log: DelegateLog) -> Set<Int> {
    var open: [String: [Int]] = [:]
    for entry in log.entries {
      switch entry.event {
      case .willChange(let name): open[name, default: []].append(entry.line)
      case .didChange(let name): _ = open[name, default: []].popLast()
      case .controller, .sections, .object, .section, .returned, .whole, .operation, .exception:
        break
      }
    }
    return Set(open.values.joined())
  }

  private mutating func add(_ entry: DelegateLog.Entry) {
    switch entry.event {
    case .controller(let controller): controllers.append(controller)
    case .sections(let name, let moment, let sections): add(sections, moment, of: name)
    case .willChange(let name): begin(name, entry.line)
    case .object(let name, let change):
      add(LogBatch.Callback(line: entry.line, change: .object(change)), of: name)
    case .section(let name, let change):
      add(LogBatch.Callback(line: entry.line, change: .section(change)), of: name)
    case .didChange(let name): end(name, entry.line)
    case .returned(let name):
      if let place = returning[name]?.popLast() { batches[place].hasReturned = true }
    case .whole: break
    case .operation(let table, let operation): add(operation, of: table, entry.line)
    case .exception(let exception): add(exception, entry.line)
    }
  }

  private mutating func begin(_ name: String, _ line: Int) {
    for place in open[name] ?? [] {
      if cut.contains(place) {
        open[name]?.removeAll { $0 == place }
      } else if endless.contains(batches[place].firstLine) {
        finishWithoutEnd(place, isLast: false)
        open[name]?.removeAll { $0 == place }
      } else {
        batches[place].enclosesBatch = true
      }
    }
    for place in returning[name] ?? [] { batches[place].enclosesBatch = true }
    batches.append(LogBatch(controller: name, firstLine: line, lastLine: line))
    last = batches.count - 1
    open[name, default: []].append(batches.count - 1)
  }

  private mutating func add(_ callback: LogBatch.Callback, of name: String) {
    guard let place = open[name]?.last else { return addOutside(callback, of: name) }
    batches[place].callbacks.append(callback)
    batches[place].lastLine = callback.line
    last = place
  }

  /// Notes a callback outside of a batch.
  ///
  /// If the log has no `controllerWillChangeContent` at all, its beginning is missing or its app
  /// does not print that callback.
  private mutating func addOutside(_ callback: LogBatch.Callback, of name: String) {
    guard !beginning.contains(name) || ended[name] == nil else {
      mistakes.append(
        LogMistake(
          line: callback.line, controller: name, cause: .outsideBatch(callback),
          batch: ended[name]))
      return
    }
    begin(name, callback.line)
    cut.insert(batches.count - 1)
    batches[batches.count - 1].callbacks.append(callback)
  }

  private mutating func end(_ name: String, _ line: Int) {
    guard let place = open[name]?.popLast() else { return }
    batches[place].isFinished = true
    batches[place].lastLine = line
    if logsReturns {
      batches[place].hasReturned = false
      returning[name, default: []].append(place)
    }
    ended[name] = place
    last = place
  }

  private mutating func finishWithoutEnd(_ place: Int, isLast: Bool) {
    guard batches[place].exception == nil, !isLast, ending.contains(batches[place].controller)
    else { return }
    mistakes.append(
      LogMistake(
        line: batches[place].lastLine, controller: batches[place].controller,
        cause: .unfinishedBatch, batch: place))
  }

  private mutating func add(
    _ sections: LoggedSections, _ moment: LoggedSections.Moment, of name: String
  ) {
    switch moment {
    case .willChange:
      if let place = open[name]?.last { batches[place].before = sections }
    case .didChange:
      if let place = ended[name], open[name]?.isEmpty != false { batches[place].after = sections }
    case .fetch, .other:
      guard moment == .fetch || open[name]?.isEmpty != false else { return }
      listings.append(
        Listing(
          batches: batches.count, controller: name, sections: sections, isFetch: moment == .fetch))
    }
  }

  private mutating func add(_ operation: TableOperation, of table: String, _ line: Int) {
    let place = open.values.compactMap(\.last).max() ?? last
    switch operation {
    case .beginUpdates: updating.insert(table)
    case .endUpdates: updating.remove(table)
    case .insertRows, .deleteRows, .reloadRows, .moveRow, .insertSections, .deleteSections,
      .configureCell, .reloadData:
      break
    }
    guard let place else { return }
    batches[place].operations.append(LogBatch.Operation(line: line, operation: operation))
    batches[place].lastLine = max(batches[place].lastLine, line)
  }

  private mutating func add(_ exception: LoggedException, _ line: Int) {
    guard let place = last, batches[place].exception == nil else {
      strayExceptions.append((line, exception))
      return
    }
    batches[place].exception = exception
    batches[place].exceptionLine = line
  }
}
