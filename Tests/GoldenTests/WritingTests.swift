import RepositoryFiles
import Testing

/// The pages are written in plain words and short sentences, and their links lead somewhere.
@Suite("Writing")
struct WritingTests {
  private let guide: WritingGuide

  init() throws {
    guide = try WritingGuide.shared.get()
  }

  @Test(
    "a page has plain words, short sentences and lines, and defines its terms",
    arguments: RepositoryFiles.pages)
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
    arguments: RepositoryFiles.pages)
  func links(path: String) throws {
    let page = try MarkdownPage(path: path)
    let missing = try page.relativeLinks.filter { try !page.leads(to: $0) }
    #expect(missing == [])
  }

  @Test("every exception names a page that exists, and a reason")
  func exceptions() {
    #expect(RepositoryFiles.pages.contains("README.md"))
    for exception in WritingException.all {
      #expect(RepositoryFiles.pages.contains(exception.page))
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
