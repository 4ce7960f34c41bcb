import Foundation
import Lessons
import Testing

@testable import PlaygroundServer

@Suite("A class")
struct ClassroomTests {
  private func request(_ text: String) throws -> ClassRequest {
    try #require(ClassRequest(Array(text.utf8)[...]))
  }

  private func joined(_ names: String..., in classroom: inout Classroom) throws -> [Int] {
    try names.map { name in
      let answer = classroom.take(ClassRequest(join: name), from: nil, .student)
      guard case .joined(let number, _)? = answer else {
        throw Refused(answer: "\(String(describing: answer))")
      }
      return number
    }
  }

  private struct Refused: Error { let answer: String }

  private func report(_ name: String, wrong: String?, state: String = "begun") throws -> [UInt8] {
    let results = Submission(name: name, course: .builtIn, progress: try progress(wrong, state))
    return Array(
      try JSONEncoder().encode(
        LearnerReport(
          results: results,
          rules: ["01-an-object-appears": "created: a new object matches the predicate"],
          current: "01-an-object-appears")))
  }

  private func progress(_ wrong: String?, _ state: String) throws -> CourseProgress {
    let wrong = wrong.map { "\"\($0)\"" } ?? "null"
    let text = """
      {"lessons": {"01-an-object-appears": {"state": "\(state)", "tries": 2, "hints": 0,
      "sawSolution": false, "seconds": 5, "lastWrong": \(wrong)}}}
      """
    return try JSONDecoder().decode(CourseProgress.self, from: Data(text.utf8))
  }

  private func text(_ answer: Classroom.Answer?) -> String {
    if case .text(let text)? = answer { text } else { "" }
  }

