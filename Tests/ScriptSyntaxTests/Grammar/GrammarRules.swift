import Foundation

/// The rules of GRAMMAR.md, as they are written there.
struct GrammarRules {
  /// What a place in a rule may contain.
  indirect enum Node {
    case word(String)
    /// A token. The page describes these in prose.
    case token(String)
    case rule(String)
    case sequence([Node])
    case choice([Node])
    case optional(Node)
    case repeated(Node)
  }

  private(set) var rules: [String: Node] = [:]

  /// - Parameter markdown: The page; its code blocks hold the rules.
  init(_ markdown: String) {
    var name: String?
    var texts: [String: String] = [:]
    var isCode = false
    // The page describes tokens and directives in prose.
    let pages = markdown.components(separatedBy: "\n## Tokens\n")
    for line in pages[0].split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isCode.toggle()
        name = nil
      } else if isCode {
        let text = line.firstRange(of: " -- ").map { line[..<$0.lowerBound] } ?? line
        if let rule = text.firstMatch(of: #/^(?<name>\w+) += (?<text>.*)$/#)?.output {
          name = String(rule.name)
          texts[String(rule.name)] = String(rule.text)
        } else if let name {
          texts[name, default: ""] += " " + text
        }
      }
    }
    for (name, text) in texts where name != name.uppercased() {
      var reader = Reader(text)
      rules[name] = reader.choice()
    }
  }

  /// Reads one rule.
  private struct Reader {
    private var parts: ArraySlice<Substring>

    init(_ text: String) {
      parts = text.matches(of: #/"[^"]*"|'[^']*'|[A-Za-z]+|[\[\]{}()|]/#).map(\.output)[...]
    }

    mutating func choice() -> Node {
      var choices = [sequence()]
      while parts.first == "|" {
        parts.removeFirst()
        choices.append(sequence())
      }
      return choices.count == 1 ? choices[0] : .choice(choices)
    }

    private mutating func sequence() -> Node {
      var nodes: [Node] = []
      while let part = parts.first, !["|", "]", "}", ")"].contains(part) {
        parts.removeFirst()
        switch part {
        case "[": nodes.append(.optional(enclosed()))
        case "{": nodes.append(.repeated(enclosed()))
        case "(": nodes.append(enclosed())
        case _ where part.hasPrefix("\"") || part.hasPrefix("'"):
          nodes.append(.word(String(part.dropFirst().dropLast())))
        case _ where part == part.uppercased(): nodes.append(.token(String(part)))
        default: nodes.append(.rule(String(part)))
        }
      }
      return .sequence(nodes)
    }

    private mutating func enclosed() -> Node {
      defer { parts = parts.dropFirst() }
      return choice()
    }
  }
}
