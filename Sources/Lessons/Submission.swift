import Basics
import ScriptRuntime

/// What a learner hands in: the results of one course, without paths and without other courses.
package struct Submission: Codable, Equatable, Sendable {
  /// The results of one lesson.
  package struct Result: Codable, Equatable, Sendable {
    package var number: Int
    package var lesson: String
    package var title: String
    package var state: String
    package var tries: Int
    package var hints: Int
    package var seconds: Int
    package var lastWrong: String?
  }

  package static let format = "frc results 1"

  package var format = Submission.format
  package var name: String
  package var course: String
  /// The course's mark; nil in a file of an older frc.
  package var mark: String?
  package var lessons: [Result]

  /// - Parameter name: The learner's name.
  package init(name: String, course: Course, progress: CourseProgress) {
    self.name = name
    self.course = course.title
    mark = course.mark
    lessons = course.lessons.enumerated().compactMap { index, lesson in
      guard let record = progress.lessons[lesson.name] else { return nil }
      return Result(
        number: index + 1, lesson: lesson.name, title: lesson.title,
        state: record.state.rawValue, tries: record.tries, hints: record.hints,
        seconds: Int(record.seconds.rounded()), lastWrong: record.lastWrong)
    }
  }

  /// Why these are not results that a learner hands in; nil if they are.
  package var fault: String? {
    if format != Self.format { return "its format is '\(format)', not '\(Self.format)'" }
    if name.allSatisfy(\.isWhitespace) { return "it has no name" }
    // A text that is too long would widen the whole table.
    let texts = [name, course, mark ?? ""] + lessons.flatMap { [$0.lesson, $0.title, $0.state] }
    if texts.contains(where: { $0.utf8.count > 1_000 }) || lessons.count > 10_000 {
      return "it has a text or a list that is too long"
    }
    let isPossible = lessons.allSatisfy {
      $0.tries >= 0 && $0.hints >= 0 && $0.seconds >= 0 && $0.number > 0
    }
    return isPossible ? nil : "it has a number below zero"
  }
}

/// The results of a class as one table.
package struct ClassTable {
  private struct Row {
    let name: String
    let course: String
    let result: Submission.Result

    /// The minutes and seconds.
    var time: String {
      let seconds = result.seconds % 60
      return "\(result.seconds / 60):\(seconds < 10 ? "0" : "")\(seconds)"
    }
  }

  private let rows: [Row]

  /// - Parameter submissions: The results in the order of the table.
  package init(_ submissions: [Submission]) {
    rows = submissions.flatMap { submission in
      submission.lessons.map { Row(name: submission.name, course: submission.course, result: $0) }
    }
  }

  private static let titles = [
    "name", "lesson", "state", "tries", "hints", "time", "last wrong answer",
  ]

  /// Columns for people.
  package var text: [String] {
    let table =
      [Self.titles]
      + rows.map { row in
        let wrong = row.result.lastWrong?.linesOfText.map(\.trimmed).joined(separator: " / ")
        return [
          row.name, row.result.lesson, row.result.state, "\(row.result.tries)",
          "\(row.result.hints)", row.time, wrong ?? "",
        ].map(ShownText.line)
      }
    let widths = Self.titles.indices.map { column in
      table.map { DisplayWidth.width(of: $0[column]) }.max() ?? 0
    }
    return table.map { cells in
      var line = ""
      for (column, cell) in cells.enumerated() {
        let blanks = String(repeating: " ", count: widths[column] - DisplayWidth.width(of: cell))
        let isNumber = (3...5).contains(column)
        line += (column == 0 ? "" : "  ") + (isNumber ? blanks + cell : cell + blanks)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Lines of comma-separated values for a spreadsheet, with the time in seconds.
  package var csv: [String] {
    let titles = [
      "name", "course", "number", "lesson", "title", "state", "tries", "hints", "seconds",
      "last wrong answer",
    ]
    return [titles.joined(separator: ",")]
      + rows.map { row in
        let result = row.result
        return [
          row.name, row.course, "\(result.number)", result.lesson, result.title, result.state,
          "\(result.tries)", "\(result.hints)", "\(result.seconds)", result.lastWrong ?? "",
        ].map(Self.field).joined(separator: ",")
      }
  }

  /// Returns a field of comma-separated values.
  ///
  /// A spreadsheet would run a text that begins like a formula, so an apostrophe is put before it.
  private static func field(_ text: String) -> String {
    var text = text
    if let first = text.first, "=+-@\t\r".contains(first) { text = "'" + text }
    guard text.contains(where: { ",\"".contains($0) || $0.isNewline }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }

  /// One JSON object for each line of the table.
  package var json: [String] {
    rows.map { row in
      let result = row.result
      return JSON.object([
        ("event", .string("result")), ("name", .string(row.name)),
        ("course", .string(row.course)), ("number", .number("\(result.number)")),
        ("lesson", .string(result.lesson)), ("title", .string(result.title)),
        ("state", .string(result.state)), ("tries", .number("\(result.tries)")),
        ("hints", .number("\(result.hints)")), ("seconds", .number("\(result.seconds)")),
        ("lastWrong", result.lastWrong.map(JSON.string) ?? .null),
      ]).description
    }
  }
}
