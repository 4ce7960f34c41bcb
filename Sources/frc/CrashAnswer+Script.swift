import Lessons
import LogReplay
import ScriptSyntax

extension CrashAnswer {
  /// Answers a text that is no script because it is a crash text or a log; nil for any other text.
  ///
  /// The line of the first error has to begin it, because a script may print such a text.
  init?(_ script: ParsedScript) {
    guard let error = script.diagnostics.first(where: { $0.severity == .error }) else { return nil }
    let source = script.source
    let line = source.range(ofLine: source.line(of: error.range.lowerBound))
    guard CrashAnswer(source.text(in: line)) != nil || Self.begins(in: source, line.lowerBound)
    else { return nil }
    self.init(source.text(in: line.lowerBound..<source.bytes.count))
  }

  /// Whether the text from a place on has an exception in its first lines.
  private static func begins(in source: SourceText, _ place: Int) -> Bool {
    let end = min(source.bytes.count, place + 4_000)
    let lines = source.text(in: place..<end).split(separator: "\n").prefix(4)
    return CrashAnswer(lines.joined(separator: "\n")) != nil
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
