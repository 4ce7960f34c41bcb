import Foundation
import Platform

/// Keeps a system for continuous integration from obeying what is quoted.
///
/// GitHub Actions and others read commands in what a job prints: lines that begin with `::`, and
/// `##[` anywhere. Neither may come from a script.
struct WorkflowCommands {
  /// Whether such a system reads what is printed.
  var isRead: Bool

  /// Asks the environment.
  static var ofEnvironment: WorkflowCommands {
    let systems = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"]
    return WorkflowCommands(
      isRead: systems.contains { !ProcessEnvironment[$0, default: ""].isEmpty })
  }

  /// What begins a command within a line.
  private static let starts = ["##[", "##vso[", "##teamcity["]

  /// Returns a text without commands within lines: the second `#` of each as `\u0023`, which
  /// JSON reads as `#`.
  func withoutInnerCommands(_ text: String) -> String {
    guard isRead, text.utf8.contains(UInt8(ascii: "#")) else { return text }
    return Self.starts.reduce(text) { text, start in
      guard text.contains(start) else { return text }
      return text.replacing(start, with: "#\\u0023" + start.dropFirst(2))
    }
  }

  /// Returns lines that are not commands either, if nothing can be said before them.
  func withoutCommands(_ text: String) -> String {
    guard isRead else { return text }
    return withoutInnerCommands(text).split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self.isCommand($0) ? $0.replacing("::", with: "\\u003A:", maxReplacements: 1) : $0 }
      .joined(separator: "\n")
  }

  /// Returns lines between two commands by which whoever reads them ignores commands, if one of
  /// them could be a command.
  ///
  /// Nobody can guess the word that ends it.
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
