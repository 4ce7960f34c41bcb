package import ScriptSyntax

/// A script with its expected output.
package struct GoldenTest: Sendable {
  package let source: SourceText
  /// The file that the script is in: itself, or a Markdown file.
  package let file: SourceText
  /// The lines from which a new session counts, ascending; none in a script.
  package let sessionStarts: [Int]
  /// The first lines of a Markdown file's `frc` blocks that are not read.
  let unreadBlocks: [Range<Int>]
  /// The text of `NAME.golden` beside `NAME.frc`; nil if the expectations are in the script.
  package let golden: SourceText?
  /// Only the blocks on these lines count, where lines are given.
  package let lines: Set<Int>?

  /// Creates a test; of a Markdown file, of the script in its `frc` blocks.
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

  /// Returns the path of the golden file beside a script.
  package static func goldenPath(of path: String) -> String {
    (path.hasSuffix(".frc") ? String(path.dropLast(4)) : path) + ".golden"
  }
}

/// A store on which tests can be asked to run.
package enum TestStore: String, CaseIterable, Sendable {
  case memory
  /// A file of the run's own.
  case sqlite
}
