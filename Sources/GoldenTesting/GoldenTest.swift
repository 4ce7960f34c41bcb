package import ScriptSyntax

/// A script with its expected output.
package struct GoldenTest: Sendable {
  package let source: SourceText
  /// The file that contains the script: the script itself, or a Markdown file.
  package let file: SourceText
  /// The lines where a new session starts, ascending; empty for a script.
  package let sessionStarts: [Int]
  /// The lines of a Markdown file that are its script; nil for a script.
  package let scriptLines: Set<Int>?
  /// The first lines of those `frc` blocks of a Markdown file that are not read.
  let unreadBlocks: [Range<Int>]
  /// The text of `NAME.golden` next to `NAME.frc`; nil if the expected output is in the script.
  package let golden: SourceText?
  /// The lines whose blocks are checked; nil for all.
  package let lines: Set<Int>?

  /// Creates a test.
  ///
  /// For a Markdown file, the script consists of its `frc` blocks.
  package init(source: SourceText, golden: SourceText? = nil, lines: Set<Int>? = nil) {
    let markdown = Self.isMarkdown(source.name) ? MarkdownScript(source) : nil
    self.source = markdown?.source ?? source
    sessionStarts = markdown?.sessionStarts ?? []
    scriptLines = markdown?.lines
    unreadBlocks = markdown?.unreadBlocks ?? []
    file = source
    self.golden = golden
    self.lines = lines
  }

  /// Whether a file of this name is Markdown.
  package static func isMarkdown(_ path: String) -> Bool {
    path.hasSuffix(".md") || path.hasSuffix(".markdown")
  }

  /// Returns the path of the golden file next to a script.
  package static func goldenPath(of path: String) -> String {
    (path.hasSuffix(".frc") ? String(path.dropLast(4)) : path) + ".golden"
  }
}

/// A store on which tests can run.
package enum TestStore: String, CaseIterable, Sendable {
  case memory
  /// A file that only this run uses.
  case sqlite
}

/// The script in a Markdown file: the lines of its `frc` code blocks, at their places in the file.
///
/// A block begins with a line of three or more backticks or tildes followed by `frc`, and ends with
/// a line of at least as many. A block `frc ignore` is not read. The blocks under one heading form
/// a session. The next heading starts another session, unless its first block is `frc continued`.
///
/// A block that is indented or quoted is not read, because expected output has to start at the
/// beginning of a line.
struct MarkdownScript {
  /// The file with blanks in place of everything outside the script, so that offsets stay the same.
  let source: SourceText
  /// The lines where a new session starts, ascending.
  private(set) var sessionStarts: [Int] = []
  /// The lines in blocks that are read, without their fences.
  private(set) var lines: Set<Int> = []
  /// The first lines of blocks that are not read, because they are indented or quoted.
  private(set) var unreadBlocks: [Range<Int>] = []

  /// - Complexity: O(*n*) in the length of the file.
  init(_ file: SourceText) {
    var bytes = file.bytes
    var fence: Fence?
    var sessionStarts: [Int] = []
    var lastBlock = 0
    for line in 1...file.lineCount {
      let range = file.range(ofLine: line)
      let text = file.bytes[range]
      if let open = fence {
        if open.isClosed(by: text) {
          fence = nil
        } else if open.isScript {
          lines.insert(line)
          continue
        }
      } else if let opened = Fence(text) {
        fence = opened
        if opened.isScript {
          while opened.isContinued, let start = sessionStarts.last, start > lastBlock {
            sessionStarts.removeLast()
          }
          lastBlock = line
        }
      } else if text.isHeading {
        sessionStarts.append(line)
      } else if let start = text.firstIndex(where: { !" \t>".utf8.contains($0) }),
        Fence(text[start...])?.isScript == true
      {
        unreadBlocks.append(start..<range.upperBound)
      }
      for index in range { bytes[index] = UInt8(ascii: " ") }
    }
    source = SourceText(name: file.name, bytes: bytes)
    self.sessionStarts = sessionStarts
  }

  /// The line that begins a code block.
  private struct Fence {
    let mark: UInt8
    let length: Int
    let isScript: Bool
    /// Whether the block continues the session of the block before.
    let isContinued: Bool

    init?(_ line: ArraySlice<UInt8>) {
      guard let mark = line.first, mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~") else {
        return nil
      }
      length = line.prefix { $0 == mark }.count
      guard length >= 3 else { return nil }
      self.mark = mark
      let words = line.dropFirst(length).split { $0 == UInt8(ascii: " ") || $0 == 0x0D }
      func isMarked(_ word: String) -> Bool {
        words.dropFirst().contains { $0.elementsEqual(word.utf8) }
      }
      isScript = words.first?.elementsEqual("frc".utf8) == true && !isMarked("ignore")
      isContinued = isMarked("continued")
    }

    func isClosed(by line: ArraySlice<UInt8>) -> Bool {
      let marks = line.prefix { $0 == mark }
      return marks.count >= length && line.dropFirst(marks.count).allSatisfy { $0 <= 0x20 }
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether a line of Markdown is a heading: `# ` to `###### `.
  fileprivate var isHeading: Bool {
    let marks = prefix { $0 == UInt8(ascii: "#") }
    return (1...6).contains(marks.count) && dropFirst(marks.count).first == UInt8(ascii: " ")
  }
}
