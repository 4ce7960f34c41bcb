import Foundation
import Testing

/// The pages are written in plain words and short sentences, and their links lead somewhere.
@Suite("Writing")
struct WritingTests {
  private let guide: WritingGuide

  init() throws {
    guide = try WritingGuide()
  }

  @Test(
    "a page has plain words, short sentences and lines, and defines its terms",
    arguments: MarkdownPage.paths)
  func page(path: String) throws {
    let page = try MarkdownPage(path: path)
    for check in WritingCheck.allCases {
      let found = guide.findings(of: check, in: page)
        .map { "\(path):\($0.line): \($0.text)" }.joined(separator: "\n")
      if let exception = WritingException.all.first(where: { $0.covers(path, check) }) {
        withKnownIssue(Comment(rawValue: exception.reason), isIntermittent: true) {
          #expect(found == "")
        }
      } else {
        #expect(found == "")
      }
    }
  }

  @Test(
    "every relative link leads to a file, and to a heading in it",
    arguments: MarkdownPage.paths)
  func links(path: String) throws {
    let page = try MarkdownPage(path: path)
    let missing = try page.relativeLinks.filter { try !page.leads(to: $0) }
    #expect(missing == [])
  }

  @Test("every exception names a page that exists, and a reason")
  func exceptions() {
    #expect(MarkdownPage.paths.contains("README.md"))
    for exception in WritingException.all {
      #expect(MarkdownPage.paths.contains(exception.page))
      #expect(!exception.reason.isEmpty)
    }
  }

  @Test("planted mistakes are found, and code, tables and links are left alone")
  func planted() {
    let page = MarkdownPage(
      path: "planted.md",
      text: """
        # A page

        What it prints stands behind it. There is no golden.
        - \(String(repeating: "word ", count: 41))end.
        - [A link](\(String(repeating: "long", count: 30))) is not too long.

        | a row | \(String(repeating: "long", count: 30)) |

        ```
        \(String(repeating: "code behind ", count: 20))
        ```
        <!-- swift
        A comment has code \(String(repeating: "behind ", count: 41)).
        -->

        Text after code with `what stands in code` is fine. Is it? What is it?
        """)
    func lines(_ check: WritingCheck) -> [Int] {
      guide.findings(of: check, in: page).map(\.line)
    }

    #expect(lines(.line) == [4])
    #expect(lines(.word) == [3, 3, 3])
    #expect(lines(.sentence) == [4])
    #expect(lines(.term) == [3])
    #expect(page.relativeLinks.count == 1)
  }
}

/// What is checked on a page.
private enum WritingCheck: CaseIterable {
  /// No line is longer than 100 columns, without tables, addresses of links, and code.
  case line
  /// No word or shape is one that the guide replaces.
  case word
  /// No sentence has more than 40 words.
  case sentence
  /// The paragraph that first uses a term also defines it, with the term in asterisks.
  case term
}

/// A page that need not pass a check, and why.
private struct WritingException {
  let page: String
  let checks: [WritingCheck]
  let reason: String

  static let all = [
    WritingException(
      page: "CHANGELOG.md", checks: [.term],
      reason: "its readers look up single lines, and know the terms from the other pages")
  ]

  func covers(_ path: String, _ check: WritingCheck) -> Bool {
    page == path && checks.contains(check)
  }
}

/// The rules that a page is checked against.
private struct WritingGuide {
  struct Finding {
    let line: Int
    let text: String
  }

  private static let longestLine = 100
  private static let longestSentence = 40

  private let shapes: [Shape]
  private let terms: [Term]

  init() throws {
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
      terms.compactMap { undefined($0, in: page) }
    }
  }

  private func replacedWords(in passage: MarkdownPage.Passage) -> [Finding] {
    shapes.flatMap { shape in
      shape.matches(in: passage.plainText).map { match in
        Finding(line: passage.line, text: "'\(match)'; write \(shape.instead)")
      }
    }
  }

  private func postponedSubjects(in passage: MarkdownPage.Passage) -> [Finding] {
    passage.sentences.filter { $0.hasPrefix("What ") && !$0.hasSuffix("?") }
      .map { Finding(line: passage.line, text: "begin with the subject: \($0)") }
  }

  private func undefined(_ term: Term, in page: MarkdownPage) -> Finding? {
    for passage in page.passages where passage.kind == .paragraph {
      let text = passage.emphasizedText
      if term.use.matches(in: text).isEmpty { continue }
      guard term.definition.matches(in: text).isEmpty else { return nil }
      return Finding(line: passage.line, text: "'\(term.name)' is used and not defined")
    }
    return nil
  }

  private static func wordCount(_ sentence: String) -> Int {
    sentence.split(whereSeparator: \.isWhitespace)
      .filter { word in word.contains { $0.isLetter || $0.isNumber } }.count
  }
}

/// A word with a meaning of its own in frc: where it is used, and where it is defined.
private struct Term {
  let name: String
  let use: Shape
  let definition: Shape
}

