import Foundation
import PredicateSyntax
import RepositoryFiles
import Testing

/// The cases collected from Apple's and others' tests.
///
/// They are skipped if the file is not available beside the checkout.
@Suite("Gathered cases of syntax", .enabled(if: SharedCases.file != nil))
struct SharedCaseTests {
  @Test("each malformed text is refused, or refused for its arguments later")
  func malformed() throws {
    for entry in try SharedCases.entries("malformed") {
      let text = try #require(entry["predicate"] as? String)
      let id = entry["id"] as? String ?? text
      // The engine checks the number and the values of arguments.
      if id == "M015" || id == "M117" {
        #expect(throws: Never.self, "\(id)") { try PredicateParser.parse(format: text) }
        continue
      }
      #expect(throws: PredicateSyntaxError.self, "\(id): \(text)") {
        try PredicateParser.parse(format: text)
      }
    }
  }

  @Test("every other predicate is parsed, and printed so that it parses again")
  func wellFormed() throws {
    for list in ["eval", "store_divergence"] {
      for entry in try SharedCases.entries(list) {
        let text = try #require(entry["predicate"] as? String)
        let tree = try PredicateParser.parse(format: text)
        guard entry["args"] == nil else { continue }
        #expect(try PredicateParser.parse(format: tree.description) == tree, "\(text)")
      }
    }
  }

  @Test("structure and normal form are those gathered")
  func structure() throws {
    for entry in try SharedCases.entries("structure") where entry["args"] == nil {
      let id = entry["id"] as? String ?? ""
      let tree =
        if let build = entry["build"] { try built(build) } else {
          try PredicateParser.parse(format: try #require(entry["predicate"] as? String))
        }
      if let shape = entry["shape"] {
        #expect(describe(shape) == self.shape(of: tree), "\(id)")
      }
      if let same = entry["same_as"] as? String {
        #expect(try PredicateParser.parse(format: same) == tree, "\(id)")
      }
      if let format = entry["predicateFormat"] as? String {
        #expect(tree.description == format, "\(id)")
        #expect(try PredicateParser.parse(format: format) == tree, "\(id)")
      }
    }
  }

  private func built(_ node: Any) throws -> PredicateTree {
    if let text = node as? String { return try PredicateParser.parse(format: text) }
    let list = try #require(node as? [Any])
    let parts = try list.dropFirst().map(built)
    switch list.first as? String {
    case "AND": return .and(parts)
    case "OR": return .or(parts)
    default: return .not(parts[0])
    }
  }

  private func describe(_ shape: Any) -> String {
    guard let list = shape as? [Any] else { return shape as? String ?? "" }
    return "(" + list.map(describe).joined(separator: " ") + ")"
  }

  private func shape(of tree: PredicateTree) -> String {
    switch tree {
    case .constant, .comparison: "cmp"
    case .and(let parts): "(AND " + parts.map(shape).joined(separator: " ") + ")"
    case .or(let parts): "(OR " + parts.map(shape).joined(separator: " ") + ")"
    case .not(let part): "(NOT " + shape(of: part) + ")"
    }
  }
}
