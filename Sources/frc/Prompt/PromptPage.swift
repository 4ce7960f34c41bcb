import LineEditor

/// The page of the documentation on the prompt, `PROMPT.md`: every command and
/// every key, from the tables that the prompt itself goes by.
enum PromptPage {
  static var text: String {
    ([title, "## Commands", commands, time, "## Keys"] + keys + [end]).joined(separator: "\n\n")
      + "\n"
  }

  private static let title = """
    # The prompt

    `frc` at a terminal. An entry is one statement or several; Enter runs it when it is complete. What is typed is coloured by what \
    it means now, names that nothing bears are underlined, and a bracket is bold until it is closed. What stands lightly behind the text \
    is a hint: the right arrow takes it.

    This page is written by a test from the tables that the prompt goes by; `FRC_RECORD=1 swift test --filter PromptPageTests` writes \
    it anew.
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
    Each statement is a point in time. To go back, the statements before the point run again, silently, with the clock and the files as \
    each of them had them, so that everything comes back; it takes as long as they took. The time is the same all through a statement. A \
    statement that only looks leaves what was undone to be done again; any other drops it. On a store in a file there is no way back, \
    since what was saved there stays.

    `:record` writes the statements that are in force, each with its output under it, runs the script once as `frc test` does, and says where \
    that prints something else. Of statements that failed it leaves those out that nothing later needs.
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
    Keys may be bound otherwise in `~/.editrc`, by lines such as `frc:bind -v` for vi's keys.

    ## Surroundings

    | Variable, option | Means |
    | --- | --- |
    | `FRC_HISTORY` | the file of the history; empty for none. Else `$XDG_STATE_HOME/frc/history` or `~/.local/state/frc/history` |
    | `FRC_THEME` | `light` or `dark`; else `COLORFGBG` tells, and dark is taken where it does not |
    | `NO_COLOR`, `--color never` | no colours |
    | `VISUAL`, `EDITOR` | the editor of `:edit` |
    | `TERM` | where it is `dumb`, lines are edited by the system alone; one that the system does not know is taken for an xterm |

    An entry that begins with a blank is not kept in the history, nor one that repeats the entry before it. Sessions that run at the same \
    time share the file.
    """

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    let lines = [head, head.map { _ in "---" }] + rows
    return lines.map { line in
      "| " + line.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }
}
