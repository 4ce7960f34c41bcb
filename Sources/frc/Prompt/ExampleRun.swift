import FetchedResults
import LineEditor
import Platform
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// The entries and the session for a topic's example.
///
/// Examples continue the example of `start`.
struct ExampleRun {
  /// The entries to type, in order.
  let entries: [String]
  /// Whether it needs a session of its own.
  let isApart: Bool
  /// The reason for running it in this way, as a comment.
  let reason: String?

  init(_ topic: HelpTopic, in session: Session) {
    let start = topic.isApart ? [] : Help.firstSteps
    let script = ScriptParser.parse(
      SourceText(name: "", text: (start + topic.example).joined(separator: "\n")))
    let defined = script.statements.compactMap { statement -> String? in
      if case .entity(let entity) = statement.kind { entity.name.text } else { nil }
    }
    let isStart = topic.example == start
    let lines: [String]
    if session.entities.isEmpty {
      isApart = false
      lines = isStart ? start : start + topic.example
      reason = isStart || topic.isApart ? nil : "# it continues the example of :help start"
    } else if Self.followsStart(session), !isStart, !topic.isApart,
      !defined.dropFirst().contains(where: {
        session.coordinator.managedObjectModel.entitiesByName[$0] != nil
      })
    {
      isApart = false
      lines = topic.example
      reason = nil
    } else {
      isApart = true
      lines = isStart ? start : start + topic.example
      reason = "# in a session of its own, since this one has entities already"
    }
    entries = Self.entries(of: lines)
  }

  /// Provides a topic's files in a temporary folder while its example runs.
  ///
  /// - Parameter body: Called with the entries, in which files have complete paths, and with the
  ///   folder; nil if there are no files.
  func withFiles(of topic: HelpTopic, _ body: ([String], _ folder: String?) -> Void) {
    guard !topic.files.isEmpty else { return body(entries, nil) }
    // If the folder or a file cannot be made, the example itself shows that the file is missing.
    guard let folder = try? TemporaryFolder(prefix: "frc-example") else {
      return body(entries, nil)
    }
    defer { folder.remove() }
    var entries = entries
    for (name, content) in topic.files {
      do throws(SystemError) {
        let file = try folder.opened().open(name, .creating)
        try file.descriptor.write(content.utf8)
      } catch {
        continue
      }
      let place = folder.path(of: name)
      entries = entries.map { $0.replacing("\"\(name)\"", with: "\"\(place)\"") }
    }
    body(entries, folder.path)
  }

  /// Joins lines that Enter would not run by themselves.
  private static func entries(of lines: [String]) -> [String] {
    var entries: [String] = []
    var open: [String] = []
    for line in lines {
      open.append(line)
      let entry = open.joined(separator: "\n")
      guard ScriptParser.completeness(of: entry) == .complete else { continue }
      entries.append(entry)
      open = []
    }
    return entries + (open.isEmpty ? [] : [open.joined(separator: "\n")])
  }

  /// Whether a session contains what the example of `start` defines.
  private static func followsStart(_ session: Session) -> Bool {
    guard let book = session.coordinator.managedObjectModel.entitiesByName["Book"] else {
      return false
    }
    return ["title", "publisher", "pages"].allSatisfy { book.propertyIndex(named: $0) != nil }
      && session.controllers["books"] != nil
  }
}

/// The page `PROMPT.md` of the documentation.
///
/// It lists every command and every key, from the lists that the prompt itself uses.
enum PromptPage {
  static var text: String {
    [
      title, "## Values", values, "## Commands", commands, time, "## Output", output, "## Keys",
      keys,
      end,
    ].joined(separator: "\n\n") + "\n"
  }

  private static let title = """
    # The prompt

    `frc` in a terminal starts the prompt. An entry is one statement or several. Enter runs it when it
    is complete.

    - Colours show what each word means now. Unknown names are underlined.
    - The light text after the cursor is a hint. The right arrow accepts it.
    """

  private static var commands: String {
    table(
      ["Command", "Does"],
      PromptCommand.allCases.map { command in
        let aliases = command.aliases.filter { !$0.isEmpty }.map { "`:\($0)`" }
        let also = aliases.isEmpty ? "" : " (also \(aliases.joined(separator: ", ")))"
        return ["`\(command.usage)`" + also, command.summary]
      })
  }

