package import TableViews

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
  /// The same of all controllers, in the order of their beginnings.
  ///
  /// Batches that have ended are removed when they come to its end.
  private var openInOrder: [Int] = []
  /// The last finished batch of each controller.
  private var ended: [String: Int] = [:]
  /// The batches whose `controllerDidChangeContent` is running.
  private var returning: [String: [Int]] = [:]
  /// How many of them are known to enclose another batch.
  private var enclosing: [String: Int] = [:]
  /// The batch of the last line.
  ///
  /// Exceptions belong to it.
  private var last: Int?
  /// The controller of each table, as far as operations in its batches show.
  private var controllerOfTable: [String: String] = [:]
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
  /// The lines that were not understood, and not passed yet.
  private var unread: ArraySlice<DelegateLog.UnreadLine>

  init(_ log: DelegateLog) {
    endless = Self.endless(in: log)
    beginning = Set(
      log.entries.compactMap { if case .willChange(let name) = $0.event { name } else { nil } })
    ending = Set(
      log.entries.compactMap { if case .didChange(let name) = $0.event { name } else { nil } })
    logsReturns = log.entries.contains { if case .returned = $0.event { true } else { false } }
    unread = log.unread[...]
    for entry in log.entries {
      takeUnread(before: entry.line)
      add(entry)
    }
    takeUnread(before: Int.max)
    for places in open.values {
      if places.contains(where: { !cut.contains($0) }) { endsInBatch = true }
      for place in places { finishWithoutEnd(place, isLast: true) }
    }
    if log.stop == nil { markUpdating(atEndOf: log) }
  }

  /// Marks the batches in whose `controllerDidChangeContent` the log ends, before `endUpdates`.
  private mutating func markUpdating(atEndOf log: DelegateLog) {
    var entries = log.entries[...]
    // The recorder lists the sections before it calls the app's method.
    if logsReturns || !controllers.isEmpty {
      while case .sections(_, .didChange, _)? = entries.last?.event { entries.removeLast() }
    }
    guard let line = entries.last?.line else { return }
    for place in batches.indices where batches[place].lastLine >= line {
      batches[place].endsInUpdates = batches[place].isFinished && batches[place].isUpdating
    }
  }

  /// The first lines of batches that never end.
  private static func endless(in log: DelegateLog) -> Set<Int> {
    var open: [String: [Int]] = [:]
    var begun: [String: [Int]] = [:]
    for entry in log.entries {
      switch entry.event {
      case .willChange(let name):
        open[name, default: []].append(entry.line)
        if log.stop != nil { begun[name, default: []].append(entry.line) }
      case .didChange(let name): _ = open[name, default: []].popLast()
      case .controller, .sections, .object, .section, .returned, .whole, .operation, .exception:
        break
      }
    }
    // The end of a batch that encloses some others may come in the part that was not read.
    for (name, lines) in begun {
      guard let last = lines.dropLast(mostEnclosed).last else {
        open[name] = nil
        continue
      }
      open[name]?.removeAll { $0 > last }
    }
    return Set(open.values.joined())
  }

  /// How many batches a batch may enclose whose end was not read.
  private static let mostEnclosed = 3

  /// Gives the lines that were not understood to the batch that they are in.
  private mutating func takeUnread(before line: Int) {
    while let next = unread.first, next.line < line {
      unread.removeFirst()
      if let place = innermost { batches[place].unreadLines.append(next.line) }
    }
  }

  /// The open batch that began last.
  private var innermost: Int? {
    mutating get {
      while let place = openInOrder.last, batches[place].isFinished || batches[place].isAbandoned {
        openInOrder.removeLast()
      }
      return openInOrder.last
    }
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
      enclosing[name] = min(enclosing[name] ?? 0, returning[name]?.count ?? 0)
    case .whole: break
    case .operation(let table, let operation): add(operation, of: table, entry.line)
    case .exception(let exception): add(exception, entry.line)
    }
  }

  private mutating func begin(_ name: String, _ line: Int) {
    // All but the innermost were looked at when the next one began.
    while let place = open[name]?.last {
      if cut.contains(place) || endless.contains(batches[place].firstLine) {
        if !cut.contains(place) { finishWithoutEnd(place, isLast: false) }
        batches[place].isAbandoned = true
        open[name]?.removeLast()
      } else {
        batches[place].enclosesBatch = true
        break
      }
    }
    let places = returning[name] ?? []
    for place in places.dropFirst(enclosing[name] ?? 0) { batches[place].enclosesBatch = true }
    enclosing[name] = places.count
    batches.append(LogBatch(controller: name, firstLine: line, lastLine: line))
    last = batches.count - 1
    open[name, default: []].append(batches.count - 1)
    openInOrder.append(batches.count - 1)
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
    case .printed: addPrinted(sections, of: name)
    case .fetch, .other:
      guard moment == .fetch || open[name]?.isEmpty != false else { return }
      list(sections, of: name, isFetch: moment == .fetch)
    }
  }

  /// Adds a list whose time follows from the callbacks around it.
  private mutating func addPrinted(_ sections: LoggedSections, of name: String) {
    if let place = open[name]?.last {
      // Later in a batch, the controller already has its new sections.
      if batches[place].callbacks.isEmpty { batches[place].before = sections }
    } else if let place = ended[name], place == last, batches[place].after == nil {
      batches[place].after = sections
    } else {
      list(sections, of: name, isFetch: false)
    }
  }

  private mutating func list(_ sections: LoggedSections, of name: String, isFetch: Bool) {
    listings.append(
      Listing(batches: batches.count, controller: name, sections: sections, isFetch: isFetch))
  }

  private mutating func add(_ operation: TableOperation, of table: String, _ line: Int) {
    guard let place = batch(ofTable: table) else { return }
    controllerOfTable[table] = batches[place].controller
    batches[place].operations.append(LogBatch.Operation(line: line, operation: operation))
    batches[place].lastLine = max(batches[place].lastLine, line)
  }

  /// Returns the batch that an operation belongs to.
  ///
  /// If batches of two controllers overlap, the table's name or its earlier operations decide.
  private mutating func batch(ofTable table: String) -> Int? {
    // The recorder gives the table the name of its controller.
    if let place = open[table]?.last ?? ended[table] { return place }
    guard let innermost else { return last }
    guard let name = controllerOfTable[table], let place = open[name]?.last else {
      return innermost
    }
    return place
  }

  private mutating func add(_ exception: LoggedException, _ line: Int) {
    // The batch goes on after a warning.
    guard let place = last, batches[place].exception == nil, !exception.isWarning else {
      strayExceptions.append((line, exception))
      return
    }
    batches[place].exception = exception
    batches[place].exceptionLine = line
  }
}

