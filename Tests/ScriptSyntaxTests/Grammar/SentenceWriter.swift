import Basics

/// Writes texts that a grammar allows.
struct SentenceWriter {
  private let grammar: GrammarRules
  private var random: SeededGenerator
  private(set) var text = ""

  /// Example texts for the tokens.
  private static let tokens: [String: [String]] = [
    "NAME": ["book", "x", "pages", "größe", "_a1"], "ENTITY": ["Book", "Été"],
    "VARIABLE": ["$x"], "NUMBER": ["1", "2.5", "1_000", "3e2"],
    "DATE": ["@2026-01-01", "@2026-11-21T09:30:00Z", "@2026-11-21T09:30+01:00"],
    "OBJECT": ["Book/3"], "STRING": [#""a\(1 + 2)b""#, "'c'", #""""#],
    "OLDNAME": [#""old title""#, "'c'"],
    "PREDICATE": [
      "pages > 1", #"title CONTAINS[cd] "a" AND author.name == nil"#, "ANY books.pages IN {1, 2}",
    ],
    "LOCALE": ["ja", "de_DE"], "END": ["\n", "; "],
  ]

  init(_ grammar: GrammarRules, seed: UInt64) {
    self.grammar = grammar
    random = SeededGenerator(seed: seed)
  }

  /// Writes a sentence of a rule, the shortest from a depth on.
  mutating func write(_ rule: String, depth: Int) { write(.rule(rule), depth) }

  private mutating func write(_ node: GrammarRules.Node, _ depth: Int) {
    switch node {
    case .word(let word): append(word)
    case .token(let name): append(random.one(of: Self.tokens[name] ?? []) ?? "‹\(name)›")
    case .rule(let name):
      guard let rule = grammar.rules[name] else { return append("‹\(name)›") }
      write(rule, depth - 1)
    case .sequence(let nodes): for node in nodes { write(node, depth) }
    case .choice(let choices):
      let shortest = choices.min { length($0) < length($1) }
      if let choice = depth > 0 ? random.one(of: choices) : shortest { write(choice, depth - 1) }
    case .optional(let node): if depth > 0, random.chance(2) { write(node, depth - 1) }
    case .repeated(let node): while depth > 0, random.chance(2) { write(node, depth - 2) }
    }
  }

  /// How many words the shortest sentence has, as far as a few rules show.
  private func length(_ node: GrammarRules.Node, _ rules: Int = 0) -> Int {
    switch node {
    case .word, .token: 1
    case .rule(let name):
      rules > 6 ? 50 : 1 + (grammar.rules[name].map { length($0, rules + 1) } ?? 0)
    case .sequence(let nodes): nodes.reduce(0) { $0 + length($1, rules) }
    case .choice(let choices): choices.map { length($0, rules) }.min() ?? 0
    case .optional, .repeated: 0
    }
  }

  /// Appends a word, with a blank before it where blanks have no meaning.
  private mutating func append(_ word: String) {
    let clings = [".", ".self", "(", "[", ")", "]", ",", ":"].contains(word)
    let isOpen = text.isEmpty || text.last.map { " .([\n".contains($0) } == true
    text += clings || isOpen || word == "\n" || word == "; " ? word : " " + word
  }
}
