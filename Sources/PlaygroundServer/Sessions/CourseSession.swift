package import Foundation
import GoldenTesting
package import Lessons
package import ScriptRuntime
import ScriptSyntax

/// What the process of a student reports of the course.
package struct LearnerReport: Codable, Equatable, Sendable {
  package var results: Submission
  /// The rule that the last wrong answer broke, by the lesson's name.
  package var rules: [String: String]
  /// The name of the lesson that is open.
  package var current: String?
}

/// A learner's dialog with a course, in messages.
///
/// The page keeps the progress. It gives it back when it opens the course again.
package final class CourseSession {
  private let course: Course
  private let examiner: LessonExaminer
  private let beginLimit: () -> Void
  private let excess: () -> String?
  private let emit: (JSON) -> Void
  private var dialog: CourseDialog?
  private let now: () -> Double
  /// The rule that the last wrong answer broke, by the lesson's name.
  private var rules: [String: String] = [:]

  /// - Parameters:
  ///   - excess: Returns which limit the statements of the last entry exceeded; nil for none.
  ///   - emit: Receives each answer.
  package init(
    _ course: Course, examiner: LessonExaminer, beginLimit: @escaping () -> Void,
    excess: @escaping () -> String?, now: @escaping () -> Double, emit: @escaping (JSON) -> Void
  ) {
    self.course = course
    self.examiner = examiner
    self.beginLimit = beginLimit
    self.excess = excess
    self.now = now
    self.emit = emit
  }

  /// Tells the page under which name it keeps the progress in this course.
  package func tellKey(id: Int) {
    let key = course.isBuiltIn ? "frc progress" : "frc progress of \(course.mark)"
    emit(
      .object([("op", .string("course")), ("id", .number("\(id)")), ("key", .string(key))]))
  }

  /// Opens a lesson.
  ///
  /// - Parameters:
  ///   - progress: What the page has kept, as JSON; nil for a new learner. Damaged progress counts
  ///     as none.
  ///   - number: The number of the lesson; nil for the one with which the learner continues.
  package func open(progress: Data?, lesson number: Int?, id: Int) {
    beginLimit()
    let known =
      dialog?.progress
      ?? progress.flatMap { try? JSONDecoder().decode(CourseProgress.self, from: $0) }
    // A page may send any number.
    let index = number.map { min(max(1, $0), course.lessons.count) - 1 }
    let dialog = CourseDialog(
      course, progress: known ?? CourseProgress(), examiner: examiner, index: index, now: now)
    self.dialog = dialog
    answer(id, dialog.open(), isNew: true)
  }

  /// Takes an answer or a command.
  package func take(_ entry: String, id: Int) {
    guard let dialog else { return }
    beginLimit()
    let lesson = dialog.progress.current
    let reply = dialog.take(entry)
    let rule = reply.lines.lazy.map(\.text).map { $0.drop { $0 == " " } }
      .first { $0.hasPrefix("rule ") }
    if let lesson, let rule { rules[lesson] = String(rule.dropFirst("rule ".count)) }
    answer(
      id, reply.lines, reply.diagnostics, isNew: dialog.progress.current != lesson,
      isOver: reply.isOver)
  }

  /// The results so far, for a class; nil before a lesson was opened.
  package func report(of name: String) -> LearnerReport? {
    dialog.map { dialog in
      LearnerReport(
        results: Submission(name: name, course: course, progress: dialog.progress), rules: rules,
        current: dialog.progress.current)
    }
  }

  private func answer(
    _ id: Int, _ shown: [DialogLine], _ diagnostics: [(Diagnostic, SourceText)] = [], isNew: Bool,
    isOver: Bool = false
  ) {
    guard let dialog else { return }
    let progress = dialog.progress
    let lessons = course.lessons.map { lesson in
      JSON.object([
        ("name", .string(lesson.name)), ("title", .string(lesson.title)),
        ("kind", .string(lesson.kind.rawValue)),
        ("state", .string(progress.lessons[lesson.name]?.state.rawValue ?? "open")),
      ])
    }
    var lines = diagnostics.map { diagnostic, source in
      let place = source.position(of: diagnostic.range.lowerBound)
      return JSON.object([
        ("kind", .string("error")),
        ("text", .string("line \(place.line): \(diagnostic.severity): \(diagnostic.message)")),
      ])
    }
    lines += shown.map(Self.json)
    if let excess = excess() {
      lines.append(
        .object([
          ("kind", .string("error")), ("text", .string("The statements were stopped: \(excess).")),
        ]))
    }
    let kept = (try? JSONEncoder().encode(progress)).map { String(decoding: $0, as: UTF8.self) }
    emit(
      .object([
        ("op", .string("lesson")), ("id", .number("\(id)")), ("new", .boolean(isNew)),
        ("course", .string(course.title)),
        ("current", progress.current.map(JSON.string) ?? .null),
        ("prompt", .string(dialog.prompt)), ("over", .boolean(isOver)),
        ("lines", .array(lines)), ("lessons", .array(lessons)),
        ("progress", kept.map(JSON.string) ?? .null),
        ("summary", .string(CourseReport(course, progress).summary)),
      ]))
  }

  private static func json(_ line: DialogLine) -> JSON {
    var fields: [(String, JSON)] = [("text", .string(line.text))]
    switch line.kind {
    case .title: fields.append(("kind", .string("title")))
    case .text: fields.append(("kind", .string("text")))
    case .code: fields.append(("kind", .string("code")))
    case .note: fields.append(("kind", .string("note")))
    case .graded(let mark):
      fields.append(("kind", .string("graded")))
      fields.append(("mark", .string("\(mark)")))
      fields.append(("sign", .string("\(mark.rawValue)")))
    }
    return .object(fields)
  }
}
