import Foundation
import RepositoryFiles
import Testing

@testable import ScriptSyntax

/// The syntax files for editors contain the words of the language.
@Suite struct EditorSyntaxTests {
  private static let folder = RepositoryFiles.url("Editors")

  private struct Grammar: Decodable {
    let repository: [String: Rule]

    struct Rule: Decodable { let match: String? }
  }

  @Test("the TextMate grammar has every statement's word, and no other")
  func textMate() throws {
    let data = try Data(contentsOf: Self.folder.appending(path: "frc.tmLanguage.json"))
    let grammar = try JSONDecoder().decode(Grammar.self, from: data)
    for rule in grammar.repository.values {
      if let match = rule.match { _ = try NSRegularExpression(pattern: match) }
    }
    let statement = try #require(grammar.repository["statement"]?.match)
    let list = try #require(
      statement.firstMatch(of: #/\\s\*\((?<words>[a-z|]+)\)/#)?.output.words)
    let words: [String] = list.split(separator: "|").map { String($0) }
    #expect(words.sorted() == StatementWord.all)
    let clause = try #require(grammar.repository["clause"]?.match)
    for word in ClauseWord.allCases {
      #expect(clause.contains(word.rawValue.replacing(" ", with: #"\s+"#)), "\(word)")
    }
  }

  @Test("the Vim syntax has every statement's word, and no other")
  func vim() throws {
    let text = try String(
      contentsOf: Self.folder.appending(path: "vim/syntax/frc.vim"), encoding: .utf8)
    let line = try #require(
      text.split(separator: "\n").first { $0.hasPrefix("syntax match frcStatement") })
    let list = try #require(line.firstMatch(of: #/<\\\((?<words>[a-z|\\]+)\\\)/#)?.output.words)
    let words = list.components(separatedBy: #"\|"#).sorted()
    #expect(words == StatementWord.all)
    for word in ClauseWord.allCases {
      #expect(text.contains(word.rawValue.replacing(" ", with: #"\s\+"#)), "\(word)")
    }
  }
}
