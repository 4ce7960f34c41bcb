import LineEditor
import PromptTools
import ScriptSyntax

/// Gives the editor what it needs to know about the language and the session.
struct PromptAssistance {
  private let currentTheme: () -> PromptTheme
  private let session: PromptSession

  /// - Parameter theme: Returns the colours, which `:theme` may change.
  init(theme: @autoclosure @escaping () -> PromptTheme, session: PromptSession) {
    currentTheme = theme
    self.session = session
  }

  private var theme: PromptTheme { currentTheme() }

  /// The longest text that is parsed, in bytes.
  ///
  /// Longer texts are not coloured.
  private static let largestText = 1 << 16
  /// The longest text for which the language gives a hint, because it parses the whole text at each
  /// key.
  private static let largestHinted = 1 << 12

  var line: LineAssistance {
    var line = LineAssistance(completions: session.completions(in:at:))
    line.makeStyles = { currentTheme().editor }
    if theme.usesColor { line.spans = spans(of:at:) }
    line.hint = hint(for:)
    line.indentation = { TextParts.indentation(after: $0) }
    line.pasted = { PastedText($0).text }
    session.panes.styles = theme.panes
    line.panes = session.panes
    line.edit = edited(_:)
    return line
  }

  /// Opens a text in the user's editor.
  ///
  /// - Returns: The new text; nil if there is none.
  private func edited(_ text: String) -> String? {
    do throws(ExternalEditor.Failure) {
      return try ExternalEditor.edit(text)
    } catch {
      session.console.answer([error.description])
      session.console.flush()
      return nil
    }
  }

  /// Returns the only continuation of a text; nil if there are several or none.
  func hint(for text: String) -> String? {
    guard text.utf8.count < Self.largestHinted else { return nil }
    guard let only = session.onlyCompletion(of: text) else { return nil }
    let typed = String(decoding: text.utf8.dropFirst(only.start), as: UTF8.self)
    guard only.text.hasPrefix(typed), only.text != typed else { return nil }
    return String(only.text.dropFirst(typed.count))
  }

  /// Returns the colours of a text.
  ///
  /// An error directly before the cursor is not shown yet.
  func spans(of text: String, at offset: Int) -> [StyledSpan] {
    guard text.utf8.count < Self.largestText else { return [] }
    if text.hasPrefix(":") { return command(text) }
    let parts = TextParts(text)
    let names = NameKnowledge(session: session.session, defined: parts.defined)
    let pair = Self.pair(in: parts.parts, at: offset)
    return parts.parts.enumerated().compactMap { index, part in
      var style = theme.style(of: part.role)
      if pair.contains(index) {
        style = theme.pair
      } else if part.range.upperBound != offset, names.isUnknown(part) {
        style = theme.mistaken
      }
      return style == .plain ? nil : StyledSpan(part.range, style)
    }
  }

  private func command(_ text: String) -> [StyledSpan] {
    let word = text.dropFirst().prefix { !$0.isWhitespace }
    let isKnown = PromptCommand.allCases.contains { command in
      command.aliases.contains(word.lowercased())
        || command.rawValue.hasPrefix(word.lowercased())
    }
    return [StyledSpan(0..<(word.utf8.count + 1), isKnown ? theme.command : theme.mistaken)]
  }

  /// Returns the bracket at or before the cursor, and the one that matches it.
  private static func pair(in parts: [TextPart], at offset: Int) -> [Int] {
    func isBracket(_ part: TextPart) -> Bool {
      if case .bracket = part.role { true } else { false }
    }
    guard
      let index = parts.lastIndex(where: {
        isBracket($0) && ($0.range.lowerBound == offset || $0.range.upperBound == offset)
      })
    else { return [] }
    let role = parts[index].role
    let before = parts[..<index].count { $0.role == role }
    // Brackets of the same depth open and close alternately.
    let partner =
      before.isMultiple(of: 2)
      ? parts[(index + 1)...].firstIndex { $0.role == role }
      : parts[..<index].lastIndex { $0.role == role }
    return partner.map { [index, $0] } ?? []
  }
}

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
