import Lessons
import LogReplay
import ScriptSyntax

extension CrashAnswer {
  /// Answers a text that is no script because it is a crash text or a log; nil for any other text.
  ///
  /// Such a text begins at the line of the first error. A report may have other lines before the
  /// exception, but no statement, since a script may print an exception or expect one.
  init?(_ script: ParsedScript) {
    guard let error = script.diagnostics.first(where: { $0.severity == .error }) else { return nil }
    let source = script.source
    let first = source.range(ofLine: source.line(of: error.range.lowerBound)).lowerBound
    guard let place = Self.place(in: source, from: first),
      !script.statements.contains(where: { first..<place ~= $0.range.lowerBound })
    else { return nil }
    self.init(source.text(in: first..<source.bytes.count))
  }

  /// How many lines may come before the exception.
  private static let mostLines = 40

  /// Returns where the first line is that is crash text.
  private static func place(in source: SourceText, from start: Int) -> Int? {
    let end = min(source.bytes.count, start + 16_000)
    // A line may end with CR and LF, which together are one character.
    let lines = source.bytes[start..<end].split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let first = firstLine(of: source.text(in: start..<end)),
      first <= min(mostLines, lines.count),
      lines[first - 1].first(where: { $0 != UInt8(ascii: " ") }) != UInt8(ascii: "#")
    else { return nil }
    return lines[..<(first - 1)].reduce(start) { $0 + $1.count + 1 }
  }

  /// The answer with the name of the lesson: `Lesson 48 teaches this: frc learn 48 (Moves)`.
  var linesWithLesson: [String] {
    guard let lesson,
      let index = Course.builtIn.lessons.firstIndex(where: { $0.title == lesson })
    else { return lines }
    return lines + ["Lesson \(index + 1) teaches this: frc learn \(index + 1) (\(lesson))"]
  }
}

/// Answers a crash text where a command of the shell expected a script.
struct CrashAnswerText {
  /// The lines to print.
  let lines: [String]
  /// The summary for other programs.
  let message = "this is a crash text or a log, not a script"

  /// - Parameters:
  ///   - file: The file that has the text; nil if it is not a file.
  init(_ answer: CrashAnswer, file: String?) {
    var lines = answer.linesWithLesson
    if let script = answer.script {
      lines += ["", "This script does it again:", ""]
      lines += script.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map(String.init)
      lines += ["", "Save the script as again.frc, or let frc write it:"]
      let log = file ?? "LOG"
      lines.append("  frc replay \(log) --script again.frc --html again.html")
      lines.append("Run it with: frc run again.frc. The page again.html plays it.")
    }
    self.lines = lines
  }
}
