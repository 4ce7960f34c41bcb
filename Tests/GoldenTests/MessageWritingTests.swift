import Foundation
import RepositoryFiles
import Testing

/// The texts that the program prints are written in plain words and short sentences.
@Suite("Writing of messages")
struct MessageWritingTests {
  private let guide: WritingGuide

  init() throws {
    guide = try WritingGuide.shared.get()
  }

  @Test("the sources print plain words and short sentences", arguments: Self.modules)
  func sources(module: String) throws {
    var found: [String] = []
    for path in Self.files(in: "Sources/\(module)", type: ".swift") {
      for literal in SwiftLiterals.all(in: try RepositoryFiles.text(path)) where literal.isSentence
      {
        let exceptions = MessageException.all.filter { $0.covers(path, literal.text) }
        found += guide.findings(inText: literal.text)
          .filter { finding in !exceptions.contains { $0.allows(finding) } }
          .map { "\(path):\(literal.line): \($0)" }
      }
    }
    #expect(found == [])
  }

  @Test("the errors, warnings, notes and hints of the goldens are plain and short")
  func goldens() throws {
    var count = 0
    var found: [String] = []
    for path in Self.files(in: "Tests/GoldenTests/Goldens", type: ".frc") {
      for line in try RepositoryFiles.text(path).split(separator: "\n") {
        guard
          let message = line.wholeMatch(
            of: #/#> +(?:\S+ )?(?:error|warning|note|hint): (.*)/#)?.output.1
        else { continue }
        count += 1
        // Quoted parts come from the script. Semicolons separate the parts of a list.
        let words = message.replacing(#/'[^']*'|"[^"]*"/#, with: "code")
          .replacing("; ", with: ". ")
        found += guide.findings(inText: String(words)).map { "\(path): \(message): \($0)" }
      }
    }
    #expect(count > 500)
    #expect(found == [])
  }

  @Test("every exception is used, and has a reason")
  func exceptions() throws {
    for exception in MessageException.all {
      let texts = try Self.files(in: "Sources", type: ".swift")
        .filter { $0.hasPrefix(exception.path) }
        .flatMap { SwiftLiterals.all(in: try RepositoryFiles.text($0)).map(\.text) }
      let isUsed = texts.contains { text in
        text.contains(exception.text)
          && guide.findings(inText: text).contains { exception.allows($0) }
      }
      #expect(isUsed, "\(exception.path): \(exception.text)")
      #expect(!exception.reason.isEmpty)
    }
  }

  @Test("planted texts are found; comments, regular expressions and values are left alone")
  func planted() {
    let literals = SwiftLiterals.all(
      in: ##"""
        // "a comment stands here"
        let a = "first \(name("behind", 1)) text"
        let b = #/"behind/#
        let c = """
          two lines \
          of text
          """
        let d = "it stands behind"
        """##)

    #expect(literals.map(\.line) == [2, 4, 8])
    #expect(literals.first?.text == "first code text")
    #expect(guide.findings(inText: literals.last?.text ?? "").count == 2)
    #expect(guide.findings(inText: String(repeating: "word ", count: 41)).count == 1)
    #expect(guide.findings(inText: "What it prints follows.").count == 1)
  }

  /// The targets of the repository.
  private static let modules = Set(
    files(in: "Sources", type: ".swift").compactMap { path in
      path.split(separator: "/").dropFirst().first.map(String.init)
    }
  ).sorted()

  private static func files(in folder: String, type: String) -> [String] {
    RepositoryFiles.paths(in: folder).filter { $0.hasSuffix(type) }.sorted()
  }
}

extension SwiftLiterals.Literal {
  /// Whether this can be a message: it has three words, and is not code of another language.
  fileprivate var isSentence: Bool {
    text.matches(of: #/[A-Za-z]+/#).count >= 3 && text.contains(" ")
  }
}

/// A text that need not pass, and why.
private struct MessageException {
  /// The beginning of the path of its file.
  let path: String
  /// A part of the text.
  let text: String
  /// What is found in it.
  let finding: String
  let reason: String

  static let all = [
    MessageException(
      path: "Sources/PromptTools/Help/HelpTopic+Objects.swift", text: "Nobody's",
      finding: "Nobody", reason: "it is the title of a book")
  ]

  func covers(_ path: String, _ literal: String) -> Bool {
    path.hasPrefix(self.path) && literal.contains(text)
  }

  func allows(_ finding: String) -> Bool { finding.hasPrefix("'" + self.finding) }
}