  @Test("a student comes back to their place; a name that is here is taken")
  func join() throws {
    var classroom = Classroom(code: "abc234")
    let numbers = try joined("Ada", "Ben", in: &classroom)
    #expect(numbers == [1, 2])
    var answer = classroom.take(ClassRequest(join: " Ada "), from: nil, .student)
    #expect(
      answer
        == .refused(
          "somebody with this name is here already; if you lost the connection, try again in a "
            + "minute"))
    classroom.leave(1)
    answer = classroom.take(ClassRequest(join: "Ada"), from: nil, .student)
    #expect(answer == .joined(1, name: "Ada"))
    for name in ["", "  ", String(repeating: "x", count: 201)] {
      answer = classroom.take(ClassRequest(join: name), from: nil, .student)
      #expect(answer == .refused("write a name of at most 200 bytes"))
    }
  }

  @Test("the list has who is at which lesson, and the commonest wrong answers with their rule")
  func list() throws {
    var classroom = Classroom(code: "abc234")
    _ = try joined("Ada", "Ben", "Cy", in: &classroom)
    classroom.note(results: try report("Mallory", wrong: "update"), of: 1)
    classroom.note(results: try report("Ben", wrong: "update"), of: 2)
    classroom.note(results: try report("Cy", wrong: "delete", state: "solved"), of: 3)
    let list = text(classroom.take(ClassRequest(ask: "list"), from: nil, .owner))
    #expect(list.contains("\"name\":\"Ada\",\"here\":true,\"lesson\":\"1. An object appears\""))
    #expect(!list.contains("Mallory"), "a process cannot choose the name")
    #expect(
      list.contains(
        "\"answer\":\"update\",\"rule\":\"created: a new object matches the predicate\",\"count\":2"
      ))
    let csv = text(classroom.take(ClassRequest(ask: "csv"), from: nil, .owner))
    #expect(csv.contains("Cy,frc,1,01-an-object-appears,An object appears,solved,2,0,5,delete"))
    let json = text(classroom.take(ClassRequest(ask: "json"), from: nil, .owner))
    #expect(json.contains("Ben"))
  }

  @Test("the list has the lesson that is open, whatever else changed")
  func openLesson() throws {
    var classroom = Classroom(code: "abc234")
    _ = try joined("Ada", in: &classroom)
    var progress = try self.progress(nil, "solved")
    for (place, seconds) in [(2, 5.0), (0, 5.0), (1, 5.0), (0, 60.0)] {
      let lesson = Course.builtIn.lessons[place]
      progress.current = lesson.name
      var record = progress.lessons[lesson.name] ?? CourseProgress.Record()
      record.seconds = seconds
      progress.lessons[lesson.name] = record
      // The time of the lesson that was left is noted as well.
      progress.lessons[Course.builtIn.lessons[2].name, default: .init()].seconds += 1
      let report = LearnerReport(
        results: Submission(name: "Ada", course: .builtIn, progress: progress), rules: [:],
        current: progress.current)
      classroom.note(results: Array(try JSONEncoder().encode(report)), of: 1)
      let list = text(classroom.take(ClassRequest(ask: "list"), from: nil, .owner))
      #expect(list.contains("\"lesson\":\"\(place + 1). \(lesson.title)\""))
    }
  }

  @Test("a student who comes back from another browser keeps the results of the first")
  func anotherBrowser() throws {
    var classroom = Classroom(code: "abc234")
    _ = try joined("Ada", in: &classroom)
    func note(_ records: [(place: Int, state: CourseProgress.Record.State, tries: Int)]) throws {
      var progress = CourseProgress()
      for (place, state, tries) in records {
        var record = CourseProgress.Record()
        (record.state, record.tries) = (state, tries)
        progress.lessons[Course.builtIn.lessons[place].name] = record
      }
      let report = LearnerReport(
        results: Submission(name: "Ada", course: .builtIn, progress: progress), rules: [:])
      classroom.note(results: Array(try JSONEncoder().encode(report)), of: 1)
    }
    func table() throws -> [String] {
      struct Results: Decodable { let text: String }
      struct Row: Decodable {
        let number: Int
        let state: String
        let tries: Int
      }
      let answer = text(classroom.take(ClassRequest(ask: "json"), from: nil, .owner))
      let results = try JSONDecoder().decode(Results.self, from: Data(answer.utf8))
      return try results.text.split(separator: "\n").map { line in
        let row = try JSONDecoder().decode(Row.self, from: Data(line.utf8))
        return "\(row.number) \(row.state) \(row.tries)"
      }
    }

    try note([(1, .solved, 3), (2, .begun, 4), (3, .begun, 1), (4, .shown, 2)])
    try note([(0, .begun, 0), (1, .begun, 5), (2, .begun, 1), (3, .solved, 1)])

    let first = ["1 begun 0", "2 solved 3", "3 begun 4", "4 solved 1", "5 shown 2"]
    #expect(try table() == first)
    // Of two that came as far, the one with more tries counts.
    try note([(1, .solved, 4), (2, .skipped, 5), (4, .begun, 9)])
    let second = ["1 begun 0", "2 solved 4", "3 skipped 5", "4 solved 1", "5 shown 2"]
    #expect(try table() == second)
  }

  @Test("damaged or hostile results change nothing")
  func hostile() throws {
    var classroom = Classroom(code: "abc234")
    _ = try joined("Ada", in: &classroom)
    let before = classroom.take(ClassRequest(ask: "list"), from: nil, .owner)
    let bodies = [
      "", "{", "[]", "{\"results\":{}}", "{\"results\":{\"format\":\"x\"},\"rules\":{}}",
    ]
    for body in bodies { classroom.note(results: Array(body.utf8), of: 1) }
    classroom.note(results: [UInt8](repeating: 65, count: 2 << 20), of: 1)
    classroom.note(results: try report("Ada", wrong: nil), of: 99)
    let after = classroom.take(ClassRequest(ask: "list"), from: nil, .owner)
    #expect(after == before)
  }

  @Test("a student sees nothing of the class, and the teacher sees a script")
  func roles() throws {
    var classroom = Classroom(code: "abc234")
    _ = try joined("Ada", "Ben", in: &classroom)
    var answers = ["list", "csv", "json", "end"].flatMap { ask in
      [1, nil].map { classroom.take(ClassRequest(ask: ask), from: $0, .student) }
    }
    answers.append(classroom.take(try request(#"{"look":2}"#), from: 1, .student))
    answers.append(classroom.take(try request(#"{"script":"<b>x</b>"}"#), from: 2, .student))
    #expect(answers.allSatisfy { $0 == nil })
    let look = text(classroom.take(try request(#"{"look":2}"#), from: nil, .owner))
    #expect(look == #"{"look":{"id":2,"name":"Ben","script":"<b>x</b>"}}"#)
    let end = classroom.take(ClassRequest(ask: "end"), from: nil, .owner)
    #expect(end == .ended)
    let list = text(classroom.take(ClassRequest(ask: "list"), from: nil, .owner))
    #expect(!list.contains("Ben"))
    // A page that was away does not join again by itself. A student who fills in the form joins.
    #expect(classroom.round == 2)
    var again = classroom.take(try request(#"{"join":"Ben","round":1}"#), from: nil, .student)
    #expect(again == .refused("the class has ended"))
    again = classroom.take(ClassRequest(join: "Ben"), from: nil, .student)
    #expect(again == .joined(3, name: "Ben"))
    classroom.leave(3)
    again = classroom.take(ClassRequest(join: "Ben", round: 2), from: nil, .student)
    #expect(again == .joined(3, name: "Ben"))
  }

  @Test("a class has a largest size")
  func size() throws {
    var classroom = Classroom(code: "abc234")
    for number in 0..<Classroom.mostStudents {
      _ = classroom.take(ClassRequest(join: "student \(number)"), from: nil, .student)
    }
    let answer = classroom.take(ClassRequest(join: "one more"), from: nil, .student)
    #expect(answer == .refused("the class is full"))
  }
}
