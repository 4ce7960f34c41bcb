import Foundation
import Lessons
import ScriptRuntime

/// What a page says about the class.
package struct ClassRequest: Decodable, Sendable {
  /// A student's name.
  package var join: String?
  /// The round of the class in which the student joined before; nil for one who fills in the form.
  package var round: Int?
  /// A student's script, which the teacher may look at.
  package var script: String?
  /// What the teacher asks for: `list`, `csv`, `json` or `end`.
  package var ask: String?
  /// The student whose script the teacher opens.
  package var look: Int?

  package init(
    join: String? = nil, round: Int? = nil, script: String? = nil, ask: String? = nil,
    look: Int? = nil
  ) {
    (self.join, self.round, self.script, self.ask, self.look) = (join, round, script, ask, look)
  }

  /// Reads a message; nil if it is damaged or too large.
  package init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count < 1 << 20,
      let request = try? JSONDecoder().decode(Self.self, from: Data(bytes))
    else { return nil }
    self = request
  }
}

/// A class: who is there, at which lesson, and what went wrong.
///
/// Everything is in memory, and is gone when the teacher ends the class or the server ends.
package struct Classroom: Sendable {
  package enum Answer: Equatable, Sendable {
    case joined(Int, name: String)
    case refused(String)
    /// JSON for the page that asked.
    case text(String)
    case ended
  }

  private struct Student: Sendable {
    let name: String
    var isHere = true
    var script = ""
    var results: Submission?
    var rules: [String: String] = [:]
    /// The lesson that is open.
    var lesson: Submission.Result?
  }

  /// The largest number of students that a class remembers.
  static let mostStudents = 500
  /// The largest size of a name, in bytes.
  static let mostNameBytes = 200
  /// Why a student is not in the class any more.
  package static let hasEnded = "the class has ended"

  private let code: String
  private var students: [Int: Student] = [:]
  private var last = 0
  /// The number that goes up when the teacher ends the class, after which no page joins again by
  /// itself.
  package private(set) var round = 1

  package init(code: String) { self.code = code }

  /// Handles what a page says.
  ///
  /// - Parameter student: The student whose page it is; nil before they joined.
  package mutating func take(
    _ request: ClassRequest, from student: Int?, _ role: Admission.Role
  ) -> Answer? {
    switch role {
    case .owner:
      if let number = request.look { return .text(script(of: number)) }
      switch request.ask {
      case "list": return .text(list)
      case "csv": return results("csv", table.csv.joined(separator: "\r\n") + "\r\n")
      case "json": return results("json", table.json.map { $0 + "\n" }.joined())
      case "end":
        students = [:]
        round += 1
        return .ended
      default: return nil
      }
    case .student:
      guard let student else {
        guard request.round ?? round == round else { return .refused(Self.hasEnded) }
        return request.join.map { join($0) }
      }
      if let script = request.script { students[student]?.script = String(script.prefix(200_000)) }
      return nil
    }
  }

  /// A student who comes back has the same name, and their place.
  private mutating func join(_ text: String) -> Answer {
    let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !name.isEmpty, name.utf8.count <= Self.mostNameBytes else {
      return .refused("write a name of at most \(Self.mostNameBytes) bytes")
    }
    if let known = students.first(where: { $0.value.name == name }) {
      guard !known.value.isHere else {
        return .refused(
          "somebody with this name is here already; if you lost the connection, try again in a "
            + "minute")
      }
      students[known.key]?.isHere = true
      return .joined(known.key, name: name)
    }
    guard students.count < Self.mostStudents else { return .refused("the class is full") }
    last += 1
    students[last] = Student(name: name)
    return .joined(last, name: name)
  }

  package mutating func leave(_ student: Int) { students[student]?.isHere = false }

  /// Takes the results that a student's process reports.
  ///
  /// They are checked, because a script could have broken into its process.
  package mutating func note(results bytes: [UInt8], of student: Int) {
    guard let known = students[student], bytes.count < 1 << 20,
      let report = try? JSONDecoder().decode(LearnerReport.self, from: Data(bytes)),
      report.results.fault == nil
    else { return }
    var results = report.results
    results.name = known.name
    if let earlier = known.results { results.takeOver(earlier) }
    students[student]?.rules = report.rules
    students[student]?.lesson =
      results.lessons.first { $0.lesson == report.current } ?? known.lesson
    students[student]?.results = results
  }

  // MARK: The teacher's page

  private var sorted: [(number: Int, student: Student)] {
    students.map { (number: $0.key, student: $0.value) }
      .sorted { ($0.student.name, $0.number) < ($1.student.name, $1.number) }
  }

  private var table: ClassTable { ClassTable(sorted.compactMap(\.student.results)) }

  private var list: String {
    let rows = sorted.map { number, student in
      JSON.object([
        ("id", .number("\(number)")), ("name", .string(student.name)),
        ("here", .boolean(student.isHere)),
        ("lesson", student.lesson.map { .string("\($0.number). \($0.title)") } ?? .null),
        ("state", student.lesson.map { .string($0.state) } ?? .null),
        ("tries", student.lesson.map { .number("\($0.tries)") } ?? .null),
        (
          "solved",
          .number("\(student.results?.lessons.count { $0.state == "solved" } ?? 0)")
        ),
        ("script", .boolean(!student.script.isEmpty)),
      ])
    }
    return JSON.object([
      ("code", .string(code)), ("students", .array(rows)), ("wrong", .array(commonest)),
    ]).description
  }

  /// The wrong answers that most students gave last, with their lesson.
  private var commonest: [JSON] {
    struct Wrong: Hashable {
      let number: Int
      let title: String
      let answer: String
      let rule: String
    }
    var counts: [Wrong: Int] = [:]
    for student in students.values {
      for result in student.results?.lessons ?? [] {
        guard let answer = result.lastWrong else { continue }
        let rule = student.rules[result.lesson] ?? ""
        counts[
          Wrong(number: result.number, title: result.title, answer: answer, rule: rule),
          default: 0] += 1
      }
    }
    let order = counts.sorted {
      ($1.value, $0.key.number, $0.key.answer) < ($0.value, $1.key.number, $1.key.answer)
    }
    return order.prefix(20).map { wrong, count in
      .object([
        ("lesson", .string("\(wrong.number). \(wrong.title)")), ("answer", .string(wrong.answer)),
        ("rule", .string(wrong.rule)), ("count", .number("\(count)")),
      ])
    }
  }

  private func script(of number: Int) -> String {
    JSON.object([
      (
        "look",
        .object([
          ("id", .number("\(number)")),
          ("name", .string(students[number]?.name ?? "")),
          ("script", .string(students[number]?.script ?? "")),
        ])
      )
    ]).description
  }

  private func results(_ kind: String, _ text: String) -> Answer {
    .text(
      JSON.object([("results", .string(kind)), ("text", .string(text))]).description)
  }
}

extension Submission {
  /// Keeps the lessons in which the student came further before, perhaps in another browser.
  ///
  /// The names of lessons come from the student's process, so their sum is bounded, too.
  fileprivate mutating func takeOver(_ earlier: Submission) {
    let places = Dictionary(
      zip(lessons.map(\.lesson), lessons.indices), uniquingKeysWith: { first, _ in first })
    var all = self
    for result in earlier.lessons {
      if let place = places[result.lesson] {
        if result.isFurther(than: lessons[place]) { all.lessons[place] = result }
      } else {
        all.lessons.append(result)
      }
    }
    all.lessons.sort { $0.number < $1.number }
    let size = (try? JSONEncoder().encode(all))?.count ?? .max
    if size < 1 << 20, all.fault == nil { self = all }
  }
}

extension Submission.Result {
  /// Whether a learner came further: solved the lesson, also with the solution, or tried more often.
  fileprivate func isFurther(than other: Self) -> Bool {
    func rank(_ state: String) -> Int { ["shown", "solved"].firstIndex(of: state) ?? -1 }
    return (rank(state), tries) > (rank(other.state), other.tries)
  }
}
