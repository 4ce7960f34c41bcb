import Basics
import LineEditor
import PromptTools
import ScriptRuntime

/// The commands, as help lists them.
enum CommandList {
  /// The commands without their arguments, so that help fits on a screen.
  static var overview: [String] {
    let words = PromptCommand.allCases.map { ":" + $0.rawValue }.joined(separator: " ")
    return [
      "  commands     " + words,
      "               :help :undo explains one, :help commands lists all",
    ]
  }

  static var lines: [String] {
    let width = PromptCommand.allCases.map(\.usage.count).max() ?? 0
    return PromptCommand.allCases.map { command in
      // The text after a semicolon is shown only by `:help :NAME`.
      let summary = command.summary.prefix { $0 != ";" }
      return "  " + command.usage.padded(toColumns: width) + "  " + summary
    }
  }
}

/// The editor's keys, as `:keys` lists them.
enum KeyList {
  static var lines: [String] {
    let width = EditorKey.all.map(\.keys.count).max() ?? 0
    return EditorKey.Group.allCases.flatMap { group in
      let keys = EditorKey.all.filter { $0.group == group }.map { key in
        "  " + key.keys.padded(toColumns: width) + "  " + key.help
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
        return " " + number.rightAligned(toColumns: width) + "  " + line
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
    return mark + "\(number)".rightAligned(toColumns: width) + "  "
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

/// A command of the prompt itself, which begins with a colon.
///
/// This is the only list of commands: it is used to read entries, for completion, and in the help
/// and the documentation.
enum PromptCommand: String, CaseIterable {
  case help, `try`, keys, history, load, edit, rerun
  case undo, redo, goto, timeline, record, play, share
  case pane, would, more, page, all
  case predict, mode, theme, timer, clear, quit

  /// The form in which it is typed.
  var usage: String {
    switch self {
    case .help: ":help [TOPIC]"
    case .try: ":try [TOPIC]"
    case .keys: ":keys"
    case .history: ":history [PATTERN]"
    case .load: ":load FILE"
    case .edit: ":edit"
    case .rerun: ":rerun [N|N-M]"
    case .undo: ":undo [N]"
    case .redo: ":redo [N]"
    case .goto: ":goto N"
    case .timeline: ":timeline"
    case .record: ":record FILE [try]"
    case .play: ":play"
    case .share: ":share PAGE.html"
    case .pane: ":pane CONTROLLER|off"
    case .would: ":would STATEMENT"
    case .predict: ":predict [on|off]"
    case .more: ":more"
    case .page: ":page"
    case .all: ":all [on|off]"
    case .mode: ":mode FORMAT"
    case .theme: ":theme NAME"
    case .timer: ":timer [on|off]"
    case .clear: ":clear"
    case .quit: ":quit"
    }
  }

  /// The effect, in a sentence without a full stop.
  var summary: String {
    switch self {
    case .help: "lists the topics, or shows one"
    case .try: "runs the example of a topic, or of the one that was just shown"
    case .keys: "lists the keys of the editor"
    case .history: "lists the earlier entries, or those that contain a text"
    case .load: "runs the statements of a script as if you had typed them"
    case .edit:
      "opens the last entry in $VISUAL or $EDITOR; the edited text then appears at the prompt"
    case .rerun:
      "runs an entry of :history again, or the entries from one to another; without a number, the "
        + "last one"
    case .undo:
      "undoes the last statement, or the last N; the whole session is as it was before, and "
        + "statements that change nothing do not count"
    case .redo: "runs undone statements again"
    case .goto: "goes to the point after N statements; 0 is the beginning"
    case .timeline: "lists the statements; you can go back to each"
    case .record:
      "writes the session as a script with its output, for frc test; "
        + "statements that failed are left out, or kept with try"
    case .play: "plays the session so far, one statement for each key that you press"
    case .share: "writes the session as a web page that plays it"
    case .pane:
      "shows a controller's sections beside the line, and marks the last turn; in a window "
        + "below 100 columns, as one line; without a name, the only controller"
    case .would: "shows what a statement would send, and does not run it"
    case .predict:
      "asks before each turn what it will send, and grades the answer; just Enter runs the turn"
    case .more: "shows the next rows of output that was too long for the window"
    case .page: "opens the whole output of the last statement in $PAGER"
    case .all:
      "shows the whole output of the last statement; with on, nothing is shortened from now on"
    case .mode:
      "shows output as text or json, or its rows as table, csv or markdown"
    case .theme: "chooses the colours: auto, dark, light, colorblind or mono"
    case .timer: "shows how long each statement took"
    case .clear: "clears the screen"
    case .quit: "leaves"
    }
  }

  /// Shorter and alternative words.
  var aliases: [String] {
    switch self {
    case .help: ["h", "?", ""]
    case .quit: ["q", "exit"]
    case .history: ["hist"]
    case .keys: ["key"]
    case .try, .load, .edit, .rerun, .more, .page, .all, .theme, .undo, .redo, .goto, .timeline,
      .record, .play, .share, .pane, .would, .predict,
      .mode, .timer,
      .clear:
      []
    }
  }

  /// Whether it takes no argument.
  var isWhole: Bool { !usage.contains(" ") }

  /// Returns the command with a word; nil if there is none.
  static func named(_ word: String) -> PromptCommand? {
    allCases.first { $0.rawValue == word || $0.aliases.contains(word) }
  }
}
