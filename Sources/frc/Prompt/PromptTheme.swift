import Basics
import LineEditor
import Platform
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// The colours of the prompt, for a dark or a light terminal.
struct PromptTheme: Equatable {
  var usesColor: Bool
  /// Whether the terminal's background is light.
  var isLight: Bool
  var palette = Palette.standard

  /// The sets of colours.
  enum Palette {
    /// Insertions and deletions are green and red.
    case standard
    /// Insertions and deletions are blue and orange, for people who cannot distinguish green and
    /// red.
    case colorblind
    /// No colours: bold, dim and underlined text.
    case mono
  }

  /// The names of themes for `:theme` and `$FRC_THEME`.
  enum Name: String, CaseIterable {
    case auto, dark, light, colorblind, mono

    var summary: String {
      switch self {
      case .auto: "the usual colours, for the terminal's background"
      case .dark: "the usual colours, for a dark background"
      case .light: "the usual colours, for a light background"
      case .colorblind: "blue and orange, for people who cannot tell green from red"
      case .mono: "no colours: bold, dim and underlined text"
      }
    }
  }

  /// Returns the theme with a name.
  ///
  /// - Parameter isLight: Whether the terminal's background is light.
  func named(_ name: Name, isLight: Bool) -> PromptTheme {
    var theme = self
    theme.isLight = isLight
    theme.palette = .standard
    switch name {
    case .auto: break
    case .dark: theme.isLight = false
    case .light: theme.isLight = true
    case .colorblind: theme.palette = .colorblind
    case .mono: theme.palette = .mono
    }
    return theme
  }

  /// Returns the theme that `$FRC_THEME` names.
  static func chosen(_ environment: (String) -> String?) -> Name {
    environment("FRC_THEME").flatMap(Name.init) ?? .auto
  }

  /// Returns whether the background is light, according to the environment; nil if unknown.
  ///
  /// `$FRC_THEME` has priority over what some terminals report in the environment.
  static func isLight(_ environment: (String) -> String?) -> Bool? {
    switch chosen(environment) {
    case .light: return true
    case .dark: return false
    case .auto, .colorblind, .mono: break
    }
    // The variable contains the numbers of the text's and the background's colour, such as `0;15`.
    guard let last = environment("COLORFGBG")?.split(separator: ";").last else { return nil }
    return last == "7" || last == "15"
  }

  /// Returns the style of a part of the input.
  func style(of role: TextPart.Role) -> TextStyle {
    guard usesColor else { return .plain }
    return switch role {
    case .word: style("1;34", dark: "1;94", safe: ("1;38;5;25", "1;38;5;74"), mono: "1")
    case .entity, .object: style("36", dark: "96", safe: ("38;5;130", "38;5;214"))
    case .variable: style("35", dark: "93", safe: ("38;5;94", "38;5;227"))
    case .number, .date: style("35", dark: "95", safe: ("38;5;133", "38;5;175"))
    case .string: style("32", dark: "92", safe: ("38;5;29", "38;5;36"))
    case .comment: style("2", dark: "90", safe: ("2", "90"), mono: "2")
    case .openBracket: style("1;35", dark: "1;93", safe: ("1;38;5;133", "1;38;5;227"), mono: "1")
    case .strayBracket:
      style("1;31", dark: "1;91", safe: ("1;38;5;166", "1;38;5;208"), mono: "1;4")
    case .unknown: mistaken
    case .name, .sign, .bracket: .plain
    }
  }

  /// The style of an unknown name.
  var mistaken: TextStyle {
    style("4;31", dark: "4;91", safe: ("4;38;5;166", "4;38;5;208"), mono: "4")
  }

  /// The style of the brackets at the cursor.
  var pair: TextStyle { usesColor ? TextStyle("1;4") : .plain }

  /// The style of a command of the prompt.
  var command: TextStyle {
    style("1;35", dark: "1;95", safe: ("1;38;5;133", "1;38;5;175"), mono: "1")
  }

