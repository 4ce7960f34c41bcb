import ArgumentParser
import Foundation
import Lessons
import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// `frc lesson check FILE…`, `frc lesson handout FILE… -o FOLDER`.
struct LessonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lesson", abstract: "Check lessons that you wrote, and make files for learners.",
    subcommands: [LessonCheckCommand.self, LessonHandoutCommand.self])
}

/// `frc lesson handout FILE… -o FOLDER`: writes lessons for learners.
struct LessonHandoutCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "handout",
    abstract: "Write lessons for learners, without answers and hints that one can read.",
    discussion: """
      A file for learners shows the text, the statements and the question. The rest is in it, too, \
      but sealed: 'frc learn FOLDER' opens it. The seal keeps people from reading an answer by \
      accident. It protects no secret.

      Files that a lesson includes or imports are not copied. A warning names them.
      """)

  @Argument(help: .value("path", "Lessons, or folders with lessons."))
  var paths: [String]

  @Option(name: [.short, .long], help: .value("folder", "The folder for the files to hand out."))
  var output: String

  @Option(help: "Whether to use colours.")
  var color: ColorChoice = .auto

  @OptionGroup var access: ReadingOptions

  func validate() throws {
    if output == "-" {
      throw ValidationError("-o -: each lesson gets a file; name a folder for them")
    }
  }

  func run(writingTo output: Output) throws {
    let renderer = DiagnosticRenderer(usesColor: color.appliesTo(.standardError))
    let permissions = access.paths.permissions(ofTests: paths)
    var hasFailed = false
    let files = LessonCheckCommand.files(paths, permissions, output, &hasFailed)
    let inputs = InputFiles(files)
    try refuseSameNames(files, output)
    if !files.isEmpty { try makeFolder(output) }
    for path in files where InterruptFlag.exitStatus == nil {
      do throws(UnreadableSource) {
        let source = try permissions.namedScript(at: path)
        let read = LessonReader.read(source, named: LessonCheckCommand.name(of: path))
        for problem in read.problems {
          output.writeError(painted: renderer.render(problem, in: source))
        }
        guard let lesson = read.lesson, !read.hasErrors else {
          hasFailed = true
          continue
        }
        if write(lesson, besides: inputs, output) {
          warnOfFiles(of: lesson, at: path, permissions, output)
        } else {
          hasFailed = true
        }
      } catch {
        output.writeError("frc: error: cannot read '\(path)': \(error.reason)")
        hasFailed = true
      }
    }
    if let status = InterruptFlag.exitStatus { throw ExitCode(status) }
    if hasFailed { throw ExitCode(1) }
  }

  /// Refuses lessons of several folders whose handouts would be the same file.
  private func refuseSameNames(_ files: [String], _ output: Output) throws {
    var first: [String: String] = [:]
    var isRefused = false
    for path in files {
      let name = LessonCheckCommand.name(of: path)
      let other = first[name, default: path]
      first[name] = other
      guard RealPath.ofMissing(other) != RealPath.ofMissing(path) else { continue }
      output.writeError(
        "frc: error: '\(other)' and '\(path)' would both be written to "
          + "'\(self.output)/\(name).frc'; rename one, or write them to two folders")
      isRefused = true
    }
    if isRefused { throw ExitCode(1) }
  }

  private func makeFolder(_ output: Output) throws {
    do throws(UnwritableFile) {
      try FileEnvironment.makeFolder(self.output)
    } catch {
      throw output.failure("cannot make the folder '\(self.output)': \(error.reason)", status: 1)
    }
  }

  private func place(of lesson: Lesson) -> String { output + "/" + lesson.name + ".frc" }

  /// Names the files that the lesson and the scripts that it includes read, and that the handout
  /// would not find.
  private func warnOfFiles(
    of lesson: Lesson, at path: String, _ permissions: Permissions, _ output: Output
  ) {
    var missing: [String] = []
    // Real paths, because scripts may include each other through links.
    var copies: Set<[UInt8]> = []
    var read: Set<[UInt8]> = [RealPath.bytes(path)]
    // The scripts to look at, each with the folder of its copy, relative to the handout.
    var open = [(script: path, folder: "", uses: FileUses(lesson.script))]
    while let (script, folder, uses) = open.first {
      open.removeFirst()
      for file in uses.scripts + uses.others {
        let place = FileEnvironment.place(of: file, from: script)
        // A whole path leads to the same file.
        guard !file.hasPrefix("/"), FileStatus.exists(place) else { continue }
        let copy = folder + file
        let target = self.output + "/" + copy
        if !FileStatus.exists(target), copies.insert(RealPath.bytes(target)).inserted {
          missing.append(copy)
        }
        guard uses.scripts.contains(file), read.insert(RealPath.bytes(place)).inserted,
          let source = try? permissions.script(at: place, named: place)
        else { continue }
        let inner = copy.lastIndex(of: "/").map { String(copy[...$0]) } ?? ""
        open.append((place, inner, FileUses(ScriptParser.parse(source))))
      }
    }
    guard !missing.isEmpty else { return }
    let names = missing.map { "'\($0)'" }.joined(separator: ", ")
    output.writeError(
      "frc: warning: '\(place(of: lesson))' reads \(names); put a copy beside it")
  }

  private func write(_ lesson: Lesson, besides inputs: InputFiles, _ output: Output) -> Bool {
    let path = place(of: lesson)
    do throws(UnwritableFile) {
      // The answers would be lost.
      if let refusal = inputs.refusal(ofOutput: path) { throw refusal }
      try FileEnvironment.write(Array(LessonHandout(lesson).sealedText.utf8), to: path)
    } catch {
      output.writeError("frc: error: cannot write '\(path)': \(error.reason)")
      return false
    }
    output.write(path)
    return true
  }
}

