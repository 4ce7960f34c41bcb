import Foundation
import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// The file of statements and commands that every prompt runs first.
struct PromptConfiguration {
  /// An entry of the file, with the number of lines before it.
  struct Entry: Equatable {
    let text: String
    let lineCount: Int
  }

  /// Returns the path of the file; nil if the user has no home.
  ///
  /// - Parameter variable: Returns the value of an environment variable.
  static func path(_ variable: (String) -> String?) -> String? {
    let name = "/frc/config.frc"
    // The XDG specification says that a relative path must be ignored.
    if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + name }
    guard let home = variable("HOME"), !home.isEmpty else { return nil }
    return home + "/.config" + name
  }

  let entries: [Entry]

  /// Divides the text of the file into entries: a command is one line, and a statement ends where
  /// Enter would run it.
  init(_ text: String) {
    var entries: [Entry] = []
    var open: [String] = []
    // "\r\n" is one character, at which no split by "\n" divides a text.
    let lines = text.replacing("\r\n", with: "\n").linesOfText
    for (index, line) in lines.enumerated() {
      if open.isEmpty {
        let start = line.drop { $0.isWhitespace }
        if start.isEmpty || start.first == "#" { continue }
        if PromptEntry(line) != nil {
          entries.append(Entry(text: line, lineCount: index))
          continue
        }
      }
      open.append(line)
      let entry = open.joined(separator: "\n")
      guard ScriptParser.completeness(of: entry) == .complete else { continue }
      entries.append(Entry(text: entry, lineCount: index + 1 - open.count))
      open = []
    }
    if !open.isEmpty {
      entries.append(
        Entry(text: open.joined(separator: "\n"), lineCount: lines.count - open.count))
    }
    self.entries = entries
  }
}

extension PromptSession {
  /// Runs the user's configuration, if there is one.
  ///
  /// An entry that fails is reported, and the entries after it still run. The output of the entries
  /// is shown, but not the prompt's own comments about them.
  func configure() {
    guard settings.readsConfiguration,
      let path = PromptConfiguration.path({ ProcessEnvironment[$0] }),
      FileStatus.exists(path)
    else { return }
    let source: SourceText
    do {
      source = try environment.load(path)
    } catch {
      return console.answer(["frc: warning: cannot read '\(path)': \(error.reason)"])
    }
    console.isQuiet = true
    defer { console.isQuiet = false }
    for entry in PromptConfiguration(source.text(in: 0..<source.bytes.count)).entries {
      if let command = command(entry.text) {
        console.place = "\(path):\(entry.lineCount + 1)"
        _ = take(command)
        console.place = nil
      } else {
        // The empty lines make messages count lines from the start of the file.
        run(String(repeating: "\n", count: entry.lineCount) + entry.text, named: path)
      }
    }
  }
}

/// The place where typed entries are kept between sessions.
struct HistoryPlace: Equatable {
  let path: String

  /// The place from `$FRC_HISTORY`, or else a file in the user's state folder.
  ///
  /// Nil if the variable is empty, so that the history ends with the session, or if the user has no
  /// home.
  static var standard: HistoryPlace? {
    standard { ProcessEnvironment[$0] }
  }

  /// - Parameter variable: Returns the value of an environment variable.
  static func standard(_ variable: (String) -> String?) -> HistoryPlace? {
    if let path = variable("FRC_HISTORY") {
      return path.isEmpty ? nil : HistoryPlace(path: path)
    }
    return StateFolder.path(variable).map { HistoryPlace(path: $0 + "/history") }
  }

  var exists: Bool { FileStatus.exists(path) }

  /// Opens the history, and creates its folder if necessary.
  ///
  /// If this fails, the history's `failure` has the reason and the session continues.
  func open() -> LineHistory {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try? NewFolder.makeWithParents(folder.path, permissions: 0o700)
    return LineHistory(path: path)
  }
}
