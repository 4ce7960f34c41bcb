import FetchedResults
import Foundation
import GoldenTesting
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// What can be typed at a place of a script: the candidates of the prompt.
struct CompletionAnswer {
  let analysis: Analysis
  let text: DocumentText

  /// The largest number of candidates.
  private static let most = 250

  func list(at offset: Int) -> CompletionList {
    let line = text.contents(ofLine: text.line(of: offset))
    let before = String(decoding: text.bytes[line.lowerBound..<offset], as: UTF8.self)
    if before.hasPrefix("#@") { return directives(before, offset) }
    guard !before.hasPrefix("#"), let checker = analysis.checked.checker else {
      return CompletionList(isIncomplete: false, items: [])
    }
    let start = min(analysis.entry(at: offset).lowerBound, offset)
    // Of the script, because an entry can begin in an earlier block of a Markdown file.
    let entry = analysis.source.text(in: start..<offset)
    // A comment is not code, and the parser would skip it.
    if TextParts(entry).parts.last?.role == .comment, !entry.hasSuffix("\n"),
      before.contains("#")
    {
      return CompletionList(isIncomplete: false, items: [])
    }
    let found = Completions(
      in: entry, at: entry.utf8.count, session: checker.session,
      environment: Folder(files: analysis.files, script: analysis.source.name),
      variables: analysis.variables(at: offset), atMost: Self.most)
    let range = text.range(of: (start + found.replacementStart)..<offset)
    let typed = String(decoding: entry.utf8.dropFirst(found.replacementStart), as: UTF8.self)
    let items = found.candidates.enumerated().map { index, candidate in
      let want = found.want(at: index)
      let detail = found.detail(at: index)
      return CompletionItem(
        label: candidate.trimmed, kind: Self.kind(of: candidate, want),
        detail: detail.isEmpty ? nil : detail,
        documentation: documentation(of: candidate.trimmed, want),
        sortText: Self.padded(index),
        // Candidates that only resemble the typed word are kept by the client.
        filterText: candidate.lowercased().hasPrefix(typed.lowercased()) ? candidate : typed,
        textEdit: TextEdit(range: range, newText: candidate))
    }
    let isSimilar = !typed.isEmpty && items.contains { $0.filterText == typed }
    return CompletionList(isIncomplete: found.omitted > 0 || isSimilar, items: items)
  }

  private static func padded(_ index: Int) -> String {
    let digits = String(index)
    return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
  }

  private func documentation(of candidate: String, _ want: CursorPlace.Want?) -> MarkupContent? {
    guard let want, case .statement = want, case .topic(let topic) = Help.answer(to: candidate)
    else { return nil }
    return .markdown(topic.markdown)
  }

  /// Returns the protocol's number for what a candidate is.
  private static func kind(of candidate: String, _ want: CursorPlace.Want?) -> Int {
    switch want {
    case .statement, .word: 14
    case .comparison: 24
    case .entity, .insertedEntity, .importedEntity, .type: 7
    case .source, .fetchedSource, .controller, .historyObserver, .table, .context: 6
    case .attribute, .key, .relationship, .member, .argument: 5
    case .operand: 5
    case .value: candidate.hasSuffix("(") ? 3 : candidate.hasSuffix("/") ? 7 : 6
    case nil: candidate.hasSuffix("/") ? 19 : candidate.hasSuffix("\"") ? 17 : 12
    }
  }

  // MARK: Directives

  private func directives(_ before: String, _ offset: Int) -> CompletionList {
    let content = before.dropFirst(2).drop { $0 == " " }
    guard !content.contains(" ") else { return CompletionList(isIncomplete: false, items: []) }
    let range = text.range(of: (offset - content.utf8.count)..<offset)
    let items = TestDirectives.descriptions.enumerated().map { index, entry in
      CompletionItem(
        label: entry.word, kind: 14, detail: entry.summary, documentation: nil,
        sortText: Self.padded(index), filterText: entry.word,
        textEdit: TextEdit(range: range, newText: entry.word + " "))
    }
    return CompletionList(
      isIncomplete: false, items: items.filter { $0.label.hasPrefix(content) })
  }
}

