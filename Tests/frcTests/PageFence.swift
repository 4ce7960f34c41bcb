import Foundation
import RepositoryFiles

/// A block of code of a Markdown page.
struct PageFence {
  let page: String
  /// The line of the page that begins the block, counted from 1.
  let line: Int
  /// What follows the backquotes, such as `swift` or `frc continued`.
  let language: String
  let lines: [String]

  var place: String { "\(page):\(line)" }

  /// The blocks of all pages, in order.
  static func all() throws -> [PageFence] {
    try RepositoryFiles.pages.flatMap { blocks(in: try RepositoryFiles.text($0), page: $0) }
  }

  static func blocks(in text: String, page: String) -> [PageFence] {
    var found: [PageFence] = []
    var open: (line: Int, fence: Substring, language: String)?
    var lines: [String] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let trimmed = line.drop { $0 == " " }
      if let block = open {
        if trimmed.trimmingCharacters(in: .whitespaces) == block.fence {
          found.append(
            PageFence(page: page, line: block.line, language: block.language, lines: lines))
          open = nil
          lines = []
        } else {
          lines.append(String(line))
        }
      } else if trimmed.hasPrefix("```") {
        let fence = trimmed.prefix { $0 == "`" }
        let language = trimmed.dropFirst(fence.count).trimmingCharacters(in: .whitespaces)
        open = (index + 1, fence, language)
      }
    }
    return found
  }
}