/// The callbacks of one turn, from `controllerWillChangeContent` to `controllerDidChangeContent`,
/// and everything else that the log shows about it.
package struct LogBatch: Sendable {
  package let controller: String
  /// The line of `controllerWillChangeContent`, or of the first callback if there is none.
  package let firstLine: Int
  package var lastLine: Int
  package var callbacks: [Callback] = []
  package var operations: [Operation] = []
  /// The sections before the batch, from the log or from earlier callbacks.
  package var before: LoggedSections?
  /// Whether nothing can have changed between those sections and the batch.
  ///
  /// A fetch leaves no line in the output of `frc run`.
  package var isCertain = false
  /// The sections after the batch, from the log.
  package var after: LoggedSections?
  package var exception: LoggedException?
  package var exceptionLine: Int?
  /// Whether `controllerDidChangeContent` was called.
  package var isFinished = false
  /// Whether the log shows that the app's delegate returned from it; nil if it does so for no
  /// batch.
  package var hasReturned: Bool?
  /// Whether another batch began in the middle of it.
  package var enclosesBatch = false
  /// Whether the sections changed since the previous batch without a callback.
  package var followsSilentChange = false
  /// Whether the table could not follow an earlier batch, and has not been reloaded since.
  package var tableIsBroken = false
  /// Whether the next batch began before it ended, and it never ends.
  package var isAbandoned = false
  /// Whether the log ends between `controllerDidChangeContent` and `endUpdates`.
  package var endsInUpdates = false
  /// The lines in it that were not understood.
  ///
  /// Any of them may be a callback.
  package var unreadLines: [Int] = []

  /// A callback about an object or a section, with its line.
  package struct Callback: Hashable, Sendable {
    package let line: Int
    package let change: Change

    package enum Change: Hashable, Sendable {
      case object(ObjectChange)
      case section(SectionChange)
    }
  }

  /// A table operation, with its line.
  package struct Operation: Hashable, Sendable {
    package let line: Int
    package let operation: TableOperation
  }

  /// Whether the log has more calls of `beginUpdates` than of `endUpdates`.
  var isUpdating: Bool {
    operations.count { $0.operation == .beginUpdates }
      > operations.count { $0.operation == .endUpdates }
  }

  package var objectChanges: [(line: Int, change: ObjectChange)] {
    callbacks.compactMap { callback in
      if case .object(let change) = callback.change { (callback.line, change) } else { nil }
    }
  }

  package var sectionChanges: [(line: Int, change: SectionChange)] {
    callbacks.compactMap { callback in
      if case .section(let change) = callback.change { (callback.line, change) } else { nil }
    }
  }
}
