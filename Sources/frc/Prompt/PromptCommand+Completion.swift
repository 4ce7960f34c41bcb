import LineEditor
import ScriptRuntime

extension PromptCommand {
  /// Returns what Tab offers in a command; nil where the text is none.
  static func completion(in text: String, at offset: Int) -> Completion? {
    let before = String(decoding: Array(text.utf8.prefix(offset)), as: UTF8.self)
    guard before.hasPrefix(":") else { return nil }
    let words = before.dropFirst().split(separator: " ", omittingEmptySubsequences: false)
    let typed = String(words.last ?? "")
    let choices: [String] =
      switch (words.count, words.first) {
      case (1, _): names.map { $0 == "help" ? $0 + " " : $0 }
      case (2, "help"): Help.topics.map(\.name).sorted()
      default: []
      }
    return Completion(
      replacementStart: before.utf8.count - typed.utf8.count,
      candidates: choices.filter { $0.hasPrefix(typed.lowercased()) })
  }
}
