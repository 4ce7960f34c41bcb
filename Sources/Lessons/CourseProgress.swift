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

    /// Keeps an answer that was not right.
    mutating func note(wrong answer: String) { lastWrong = String(answer.prefix(500)) }

    /// A file may contain any numbers; counts that no visit can reach are brought within bounds.
    package init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      state = try values.decode(State.self, forKey: .state)
      tries = min(max(0, try values.decode(Int.self, forKey: .tries)), Self.highestCount)
      hints = min(max(0, try values.decode(Int.self, forKey: .hints)), Self.highestCount)
      sawSolution = try values.decode(Bool.self, forKey: .sawSolution)
      let time = try values.decodeIfPresent(Double.self, forKey: .seconds) ?? 0
      seconds = min(max(0, time), Double(Self.highestCount))
      lastWrong = try values.decodeIfPresent(String.self, forKey: .lastWrong)
    }

    private static var highestCount: Int { 1_000_000_000 }
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

  /// Takes over the lessons that changed between two states of another visit's progress.
  package mutating func takeChanges(from old: CourseProgress, to new: CourseProgress) {
    for (name, record) in new.lessons where old.lessons[name] != record { lessons[name] = record }
    for name in old.lessons.keys where new.lessons[name] == nil { lessons[name] = nil }
    if old.current != new.current { current = new.current }
  }

  /// The index of the lesson with which a visit continues: the one that was opened last, or else the
  /// first one after it that is neither solved nor skipped, or else the first one of all.
  ///
  /// Nil if every lesson is solved or skipped.
  package func next(in course: Course) -> Int? {
    let here = course.lessons.firstIndex { $0.name == current } ?? 0
    return course.lessons[here...].firstIndex { !isOver($0) }
      ?? course.lessons.firstIndex { !isOver($0) }
  }

  func isOver(_ lesson: Lesson) -> Bool {
    switch lessons[lesson.name]?.state {
    case .solved, .shown, .skipped: true
    case .begun, nil: false
    }
  }
}

/// The progress in all courses, as it is saved to the file.
package struct LearnerProgress: Codable, Equatable, Sendable {
  /// The progress by course name.
  package var courses: [String: CourseProgress] = [:]

  package init() {}

  package subscript(course: Course) -> CourseProgress {
    get { courses[course.name] ?? CourseProgress() }
    set { courses[course.name] = newValue == CourseProgress() ? nil : newValue }
  }
}
