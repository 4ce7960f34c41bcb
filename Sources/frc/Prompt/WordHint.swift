import PromptTools
import ScriptRuntime
import ScriptSyntax

/// A hint for an entry whose first word begins no statement.
///
/// The word may be a command without its colon, or a help topic.
enum WordHint: Equatable {
  case command(PromptCommand)
  case topic(String)

  /// Whether the first word of an entry begins no statement.
  static func isUnknownWord(_ script: ParsedScript) -> Bool {
    guard let problem = script.diagnostics.first(where: { $0.severity == .error }),
      problem.range.lowerBound == 0
    else { return false }
    let word = script.source.text(in: 0..<script.source.bytes.count).prefix { $0.isLetter }
    return !word.isEmpty && !ScriptParser.statementWords.contains(String(word))
  }

  /// Returns nil if there is no hint for the word.
  init?(_ script: ParsedScript) {
    let text = script.source.text(in: 0..<script.source.bytes.count)
    let word = String(text.prefix { $0.isLetter })
    guard let problem = script.diagnostics.first(where: { $0.severity == .error }),
      problem.range.lowerBound == 0, !word.isEmpty, !ScriptParser.statementWords.contains(word)
    else { return nil }
    if let command = PromptCommand.named(word) {
      self = .command(command)
    } else if problem.replacement == nil, case .topic(let topic) = Help.answer(to: word) {
      self = .topic(topic.name)
    } else {
      return nil
    }
  }
}

extension WordHint: CustomStringConvertible {
  /// The hint, as a comment.
  var description: String {
    switch self {
    case .command(let command): PromptWords.commandHint(command)
    case .topic(let name): PromptWords.helpHint(name)
    }
  }
}
