import ArgumentParser
import Basics
import FetchedResults
import Foundation
import GoldenTesting
import Lessons
import Platform
import ScriptRuntime
import ScriptSyntax

/// `frc learn`, `frc learn 12`, `frc learn FOLDER`, `frc learn --as NAME`, `frc learn --collect
/// FOLDER`.
struct LearnCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "learn", abstract: "Learn change tracking, lesson by lesson.",
    usage: """
      frc learn [FOLDER] [LESSON]
      frc learn [FOLDER] [LESSON] --as NAME [--results FILE]
      frc learn [FOLDER] --list | --reset | --report json
      frc learn --collect FOLDER [--report text|csv|json]
      """,
    discussion: """
      Without a number, the course continues with the lesson that you left. FOLDER is a course of your own: \
      all *.frc files in it that are lessons, in the order of their names. 'frc lesson check' \
      checks them.

      Progress is saved in the file $FRC_PROGRESS. If the variable is not set, it is saved in \
      $XDG_STATE_HOME/frc/lessons.json or ~/.local/state/frc/lessons.json.

      With --as, a learner has progress of their own. frc writes it to a file that the learner \
      hands in: NAME.lessons.json, or --results FILE. --collect makes one table of all such files \
      in a folder: name, lesson, tries, hints, time and the last wrong answer. A file that is not \
      one of them is reported and left out.
      """)

  @Argument(help: .value("what", "A folder with lessons, and the number of a lesson."))
  var words: [String] = []

  @Flag(help: "List the lessons and your progress.")
  var list = false

  @Flag(help: "Forget the progress in this course; with --as, also in the file to hand in.")
  var reset = false

  @Option(
    help: .value(
      "format", "Print the progress: json; with --collect, the format: text, csv or json."))
  var report: ReportFormat?

  @Option(
    name: .customLong("as"), help: .value("name", "Who learns; frc writes a file to hand in."))
  var learner: String?

  @Option(help: .value("file", "With --as, the file to hand in."))
  var results: String?

  @Option(help: .value("folder", "Print a table of the results in a folder."))
  var collect: String?

  @Option(help: "Whether to use colours.")
  var color: ColorChoice = .auto

  @OptionGroup(title: "Limits") var limits: LimitOptions

  @OptionGroup var access: PermissionOptions

  /// The formats of the progress report.
  enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case csv
    case json
  }

  private var folder: String? { words.first { Int($0) == nil } }
  private var number: Int? { words.compactMap { Int($0) }.first }

  /// The command that opens the same course for the same learner.
  private var command: String {
    var parts = ["frc", "learn"]
    if let folder { parts.append(folder.asShellWord) }
    if let learner { parts += ["--as", learner.asShellWord] }
    if let results { parts += ["--results", results.asShellWord] }
    return parts.joined(separator: " ")
  }

  func validate() throws {
    let numbers = words.count { Int($0) != nil }
    guard numbers < 2, words.count - numbers < 2 else {
      throw ValidationError("expected a folder, the number of a lesson, or both")
    }
    if collect != nil {
      guard words.isEmpty, !list, !reset, learner == nil, results == nil else {
        throw ValidationError("--collect FOLDER takes --report and no other option")
      }
      return
    }
    let choices = [list, reset, report != nil].filter(\.self)
    guard choices.count < 2 else {
      throw ValidationError("choose one of --list, --reset and --report")
    }
    // A number would be ignored, and --reset would forget the other lessons, too.
    if let number, !choices.isEmpty {
      throw ValidationError(
        "--list, --reset and --report are for the whole course; leave out the lesson \(number)")
    }
    guard report == nil || report == .json else {
      throw ValidationError("without --collect, write --report json")
    }
    if results != nil, learner == nil { throw ValidationError("--results needs --as NAME") }
    if results == "-" {
      throw ValidationError("--results -: the lessons are shown there; name a file")
    }
    if let learner, learner.allSatisfy(\.isWhitespace) || learner.utf8.count > 400 {
      throw ValidationError("--as needs a name, of at most 400 bytes")
    }
  }

  func run(writingTo output: Output) throws {
    if let collect { return try printTable(of: collect, output) }
    guard var course = course(output) else { throw ExitCode(2) }
    if let learner { course = course.taken(by: learner) }
    var file = ProgressFile()
    var progress = try progress(in: course, &file, output)
    if list || self.report != nil {
      let report = CourseReport(course, progress)
      for line in list ? report.list : report.json { output.write(line) }
      return
    }
    let submission = learner.map { SubmissionFile(of: $0, in: course, at: results) }
    if reset { return try forget(course, in: file, submission, output) }
    if let number, !(1...course.lessons.count).contains(number) {
      throw ValidationError("there is no lesson \(number); there are \(course.lessons.count)")
    }
    if let submission { try begin(submission, in: course, &progress, besides: file, output) }
    if number == nil, progress.next(in: course) == nil {
      let summary = CourseReport(course, progress).summary
      output.write("\(summary). '\(command) 1' begins again, '\(command) --reset' forgets it all.")
      return
    }
    let limit = SessionLimit(limits, forEachStatement: true)
    let dialog = CourseDialog(
      course, progress: progress, examiner: examiner(limit), index: number.map { $0 - 1 },
      shell: command, now: Self.seconds)
    try LearnPrompt(
      dialog: dialog, file: file, submission: submission, limit: limit, output: output,
      usesColor: color.appliesTo(.standardOutput)
    ).run()
  }

  /// Returns the progress in a course.
  ///
  /// - Parameter file: The file with the progress. It becomes nil, so that it is not replaced, if it
  ///   cannot be read.
  private func progress(
    in course: Course, _ file: inout ProgressFile?, _ output: Output
  ) throws -> CourseProgress {
    guard let read = file else { return CourseProgress() }
    do throws(UnreadableSource) {
      return try read.read()[course]
    } catch {
      let words = "cannot read the progress in '\(read.path)': \(error.reason)"
      // A report and a file to hand in would have no results, and other courses would be forgotten.
      if reset || report != nil || !list && learner != nil {
        throw output.failure("\(words); move the file away to begin again", status: 2)
      }
      output.writeError(
        "frc: warning: \(words); nothing is kept until you move the file away")
      file = nil
      return CourseProgress()
    }
  }

  /// Writes the results so far, so that a file that cannot be written is known before the work.
  ///
  /// The progress gets the lessons that only this file has.
  private func begin(
    _ submission: SubmissionFile, in course: Course, _ progress: inout CourseProgress,
    besides file: ProgressFile?, _ output: Output
  ) throws {
    let old = progress
    let lessons = folder.map { folder in
      CourseFolder.lessonFiles(in: folder).map { folder + "/" + $0 }
    }
    let inputs = (lessons ?? []) + (file.map { [$0.path] } ?? [])
    do throws(UnwritableFile) {
      if let refusal = InputFiles(inputs).refusal(ofOutput: submission.path) {
        throw refusal
      }
      progress = try submission.write(progress)
    } catch {
      throw output.failure("cannot write '\(submission.path)': \(error.reason)", status: 1)
    }
    output.write("Your results are written to '\(submission.path)'. Hand this file in.")
    let count = progress.lessons.count { old.lessons[$0.key] != $0.value }
    if count > 0 {
      output.write("\(count == 1 ? "1 lesson is" : "\(count) lessons are") taken over from it.")
      do throws(UnwritableFile) {
        let all = progress
        try file?.change(in: course) { $0.takeChanges(from: old, to: all) }
      } catch {
        output.writeError(
          "frc: warning: cannot keep the progress in '\(file?.path ?? "")': \(error.reason)")
      }
    }
    output.write("")
  }

  private static let start = ContinuousClock.now

  private static func seconds() -> Double {
    let time = start.duration(to: .now).components
    return Double(time.seconds) + Double(time.attoseconds) / 1e18
  }

  private func printTable(of folder: String, _ output: Output) throws {
    guard let found = SubmissionFolder(folder) else {
      throw output.failure("cannot read the folder '\(folder)'", status: 2)
    }
    let table = ClassTable(found.submissions)
    if !found.submissions.isEmpty {
      switch report ?? .text {
      case .text: for line in table.text { output.write(line) }
      case .csv: for row in table.csv { output.write(fields: row) }
      case .json: for line in table.json { output.write(line) }
      }
    }
    // A name may have a line end.
    for fault in found.faults { output.writeError("frc: error: \(fault)") }
    if !found.faults.isEmpty { throw ExitCode(1) }
  }

  private func course(_ output: Output) -> Course? {
    guard let folder else { return .builtIn }
    return CourseFolder(path: folder, permissions: access.paths.permissions(ofTests: [folder]))
      .course(
        tellingTo: output,
        renderer: DiagnosticRenderer(usesColor: color.appliesTo(.standardError)))
  }

  private func forget(
    _ course: Course, in file: ProgressFile?, _ submission: SubmissionFile?, _ output: Output
  ) throws {
    var path = submission?.path
    do throws(UnwritableFile) {
      // What stays in the file to hand in would be taken over again.
      try submission?.forget()
      path = file?.path
      try file?.change(in: course) { $0 = CourseProgress() }
    } catch {
      throw output.failure("cannot write '\(path ?? "")': \(error.reason)", status: 1)
    }
    output.write("The progress in this course is forgotten.")
  }

  private func examiner(_ limit: SessionLimit) -> LessonExaminer {
    let permissions =
      folder.map { access.paths.permissions(ofTests: [$0]) } ?? Permissions(roots: [])
    return .files(permissions, limit)
  }
}

extension LessonExaminer {
  /// Returns an examiner for sessions with temporary stores and the same start as tests.
  ///
  /// - Parameter limit: The limit for all statements of a lesson, of its text as well as of answers.
  static func files(_ permissions: Permissions, _ limit: SessionLimit) -> LessonExaminer {
    var evaluation = EvaluationEnvironment(now: { GoldenRunner.clock })
    evaluation.random = { 0.5 }
    evaluation.isCancelled = { SessionLimit.isStopped(by: limit) }
    return LessonExaminer(
      environment: {
        FileEnvironment(permissions: permissions, storeFolder: ScratchFolder(), limit: limit)
      },
      evaluation: evaluation, limit: limit)
  }
}

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
