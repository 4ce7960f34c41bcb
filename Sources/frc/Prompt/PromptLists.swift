import Basics
import LineEditor
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// The commands, as help lists them.
enum CommandList {
  /// The commands without their arguments, so that help fits on a screen.
  static var overview: [String] {
    let words = PromptCommand.allCases.map { ":" + $0.rawValue }.joined(separator: " ")
    return [
      "  commands     " + words, "               :help :undo explains one, :help commands all",
    ]
  }

  static var lines: [String] {
    let width = PromptCommand.allCases.map(\.usage.count).max() ?? 0
    let rows = PromptCommand.allCases.map { command in
      let blanks = String(repeating: " ", count: width - command.usage.count + 2)
      // The text after a semicolon is shown only by `:help :NAME`.
      let summary = command.summary.prefix { $0 != ";" }
      return "  " + command.usage + blanks + summary
    }
    return rows
  }
}

/// The editor's keys, as `:keys` lists them.
enum KeyList {
  static var lines: [String] {
    let width = EditorKey.all.map(\.keys.count).max() ?? 0
    return EditorKey.Group.allCases.flatMap { group in
      let keys = EditorKey.all.filter { $0.group == group }.map { key in
        let blanks = String(repeating: " ", count: width - key.keys.count + 2)
        return "  " + key.keys + blanks + key.help
      }
      return [group.rawValue] + keys
    }
  }
}

/// The entries of the history that contain a text, or the last ones.
struct HistoryList {
  let lines: [String]

  /// The number of entries that are listed without a text.
  private static let count = 50

  init(_ entries: [String], pattern: String?) {
    let width = "\(entries.count)".count
    var numbered = Array(entries.enumerated())
    if let pattern {
      // Case is ignored if the pattern has no capital letter.
      let ignoresCase = pattern == pattern.lowercased()
      numbered = numbered.filter {
        (ignoresCase ? $0.element.lowercased() : $0.element).contains(pattern)
      }
    } else {
      numbered = numbered.suffix(Self.count)
    }
    let found = numbered.flatMap { index, entry in
      entry.linesOfText.enumerated().map { row, line in
        let number = row == 0 ? "\(index + 1)" : ""
        return String(repeating: " ", count: width - number.count + 1) + number + "  " + line
      }
    }
    lines = found.isEmpty ? [pattern.map { "nothing holds '\($0)'" } ?? "nothing yet"] : found
  }
}

/// The list of a session's points.
struct TimelineList {
  private let timeline: SessionTimeline
  /// The largest width of a line, in columns.
  private let columns: Int

  init(_ timeline: SessionTimeline, columns: Int) {
    self.timeline = timeline
    self.columns = columns
  }

  var lines: [String] {
    let width = "\(timeline.points.count)".count
    let rows = timeline.points.enumerated().map { index, point in
      let isUndone = index >= timeline.position
      let remark = (point.failure == nil ? "" : "  # failed") + (isUndone ? "  # undone" : "")
      let start = start(index + 1, width)
      return start + title(point, beside: start + remark) + remark
    }
    return [start(0, width) + "the beginning"] + rows
  }

  private func start(_ number: Int, _ width: Int) -> String {
    let mark = number == timeline.position ? "> " : "  "
    return mark + String(repeating: " ", count: width - "\(number)".count) + "\(number)  "
  }

  /// The present point of the session, as a comment.
  var place: String {
    let position = timeline.position
    guard position > 0 else { return "# at 0 of \(timeline.points.count), the beginning" }
    let start = "# at \(position) of \(timeline.points.count), after: "
    return start + title(timeline.points[position - 1], beside: start)
  }

  /// Returns the first line of a statement, cut if it is long.
  private func title(_ point: SessionTimeline.Point, beside other: String) -> String {
    let lines = point.text.linesOfText
    let first = lines.first ?? ""
    // Some of it is shown even in the narrowest window.
    var room = max(8, columns - other.count - 2)
    let title = first.prefix { character in
      room -= DisplayWidth.width(of: character)
      return room >= 0
    }
    return title + (title.count < first.count || lines.count > 1 ? " …" : "")
  }
}
