import Basics
import LineEditor
import Platform
import PromptTools
import ScriptRuntime
import Synchronization

/// The output of one statement at a terminal: all of it if it fits into the window, or else its
/// first and last lines.
///
/// The events are kept until the next statement, so that the rest can still be shown.
struct Screenful {
  /// The size of the window.
  struct Window: Equatable {
    let rows: Int
    let columns: Int
  }

  /// The number of rows that are left for the statement, the notice and the prompt.
  private static let margin = 4
  /// The smallest number of lines that are shown.
  private static let fewest = 4
  /// The largest number of events that are kept.
  ///
  /// Of further events only the last ones are, to be shown at the end.
  private static let mostEvents = 100_000

  private let mode: OutputFormat
  private let painter: EventPainter
  private let window: Window
  /// The number of lines that fit into the window.
  let most: Int

  /// A kept event, with its place among all lines.
  private struct Kept {
    let event: Event
    let start: Int
  }

  private var kept: [Kept] = []
  /// The last events after the kept ones, at most as many as lines fit into the window.
  private var last: [Kept] = []
  /// The number of lines of the kept events.
  private var keptCount = 0
  /// The number of all lines, including those of events that are not kept.
  private(set) var count = 0
  /// The number of rows that the lines take in the window; approximate once there are too many.
  private var rowCount = 0
  /// The number of first lines that were shown.
  private var shown = 0
  /// The start of the lines that were not shown; nil if all were.
  private var rest: Int?
  /// The end of a list that was shown with its own last lines; nil if there is none.
  private var endOfList: Int?
  /// The number of lines that are not shown.
  private(set) var hidden = 0
  /// Whether lines were cut to the window.
  private var isCut = false

  init(_ window: Window, mode: OutputFormat, painter: EventPainter) {
    self.window = window
    self.mode = mode
    self.painter = painter
    most = max(Self.fewest, window.rows - Self.margin)
  }

  private var headCount: Int { most * 2 / 3 }

  /// Adds an event.
  ///
  /// - Returns: The lines to show now.
  mutating func add(_ event: Event) -> [String] {
    let lines = EventLines(event, in: mode, by: painter)
    let start = count
    count += lines.count
    if kept.count < Self.mostEvents {
      kept.append(Kept(event: event, start: start))
      keptCount = count
    } else {
      if last.count == most { last.removeFirst() }
      last.append(Kept(event: event, start: start))
    }
    if shown == start, hidden == 0, !fits(lines) { return firstAndLast(of: lines, from: start) }
    guard hidden == 0 else { return [] }
    if lines.table != nil, shown == start {
      shown = count
      rowCount += lines.count + 2
      return lines.lines(0..<lines.count, width: window.columns)
    }
    // Once the first lines are shown and the rest does not fit, no further lines are made yet.
    guard rowCount <= most else {
      rowCount += lines.count
      return []
    }
    // A line is shown if it directly follows the shown ones. Otherwise it is held, with all lines
    // after it.
    var follows = shown == start
    var first: [String] = []
    for line in lines.lines(0..<lines.count) {
      rowCount += line.rows(inColumns: window.columns)
      follows = follows && rowCount <= headCount
      if follows { first.append(line) }
    }
    shown += first.count
    return first
  }

  /// Whether the lines of one event fit into the window.
  private func fits(_ lines: EventLines) -> Bool {
    guard lines.count <= most else { return false }
    guard lines.table == nil else {
      return recordLength(of: lines).map { $0 * lines.count <= most } ?? (lines.count + 2 <= most)
    }
    var rows = 0
    for line in lines.lines(0..<lines.count) {
      rows += line.rows(inColumns: window.columns)
      if rows > most { return lines.count <= 2 }
    }
    return true
  }