/// A regular expression, and what to write instead of what matches it.
private struct Shape {
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

/// A Markdown file as its headings, paragraphs and table rows, without blocks of code.
private struct MarkdownPage {
  /// A heading, a paragraph or list item, or a row of a table.
  struct Passage {
    enum Kind {
      case heading, paragraph, row
    }

    let line: Int
    let kind: Kind
    var text: String

    /// The text without images and code, but with its asterisks.
    var emphasizedText: String {
      text.replacing(#/`[^`]*`/#, with: "code").replacing(#/!\[[^\]]*\]\([^)]*\)/#, with: "")
    }

    /// The text as a reader sees it, with "code" in place of code.
    var plainText: String {
      text.replacing(#/!?\[([^\]]*)\]\([^)]*\)/#) { String($0.output.1) }
        .replacing(#/``[^`]*``/#, with: "code").replacing(#/`[^`]*`/#, with: "code")
        .replacing("*", with: "")
    }

    /// The sentences of a paragraph.
    var sentences: [String] {
      guard kind == .paragraph else { return [] }
      return plainText.replacing(#/([.!?])["\)\]]*\s+/#) { "\($0.output.1)\n" }
        .split(separator: "\n").map(String.init)
    }
  }

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The paths from the root of all pages that people read.
  static let paths: [String] = {
    var found = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    for folder in ["Documentation", "Editors", "Examples", "Sources"] {
      let files = FileManager.default.enumerator(
        atPath: root.appendingPathComponent(folder).path)
      while let file = files?.nextObject() as? String { found.append(folder + "/" + file) }
    }
    // Builds of the apps have pages of other packages, in hidden folders.
    return found.filter { $0.hasSuffix(".md") && !$0.contains("/.") }.sorted()
  }()

  let path: String
  private(set) var passages: [Passage] = []
  /// The length of each line that can be wrapped, without addresses of links.
  private(set) var lineLengths: [(line: Int, columns: Int)] = []

  init(path: String) throws {
    self.init(
      path: path,
      text: try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8))
  }

  init(path: String, text: String) {
    self.path = path
    var isCode = false
    var end = ""
    var isParagraph = false
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let number = index + 1
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      if isCode {
        isCode = trimmed != end
        continue
      }
      // A page does not show its comments.
      if trimmed.hasPrefix("<!--") {
        isCode = !trimmed.hasSuffix("-->")
        end = "-->"
        continue
      }
      if trimmed.isEmpty || trimmed.hasPrefix("```") {
        isCode = !trimmed.isEmpty
        end = "```"
        isParagraph = false
        continue
      }
      if trimmed.hasPrefix("|") {
        passages.append(Passage(line: number, kind: .row, text: trimmed))
        isParagraph = false
        continue
      }
      lineLengths.append((number, line.replacing(#/\]\([^)]*\)/#, with: "]").count))
      if trimmed.hasPrefix("#") {
        let title = trimmed.drop { $0 == "#" || $0 == " " }
        passages.append(Passage(line: number, kind: .heading, text: String(title)))
        isParagraph = false
      } else if let marker = trimmed.prefixMatch(of: #/(?:[-*]|[0-9]+\.) +/#) {
        let item = trimmed[marker.range.upperBound...]
        passages.append(Passage(line: number, kind: .paragraph, text: String(item)))
        isParagraph = true
      } else if isParagraph {
        passages[passages.count - 1].text += " " + trimmed
      } else {
        passages.append(Passage(line: number, kind: .paragraph, text: trimmed))
        isParagraph = true
      }
    }
  }

  /// The targets of links to other files and to headings.
  var relativeLinks: [String] {
    passages.flatMap { passage in
      passage.text.replacing(#/`[^`]*`/#, with: "code").matches(of: #/\]\(([^)\s]+)\)/#)
        .map { String($0.output.1) }
    }
    .filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
  }

  /// Returns whether the file that a link names exists, and has the heading that it names.
  func leads(to link: String) throws -> Bool {
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      .map(String.init)
    let folder = Self.root.appendingPathComponent(path).deletingLastPathComponent()
    let file = folder.appendingPathComponent(parts[0]).standardizedFileURL
    guard parts[0].isEmpty || FileManager.default.fileExists(atPath: file.path) else {
      return false
    }
    guard parts.count > 1 else { return true }
    if parts[0].isEmpty { return anchors.contains(parts[1]) }
    let target = MarkdownPage(
      path: link, text: try String(contentsOf: file, encoding: .utf8))
    return target.anchors.contains(parts[1])
  }

  /// The anchors of the headings, as GitHub and GitLab make them.
  private var anchors: Set<String> {
    Set(
      passages.filter { $0.kind == .heading }.map { heading in
        heading.text.replacing("`", with: "").lowercased()
          .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
          .replacing(" ", with: "-")
      })
  }
}
