import Foundation
import Platform

/// Keeps a continuous integration system from running commands in quoted text.
///
/// GitHub Actions and other systems read commands in a job's output: lines that begin with `::`,
/// and `##[` anywhere in a line. Scripts must not be able to print them.
struct WorkflowCommands {
  /// Whether such a system reads the output.
  var isRead: Bool

  /// The setting for the present environment.
  static var ofEnvironment: WorkflowCommands {
    let systems = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"]
    return WorkflowCommands(
      isRead: systems.contains { !ProcessEnvironment[$0, default: ""].isEmpty })
  }

  /// Texts that begin a command within a line.
  private static let starts = ["##[", "##vso[", "##teamcity["]

  /// Returns a text without commands within lines.
  ///
  /// The second `#` of each becomes `\u0023`, which JSON reads as `#`.
  func withoutInnerCommands(_ text: String) -> String {
    guard isRead, text.utf8.contains(UInt8(ascii: "#")) else { return text }
    return Self.starts.reduce(text) { text, start in
      guard text.contains(start) else { return text }
      return text.replacing(start, with: "#\\u0023" + start.dropFirst(2))
    }
  }

  /// Returns lines without any commands, for output where no command can come before them.
  func withoutCommands(_ text: String) -> String {
    guard isRead else { return text }
    return withoutInnerCommands(text).split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self.isCommand($0) ? $0.replacing("::", with: "\\u003A:", maxReplacements: 1) : $0 }
      .joined(separator: "\n")
  }

  /// Returns the lines.
  ///
  /// If one could be a command, they are enclosed in two commands that turn command processing off
  /// and on.
  ///
  /// The word that turns it on again cannot be guessed.
  func quoted(_ text: String) -> String {
    guard isRead, text.utf8.contains(UInt8(ascii: ":")),
      text.split(separator: "\n").contains(where: Self.isCommand)
    else { return text }
    var generator = SystemRandomNumberGenerator()
    let word = (0..<2).map { _ in String(generator.next(), radix: 16) }.joined()
    let end = text.hasSuffix("\n") ? "" : "\n"
    return "::stop-commands::\(word)\n\(text)\(end)::\(word)::\n"
  }

  private static func isCommand(_ line: Substring) -> Bool {
    line.drop { !$0.isLetter && !$0.isNumber && !$0.isPunctuation && !$0.isSymbol }.hasPrefix("::")
  }
}