  private static let time = """
    Each statement is a point in time. To go back, frc runs the statements before that point again,
    silently, with the clock and the files as they were at the first run. Statements that change
    nothing, such as `show books`, keep what was undone for `:redo`. Others drop it. You cannot go back
    on a store in a file, because what was saved there stays.

    `:record` leaves out undone statements, and failed ones unless a later statement needs them. It runs
    the script once as `frc test` does, and reports where it fails.

    `:pane` draws the sections again after each *turn* (one pass of the run loop), with signs for what
    the turn did: `+` inserted, `-` deleted, `>` moved, `*` updated. `!` is a row that does not show
    what its object is. `show books` has these signs, too.

    When you stop typing, frc tries the statement in a copy of the session for at most 20 ms. A light
    line says which callbacks it would send. frc never tries a statement that reads a file, or that runs
    a hook or a callback that prints.
    """

  private static let values = """
    At the prompt, frc prints a value that is alone. In a script, write `print`.

    | You type | frc prints |
    | --- | --- |
    | `1 + 1`, `dune.title` | the value |
    | `Book/1` | the object, and its values as a comment |
    | `books` | the sections of a controller, or a table |
    | `Book` | the objects, as `fetch Book` does |
    | `books?` | what `books` is, how it is defined, and where; after a word of the language, its help |
    | `!ls` | what the shell prints; so write `NOT x` for `!x` |
    | a crash text or a console log | what happened, and a script that does it again; `:try` runs it |

    `_` is the last value, and `_1`, `_2` and so on are all of them. A fetch keeps its objects. In the
    script that `:record` writes, a value alone becomes `print`, and values that later statements use
    become variables.
    """

  private static let output = """
    Output that does not fit in the window is shortened, but never in a file or a pipe. `:mode`, and
    `frc run --format`, change the form of the rows of `fetch` and `objects`, and of sections:

    | Mode | Rows | Other output |
    | --- | --- | --- |
    | `text` | as scripts print them | as scripts print it |
    | `table` | an aligned table; a row that is too wide has a line for each column | as text |
    | `csv` | CSV with a line of names; nil is empty | as text; on standard error if rows go to a file or pipe |
    | `markdown` | a table of Markdown | as text, indented by four spaces |
    | `json` | one JSON object for each event, never cut | the same; Core Data's console goes to standard error |

    A statement that takes longer than half a second shows how far it is, and how long it still takes
    if that is known. Ctrl-C stops it, and says at once what is undone. If there are many changes, that
    takes some seconds. A second Ctrl-C within a second leaves the prompt. In a store in a file, too, a
    turn that was stopped leaves nothing; turns that ended before stay.
    """

  private static var keys: String {
    table(
      ["Key", "Does"],
      EditorKey.Group.allCases.flatMap { group in
        [["**\(group.rawValue)**", ""]]
          + EditorKey.all.filter { $0.group == group }.map { ["`\($0.keys)`", $0.help] }
      })
  }

  private static let end = """
    You can bind other keys in `~/.editrc`. The line `frc:bind -v` there binds the keys of vi, and
    `frc:edit off` turns editing off. While vi's commands are typed, `[N]` is shown before the prompt.

    ## Configuration

    The prompt first runs `$XDG_CONFIG_HOME/frc/config.frc`, by default `~/.config/frc/config.frc`. The
    file has statements, which `:record` writes too, and commands such as `:mode table`. Scripts never
    read it, and `frc --no-config` ignores it.

    `frc --plain` is for screen readers. It moves no cursor, draws nothing again and uses no colours.
    Signs become words: `Book/1 "Dune", inserted`. Errors name the column. The system edits the line.

    ## Environment

    | Variable, option | Meaning |
    | --- | --- |
    | `FRC_HISTORY` | the file of the history, or empty for none; by default `$XDG_STATE_HOME/frc/history` or `~/.local/state/frc/history` |
    | `FRC_THEME` | a theme of `:theme`; with `auto`, the default, `COLORFGBG` or the terminal decides between `light` and `dark`; `colorblind` has blue and orange for green and red |
    | `NO_COLOR`, `--color never` | no colours; `--color always` uses them in any case |
    | `PAGER` | the pager of `:page`; by default `less -RS` |
    | `VISUAL`, `EDITOR` | the editor of `:edit` and of Ctrl-X Ctrl-E |
    | `TERM` | if it is `dumb`, only the system edits lines; a terminal that the system does not know is treated as an xterm |

    The history leaves out an entry that begins with a blank, and keeps each entry once. Sessions that
    run at the same time share it.
    """

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    let lines = [head, head.map { _ in "---" }] + rows
    return lines.map { line in
      "| " + line.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }
}
