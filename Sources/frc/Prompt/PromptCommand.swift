import ScriptRuntime
import ScriptSyntax

/// An entry that is for the prompt itself, not for the session.
enum PromptCommand: Equatable {
  case help(topic: String?)
  case quit
  case unknown(String, nearest: String?)
  /// `help`, as other programs have it.
  case helpHint(topic: String?)
  /// `exit`, as other programs have it.
  case quitHint

  /// The commands, each behind a colon.
  static let names = ["help", "quit"]

  /// Reads an entry; nil where it is for the session.
  init?(_ entry: String) {
    let words = entry.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let first = words.first, !entry.contains(where: \.isNewline) else { return nil }
    let rest = words.dropFirst().joined(separator: " ")
    let topic = rest.isEmpty ? nil : rest
    if first.hasPrefix(":") {
      self = Self.command(String(first.dropFirst()), topic)
      return
    }
    switch first.lowercased() {
    case "help", "?", "help()", ".help": self = .helpHint(topic: topic)
    case "exit", "quit", "q", "exit()", "quit()", ".exit", ".quit", "\\q", "logout", "bye":
      guard topic == nil else { return nil }
      self = .quitHint
    default: return nil
    }
  }

  private static func command(_ word: String, _ topic: String?) -> PromptCommand {
    switch word.lowercased() {
    case "", "?", "h", "help": return .help(topic: topic)
    case "q", "quit", "exit": return .quit
    case let name:
      // A topic is most likely what was meant by its name.
      if case .topic(let found) = Help.answer(to: name) {
        return .unknown(word, nearest: "help \(found.name)")
      }
      return .unknown(word, nearest: nearestName(to: name, among: names))
    }
  }
}
