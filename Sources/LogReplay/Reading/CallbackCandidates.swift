import FetchedResults

/// The events of a log before it is known which of them are callbacks, and of which controller.
///
/// Both follow from the whole log. A line `insert [0, 3]` is a callback only in a log that does not
/// print callbacks by their methods. A class or a category names a controller only if another one
/// begins batches, too.
struct CallbackCandidates {
  private struct Item {
    var event: LogEvent
    let form: MessageReading.Form
    /// The number of the text that may name the controller; 0 if there is none.
    let source: Int
    let line: Int
  }

  private struct Unclear {
    let line: Int
    let reason: String
    let isCallback: Bool
  }

  private var items: [Item] = []
  private var unclear: [Unclear] = []
  private var sources = [""]
  private var sourceNumbers: [String: Int] = [:]
  private var counts = LineCounts()
  private var readings: [LineReading] = []
  private var unread: [DelegateLog.UnreadLine] = []
  private var keepsReadings = false
  /// The sections that frc showed last, and the place of their item.
  private var shown: (place: Int, sections: [LoggedSections.Section])?

  /// The names before callbacks and lists of sections, with nothing that shows what they name.
  private var plainNames: Set<String> = []

  var isEmpty: Bool { items.isEmpty }

  /// Whether nothing came after the last exception.
  var endsWithException: Bool { items.last?.event.isException == true }

  // MARK: Collecting

  mutating func add(
    _ event: LogEvent, _ form: MessageReading.Form, _ source: String?, _ line: Int
  ) {
    items.append(Item(event: event, form: form, source: number(of: source), line: line))
  }

  /// Notes that a source is only a word: in `collapsed sections: [1]` it names no controller.
  mutating func noteName(_ name: String) { plainNames.insert(name) }

  private mutating func number(of source: String?) -> Int {
    guard let source else { return 0 }
    if let number = sourceNumbers[source] { return number }
    // So many different texts name no controllers.
    guard sources.count < 1_000 else { return 0 }
    sourceNumbers[source] = sources.count
    sources.append(source)
    return sources.count - 1
  }

  /// Adds a section that frc shows, with those that it shows before it.
  ///
  /// They are of no controller, because `show` does not print its name.
  mutating func addShown(
    _ section: LoggedSections.Section, at index: Int, _ line: Int
  ) -> LineReading {
    if let place = shown?.place, place == items.count - 1, shown?.sections.count == index {
      shown?.sections.append(section)
      return .part(of: items[place].line)
    }
    guard index == 0 else { return .ignored(.message) }
    finishShown()
    shown = (items.count, [section])
    add(
      .sections(controller: CallbackGrammar.unnamed, .other, LoggedSections(sections: [])),
      .callback, nil, line)
    return .event
  }

  private mutating func finishShown() {
    guard let (place, sections) = shown else { return }
    items[place].event = .sections(
      controller: CallbackGrammar.unnamed, .other, LoggedSections(sections: sections))
    shown = nil
  }

  /// Adds an event at its line.
  mutating func insert(_ event: LogEvent, _ line: Int) {
    finishShown()
    let place = items.firstIndex { $0.line > line } ?? items.count
    items.insert(Item(event: event, form: .named, source: 0, line: line), at: place)
  }

  /// Removes what a line was taken for, because the next one shows that it only explains a callback.
  ///
  /// - Returns: Whether there was a callback or a line that may be one.
  mutating func retract(_ line: Int) -> Bool {
    if unclear.last?.line == line {
      unclear.removeLast()
      return true
    }
    guard let last = items.last, last.line == line, last.event.isCallback else { return false }
    items.removeLast()
    replace(.event, by: .ignored(.message), line)
    return true
  }

  /// Adds a line that may be a callback, and cannot be read.
  mutating func addUnclear(_ reason: String, isCallback: Bool, _ line: Int) {
    unclear.append(Unclear(line: line, reason: reason, isCallback: isCallback))
  }

  /// Names the method that raised the last exception.
  mutating func setSymbol(_ symbol: String) {
    guard let place = items.lastIndex(where: { $0.event.isException }),
      case .exception(var exception) = items[place].event
    else { return }
    exception.symbol = symbol
    items[place].event = .exception(exception)
  }