/// The files below the folder of a script, for the names in strings.
private final class Folder: ScriptEnvironment {
  private let files: OpenFiles
  private let script: String

  init(files: OpenFiles, script: String) {
    self.files = files
    self.script = script
  }

  func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
    try files.source(at: path, from: script)
  }

  func names(inFolder path: String, from includer: String) -> [String]? {
    files.names(inFolder: path, from: script)
  }
}

extension String {
  /// The candidate without the blank, bracket or colon that follows it.
  fileprivate var trimmed: String {
    var text = self
    while text.count > 1, let last = text.last, " (:".contains(last) { text.removeLast() }
    return text
  }
}

extension HelpTopic {
  /// The text and the example of the topic, as Markdown.
  var markdown: String {
    let example = example.isEmpty ? "" : "\n\n```frc\n" + example.joined(separator: "\n") + "\n```"
    return lines.joined(separator: "\n") + example
  }
}

/// The parameters of the function, the method or the insert whose brackets are open at a place.
struct SignatureAnswer {
  let analysis: Analysis

  func help(at offset: Int) -> SignatureHelp? {
    let entry = analysis.entry(at: offset)
    guard entry.lowerBound <= offset else { return nil }
    let text = analysis.source.text(in: entry.lowerBound..<offset)
    guard let call = OpenCall(text), let signature = signature(of: call) else { return nil }
    let last = max(0, signature.parameters.count - 1)
    return SignatureHelp(signatures: [signature], activeParameter: min(call.argument, last))
  }

  private func signature(of call: OpenCall) -> SignatureHelp.Signature? {
    if let entity = call.inserted {
      guard
        let entity = analysis.checked.checker?.session.entities.first(where: { $0.name == entity })
      else { return nil }
      let parameters = entity.propertyNames.map { name in
        entity.scriptText(ofProperty: name).map { "\(name): \($0)" } ?? name
      }
      return Self.signature(
        "\(entity.name)(\(parameters.joined(separator: ", ")))", parameters)
    }
    guard let usage = ScriptFunctions.usages[call.name] else { return nil }
    let inner = usage.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
    return Self.signature(usage, inner.split(separator: ",").map { String($0).trimmingBlanks })
  }

  private static func signature(
    _ label: String, _ parameters: [String]
  ) -> SignatureHelp.Signature {
    SignatureHelp.Signature(label: label, parameters: parameters.map { .init(label: $0) })
  }
}

/// The innermost call whose brackets are open at the end of a text.
private struct OpenCall {
  let name: String
  /// The entity of an insert.
  private(set) var inserted: String?
  /// The number of the argument, from 0.
  let argument: Int

  init?(_ text: String) {
    let parts = TextParts(text).parts
    guard let open = parts.lastIndex(where: { $0.role == .openBracket }), open > 0,
      text.utf8.dropFirst(parts[open].range.lowerBound).first == UInt8(ascii: "(")
    else { return nil }
    let before = parts[open - 1]
    guard [.name, .word, .entity].contains(before.role) else { return nil }
    name = before.text
    if before.role == .entity { inserted = before.text }
    var depth = 0
    var commas = 0
    for part in parts[(open + 1)...] {
      let first = text.utf8.dropFirst(part.range.lowerBound).first
      switch part.role {
      case .bracket:
        depth += first.map { "([{".utf8.contains($0) } == true ? 1 : -1
      case .sign where depth == 0 && part.text == ",": commas += 1
      case .word, .entity, .name, .variable, .object, .number, .date, .string, .comment, .sign,
        .strayBracket, .openBracket, .unknown:
        break
      }
    }
    argument = commas
  }
}

extension String {
  fileprivate var trimmingBlanks: String { String(drop { $0 == " " }) }
}
