import ArgumentParser
import Foundation
import Lessons
import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// `frc lesson check FILE…`.
struct LessonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lesson", abstract: "Check lessons that you wrote.",
    subcommands: [LessonCheckCommand.self])
}

/// `frc lesson check FILE…`: checks lessons.
struct LessonCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that lessons are right: answers, wrong answers and hints.",
    discussion: """
      The lesson's answer must pass. Each wrong answer must fail for the reason that it states. Each hint \
      must say something new, and the last one must name a part of the answer. The script must \
      print its expected output. GRAMMAR.md shows how to write a lesson.
      """)

  @Argument(help: ArgumentHelp("Lessons, or folders with lessons.", valueName: "path"))
  var paths: [String]

  @Option(help: "Whether to use colours.")
  var color: ColorChoice = .auto

  @OptionGroup(title: "Limits") var limits: LimitOptions

  @OptionGroup var access: PermissionOptions

  func run() throws {
    let output = Output()
    defer { output.flush() }
    let renderer = DiagnosticRenderer(usesColor: color.appliesTo(.standardError))
    let permissions = access.paths.permissions(ofTests: paths)
    let limit = SessionLimit(limits, forEachStatement: true)
    let check = LessonCheck(.files(permissions, limit))
    var hasFailed = false
    for path in paths.flatMap(files) where InterruptFlag.exitStatus == nil {
      let source: SourceText
      do throws(UnreadableSource) {
        source = try permissions.namedScript(at: path)
      } catch {
        output.writeError("frc: error: cannot read '\(path)': \(error.reason)")
        hasFailed = true
        continue
      }
      limit.begin()
      let problems = check.problems(in: source, named: Self.name(of: path))
      if let excess = limit.excess {
        output.writeError("frc: error: '\(path)' \(excess)")
        hasFailed = true
        continue
      }
      for problem in problems {
        output.writeError(painted: renderer.render(problem, in: source))
      }
      if problems.contains(where: { $0.severity == .error }) {
        hasFailed = true
      } else {
        output.write("\(path): ok")
      }
    }
    if let status = InterruptFlag.exitStatus { throw ExitCode(status) }
    if hasFailed { throw ExitCode(1) }
  }

  private func files(_ path: String) -> [String] {
    guard FileStatus.isFolder(path) else { return [path] }
    return CourseFolder.lessonFiles(in: path).map { path + "/" + $0 }
  }

  private static func name(of path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.hasSuffix(".frc") ? String(file.dropLast(4)) : file
  }
}
