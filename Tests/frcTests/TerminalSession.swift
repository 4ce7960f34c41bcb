import Foundation
import PseudoTerminal

/// The program at its own terminal, with its own home folder.
final class TerminalSession {
  let home: TemporaryHome
  let terminal: PseudoTerminal
  /// Whether the program edits the line, and not the system.
  private let isEditing: Bool

  /// Starts the program, waits for its first prompt, and enters statements.
  ///
  /// Its home has been used before, unless a first start is requested.
  init(
    arguments: [String] = [], home: TemporaryHome? = nil, environment: [String: String?] = [:],
    isFirstStart: Bool = false, columns: Int = 80, rows: Int = 40, isEditing: Bool = true,
    entering statements: [String] = []
  ) throws {
    self.home = try home ?? TemporaryHome()
    if !isFirstStart { try self.home.makeHistory() }
    self.isEditing = isEditing && environment["TERM"] != "dumb"
    terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("frc"), arguments: arguments,
      environment: ["HOME": self.home.path].merging(environment) { $1 },
      columns: columns, rows: rows)
    try waitForPrompt()
    try enterEach(statements)
  }

  func waitForPrompt(_ prompt: String = "frc> ") throws {
    guard !isEditing else { return try terminal.wait(forPrompt: prompt) }
    try terminal.wait(for: "the plain prompt '\(prompt)'") {
      $0.screen.cursorRow + " " == prompt && $0.screen.cursor.column == prompt.count
    }
  }

  /// Types keys, and waits for a prompt.
  func type(_ keys: String, untilPrompt prompt: String) throws {
    try terminal.type(keys)
    try waitForPrompt(prompt)
  }

  /// Types the lines of a statement and waits for the prompt.
  ///
  /// If `ends` is false, these are its first lines.
  func enter(_ lines: String..., ends: Bool = true) throws {
    for (index, line) in lines.enumerated() {
      try terminal.type(line + Key.enter)
      if !isEditing { try terminal.wait(forText: line) }
      try waitForPrompt(ends && index == lines.count - 1 ? "frc> " : "...> ")
    }
  }

  /// Types statements, each at its own prompt.
  func enterEach(_ statements: [String]) throws {
    for statement in statements { try enter(statement) }
  }

  /// Waits for the line about the callbacks that a statement on the prompt would send.
  ///
  /// frc tries a statement for 20 ms, which is too short on a busy machine. A change of the text is
  /// a new try.
  func waitForTrial(until condition: (PseudoTerminal) -> Bool) throws {
    for _ in 0..<30 {
      if (try? terminal.wait(for: "a try", seconds: 1, until: condition)) != nil { return }
      try terminal.typeAndWaitUntilRead(" ")
      try terminal.typeAndWaitUntilRead(Key.backspace)
    }
    try terminal.wait(for: "the line about callbacks", until: condition)
  }

  /// Returns the rows below the first one that contains `text`, up to the prompt.
  func rows(below text: String) -> [String] {
    let rows = terminal.screen.text.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    guard let index = rows.lastIndex(where: { $0.contains(text) }) else { return [] }
    return Array(rows[(index + 1)...].drop { $0.isEmpty }.prefix { $0 != "frc>" })
  }

  /// Types a statement, and returns the program's answer, row by row.
  func answer(to statement: String) throws -> [String] {
    try terminal.type(Key.control("L"))
    // A correction may be offered below the line.
    try terminal.wait(for: "a clear screen") {
      $0.isRaw && $0.screen.rows.filter { !$0.hasPrefix("# Alt-C writes") } == ["frc>"]
    }
    try enter(statement)
    return Array(terminal.screen.rows.prefix(terminal.screen.cursor.row).dropFirst())
  }
}

/// A folder that a program uses as the user's home.
///
/// It is removed at the end.
final class TemporaryHome {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-tests-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var historyPath: String { path + "/.local/state/frc/history" }

  /// Writes a history, as if someone had used the home before.
  func makeHistory() throws {
    guard !FileManager.default.fileExists(atPath: historyPath) else { return }
    let folder = URL(fileURLWithPath: historyPath).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try write("", to: ".local/state/frc/history")
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  func write(_ text: String, to file: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + file))
  }

  func read(_ file: String) -> String? {
    FileManager.default.contents(atPath: path + "/" + file)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
