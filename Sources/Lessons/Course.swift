import Basics
import ScriptRuntime
package import ScriptSyntax

/// A series of lessons in a fixed order.
package struct Course: Sendable {
  /// `frc`, or the path of a folder.
  private let place: String
  private let learner: String?
  /// The name for reports: `frc`, or the last part of the folder's path.
  package let title: String
  package let lessons: [Lesson]

  /// - Parameter name: The path of the folder.
  package init(name: String, lessons: [Lesson]) {
    self.init(place: name, learner: nil, lessons: lessons)
  }

  private init(place: String, learner: String?, lessons: [Lesson]) {
    self.place = place
    self.learner = learner
    title = place.split(separator: "/").last.map(String.init) ?? place
    self.lessons = lessons
  }

  /// The name under which progress is saved: `frc`, or a folder, with the learner's name if there
  /// is one.
  ///
  /// No path has a NUL, so no folder has the name of a learner's course.
  package var name: String { learner.map { "\(place)\0\($0)" } ?? place }

  /// The name under which an older frc saved a learner's progress; nil without a learner.
  ///
  /// A folder may have it too, so what is saved there stays.
  var formerName: String? { learner.map { "\(place) as \($0)" } }

  package var isBuiltIn: Bool { place == Self.builtIn.place }

  /// A word that differs for two folders with the same title, and does not show their paths.
  package var mark: String {
    if isBuiltIn { return place }
    // FNV-1a.
    let digest = place.utf8.reduce(0xCBF2_9CE4_8422_2325) { (digest: UInt64, byte) in
      (digest ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return String(digest, radix: 16)
  }

  /// Returns the course with progress of its own for a learner.
  package func taken(by learner: String) -> Course {
    Course(place: place, learner: learner, lessons: lessons)
  }

  /// The course that is built into the program.
  package static let builtIn = Course(
    name: "frc",
    lessons: builtInFiles.compactMap {
      LessonReader.read($0.source, named: $0.name).lesson
    })

  /// The files of the built-in course, by lesson name, in the order of the lessons.
  package static var builtInFiles: [(name: String, source: SourceText)] {
    PackageResources.all.map { file in
      let name = String(file.name.dropLast(".frc".count))
      return (name, SourceText(name: file.name, text: file.text))
    }
  }
}

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
    let titleWidth = course.lessons.map { DisplayWidth.width(of: $0.title) }.max() ?? 0
    return course.lessons.enumerated().map { index, lesson in
      let number = "\(index + 1)".rightAligned(toColumns: numberWidth)
      let title = lesson.title.padded(toColumns: titleWidth)
      return "\(mark(of: lesson)) \(number)  \(title)  \(lesson.kind.rawValue)"
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

/// A learner's progress in a course, lesson by lesson.
package struct CourseProgress: Codable, Equatable, Sendable {
  /// The progress in one lesson.
  package struct Record: Codable, Equatable, Sendable {
    package enum State: String, Codable, Sendable {
      case begun
      case solved
      /// Solved after the solution was shown.
      case shown
      case skipped

      var isOver: Bool {
        switch self {
        case .solved, .shown, .skipped: true
        case .begun: false
        }
      }
    }

    package var state = State.begun
    /// The number of graded answers.
    package var tries = 0
    /// The number of hints that were asked for.
    package var hints = 0
    /// Whether the solution was shown.
    package var sawSolution = false
    /// The time that the learner had the lesson before them, without long pauses.
    package var seconds = 0.0
    /// The last answer that was not right.
    package var lastWrong: String?

    package init() {}

    /// Creates the record of a lesson in a file to hand in; nil if its state is unknown.
    fileprivate init?(_ result: Submission.Result) {
      guard let state = State(rawValue: result.state) else { return nil }
      self.state = state
      tries = Self.bounded(result.tries)
      hints = Self.bounded(result.hints)
      sawSolution = state == .shown
      seconds = Double(Self.bounded(result.seconds))
      if let answer = result.lastWrong { note(wrong: answer) }
    }

    /// Keeps an answer that was not right.
    mutating func note(wrong answer: String) { lastWrong = String(answer.prefix(500)) }

    /// A file may contain any numbers; counts that no learner can reach are brought within bounds.
    package init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      state = try values.decode(State.self, forKey: .state)
      tries = Self.bounded(try values.decode(Int.self, forKey: .tries))
      hints = Self.bounded(try values.decode(Int.self, forKey: .hints))
      sawSolution = try values.decode(Bool.self, forKey: .sawSolution)
      let time = try values.decodeIfPresent(Double.self, forKey: .seconds) ?? 0
      seconds = Self.bounded(time)
      lastWrong = try values.decodeIfPresent(String.self, forKey: .lastWrong)
    }

    private static func bounded<Count: Numeric & Comparable>(_ count: Count) -> Count {
      min(max(0, count), 1_000_000_000)
    }
  }

  /// The records by lesson name.
  package var lessons: [String: Record] = [:]
  /// The name of the lesson that was opened last.
  package var current: String?

  package init() {}

  /// The record of a lesson, or a new one if there is none.
  subscript(lesson: Lesson) -> Record {
    get { lessons[lesson.name] ?? Record() }
    set { lessons[lesson.name] = newValue }
  }

  /// Takes over the lessons that changed between two states of the progress in another window.
  package mutating func takeChanges(from old: CourseProgress, to new: CourseProgress) {
    for (name, record) in new.lessons where old.lessons[name] != record { lessons[name] = record }
    for name in old.lessons.keys where new.lessons[name] == nil { lessons[name] = nil }
    if old.current != new.current { current = new.current }
  }

  /// Takes over the lessons in a file to hand in that are new, or that are over only there.
  package mutating func takeOver(_ results: Submission) {
    for result in results.lessons {
      guard let record = Record(result) else { continue }
      let isNew = lessons[result.lesson].map { !$0.state.isOver && record.state.isOver } ?? true
      if isNew { lessons[result.lesson] = record }
    }
  }

  /// The index of the lesson with which a learner continues: the one that was opened last, or
  /// else the first one after it that is neither solved nor skipped, or else the first one of all.
  ///
  /// Nil if every lesson is solved or skipped.
  package func next(in course: Course) -> Int? {
    let here = course.lessons.firstIndex { $0.name == current } ?? 0
    return course.lessons[here...].firstIndex { !isOver($0) }
      ?? course.lessons.firstIndex { !isOver($0) }
  }

  func isOver(_ lesson: Lesson) -> Bool {
    lessons[lesson.name]?.state.isOver ?? false
  }
}

/// The progress in all courses, as it is saved to the file.
package struct LearnerProgress: Codable, Equatable, Sendable {
  /// The progress by course name.
  package var courses: [String: CourseProgress] = [:]

  package init() {}

  package subscript(course: Course) -> CourseProgress {
    get { courses[course.name] ?? formerProgress(in: course) ?? CourseProgress() }
    set {
      // Where an older frc has saved some, it would return after it was forgotten.
      let isEmpty = newValue == CourseProgress() && formerProgress(in: course) == nil
      courses[course.name] = isEmpty ? nil : newValue
    }
  }

  private func formerProgress(in course: Course) -> CourseProgress? {
    course.formerName.flatMap { courses[$0] }
  }
}

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
        let width = widths[column]
        line += column == 0 ? "" : "  "
        line +=
          (3...5).contains(column)
          ? cell.rightAligned(toColumns: width) : cell.padded(toColumns: width)
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
