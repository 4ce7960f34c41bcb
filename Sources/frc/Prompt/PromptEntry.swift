import Basics
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// An entry for the prompt itself, not for the session.
enum PromptEntry: Equatable {
  case command(PromptCommand, argument: String?)
  case unknown(String, nearest: String?)
  /// `help` without a colon, as in other programs.
  case helpHint(topic: String?)
  /// `exit` without a colon, as in other programs.
  case quitHint
  /// `books?`: asks what a name or a word means, and where it is defined.
  case question(String)
  /// `!ls`: runs a shell command.
  case shell(String)

  /// Parses an entry; nil if it is for the session.
  init?(_ entry: String) {
    let words = entry.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let first = words.first, !entry.contains(where: \.isNewline) else { return nil }
    let whole = entry.drop { $0.isWhitespace }
    if whole.first == "!" {
      self = .shell(String(whole.dropFirst()))
      return
    }
    if words.count == 1, first.count > 1, first.last == "?", Self.isAskable(first.dropLast()) {
      self = .question(String(first.dropLast()))
      return
    }
    let rest = words.dropFirst().joined(separator: " ")
    let argument = rest.isEmpty ? nil : rest
    if first.hasPrefix(":") {
      // A statement is not changed, because blanks count in its strings.
      let typed = entry.drop { $0.isWhitespace }.dropFirst(first.count).drop { $0.isWhitespace }
      let isStatement = PromptCommand.named(first.dropFirst().lowercased()) == .would
      self = Self.command(
        String(first.dropFirst()), isStatement && !typed.isEmpty ? String(typed) : argument)
      return
    }
    switch first.lowercased() {
    case "help", "?", "help()", ".help":
      self = .helpHint(topic: argument.flatMap(Self.topic))
    case "exit", "quit", "q", "exit()", "quit()", ".exit", ".quit", "\\q", "logout", "bye":
      guard argument == nil else { return nil }
      self = .quitHint
    default: return nil
    }
  }

  /// Whether a text is a name, a key path, a variable, a command or an object such as `Book/1`,
  /// about which one may ask.
  private static func isAskable(_ text: Substring) -> Bool {
    guard let first = text.first, first.isLetter || "_$:".contains(first) else { return false }
    // `:?` is a command.
    guard text != ":" else { return false }
    let isObject = ObjectReference(text) != nil
    return isObject
      || text.dropFirst().allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
  }

  /// Returns the topic that a word names; nil if there is none.
  private static func topic(_ word: String) -> String? {
    if case .topic = Help.answer(to: word) { word } else { nil }
  }

  private static func command(_ word: String, _ argument: String?) -> PromptEntry {
    let name = word.lowercased()
    if let command = PromptCommand.named(name) { return .command(command, argument: argument) }
    let names = PromptCommand.allCases.map(\.rawValue)
    // A topic's name most probably means the topic.
    if case .topic(let found) = Help.answer(to: name) {
      return .unknown(word, nearest: "help \(found.name)")
    }
    return .unknown(word, nearest: nearestName(to: name, among: names))
  }
}
