import ScriptSyntax

/// The part of a pasted text to insert.
///
/// From a copied session, this is what was typed; from a script, the expected output is left out.
struct PastedText {
  let text: String

  init(_ pasted: String) {
    let prompts = [PromptWords.prompt, PromptWords.continuationPrompt]
    let lines = pasted.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let isTranscript = lines.contains { $0.hasPrefix(PromptWords.prompt) }
    var kept: [String] = []
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("#>") || line.hasPrefix("#?") { continue }
      guard isTranscript else {
        kept.append(line)
        continue
      }
      if let prompt = prompts.first(where: line.hasPrefix) {
        kept.append(String(line.dropFirst(prompt.count)))
      } else if prompts.contains(line + " ") {
        kept.append("")
      } else if index == 0, Self.isStatement(line) {
        // A selection with the mouse often begins after the prompt.
        kept.append(line)
      }
    }
    // This removes the prompt after the last answer.
    while isTranscript, kept.last?.allSatisfy(\.isWhitespace) == true { kept.removeLast() }
    text = kept.joined(separator: "\n")
  }

  private static func isStatement(_ line: String) -> Bool {
    let word = line.prefix { $0.isLetter }
    return ScriptParser.statementWords.contains(String(word))
  }
}
