import Foundation
import Lessons
import RepositoryFiles
import ScriptRuntime
import ScriptSyntax
import Testing

@Suite struct LessonFileTests {
  @Test(
    "a lesson's answer passes, its wrong answers fail as stated, and its hints lead on",
    arguments: LessonFiles.names)
  func check(_ name: String) throws {
    let source = SourceText(name: name + ".frc", text: try LessonFiles.text(name))

    let problems = LessonCheck(LessonFiles.examiner).problems(in: source, named: name)

    let renderer = DiagnosticRenderer()
    #expect(
      problems.isEmpty,
      "\(problems.map { renderer.render($0, in: source) }.joined(separator: "\n"))")
  }

  @Test("the program has every lesson, as it is in its file")
  func builtIn() throws {
    let files = try LessonFiles.names.map { (name: $0, text: try LessonFiles.text($0)) }

    #expect(Course.builtIn.lessons.map(\.name) == LessonFiles.names)
    #expect(
      Course.builtInFiles.map { $0.source.text(in: 0..<$0.source.bytes.count) }
        == files.map(\.text))
  }

  @Test("the course covers every rule and every page of the rules")
  func covers() throws {
    let covered = Set(Course.builtIn.lessons.flatMap(\.covers))
    let page = try RepositoryFiles.text("Documentation/Rules.md")
    let headings = page.split(separator: "\n").filter {
      $0.hasPrefix("## ") || $0.hasPrefix("### ")
    }
    .map { heading in
      heading.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-")
    }

    #expect(headings.count > 35)
    #expect(headings.filter { !covered.contains($0) } == [])
    #expect(Rule.allCases.map(\.rawValue).filter { !covered.contains($0) } == [])
    #expect(
      [
        "caches", "table-crashes", "what-a-context-tells-its-observers",
        "when-an-objects-hooks-run",
        "results-that-are-not-objects", "what-goes-past-contexts",
      ].filter { !covered.contains($0) } == [])
  }

  @Test("the course has thirty lessons or more, of every kind, and tells the five stories")
  func shape() {
    let lessons = Course.builtIn.lessons

    #expect(lessons.count >= 30)
    #expect(Set(lessons.map(\.kind)) == Set(Lesson.Kind.allCases))
    #expect(lessons.first?.title == "An object appears")
    // Tables and crashes come early; rare cases and old systems are optional, after the last bug.
    #expect(lessons[5..<12].contains { $0.kind == .find })
    #expect(lessons[5..<12].count { $0.covers.contains("table-crashes") } >= 4)
    let end = lessons.firstIndex { $0.title == "The bug in this app's delegate" } ?? 0
    let old = ["Snapshots", "A move to the same index path", "An old change of section"]
    #expect(lessons[end...].count { old.contains($0.title) } == old.count)
    let stories = ["users", "users-crash", "books", "worldcup", "memos"]
    #expect(
      stories.filter { story in !lessons.contains { $0.see == "Examples/\(story).frc" } } == [])
  }
}
