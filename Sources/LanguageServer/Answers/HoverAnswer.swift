import FetchedResults
import GoldenTesting
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// What a name is and what a statement does: the answers of the prompt to `NAME?` and `:help`.
struct HoverAnswer {
  let analysis: Analysis
  let text: DocumentText
  let live: LiveResults?
  /// The address of Rules.md; nil if it is not installed.
  let rulesPage: String?

  func hover(at offset: Int) -> Hover? {
    let line = text.contents(ofLine: text.line(of: offset))
    let content = String(decoding: text.bytes[line], as: UTF8.self)
    if content.hasPrefix("#>") || content.hasPrefix("#?") {
      let number = analysis.source.line(of: offset)
      return live?.rule(ofExpectedLine: number, in: analysis.script, page: rulesPage).map {
        Hover(contents: .markdown($0), range: text.range(of: line))
      }
    }
    let entry = analysis.entry(at: offset)
    guard entry.lowerBound <= offset else { return nil }
    let source = analysis.source.text(in: entry)
    let parts = TextParts(source, as: .file).parts
    let place = offset - entry.lowerBound
    guard
      let index = parts.lastIndex(where: {
        $0.range.contains(place) || $0.range.upperBound == place
      })
    else { return nil }
    let part = parts[index]
    let start = entry.lowerBound + part.range.lowerBound
    let range = start..<(start + part.range.count)
    guard let words = words(for: part, at: index, in: parts, offset) else { return nil }
    return Hover(contents: .markdown(words), range: text.range(of: range))
  }

  private func words(
    for part: TextPart, at index: Int, in parts: [TextPart], _ offset: Int
  ) -> String? {
    switch part.role {
    case .word: return help(on: part.text)
    case .entity: return answer(part.text, offset) ?? (isType(part.text) ? help(on: "types") : nil)
    case .object:
      return answer(String(part.text.prefix { $0 != "/" }), offset)
    case .variable: return answer(part.text, offset)
    case .name:
      if let function = ScriptFunctions.usages[part.text], isCalled(after: index, in: parts) {
        return "```frc\n\(function)\n```"
      }
      return property(at: index, in: parts, offset) ?? answer(part.text, offset)
        ?? help(on: part.text)
    case .number, .date, .string, .comment, .sign, .bracket, .strayBracket, .openBracket, .unknown:
      return nil
    }
  }

  private func isType(_ word: String) -> Bool { EntityDeclaration.attributeTypes.contains(word) }

  private func isCalled(after index: Int, in parts: [TextPart]) -> Bool {
    guard index + 1 < parts.count, case .bracket = parts[index + 1].role else { return false }
    return parts[index + 1].range.lowerBound == parts[index].range.upperBound
  }

  private func help(on word: String) -> String? {
    guard case .topic(let topic) = Help.answer(to: word) else { return nil }
    return topic.markdown
  }

  /// Returns the answer for a property, by the name before the dot or by the only entity with it.
  private func property(at index: Int, in parts: [TextPart], _ offset: Int) -> String? {
    guard let session = analysis.checked.checker?.session else { return nil }
    let name = parts[index].text
    var path = [name]
    var place = index
    while place >= 2, parts[place - 1].text == ".",
      [.name, .entity].contains(parts[place - 2].role)
    {
      path.insert(parts[place - 2].text, at: 0)
      place -= 2
    }
    if path.count > 1, let entity = variableEntity(path[0], offset) { path[0] = entity }
    if path.count > 1, let answer = answer(path.joined(separator: "."), offset) { return answer }
    guard path.count > 1 || !isDefined(name, offset) else { return nil }
    let owners = session.entities.filter { entity in
      entity.propertyIndex(named: name) != nil
        && entity.superentity?.propertyIndex(named: name) == nil
    }
    guard !owners.isEmpty else { return nil }
    let answers = owners.compactMap { answer("\($0.name).\(name)", offset) }
    return answers.joined(separator: "\n\n")
  }

  private func isDefined(_ name: String, _ offset: Int) -> Bool {
    analysis.variables(at: offset).contains { $0.name == name }
      || analysis.checked.checker?.session.meaning(of: name) != nil
  }

  /// Returns the entity of a variable's object; nil if there is no such variable, and an empty text
  /// if it is another value.
  private func variableEntity(_ name: String, _ offset: Int) -> String? {
    analysis.entity(ofVariable: name, at: offset).flatMap { $0.isEmpty ? nil : $0 }
  }

  private func answer(_ name: String, _ offset: Int) -> String? {
    guard let session = analysis.checked.checker?.session else { return nil }
    let word = name.hasPrefix("$") ? String(name.dropFirst()) : name
    let answer = NameAnswer(
      name, session: session, variable: analysis.entity(ofVariable: word, at: offset),
      definition: analysis.definition(of: word))
    guard let answer else { return nil }
    return "```frc\n" + answer.lines.joined(separator: "\n") + "\n```"
  }
}

extension Analysis {
  /// Returns the entity of a variable's object; nil if there is no such variable, and an empty text
  /// if it is another value.
  func entity(ofVariable name: String, at offset: Int) -> String? {
    guard let checker = checked.checker else { return nil }
    let resolver = NameResolver(checker.session)
    var isKnown = false
    for variable in variables(at: offset) {
      resolver.define(variable)
      isKnown = isKnown || variable.name == name
    }
    guard isKnown else { return nil }
    if case .object(let entity)? = resolver.shape(ofVariable: name) { return entity.name }
    return ""
  }

  /// Returns the statement of this script that defines a name.
  func definition(of name: String) -> NameAnswer.Definition? {
    let statement = script.statements.last { statement in
      statement.traits.definitions.contains { $0.name?.text == name }
    }
    guard let statement else { return nil }
    let line = source.position(of: statement.range.lowerBound).line
    return NameAnswer.Definition(
      text: source.text(in: statement.range), place: "defined in line \(line)")
  }
}