  /// Returns the first and last lines of an event that does not fit by itself.
  private mutating func firstAndLast(of lines: EventLines, from start: Int) -> [String] {
    let room = max(2, most - start - (lines.table == nil ? 1 : 3))
    let records = recordLength(of: lines)
    let places = records.map { max(2, room / $0) } ?? room
    guard lines.count > places else {
      // The lines fit once they are cut.
      isCut = lines.isList
      shown = count
      rowCount += lines.count
      return lines.lines(0..<lines.count, width: window.columns)
    }
    let head = max(1, places * 2 / 3)
    let tail = max(1, places - head)
    rest = start + head
    hidden = lines.count - head - tail
    shown = count
    endOfList = count
    isCut = true
    let first = 0..<head
    let last = (lines.count - tail)..<lines.count
    if let table = lines.table, mode == .table {
      let cells = (table.cells(first) ?? []) + (table.cells(last) ?? [])
      let box = BoxTable(
        head: table.head, cells: cells, width: window.columns, gap: head, first: 1,
        afterGap: last.lowerBound + 1)
      return (box.lines() ?? []).map(painter.visible)
    }
    var end = lines.lines(last, width: window.columns)
    // The names of the columns are already shown above.
    if lines.table != nil { end.removeFirst(mode == .csv ? 1 : 2) }
    var beginning = lines.lines(first, width: window.columns)
    if mode == .markdown, lines.table != nil { beginning.removeLast() }
    return beginning + ["…"] + end
  }

  /// Returns the number of lines of a row that is shown as a record; nil if each row is a line of a
  /// table.
  private func recordLength(of lines: EventLines) -> Int? {
    guard let table = lines.table, mode == .table, let cells = table.cells(0..<min(8, table.count))
    else { return nil }
    let box = BoxTable(head: table.head, cells: cells, width: window.columns)
    return (box.lines() ?? []).first == "row 1" ? table.head.count + 1 : nil
  }

  /// Ends the statement.
  ///
  /// - Returns: The last lines to show for it.
  mutating func finish() -> [String] {
    if let endOfList {
      let tail = max(endOfList, count - (most - headCount))..<count
      hidden += tail.lowerBound - endOfList
      return lines(tail)
    }
    if rowCount <= most { return lines(shown..<count) }
    rest = shown
    var head: [String] = []
    if shown == 0 {
      // The first line alone is too high for the first rows.
      head = lines(0..<1).map { $0.firstRows(headCount, columns: window.columns) }
      isCut = true
      shown = 1
    }
    var places = most - headCount - 1
    let tail = lines(max(shown, count - places)..<count).reversed().prefix { line in
      places -= line.rows(inColumns: window.columns)
      return places >= 0
    }
    hidden = count - tail.count - shown
    return head + (hidden > 0 ? ["…"] : []) + tail.reversed()
  }

  // MARK: The rest

  /// The notice at the end; nil if everything was shown.
  var notice: String? {
    guard hidden > 0 else { return isCut ? "# cut to the window; :all shows it whole" : nil }
    let things = kept.count == 1 && mode != .text ? "rows" : "lines"
    let shown = lost > 0 ? "the first \(keptCount.grouped)" : "them"
    return
      "# \(hidden.grouped) of \(count.grouped) \(things) hidden: :more, :page or :all shows \(shown)"
  }

  /// Returns the next lines that were not shown, as many as fit into the window.
  ///
  /// - Returns: Nil if there are no more.
  mutating func more() -> (lines: [String], left: Int)? {
    guard let start = rest, start < keptCount else { return nil }
    let end = min(keptCount, start + most)
    rest = end
    return (lines(start..<end, width: window.columns), keptCount - end)
  }

  /// The number of lines that cannot be shown again, because there were too many events.
  var lost: Int { count - keptCount }

  /// Returns some of the lines of all events.
  private func lines(_ range: Range<Int>, width: Int? = nil) -> [String] {
    var lines: [String] = []
    forEachPiece(in: range, width: width) {
      lines += $0
      return true
    }
    return lines
  }

  /// Passes on all lines in pieces, uncut.
  ///
  /// - Parameter body: Receives a piece; returns whether to continue.
  func forEachPiece(_ body: ([String]) -> Bool) {
    forEachPiece(in: 0..<keptCount, width: nil, body)
  }