  /// The styles of hints and menus.
  var editor: EditorStyles {
    guard usesColor else { return EditorStyles() }
    let pale = style("2", dark: "90", safe: ("2", "90"), mono: "2")
    return EditorStyles(hint: pale, candidate: .plain, chosen: TextStyle("7"), detail: pale)
  }

  /// The styles of the pane and of everything else around the line.
  var panes: PaneStyles {
    var styles = PaneStyles()
    guard usesColor else { return styles }
    styles.inserted = style("32", dark: "92", safe: ("38;5;25", "38;5;74"))
    styles.deleted = style("31", dark: "91", safe: ("38;5;166", "38;5;208"))
    styles.moved = style("35", dark: "33", safe: ("38;5;133", "38;5;175"))
    styles.updated = style("34", dark: "94", safe: ("38;5;94", "38;5;227"))
    styles.inconsistent = style("1;31", dark: "1;91", safe: ("1;38;5;166", "1;38;5;208"), mono: "1")
    styles.title = TextStyle("1")
    styles.dim = style("2", dark: "90", safe: ("2", "90"), mono: "2")
    return styles
  }

  private func style(
    _ light: String, dark: String, safe: (light: String, dark: String), mono: String = ""
  ) -> TextStyle {
    guard usesColor else { return .plain }
    return switch palette {
    case .standard: TextStyle(isLight ? light : dark)
    case .colorblind: TextStyle(isLight ? safe.light : safe.dark)
    case .mono: TextStyle(mono)
    }
  }
}

/// The prompt's own messages.
enum PromptWords {
  static let prompt = "frc> "
  static let continuationPrompt = "...> "

  static let banner = ["# frc \(FRC.version)  :help for help"]

  /// Returns the welcome for a first visit: the way to a first callback.
  ///
  /// - Parameter isEditing: Whether the prompt has keys of its own.
  static func welcome(isEditing: Bool) -> [String] {
    let lines = Help.firstSteps
    return [
      "# frc \(FRC.version), a playground for fetched results controllers. Try, line by line:"
    ]
      + lines.map { "#   " + $0 }
      + ["# :help explains more, \(isEditing ? "Tab completes, " : ""):quit leaves."]
  }

  static func step(_ number: Int) -> String {
    "# step \(number): any key for the next callback, q for the rest"
  }

  static func played(_ statement: Int, of count: Int) -> String {
    "# statement \(statement) of \(count): any key for the next, q for all the rest"
  }

  static func nothing(to verb: String) -> String {
    "nothing to \(verb) yet: no statement has run"
  }

  /// Why a word after `:record` is not the name of a file; nil if it is one.
  static func noFileToRecord(_ word: String) -> String? {
    let file = "; ':record ./\(word)' writes a file called '\(word)'"
    return switch word.lowercased() {
    case "on", "off": ":record writes the session so far, and is never on or off" + file
    case "try": ":record needs a file before 'try'" + file
    default: nil
    }
  }

  static let predictionPrompt = "guess> "
  static let predictionWay =
    "# what will be sent? a callback on each line, then an empty line; 'nothing' if nothing; Enter skips"

  static func interrupted(undoing tally: SessionTally) -> String {
    let words = "# interrupted; the session is as before"
    let undone = counts(tally)
    return undone.isEmpty ? words : "\(words), without \(undone)"
  }

  /// While changes are undone: how many, or how far their statement was.
  static func undoing(_ tally: SessionTally, of running: SessionTimeline.Running) -> String {
    var undone = counts(tally)
    if undone.isEmpty {
      undone = "'\(running.word)'"
      if let total = running.progress.total {
        undone += " at \(running.progress.done.grouped) of \(total.grouped)"
      }
    }
    return "\(rowStart)interrupted; undoing \(undone) …"
  }

  private static func counts(_ tally: SessionTally) -> String {
    let counts = [
      (tally.inserted, "insertion"), (tally.updated, "update"), (tally.deleted, "deletion"),
    ]
    return counts.filter { $0.0 > 0 }.map { count, what in
      "\(count.grouped) \(what)\(count == 1 ? "" : "s")"
    }.joined(separator: ", ")
  }
  static let interruptedInFile =
    "# interrupted; what it did before stays, since the objects are in a file"
  static let notRestored = "# what it did before could not be undone"
  static let cutOff = "# the rest is not shown"

