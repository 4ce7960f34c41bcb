import Foundation

/// The checks for a page.
enum WritingCheck: CaseIterable {
  /// No line is longer than 100 columns, without tables, addresses of links, and code.
  case line
  /// No word or shape is in the guide's list of replacements.
  case word
  /// No sentence has more than 40 words.
  case sentence
  /// The paragraph that first uses a term also defines it, with the term in asterisks.
  case term
}

/// The rules that a page is checked against.
struct WritingGuide {
  /// The guide, with expressions that are compiled once.
  static let shared = Result { try WritingGuide() }

  struct Finding {
    let line: Int
    let text: String
  }

  private static let longestLine = 100
  private static let longestSentence = 40

  private let shapes: [Shape]
  private let terms: [Term]

  private init() throws {
    shapes = [
      try Shape(#"\bbehind\b"#, "after, or below"),
      try Shape(#"\b(?:hears?|heard|hearing)\b"#, "receives, or is called"),
      try Shape(#"\bno more\b(?! than\b)"#, "no longer"),
      try Shape(#"\banew\b"#, "again"),
      try Shape(#"\bnobody\b"#, "ignored, unused, or another passive verb"),
      try Shape(#"\blest\b"#, "so that it does not"),
      try Shape(#"\b(?:stands?|stood)\b"#, "is, or follows"),
      try Shape(#"\bmakes? of\b"#, "what happens, with a verb"),
      try Shape(
        #"\b(?:says?|said|tells?|told|telling|knows?) of\b"#, "reports, shows, or knows about"),
      try Shape(#"\balike\b"#, "the same"),
      try Shape(#"\bsettl(?:e|es|ed|ing)\b"#, "the exact verb: writes, waits, or finishes"),
      try Shape(#"\bheld to\b|\bholds? (?:it|them|scripts|tests) to\b"#, "checks against"),
      try Shape(#"(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b)"#, "is not a"),
      try Shape(#"\bbears\b"#, "has"),
      try Shape(
        #"\b(?:midst|whereby|thereof|whilst|amongst|henceforth)\b"#, "during, by, of it, or among"),
      try Shape(#"\bbesides\b"#, "also, or in addition"),
      try Shape(#"\bmend(?:s|ed|ing)?\b"#, "fix"),
      try Shape(#"\bends? well\b|\bend(?:ed)? well\b"#, "succeeds"),
      try Shape(
        #"\bof [A-Z]\w*(?: [A-Z]\w*)?'s(?=\s*(?:[.,;:)]|$|(?:is|are|has|or|and|that|which)\b))"#,
        "the owner before the noun", matchesCase: true),
      try Shape(#"\bbreaks? no law\b"#, "passes"),
    ]
    let uses = [
      ("turn", #"\b(?:a|one|each|every|last|of|the) \*?turns?\b"#),
      ("replay law", #"\breplay law\b"#),
      ("golden", #"\bgoldens?\b"#),
      ("fault", #"\bfaults?\b"#),
      ("section key", #"\bsection keys?\b"#),
    ]
    terms = try uses.map { name, use in
      Term(name: name, use: try Shape(use), definition: try Shape(#"\*\#(name)s?\*"#))
    }
  }

  func findings(of check: WritingCheck, in page: MarkdownPage) -> [Finding] {
    switch check {
    case .line:
      page.lineLengths.filter { $0.columns > Self.longestLine }
        .map { Finding(line: $0.line, text: "\($0.columns) columns") }
    case .word:
      page.passages.flatMap { replacedWords(in: $0) + postponedSubjects(in: $0) }
    case .sentence:
      page.passages.flatMap { passage in
        passage.sentences.filter { Self.wordCount($0) > Self.longestSentence }
          .map { Finding(line: passage.line, text: "\(Self.wordCount($0)) words: \($0)") }
      }
    case .term:
      undefinedTerms(in: page)
    }
  }

  /// The words, shapes and long sentences of a text without Markdown, one line for each.
  func findings(inText text: String) -> [String] {
    let words = shapes.flatMap { shape in
      shape.matches(in: text).map { "'\($0)'; write \(shape.instead)" }
    }
    let sentences = text.replacing(#/([.!?])["')\]]*\s+/#) { "\($0.output.1)\n" }
      .split(separator: "\n").map(String.init)
    let postponed = sentences.filter { $0.hasPrefix("What ") && !$0.hasSuffix("?") }
      .map { "begin with the subject: \($0)" }
    let long = sentences.filter { Self.wordCount($0) > Self.longestSentence }
      .map { "\(Self.wordCount($0)) words: \($0)" }
    return words + postponed + long
  }

  private func replacedWords(in passage: MarkdownPage.Passage) -> [Finding] {
    let text = passage.plainText
    return shapes.flatMap { shape in
      shape.matches(in: text).map { match in
        Finding(line: passage.line, text: "'\(match)'; write \(shape.instead)")
      }
    }
  }

  private func postponedSubjects(in passage: MarkdownPage.Passage) -> [Finding] {
    passage.sentences.filter { $0.hasPrefix("What ") && !$0.hasSuffix("?") }
      .map { Finding(line: passage.line, text: "begin with the subject: \($0)") }
  }

  /// The terms that the paragraph of their first use does not define.
  private func undefinedTerms(in page: MarkdownPage) -> [Finding] {
    let paragraphs = page.passages.filter { $0.kind == .paragraph }
      .map { (line: $0.line, text: $0.emphasizedText) }
    return terms.compactMap { term in
      let first = paragraphs.first { !term.use.matches(in: $0.text).isEmpty }
      guard let first, term.definition.matches(in: first.text).isEmpty else { return nil }
      return Finding(line: first.line, text: "'\(term.name)' is used and not defined")
    }
  }

  private static func wordCount(_ sentence: String) -> Int {
    sentence.split(whereSeparator: \.isWhitespace)
      .filter { word in word.contains { $0.isLetter || $0.isNumber } }.count
  }
}

/// A word with a meaning of its own in frc: where it is used, and where it is defined.
struct Term {
  let name: String
  let use: Shape
  let definition: Shape
}

/// A regular expression, and what to write instead of what matches it.
struct Shape {
  private let expression: NSRegularExpression
  let instead: String

  init(_ pattern: String, _ instead: String = "", matchesCase: Bool = false) throws {
    expression = try NSRegularExpression(
      pattern: pattern, options: matchesCase ? [] : [.caseInsensitive])
    self.instead = instead
  }

  func matches(in text: String) -> [String] {
    expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
      .compactMap { match in Range(match.range, in: text).map { String(text[$0]) } }
  }
}
