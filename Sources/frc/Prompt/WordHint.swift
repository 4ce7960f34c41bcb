import PromptTools
import ScriptRuntime
import ScriptSyntax

/// Where to look, for somebody whose entry begins with a word that begins no
/// statement: a command without its colon, or a word that help knows.
enum WordHint: Equatable {
  case command(PromptCommand)
  case topic(String)

  /// Whether an entry begins with a word that begins no statement.
  static func isUnknownWord(_ script: ParsedScript) -> Bool {
    guard let problem = script.diagnostics.first(where: { $0.severity == .error }),
      problem.range.lowerBound == 0
    else { return false }
    let word = script.source.text(in: 0..<script.source.bytes.count).prefix { $0.isLetter }
    return !word.isEmpty && !ScriptParser.statementWords.contains(String(word))
  }

  /// Nil where nothing is known of the word.
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
  /// The words, as a comment.
  var description: String {
    switch self {
    case .command(let command): PromptWords.commandHint(command)
    case .topic(let name): PromptWords.helpHint(name)
    }
  }
}