/// `frc lesson check FILE…`: checks lessons.
struct LessonCheckCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that lessons are right: answers, wrong answers and hints.",
    discussion: """
      The lesson's answer must pass. Each wrong answer must fail for the reason that it states. Each hint \
      must say something new, and the last one must name a part of the answer. The script must \
      print its expected output. GRAMMAR.md shows how to write a lesson.
      """)

  @Argument(help: .value("path", "Lessons, or folders with lessons."))
  var paths: [String]

  @Option(help: "Whether to use colours.")
  var color: ColorChoice = .auto

  @OptionGroup(title: "Limits") var limits: LimitOptions

  @OptionGroup var access: PermissionOptions

  func run(writingTo output: Output) throws {
    let renderer = DiagnosticRenderer(usesColor: color.appliesTo(.standardError))
    let permissions = access.paths.permissions(ofTests: paths)
    let limit = SessionLimit(limits, forEachStatement: true)
    let check = LessonCheck(.files(permissions, limit))
    var hasFailed = false
    let files = Self.files(paths, permissions, output, &hasFailed)
    for path in files where InterruptFlag.exitStatus == nil {
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
      // A lesson that was stopped is neither right nor wrong.
      guard InterruptFlag.exitStatus == nil else { break }
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

  /// Returns the lesson files at paths, which may be folders, and reports a folder without any.
  ///
  /// As in `frc learn`, scripts in a folder that are not lessons are left out.
  static func files(
    _ paths: [String], _ permissions: Permissions, _ output: Output, _ hasFailed: inout Bool
  ) -> [String] {
    var files: [String] = []
    for path in paths {
      guard FileStatus.isFolder(path) else {
        files.append(path)
        continue
      }
      let lessons = CourseFolder.lessonFiles(in: path).map { path + "/" + $0 }.filter { file in
        // What cannot be read is reported later.
        (try? permissions.script(at: file, named: file)).map { ScriptParser.parse($0).isLesson }
          ?? true
      }
      if lessons.isEmpty {
        output.writeError(CourseFolder.withoutLesson(path))
        hasFailed = true
      }
      files += lessons
    }
    return files
  }

  /// Returns a lesson's name: that of its file without the ending.
  static func name(of path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.hasSuffix(".frc") ? String(file.dropLast(4)) : file
  }
}
