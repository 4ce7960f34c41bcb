import Basics

/// Reads the text of scripts.
package enum ScriptParser {
  /// The kind of text.
  package enum Setting: Sendable {
    case file
    /// One entry at the prompt. If more text is needed, the prompt asks for another line, so a line
    /// end never ends such an entry.
    case prompt
  }

  /// Whether the prompt runs an entry or asks for another line.
  package enum Completeness: Equatable, Sendable {
    case complete
    case incomplete
  }

  /// The largest depth of nested brackets, blocks and signs.
  package static let maximumDepth = 200

  /// The largest number of operators in a row in one expression, so that code may walk an
  /// expression by recursion.
  package static let mostOperators = 1000

  /// The first words of statements, in alphabetical order.
  package static var statementWords: [String] { StatementWord.all }

  /// Parses a whole script, and finds one error for each mistake in it.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the text.
  package static func parse(
    _ source: SourceText, as setting: Setting = .file
  ) -> ParsedScript {
    let cursor = TokenCursor(source, setting: setting)
    let statements = StatementParser(cursor).parseScript()
    let diagnostics = cursor.diagnostics.enumerated().ordered {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }
    return ParsedScript(
      source: source, statements: statements, diagnostics: diagnostics.map(\.element),
      marks: cursor.marks)
  }

  /// Returns whether an entry at the prompt is complete.
  ///
  /// It is incomplete if its first error is that the text ends: a bracket, block or string is open,
  /// or an operand, a name or a sign must follow. An entry with an earlier error is complete, so
  /// that the error is reported at once.
  package static func completeness(of text: String) -> Completeness {
    cursor(after: text).needsMore ? .incomplete : .complete
  }

  /// Returns whether an incomplete entry ends within a bracket, a block or a string.
  ///
  /// An empty line is common there.
  package static func isOpen(_ text: String) -> Bool {
    cursor(after: text).isOpen
  }

  /// Returns the cursor after parsing an entry at the prompt.
  private static func cursor(after text: String) -> TokenCursor {
    let cursor = TokenCursor(SourceText(name: "", text: text), setting: .prompt)
    _ = StatementParser(cursor).parseScript()
    return cursor
  }
}

