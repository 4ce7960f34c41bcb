import FetchedResults
import Foundation
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
    ([title, "## Values", values, "## Commands", commands, time, "## Output", output, "## Keys"]
      + keys + [end]).joined(separator: "\n\n")
      + "\n"
  }

  private static let title = """
    # The prompt

    `frc` in a terminal starts the prompt. An entry is one statement or several. Enter runs the entry
    when it is complete.

    - Colours show what each word means now. Unknown names are underlined.
    - A bracket is bold until it is closed.
    - The light text after the cursor is a hint. The right arrow accepts it.

    A test writes this page from the tables that the prompt uses. To write the page again, run
    `FRC_RECORD=1 swift test --filter PromptPageTests`.
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
    Each statement is a point in time, and you can go back to it. frc then runs the statements before
    that point again, silently. Each of them finds the clock and the files as they were at its first
    run, so that everything comes back. The time does not change while a statement runs.

    `:undo` skips statements that only look, such as `show books` or `fetch Book`.

    Where the statements took long, frc keeps checkpoints. Up to three other sessions follow the first
    one in the background, so that `:undo` need not wait. The session that `:undo` leaves is kept for
    `:redo`. Each checkpoint takes as much memory as the session.

    After `:undo`, a statement that only looks keeps what was undone for `:redo`. Any other statement
    drops it. You cannot go back on a store in a file, because what was saved there stays.

    `:record` writes the statements that you did not undo, each with its output below it. Then it runs
    the script once as `frc test` does, and reports where the script prints something else. It leaves
    out statements that failed, unless a later statement needs them.

    ## Around the line

    `:pane books` shows the sections of a controller at the right of the line. The pane is drawn again
    after each *turn* (one pass of the run loop). A sign before a row tells what the turn did to it.

    | Sign | Meaning |
    | --- | --- |
    | `+` | inserted |
    | `-` | deleted |
    | `>` | moved |
    | `*` | updated |
    | `!` | the controller or a table does not show what the objects are |

    In a window below 100 columns, the pane is one line with the number of each sign. The pane reads
    no object that the session has not read, so it changes nothing. Nothing of it stays on the screen
    when the statement runs.

    When you stop typing, frc tries the statement in a copy of the session. A light line says which
    callbacks the statement would send. frc gives up after 20 ms. It never tries a statement that
    reads a file, or that runs a hook or a callback that prints. `:would STATEMENT` lists everything.

    Ctrl-O opens the timeline. Left and Right choose a point, and the pane shows how the sections
    differ from now. Enter goes there. Alt-E shows the rule of each callback of the last turn. After an
    error with a known correction, Alt-C puts the corrected statement on the line.
    """

  private static let values = """
    A value alone is a statement at the prompt: frc prints it. In a script, `print` is needed.

    | You type | frc prints |
    | --- | --- |
    | `1 + 1`, `dune.title` | the value |
    | `Book/1` | the object, and its values as a comment |
    | `books` | the sections, if `books` is a controller; a table, if it is one |
    | `Book` | the objects, as `fetch Book` does |
    | `fetch Book where pages > 400` | the objects |
    | `books?` | what `books` is, how it is defined, and where; after a word of the language, its help |
    | `!ls` | what the shell prints |

    `_` is the last value, and `_1`, `_2` and so on are all of them. A fetch keeps its objects. In the
    script that `:record` writes, a value alone becomes `print`, and values that later statements use
    become variables. An entry that begins with `!` is for the shell, so write `NOT x` for `!x`.

    Paste a crash text or a console log at the prompt. frc says what happened, which lesson teaches it,
    and shows a script that does it again. `:try` runs that script.
    """

  private static let output = """
    If the output of a statement does not fit in the window, frc shows its first and last rows. `:more`
    shows the next rows, `:page` opens a pager, and `:all` shows everything. Rows that are too long are
    cut to the window then. In `:mode table`, wide columns are cut. Where that does not suffice, each
    row is a record, with a line for each column. Output that goes to a file or a pipe is always whole.

    | Mode | Rows and sections | Other output |
    | --- | --- | --- |
    | `text` | as scripts print them | as scripts print it |
    | `table` | an aligned table | as text |
    | `csv` | CSV with a line of names; nil is empty | as text; on standard error if rows go to a file or pipe |
    | `markdown` | a table of Markdown | as text, indented by four spaces |
    | `json` | one JSON object for each event | the same; Core Data's console goes to standard error |

    `frc run --format csv FILE` prints in the same formats. Rows are what `fetch` prints, and `objects`.
    `:mode json` is never cut.

    A statement that takes longer than a second shows how far it is. Ctrl-C is answered at once, and
    then the statement is undone. frc keeps at most 16 MB of what statements printed, for `:record`.
    It runs statements again if their output was not kept.
    """

  private static var keys: [String] {
    EditorKey.Group.allCases.map { group in
      "### \(group.rawValue)\n\n"
        + table(
          ["Key", "Does"],
          EditorKey.all.filter { $0.group == group }.map { ["`\($0.keys)`", $0.help] })
    }
  }

  private static let end = """
    You can bind other keys in `~/.editrc`. For example, the line `frc:bind -v` binds the keys of vi.
    The line `frc:edit off` turns editing off.
    While vi's commands are typed, `[N]` is shown before the prompt. There, `k` and `j` move between the
    lines of the entry, and then through the history. `u` undoes a change, and `v` opens the editor.

    ## Configuration

    At its start, the prompt runs `$XDG_CONFIG_HOME/frc/config.frc`, by default
    `~/.config/frc/config.frc`. The file has statements, and commands such as `:mode table`. They belong
    to the session, so `:record` writes the statements too. Scripts never read this file, and
    `frc --no-config` ignores it.

    `:theme` chooses the colours. `auto` fits the terminal's background: frc asks the terminal once (OSC
    11) and waits for at most 200 ms. `colorblind` uses blue and orange instead of green and red. `mono`
    uses bold, dim and underlined text only.

    `frc --plain` is for screen readers. It moves no cursor, draws nothing again and uses no colours.
    Signs become words: `Book/1 "Dune", inserted`. Errors name the column. The system edits the line.

    ## Environment

    | Variable, option | Meaning |
    | --- | --- |
    | `FRC_HISTORY` | the file of the history, or empty for none; by default `$XDG_STATE_HOME/frc/history` or `~/.local/state/frc/history` |
    | `FRC_THEME` | a theme of `:theme`; by default, `COLORFGBG` or the terminal decides between `light` and `dark`, and without an answer it is `dark` |
    | `NO_COLOR`, `--color never` | no colours; `--color always` uses them in any case |
    | `PAGER` | the pager of `:page`; by default `less -RS` |
    | `VISUAL`, `EDITOR` | the editor of `:edit` and of Ctrl-X Ctrl-E |
    | `TERM` | if it is `dumb`, only the system edits lines; a terminal that the system does not know is treated as an xterm |

    The history leaves out an entry that begins with a blank, and keeps each entry once, where it was
    typed last. Sessions that run at the same time share the file: an entry of one is in the history of
    the others at their next prompt, at Up, and at Ctrl-R.
    """

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    let lines = [head, head.map { _ in "---" }] + rows
    return lines.map { line in
      "| " + line.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }
}
