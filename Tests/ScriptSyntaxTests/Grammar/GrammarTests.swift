import Foundation
import RandomLaws
import RepositoryFiles
import Testing

@testable import ScriptSyntax

/// The documented grammar is the parser's.
@Suite struct GrammarTests {
  private let grammar: GrammarRules

  init() throws {
    grammar = GrammarRules(try RepositoryFiles.text("GRAMMAR.md"))
  }

  @Test("what the grammar allows is parsed", arguments: ["statement", "script"])
  func sentences(rule: String) {
    for seed in LawSeeds(seconds: 0.6, atLeast: 100) {
      var writer = SentenceWriter(grammar, seed: seed)
      writer.write(rule, depth: 18)
      let parsed = ScriptParser.parse(SourceText(name: "grammar", text: writer.text))
      let errors = parsed.diagnostics.filter { $0.severity == .error }.map(\.message)
      // The page describes these rules in prose: what may occur only once, that a batch request has
      // one entity, what the block of an extension cannot contain, and what gives dictionaries.
      let isSaidInWords = errors.contains { error in
        error.contains("given twice") || error.contains("in the block of an extension")
          || error.contains("gives dictionaries")
          || writer.text.contains("batch insert") && error.contains(/^expected '\p{Lu}/)
      }
      guard errors.isEmpty || isSaidInWords else {
        Issue.record("seed \(seed): \(writer.text)\n\(errors)")
        return
      }
    }
  }

  @Test(
    "an observer that is read, written and read again is the same", arguments: ["from", "observed"])
  func observers(rule: String) {
    var count = 0
    for seed in LawSeeds(seconds: 0.6, atLeast: 100) {
      var writer = SentenceWriter(grammar, seed: seed)
      writer.write(rule, depth: 12)
      let updates = rule == "from" ? " updates turns" : ""
      let text = "observer list = \(writer.text)\(updates)"
      let first = ScriptParser.parse(SourceText(name: "first", text: text))
      // Values of a predicate are written beside it, where they cannot be read again.
      guard !first.hasErrors, first.statements.count == 1,
        let shape = first.statements.first?.shape,
        !shape.contains("%@"), !shape.contains(" {")
      else { continue }

      let second = ScriptParser.parse(SourceText(name: "second", text: shape))

      #expect(second.statements.map(\.shape) == [shape], "seed \(seed): \(text)")
      count += 1
    }
    #expect(count > 10)
  }

  @Test("every rule that is named is there, and every rule but the first is used")
  func isWhole() {
    var named: Set<String> = []
    func collect(_ node: GrammarRules.Node) {
      switch node {
      case .word, .token: break
      case .rule(let name): named.insert(name)
      case .sequence(let nodes), .choice(let nodes): nodes.forEach(collect)
      case .optional(let node), .repeated(let node): collect(node)
      }
    }
    grammar.rules.values.forEach(collect)
    let unused = Set(grammar.rules.keys).subtracting(named)
    #expect(named.subtracting(grammar.rules.keys) == [])
    #expect(unused == ["script"])
  }

  @Test("every word that begins a statement begins one in the grammar")
  func words() {
    var first: Set<String> = []
    var seen: Set<String> = []
    /// Returns whether the node may be empty.
    @discardableResult
    func collect(_ node: GrammarRules.Node) -> Bool {
      switch node {
      case .word(let word):
        first.insert(word)
        return false
      case .token: return false
      case .rule(let name):
        guard let rule = grammar.rules[name], seen.insert(name).inserted else { return false }
        return collect(rule)
      case .sequence(let nodes): return nodes.allSatisfy { collect($0) }
      case .choice(let nodes): return nodes.filter { collect($0) }.count > 0
      case .optional(let node), .repeated(let node):
        collect(node)
        return true
      }
    }
    collect(.rule("statement"))
    let missing = Set(StatementWord.all).subtracting(first).subtracting(["return"])
    #expect(missing.isEmpty, "\(missing.sorted())")
  }
}