/// A script's statements, its errors, and the comments that are meant for tools.
package struct ParsedScript: Sendable {
  package var source: SourceText
  /// The top-level statements without errors, in order.
  package var statements: [Statement]
  /// The errors and warnings, in the order of their places.
  package var diagnostics: [Diagnostic]
  /// The statements grouped by lines, with the expected output under them.
  package var groups: [StatementGroup]
  /// Expected output that does not follow a top-level statement.
  package var strayExpectations: [ExpectedLine]
  /// The `#@` lines, in order.
  package var directives: [Directive]

  /// The information about tokens that the formatter needs.
  package var marks: SourceMarks

  package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// Top-level statements that share a line, with the expected output directly under them.
///
/// Most groups have one statement.
package struct StatementGroup: Equatable, Sendable {
  /// The indices of the statements in the script.
  package var statements: Range<Int>
  /// The lines from the first statement's start to the last one's end, counted from 1.
  package var lines: ClosedRange<Int>
  /// The `#>` and `#?` lines directly under the last line.
  package var expected: [ExpectedLine]
  /// Where expected lines begin or would begin: the start of the line after the last one, or the
  /// end of the source.
  package var expectedOffset: Int

  /// Whether the expected output is a prediction.
  package var isPrediction: Bool { expected.contains(where: \.isPrediction) }
}

/// A line `#> TEXT`, or `#? TEXT`.
package struct ExpectedLine: Hashable, Sendable {
  /// The text after `#> `; empty for `#>` alone.
  package var text: String
  /// Whether the line is a prediction, `#?`.
  package var isPrediction = false
  /// The line number, counted from 1.
  package var line: Int
  /// The bytes of the line, including its line end.
  package var range: Range<Int>
}

/// A line `#@ TEXT`.
package struct Directive: Equatable, Sendable {
  /// The text after `#@`, without blanks around it.
  package var text: String
  /// The line number, counted from 1.
  package var line: Int
  /// The bytes of the line, without its line end.
  package var range: Range<Int>
}

extension ParsedScript {
  init(
    source: SourceText, statements: [Statement], diagnostics: [Diagnostic], marks: SourceMarks
  ) {
    self.source = source
    self.statements = statements
    self.diagnostics = diagnostics
    self.marks = marks
    directives = []
    strayExpectations = []
    groups = []

    var expected: [Int: ExpectedLine] = [:]
    for line in 1...source.lineCount {
      readComment(line, into: &expected)
    }
    group()
    for index in groups.indices {
      var line = groups[index].lines.upperBound + 1
      while let next = expected.removeValue(forKey: line) {
        groups[index].expected.append(next)
        line += 1
      }
    }
    strayExpectations = expected.values.ordered { $0.line < $1.line }
  }

  /// Records a line that begins with `#>`, `#?` or `#@`.
  private mutating func readComment(_ line: Int, into expected: inout [Int: ExpectedLine]) {
    let range = source.range(ofLine: line)
    guard range.count >= 2, source.bytes[range.lowerBound] == Byte.hash else { return }
    var start = range.lowerBound + 2
    let mark = source.bytes[range.lowerBound + 1]
    switch mark {
    case UInt8(ascii: ">"), UInt8(ascii: "?"):
      if start < range.upperBound, source.bytes[start] == UInt8(ascii: " ") { start += 1 }
      expected[line] = ExpectedLine(
        text: source.text(in: start..<range.upperBound),
        isPrediction: mark == UInt8(ascii: "?"), line: line,
        range: source.rangeWithEnd(ofLine: line))
    case Byte.at:
      var end = range.upperBound
      while start < end, source.bytes[start] <= 0x20 { start += 1 }
      while end > start, source.bytes[end - 1] <= 0x20 { end -= 1 }
      directives.append(
        Directive(text: source.text(in: start..<end), line: line, range: range))
    default: break
    }
  }

  private mutating func group() {
    for (index, statement) in statements.enumerated() {
      let first = source.line(of: statement.range.lowerBound)
      let last = source.line(of: max(statement.range.lowerBound, statement.range.upperBound - 1))
      let expectedOffset = source.rangeWithEnd(ofLine: last).upperBound
      if let group = groups.last, group.lines.upperBound >= first {
        groups[groups.count - 1].statements = group.statements.lowerBound..<index + 1
        groups[groups.count - 1].lines = group.lines.lowerBound...max(last, first)
        groups[groups.count - 1].expectedOffset = expectedOffset
      } else {
        groups.append(
          StatementGroup(
            statements: index..<index + 1, lines: first...last, expected: [],
            expectedOffset: expectedOffset))
      }
    }
  }
}

/// Information about a text's tokens that only the parser has, for the formatter.
package struct SourceMarks: Sendable {
  /// The offsets where statements and the parts of blocks begin.
  package internal(set) var starts: Set<Int> = []
  /// The offsets where the sources of requests begin.
  ///
  /// Lines that continue a request are indented to its source.
  var sources: Set<Int> = []
  /// Brackets that belong to the operand before them: arguments and indices.
  var attachedBrackets: Set<Int> = []
  /// Signs before an operand.
  var prefixSigns: Set<Int> = []
  /// For the start of each string, its end.
  ///
  /// A string with interpolations may extend over several lines.
  var strings: [Int: Int] = [:]
  /// Texts with a grammar of their own, ascending: predicates and locales.
  var foreign: [Range<Int>] = []
}

/// The words of the `#@` lines that make a script a lesson.
package enum LessonWord: String, CaseIterable, Sendable {
  /// Begins the lesson: its kind and its title, then its text.
  case lesson
  /// The rules and topics that the lesson is about.
  case covers
  /// Where to read more.
  case see
  /// Above the statements that the learner must fix.
  case broken
  /// Above the statements that the question is about.
  case task
  /// Above the statements of a right answer.
  case answer
  /// Above statements that show the state to reach.
  case goal
  /// The words of statements that the learner may not use.
  case without
  /// Offers the answers as choices.
  case choices
  /// A wrong answer, and why it is wrong.
  case wrong
  case hint
  /// Why the answer is right.
  case why
  /// Above the whole lesson in a form that is not read by accident.
  case sealed

  /// Parses a directive's word and the text after it; nil for other directives.
  package static func read(_ directive: Directive) -> (word: LessonWord, argument: String)? {
    let word = directive.text.prefix { !$0.isWhitespace }
    guard let found = LessonWord(rawValue: String(word)) else { return nil }
    return (found, String(directive.text.dropFirst(word.count).drop(while: \.isWhitespace)))
  }
}

extension ParsedScript {
  /// Whether the script is a lesson.
  package var isLesson: Bool {
    directives.contains { LessonWord.read($0)?.word == .lesson }
  }
}
