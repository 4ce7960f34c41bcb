import ScriptRuntime

/// The list of a course's lessons with a learner's progress.
package struct CourseReport {
  private let course: Course
  private let progress: CourseProgress

  package init(_ course: Course, _ progress: CourseProgress) {
    self.course = course
    self.progress = progress
  }

  /// One line per lesson, for people.
  package var list: [String] {
    let numberWidth = "\(course.lessons.count)".count
    let titleWidth = course.lessons.map(\.title.count).max() ?? 0
    return course.lessons.enumerated().map { index, lesson in
      let number = "\(index + 1)"
      let blanks = String(repeating: " ", count: numberWidth - number.count)
      let rest = String(repeating: " ", count: titleWidth - lesson.title.count)
      return
        "\(mark(of: lesson)) \(blanks)\(number)  \(lesson.title)\(rest)  \(lesson.kind.rawValue)"
    } + [summary]
  }

  private func mark(of lesson: Lesson) -> String {
    switch progress.lessons[lesson.name]?.state {
    case .solved: "✓"
    case .shown: "s"
    case .skipped: "-"
    case .begun: "…"
    case nil: " "
    }
  }

  /// A line with the number of finished lessons.
  package var summary: String {
    let done = count(.solved) + count(.shown)
    let rest = [(count(.shown), "with the solution"), (count(.skipped), "skipped")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return (["\(done) of \(course.lessons.count) solved"] + rest).joined(separator: ", ")
  }

  private func count(_ state: CourseProgress.Record.State) -> Int {
    course.lessons.count { progress.lessons[$0.name]?.state == state }
  }

  /// One JSON object per line: each lesson, then a summary.
  package var json: [String] {
    course.lessons.enumerated().map { index, lesson in
      let record = progress[lesson]
      let state = progress.lessons[lesson.name].map(\.state.rawValue) ?? "open"
      return JSON.object([
        ("event", .string("lesson")), ("course", .string(course.title)),
        ("number", .number("\(index + 1)")), ("name", .string(lesson.name)),
        ("title", .string(lesson.title)), ("kind", .string(lesson.kind.rawValue)),
        ("state", .string(state)), ("tries", .number("\(record.tries)")),
        ("hints", .number("\(record.hints)")),
      ]).description
    } + [
      JSON.object([
        ("event", .string("summary")), ("course", .string(course.title)),
        ("lessons", .number("\(course.lessons.count)")),
        ("solved", .number("\(count(.solved))")), ("shown", .number("\(count(.shown))")),
        ("skipped", .number("\(count(.skipped))")), ("begun", .number("\(count(.begun))")),
      ]).description
    ]
  }
}
