import LineEditor
import ScriptSyntax

/// The colours of the prompt, for a dark or a light terminal.
struct PromptTheme {
  let usesColor: Bool
  let isLight: Bool

  /// `$FRC_THEME`, else what terminals that tell their background say.
  static func isLight(_ environment: (String) -> String?) -> Bool {
    switch environment("FRC_THEME") {
    case "light": return true
    case "dark": return false
    default: break
    }
    // The colours of text and background by number, `0;15`.
    guard let last = environment("COLORFGBG")?.split(separator: ";").last else { return false }
    return last == "7" || last == "15"
  }

  /// Returns how a part of the input looks.
  func style(of role: TextPart.Role) -> TextStyle {
    guard usesColor else { return .plain }
    return switch role {
    case .word: style("1;34", dark: "1;94")
    case .entity, .object: style("36", dark: "96")
    case .variable: style("35", dark: "93")
    case .number, .date: style("35", dark: "95")
    case .string: style("32", dark: "92")
    case .comment: style("2", dark: "90")
    case .openBracket: style("1;35", dark: "1;93")
    case .strayBracket: style("1;31", dark: "1;91")
    case .unknown: mistaken
    case .name, .sign, .bracket: .plain
    }
  }

  /// A name that nothing bears.
  var mistaken: TextStyle { usesColor ? style("4;31", dark: "4;91") : .plain }

  /// The brackets that belong to the cursor.
  var pair: TextStyle { usesColor ? TextStyle("1;4") : .plain }

  /// A command of the prompt.
  var command: TextStyle { usesColor ? style("1;35", dark: "1;95") : .plain }

  /// Hints and menus.
  var editor: EditorStyles {
    guard usesColor else { return EditorStyles() }
    return EditorStyles(
      hint: style("2", dark: "90"), candidate: .plain, chosen: TextStyle("7"),
      detail: style("2", dark: "90"))
  }

  private func style(_ light: String, dark: String) -> TextStyle {
    TextStyle(isLight ? light : dark)
  }
}
