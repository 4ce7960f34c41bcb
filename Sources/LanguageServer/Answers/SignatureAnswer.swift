import FetchedResults
import GoldenTesting
import PromptTools
import ScriptRuntime
import ScriptSyntax

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
