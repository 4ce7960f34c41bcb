import LineEditor

/// The page of the documentation on the prompt, `PROMPT.md`: every command and
/// every key, from the tables that the prompt itself uses.
enum PromptPage {
  static var text: String {
    ([title, "## Commands", commands, time, "## Keys"] + keys + [end]).joined(separator: "\n\n")
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
    run, so that everything comes back. Going back takes as long as these statements took. The time does
    not change while a statement runs.

    After `:undo`, a statement that only looks keeps what was undone for `:redo`. Any other statement
    drops it. You cannot go back on a store in a file, because what was saved there stays.

    `:record` writes the statements that you did not undo, each with its output below it. Then it runs
    the script once as `frc test` does, and reports where the script prints something else. It leaves
    out statements that failed, unless a later statement needs them.
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

    ## Environment

    | Variable, option | Meaning |
    | --- | --- |
    | `FRC_HISTORY` | the file of the history, or empty for none; by default `$XDG_STATE_HOME/frc/history` or `~/.local/state/frc/history` |
    | `FRC_THEME` | `light` or `dark`; by default, `COLORFGBG` decides, and without it `dark` is used |
    | `NO_COLOR`, `--color never` | no colours |
    | `VISUAL`, `EDITOR` | the editor of `:edit` |
    | `TERM` | if it is `dumb`, only the system edits lines; a terminal that the system does not know is treated as an xterm |

    The history leaves out an entry that begins with a blank, and an entry that repeats the one before
    it. Sessions that run at the same time share the file.
    """

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    let lines = [head, head.map { _ in "---" }] + rows
    return lines.map { line in
      "| " + line.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }
}
