import Basics
import ScriptRuntime

/// The lines of an event as the prompt shows them, each made when it is needed.
///
/// So the first and last lines of a long list cost no more than those of a short one.
struct EventLines {
  /// The number of lines; for a table, the number of rows.
  let count: Int
  /// The rows, if the event is shown as a table.
  let table: EventTable?
  /// Whether the lines are those of a list, which may be cut to the window.
  let isList: Bool
  private let make: (Range<Int>, _ width: Int?) -> [String]

  /// The number of elements from which on a list's lines are not all made at once.
  private static let longList = 64

  init(_ event: Event, in mode: OutputFormat, by painter: EventPainter) {
    if mode != .text, mode != .json, let table = EventTable(event) {
      self.table = table
      isList = true
      count = table.count
      make = { range, width in
        (mode.lines(of: table, range, width: width) { true } ?? []).map(painter.visible)
      }
      return
    }
    table = nil
    isList = event.isList
    if mode == .text, case .show(_, let sections) = event, !sections.isEmpty {
      let lines = MarkedLines(sections)
      count = lines.count
      make = { range, width in lines.lines(range).map { painter.paint($0, width: width) } }
    } else if mode == .text, let listCount = event.listCount, listCount > Self.longList {
      count = listCount
      make = { range, width in
        painter.lines(for: event.part(range), in: mode).map { $0.cut(to: width) }
      }
    } else {
      let lines = painter.lines(for: event, in: mode, marks: true)
      count = lines.count
      make = { range, width in
        // Only lists are cut. A value that was printed on purpose is shown completely.
        lines[range].map { event.isList ? $0.cut(to: width) : $0 }
      }
    }
  }

  /// Returns some of the lines.
  ///
  /// - Parameter width: The width of the window in columns; nil if nothing is cut.
  func lines(_ range: Range<Int>, width: Int? = nil) -> [String] { make(range, width) }
}

extension String {
  fileprivate func cut(to width: Int?) -> String { width.map { cut(toColumns: $0) } ?? self }

  /// Returns the number of rows that the text takes in a window.
  ///
  /// Colours take no room.
  func rows(inColumns columns: Int) -> Int {
    guard utf8.count > columns else { return 1 }
    // `ESC [ … m` starts or ends a colour.
    let text = contains("\u{1B}") ? replacing(/\u{1B}\[[0-9;]*m/, with: "") : self
    return max(1, (DisplayWidth.width(of: text) + columns - 1) / columns)
  }
}

extension Event {
  /// Whether the event lists objects or rows.
  fileprivate var isList: Bool {
    if case .show = self { return true }
    return listCount != nil
  }
}
