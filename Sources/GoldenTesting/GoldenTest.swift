package import ScriptSyntax

/// A script with its expected output.
package struct GoldenTest: Sendable {
  package let source: SourceText
  /// The file that contains the script: the script itself, or a Markdown file.
  package let file: SourceText
  /// The lines where a new session starts, ascending; empty for a script.
  package let sessionStarts: [Int]
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
