import Foundation
import Lessons
import Platform
import ScriptRuntime
import ScriptSyntax

/// A folder with a user's own lessons.
struct CourseFolder {
  let path: String
  let permissions: Permissions

  /// The names of the lesson files, without those in subfolders.
  private var files: [String] { Self.lessonFiles(in: path) }

  /// Returns the names of the files in a folder that may be lessons.
  ///
  /// The folder `.frc` with the results of test runs is not one of them.
  static func lessonFiles(in folder: String) -> [String] {
    (FileEnvironment.names(inFolder: folder) ?? []).filter {
      $0.hasSuffix(".frc") && !$0.hasPrefix(".")
    }
  }

  /// Reads the course, in the order of the files' names.
  ///
  /// Scripts that are not lessons are left out. So are lessons with errors, which are reported.
  ///
  /// - Returns: Nil if there is no lesson without errors; this is reported, too.
  func course(tellingTo output: Output, renderer: DiagnosticRenderer) -> Course? {
    var lessons: [Lesson] = []
    var left: [String] = []
    for file in files {
      guard let source = source(of: file, tellingTo: output) else {
        left.append(file)
        continue
      }
      guard ScriptParser.parse(source).isLesson else { continue }
      let read = LessonReader.read(source, named: String(file.dropLast(".frc".count)))
      for problem in read.problems {
        output.writeError(painted: renderer.render(problem, in: source))
      }
      if let lesson = read.lesson, !read.hasErrors {
        lessons.append(lesson)
      } else {
        left.append(file)
      }
    }
    guard !lessons.isEmpty else {
      guard left.isEmpty else { return nil }
      output.writeError(
        FileStatus.isFolder(path)
          ? Self.withoutLesson(path) : "frc: error: there is no folder '\(path)'")
      return nil
    }
    for file in left { output.writeError("frc: warning: '\(path)/\(file)' is left out") }
    return Course(name: RealPath.ofMissing(path), lessons: lessons)
  }

  /// The error about a folder without a lesson.
  static func withoutLesson(_ path: String) -> String {
    "frc: error: no lesson in '\(path)'; a lesson is a script with a line '#@ lesson KIND TITLE'"
  }

  private func source(of file: String, tellingTo output: Output) -> SourceText? {
    let whole = path + "/" + file
    do throws(UnreadableSource) {
      return try permissions.script(at: whole, named: whole)
    } catch {
      output.writeError("frc: error: cannot read '\(whole)': \(error.reason)")
      return nil
    }
  }
}
