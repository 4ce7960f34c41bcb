import ScriptRuntime
import Testing

@testable import frc

/// How the configuration is found and parsed, and how a terminal's answer is read.
@Suite struct PromptConfigurationTests {
  @Test("the file is in the folder of configurations")
  func path() {
    #expect(
      PromptConfiguration.path { ["HOME": "/home/u"][$0] } == "/home/u/.config/frc/config.frc")
    #expect(
      PromptConfiguration.path { ["HOME": "/home/u", "XDG_CONFIG_HOME": "/c"][$0] }
        == "/c/frc/config.frc")
    #expect(
      PromptConfiguration.path { ["HOME": "/home/u", "XDG_CONFIG_HOME": "c"][$0] }
        == "/home/u/.config/frc/config.frc")
    #expect(PromptConfiguration.path { _ in nil } == nil)
  }

  @Test("commands are lines, statements end where Enter would run them")
  func entries() {
    let configuration = PromptConfiguration(
      """
      # Colours
      :theme colorblind

      entity Book {
        title: String
      }
      :mode table
      perform {
      """)

    #expect(
      configuration.entries == [
        .init(text: ":theme colorblind", lineCount: 1),
        .init(text: "entity Book {\n  title: String\n}", lineCount: 3),
        .init(text: ":mode table", lineCount: 6), .init(text: "perform {", lineCount: 7),
      ])

    let ofWindows = PromptConfiguration(
      "entity Book {\r\n  title: String\r\n}\r\n:mode table\r\n")
    #expect(
      ofWindows.entries == [
        .init(text: "entity Book {\n  title: String\n}", lineCount: 0),
        .init(text: ":mode table", lineCount: 3),
      ])
  }

  @Test(
    "the background is read from the terminal's answer, and what was typed meanwhile is kept",
    arguments: [
      ("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\u{1B}[?62;22c", true, ""),
      ("\u{1B}]11;rgb:00/2b/36\u{07}\u{1B}[?1c", false, ""),
      ("ab\u{1B}]11;rgb:fdfd/f6f6/e3e3\u{1B}\\c\u{1B}[A\u{1B}[?1;2cd", true, "abc\u{1B}[Ad"),
      ("\u{1B}[?6c", nil, ""), ("\u{1B}]11;rgb:ff", nil, "\u{1B}]11;rgb:ff"),
      ("\u{1B}]11;nonsense\u{07}", nil, ""), ("", nil, ""),
    ] as [(String, Bool?, String)])
  func background(_ bytes: String, _ isLight: Bool?, _ others: String) {
    let answer = TerminalAnswer(Array(bytes.utf8))

    #expect(answer.isLight == isLight)
    #expect(answer.others == Array(others.utf8))
  }

  @Test("FRC_THEME decides before COLORFGBG")
  func theme() {
    #expect(PromptTheme.isLight { ["FRC_THEME": "light", "COLORFGBG": "15;0"][$0] } == true)
    #expect(PromptTheme.isLight { ["FRC_THEME": "colorblind", "COLORFGBG": "0;15"][$0] } == true)
    #expect(PromptTheme.isLight { ["COLORFGBG": "15;0"][$0] } == false)
    #expect(PromptTheme.isLight { _ in nil } == nil)
    #expect(PromptTheme.chosen { ["FRC_THEME": "nonsense"][$0] } == .auto)
  }

  @Test("the theme for colour-blind people uses neither red nor green")
  func colorblind() {
    let theme = PromptTheme(usesColor: true, isLight: false).named(.colorblind, isLight: false)
    let painter = EventPainter(usesColor: true, isSeen: true, palette: theme.palette)
    let lines = painter.lines(
      for: .error(message: "wrong", file: "", line: nil, column: nil), in: .text)

    #expect(lines == ["\u{1B}[38;5;214merror: wrong\u{1B}[0m"])
  }
}