  mutating func note(_ reading: LineReading, _ line: Int, keeps: Bool) {
    counts.add(reading)
    if case .notUnderstood(let reason) = reading {
      unread.append(DelegateLog.UnreadLine(line: line, reason: reason))
    }
    keepsReadings = keeps
    guard keeps else { return }
    while readings.count < line { readings.append(.ignored(.blank)) }
    readings[line - 1] = reading
  }

  /// Changes what a line was taken for.
  mutating func replace(_ old: LineReading, by new: LineReading, _ line: Int) {
    counts.add(old, -1)
    note(new, line, keeps: keepsReadings)
  }

  // MARK: Which of them are callbacks

  /// Decides what each candidate is, and gives the events to the log.
  ///
  /// - Complexity: O(*n* log *n*) for *n* candidates.
  mutating func resolve(into log: inout DelegateLog) {
    finishShown()
    dropOtherLists()
    let batches = BatchPlaces(items.map { ($0.line, $0.event) })
    noteUnclear(batches)
    let isCallback = chosen(batches)
    let callbacks = zip(items, isCallback).compactMap { $1 ? $0 : nil }
    let names = controllers(callbacks)
    log.entries = zip(callbacks, names).map { item, name in
      DelegateLog.Entry(line: item.line, event: name.map(item.event.of) ?? item.event)
    }
    log.counts = counts
    log.readings = readings
    log.unread = unread.sorted { $0.line < $1.line }
  }

  /// Ignores lists of sections after a word that no callback has before it.
  private mutating func dropOtherLists() {
    guard !plainNames.isEmpty else { return }
    let owners = owners(items)
    let isOther = items.map { item in
      guard case .sections = item.event, item.form == .callback, item.source != 0 else {
        return false
      }
      return plainNames.contains(sources[item.source]) && !owners.contains(item.source)
    }
    for (item, isOther) in zip(items, isOther) where isOther {
      replace(.event, by: .ignored(.message), item.line)
    }
    items = zip(items, isOther).compactMap { $1 ? nil : $0 }
  }

  /// Counts the lines that are not clear, if they are in a batch or name a callback's method.
  private mutating func noteUnclear(_ batches: BatchPlaces) {
    for line in unclear where line.isCallback || batches.batch(ofLine: line.line) != nil {
      replace(.ignored(.message), by: .notUnderstood(line.reason), line.line)
    }
  }

  /// Returns for each item whether it counts.
  private mutating func chosen(_ batches: BatchPlaces) -> [Bool] {
    let namesMethods = items.contains { !$0.form.isWeak && $0.event.isChange }
    var paths: [Int: [ResultsIndexPath: Int]] = [:]
    var lists: [Int: [[ResultsIndexPath]: Int]] = [:]
    var seen: [Int: [LogEvent: Int]] = [:]
    if namesMethods {
      for item in items where item.event.isChange && !item.form.isWeak {
        guard let batch = batches.batch(ofLine: item.line) else { continue }
        let list = item.event.paths
        for path in list { paths[batch, default: [:]][path] = item.line }
        lists[batch, default: [:]][list] = item.line
      }
    }
    return items.indices.map { place in
      let item = items[place]
      guard item.form.isWeak else { return true }
      let batch = batches.batch(ofLine: item.line)
      if namesMethods {
        let list = item.event.paths
        let echoed =
          lists[batch ?? -1]?[list] ?? list.compactMap { paths[batch ?? -1]?[$0] }.first
        let reading: LineReading =
          if let echoed { .ignored(.echo(of: echoed)) } else if batch == nil || item.form.hasName {
            .ignored(.message)
          } else {
            .notUnderstood("this log prints callbacks by their methods, and this line has none")
          }
        replace(.event, by: reading, item.line)
        return false
      }
      guard let batch else {
        // Without beginnings of batches, every line that is clear counts.
        if batches.isEmpty, item.form != .looseVerb { return true }
        replace(.event, by: .ignored(.message), item.line)
        return false
      }
      if let first = seen[batch]?[item.event], item.form == .looseVerb {
        replace(.event, by: .ignored(.echo(of: first)), item.line)
        return false
      }
      seen[batch, default: [:]][item.event] = item.line
      return true
    }
  }

  // MARK: Whose they are