  static let rowStart = "\r\u{1B}[K"

  /// After Ctrl-C, until the statement has stopped.
  ///
  /// - Parameters:
  ///   - isFinishing: Whether its turn can no longer be undone, so that it ends first.
  ///   - seconds: How long that takes already.
  static func stopping(isFinishing: Bool, for seconds: Int) -> String {
    let words =
      isFinishing ? "stopping after this turn, which can no longer be undone …" : "stopping …"
    return "\(rowStart)\(words)\(seconds > 0 ? " \(seconds) s" : "")"
  }

  static let stoppingInWords = "# stopping"

  /// After the second Ctrl-C.
  static let ended = "# ended by a second Ctrl-C; what was not saved is lost"

  static let nothingMore = "nothing more to show: the last statement's output is shown whole"
  static let allShown = "# that is all"
  static let showsAll = "# all output is shown whole"
  static let showsScreenful = "# of long output, the first and last rows are shown"
  static let noColor =
    "# no colours here: NO_COLOR, --color never, --plain or the terminal rules them out"
  static let shellUsage = "write a command of the shell after '!', as in '!ls'"
  static let nothingToRerun = "nothing to run again yet"

  static func moreLeft(_ count: Int) -> String { "# \(count.grouped) left: :more, :page or :all" }

  static func lost(_ count: Int) -> String {
    "# the last \(count.grouped) lines were not kept; run the statement after :all on"
  }

  static func noEntry(_ text: String, last: Int) -> String {
    "no entries '\(text)' in the history; :history lists them"
      + (last > 0 ? ", from 1 to \(last)" : "")
  }

  static func pagerFailed(_ pager: String) -> String {
    "'\(pager)' exited with an error; $PAGER names the pager of :page"
  }

  static let noEditor =
    "Only the system edits lines here, because the output is not a terminal that TERM names."

  static let noEditorForPlain = "Only the system edits lines here, because of --plain."

  static var unknownTerminal: String {
    "# TERM=\(TerminalSettings.kind) is unknown on this system; it is treated as an xterm"
  }

  static let tryHint = "# :try runs the example"

  static func duration(_ duration: Duration) -> String {
    let seconds =
      Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    return seconds < 1
      ? "# \((seconds * 10_000).rounded() / 10) ms" : "# \((seconds * 100).rounded() / 100) s"
  }

  static func unknownTopic(_ topic: String, nearest: String?) -> String {
    "no help on '\(topic)'; "
      + (nearest.map { "did you mean ':help \($0)'?" } ?? ":help lists the topics")
  }

  static func unknownName(_ name: String, nearest: String?) -> String {
    let problem = "nothing has the name '\(name)', and no statement begins with it; "
    if let nearest { return problem + "did you mean '\(nearest)'?" }
    return problem + "define it first, for example with 'let \(name) = 1'"
  }

  static func unknownCommand(_ command: String, nearest: String?) -> String {
    "unknown command ':\(command)'; "
      + (nearest.map { "did you mean ':\($0)'?" } ?? ":help lists what there is")
  }

  static func helpHint(_ topic: String?) -> String {
    topic.map { "# :help \($0) explains it" } ?? "# :help lists the topics, :quit leaves"
  }

  /// Returns the hint for someone who does not know what to type.
  ///
  /// - Parameter isEditing: Whether the prompt has keys of its own.
  static func unknownWordHint(isEditing: Bool) -> String {
    "# :help start shows a first session" + (isEditing ? "; Tab lists what can be typed" : "")
  }

  static func commandHint(_ command: PromptCommand) -> String {
    // The text after a semicolon is shown only by `:help :NAME`.
    "# \(command.usage) \(command.summary.prefix { $0 != ";" })"
  }

  static let quitHint = "# :quit leaves, and so does Ctrl-D"
}