  private func forEachPiece(in range: Range<Int>, width: Int?, _ body: ([String]) -> Bool) {
    let places = 0..<(kept.count + last.count)
    func place(_ index: Int) -> Kept {
      index < kept.count ? kept[index] : last[index - kept.count]
    }
    var index = places.last { place($0).start <= range.lowerBound } ?? 0
    while index < places.count, place(index).start < range.upperBound {
      let event = EventLines(place(index).event, in: mode, by: painter)
      let start = place(index).start
      var wanted = range.clamped(to: start..<(start + event.count))
      // A table is aligned as a whole.
      let length = event.table == nil ? 256 : max(1, wanted.count)
      while !wanted.isEmpty {
        let end = min(wanted.upperBound, wanted.lowerBound + length)
        let piece = (wanted.lowerBound - start)..<(end - start)
        guard body(event.lines(piece, width: width)) else { return }
        wanted = end..<wanted.upperBound
      }
      index += 1
    }
  }
}

/// Shows the progress of a statement that takes longer than half a second, or of a session that is
/// being built.
final class WaitingLine: Sendable {
  private struct Line: ~Copyable {
    let status = StatusLine(patience: .milliseconds(500))
    /// A user who goes back, or has stopped a statement, waits from the start, so it comes sooner.
    let wayBack = StatusLine(patience: .milliseconds(200))
    var asked = 0
    /// The start of the work, and the time of the last report in words.
    var start: ContinuousClock.Instant?
    var lastSaid: ContinuousClock.Instant?
  }

  /// The time between two reports in words.
  private static let pause = Duration.seconds(10)

  // Guarded by a lock, because statements may ask from other threads whether to continue.
  private let line = Mutex(Line())
  /// Whether progress is reported in words on lines of its own.
  private let isSpoken: Bool

  init(isSpoken: Bool = false) { self.isSpoken = isSpoken }

  /// Shows the progress of a session that is being built; nil when it is done.
  func show(_ progress: SessionTimeline.Progress?) {
    guard let progress else { return end() }
    // A thread that is waited for is asked about seldom.
    tell(isBack: true, isFrequent: progress.statement != nil) {
      "putting the session back: statement \(progress.done + 1) of \(progress.all)"
        + (progress.statement.map { Self.count($0) } ?? "")
    }
  }

  /// Shows the progress of a statement; nil when it is done.
  func show(_ running: SessionTimeline.Running?) {
    guard let running else { return end() }
    tell(isBack: false, isFrequent: true) {
      guard !InterruptFlag.isRaised else { return "stopping" + Self.count(running.progress) }
      let left = running.timeLeft.map { ", \(Self.seconds($0)) left" } ?? ""
      return running.word + Self.count(running.progress) + left + "; Ctrl-C stops it"
    }
  }

  /// Erases the line, because something else is shown now.
  func erase() {
    line.withLock { line in
      line.status.erase()
      line.wayBack.erase()
    }
  }

  private func end() {
    line.withLock { line in
      line.status.end()
      line.wayBack.end()
      line.start = nil
      line.lastSaid = nil
    }
  }

  /// - Parameter isFrequent: Whether this is called for every row, so that the clock is not
  ///   looked at each time.
  private func tell(
    isBack: Bool, isFrequent: Bool, _ words: @Sendable () -> String
  ) {
    line.withLock { line in
      line.asked += 1
      guard !isFrequent || line.asked % 64 == 1 else { return }
      guard isSpoken else { return (isBack ? line.wayBack : line.status).show(words) }
      let now = ContinuousClock.now
      guard let start = line.start else {
        line.start = now
        return
      }
      guard now - (line.lastSaid ?? start) >= Self.pause else { return }
      line.lastSaid = now
      EndingSignals.writing {
        try? FileDescriptor.standardError.write(("# still running: " + words() + "\n").utf8)
      }
    }
  }

  /// Returns a text such as `3 s` or `2 min`.
  private static func seconds(_ duration: Duration) -> String {
    let seconds = duration.components.seconds + 1
    return seconds < 100 ? "\(seconds) s" : "\((seconds + 30) / 60) min"
  }

  /// Returns a text such as `, 23,000 of 1,000,000`.
  private static func count(_ progress: StatementProgress) -> String {
    let done = progress.done
    guard let total = progress.total else { return done > 1 ? ", \(done.grouped)" : "" }
    return ", \(min(done, total).grouped) of \(total.grouped)"
  }
}