  /// Returns the name of the controller of each item; nil if the item has it already.
  private func controllers(_ callbacks: [Item]) -> [String?] {
    let owners = owners(callbacks)
    guard owners.count > 1 || owners.contains(where: { isNamed($0, in: callbacks) }) else {
      return callbacks.map { $0.form.hasName ? nil : CallbackGrammar.unnamed }
    }
    var open: [Int] = []
    var last = owners.min() ?? 0
    return callbacks.map { item in
      guard !item.form.hasName else { return nil }
      let owner = owners.contains(item.source) ? item.source : open.last ?? last
      switch item.event {
      case .willChange: open.append(owner)
      case .didChange:
        if let place = open.lastIndex(of: owner) { open.remove(at: place) }
      case .controller, .sections, .object, .section, .returned, .whole, .operation, .exception:
        break
      }
      last = owner
      return name(owner)
    }
  }

  /// Whether a line in frc's form names a controller like a source.
  ///
  /// `books didChange section insert 0` has this form, also beside `books controllerWillChangeContent`.
  private func isNamed(_ owner: Int, in callbacks: [Item]) -> Bool {
    owner != 0
      && callbacks.contains { item in
        item.form.hasName && item.event.isCallback && item.event.of(sources[owner]) == item.event
      }
  }

  /// Returns the sources that name controllers: those that begin batches.
  private func owners(_ callbacks: [Item]) -> Set<Int> {
    let printed = callbacks.filter { !$0.form.hasName }
    let beginning = printed.filter { if case .willChange = $0.event { true } else { false } }
    guard beginning.isEmpty else { return Set(beginning.map(\.source)) }
    return Set(printed.filter { $0.event.isChange }.map(\.source))
  }

  private func name(_ owner: Int) -> String {
    owner == 0 ? CallbackGrammar.unnamed : sources[owner].replacing(": ", with: " ")
  }
}

/// The lines of each batch in a log.
struct BatchPlaces {
  /// The first and the last lines, in order.
  private var ranges: [ClosedRange<Int>] = []

  var isEmpty: Bool { ranges.isEmpty }

  init(_ events: [(line: Int, event: LogEvent)]) {
    var depth = 0
    var start = 0
    for (line, event) in events {
      switch event {
      case .willChange:
        if depth == 0 { start = line }
        depth += 1
      case .didChange where depth > 0:
        depth -= 1
        if depth == 0 { ranges.append(start...max(start, line)) }
      case .controller, .sections, .object, .section, .didChange, .returned, .whole, .operation,
        .exception:
        break
      }
    }
    if depth > 0 { ranges.append(start...Int.max) }
  }

  /// Returns the number of the batch that a line is in; nil if it is in none.
  ///
  /// - Complexity: O(log *n*) for *n* batches.
  func batch(ofLine line: Int) -> Int? {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < line { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(line) ? low : nil
  }
}

extension LogEvent {
  /// Whether it is a callback about an object or a section.
  var isChange: Bool {
    switch self {
    case .object, .section: true
    case .controller, .sections, .willChange, .didChange, .returned, .whole, .operation, .exception:
      false
    }
  }

  /// Whether it is a callback of a controller's delegate.
  var isCallback: Bool {
    switch self {
    case .willChange, .object, .section, .didChange, .whole: true
    case .controller, .sections, .returned, .operation, .exception: false
    }
  }

  var isException: Bool { if case .exception = self { true } else { false } }

  /// The index paths of a callback; for a section, that of its first row.
  var paths: [ResultsIndexPath] {
    switch self {
    case .object(_, let change): [change.old, change.new].compactMap { $0 }
    case .section(_, let change): [ResultsIndexPath(section: change.index, row: 0)]
    case .controller, .sections, .willChange, .didChange, .returned, .whole, .operation, .exception:
      []
    }
  }

  /// Returns the event of another controller.
  func of(_ controller: String) -> LogEvent {
    switch self {
    case .sections(_, let moment, let sections): .sections(controller: controller, moment, sections)
    case .willChange: .willChange(controller: controller)
    case .object(_, let change): .object(controller: controller, change)
    case .section(_, let change): .section(controller: controller, change)
    case .didChange: .didChange(controller: controller)
    case .returned: .returned(controller: controller)
    case .whole: .whole(controller: controller)
    case .controller, .operation, .exception: self
    }
  }
}
