import Foundation
import RepositoryFiles

/// A Markdown file as its headings, paragraphs and table rows, without blocks of code.
struct MarkdownPage {
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

  let path: String
  private(set) var passages: [Passage] = []
  /// The length of each line that can be wrapped, without addresses of links.
  private(set) var lineLengths: [(line: Int, columns: Int)] = []

  init(path: String) throws {
    self.init(path: path, text: try RepositoryFiles.text(path))
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
      // The comments of a page are not shown.
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
      // A symbol's labels are the target of a link, too, and cannot be on two lines.
      let withoutTargets = line.replacing(#/\]\([^)]*\)/#, with: "]")
        .replacing(#/\([^)]*:\)``/#, with: "()``")
      lineLengths.append((number, withoutTargets.count))
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

  /// The targets of links to other files, to headings, and to pages of DocC (`doc:NAME`).
  var relativeLinks: [String] {
    let patterns = [
      #/\]\(([^)\s]+)\)/#, #/<(doc:[^>\s]+)>/#, #/\b(?:src|srcset|href)="([^"]+)"/#,
    ]
    var links: [String] = []
    for passage in passages {
      let text = passage.text.replacing(#/`[^`]*`/#, with: "code")
      for pattern in patterns {
        links += text.matches(of: pattern).map { String($0.output.1) }
      }
    }
    return links.filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
  }

  /// Returns whether the file that a link names exists, and has the heading that it names.
  func leads(to link: String) throws -> Bool {
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      .map(String.init)
    let folder = RepositoryFiles.url(path).deletingLastPathComponent()
    if parts[0].hasPrefix("doc:") {
      let page = folder.appendingPathComponent(parts[0].dropFirst("doc:".count) + ".md")
      return FileManager.default.fileExists(atPath: page.path)
    }
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
    var found: Set<String> = []
    var counts: [String: Int] = [:]
    for heading in passages where heading.kind == .heading {
      let text = heading.text.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { String($0.output.1) }
      let anchor = text.replacing("`", with: "").lowercased()
        .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
        .replacing(" ", with: "-")
      let count = counts[anchor, default: 0]
      found.insert(count == 0 ? anchor : "\(anchor)-\(count)")
      counts[anchor] = count + 1
    }
    return found
  }
}
