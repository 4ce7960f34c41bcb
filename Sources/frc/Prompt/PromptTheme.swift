import LineEditor
import PromptTools
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
