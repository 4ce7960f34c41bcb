import ArgumentParser
import Basics
import Foundation
import GoldenTesting
import Lessons
import LineEditor
import Platform
import PredicateSyntax
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// The prompt of a course: reads what the learner types, shows the dialog's replies, and saves the
/// progress.
final class LearnPrompt {
  private let dialog: CourseDialog
  private let file: ProgressFile?
  private let submission: SubmissionFile?
  private let limit: SessionLimit
  private let output: Output
  private let usesColor: Bool
  private var saved: CourseProgress
  /// The files of which it was said that they cannot be written.
  private var failed: Set<String> = []

  /// - Parameter submission: The file that the learner hands in; nil for none.
  init(
    dialog: CourseDialog, file: ProgressFile?, submission: SubmissionFile? = nil,
    limit: SessionLimit, output: Output, usesColor: Bool
  ) {
    self.submission = submission
    self.limit = limit
    self.dialog = dialog
    self.file = file
    self.output = output
    self.usesColor = usesColor
    saved = dialog.progress
  }

  /// - Throws: The exit status, if Ctrl-C ends it.
  func run() throws {
    let editor = EditLineReader(
      program: "frc", history: LineHistory(path: nil), assistance: assistance)
    let reader: any LineReader = editor ?? PlainReader()
    limit.begin()
    show(dialog.open())
    tellExcess("the lesson's statements")
    keepProgress()
    while true {
      output.flush()
      let result = reader.readStatement(
        prompt: dialog.prompt, continuationPrompt: PromptWords.continuationPrompt,
        isComplete: dialog.isComplete)
      switch result {
      case .text(let entry):
        limit.begin()
        let reply = dialog.take(entry)
        for (diagnostic, source) in reply.diagnostics {
          output.writeError(
            painted: DiagnosticRenderer(usesColor: usesColor)
              .render(diagnostic, in: source, showsPlace: false))
        }
        show(reply.lines)
        tellExcess("the statements")
        keepProgress()
        if reply.isOver { return }
      case .interrupted:
        if InterruptFlag.isPressedAgain {
          output.writeError(PromptWords.ended)
          throw ExitCode(InterruptFlag.secondPressStatus)
        }
        dialog.dropDraft()
      case .endOfInput: return
      }
    }
  }

  /// Says that statements were stopped, if they were.
  private func tellExcess(_ statements: String) {
    guard let excess = limit.excess else { return }
    output.writeError("frc: error: \(statements) were stopped: the run \(excess)")
  }

  /// The editor's assistance: Tab completes where statements are typed.
  private var assistance: LineAssistance {
    LineAssistance { [dialog] text, offset in
      // A command may be below the first lines of an answer.
      let start = text.lastIndex(of: "\n").map(text.index(after:)) ?? text.startIndex
      if text[start...].hasPrefix(":") {
        return Completion(
          replacementStart: text.utf8.distance(from: text.startIndex, to: start) + 1,
          candidates: CourseDialog.Command.allCases.map(\.rawValue)
            .filter { $0.hasPrefix(text[start...].dropFirst()) }.map { Completion.Candidate($0) })
      }
      guard let session = dialog.session else {
        return Completion(replacementStart: offset, candidates: [])
      }
      let found = Completions(
        in: text, at: offset, session: session,
        environment: FileEnvironment(permissions: Permissions(roots: [])))
      return Completion(
        replacementStart: found.replacementStart,
        candidates: zip(found.candidates, found.details).map {
          Completion.Candidate($0, detail: $1)
        },
        omitted: found.omitted, omittedStart: found.omittedStart)
    }
  }

  private func keepProgress() {
    guard dialog.progress != saved else { return }
    let (old, new) = (saved, dialog.progress)
    saved = new
    var all = new
    do throws(UnwritableFile) {
      if let file {
        // Another window may have solved other lessons.
        all = try file.change(in: dialog.course) { $0.takeChanges(from: old, to: new) }
      }
    } catch {
      warn("cannot keep the progress in '\(file?.path ?? "")': \(error.reason)")
    }
    do throws(UnwritableFile) {
      try submission?.write(all)
    } catch {
      warn("cannot write the results to '\(submission?.path ?? "")': \(error.reason)")
    }
  }

  /// Warns once.
  private func warn(_ message: String) {
    guard failed.insert(message).inserted else { return }
    output.writeError("frc: warning: \(message)")
  }

  // MARK: Showing

  private var columns: Int { min(100, TerminalSize(of: .standardOutput)?.columns ?? 100) }

  private func show(_ lines: [DialogLine]) {
    for (kind, text) in paragraphs(lines) {
      let isFlowing =
        switch kind {
        case .title, .text, .note: true
        case .code, .graded: false
        }
      let rows = isFlowing ? FlowedText(text, width: columns).lines : text
      for row in rows { output.write(painted: paint(ShownText.line(row), kind)) }
    }
  }

  /// Joins the lines of a lesson's text.
  ///
  /// An empty line and an item of a list begin a paragraph.
  private func paragraphs(_ lines: [DialogLine]) -> [(kind: DialogLine.Kind, text: [String])] {
    var paragraphs: [(kind: DialogLine.Kind, text: [String])] = []
    for line in lines {
      let begins = line.text.isEmpty || line.text.prefixMatch(of: /([-*•]|\d+\.)\s/) != nil
      if line.kind == .text, paragraphs.last?.kind == .text, !begins {
        paragraphs[paragraphs.count - 1].text.append(line.text)
      } else {
        paragraphs.append((line.kind, line.kind == .text ? line.text.linesOfText : [line.text]))
      }
    }
    return paragraphs
  }

  private func paint(_ text: String, _ kind: DialogLine.Kind) -> String {
    switch kind {
    case .title: styled(text, "1")
    case .text: text
    case .code: text.isEmpty ? text : "  " + text
    case .note: styled(text, "2")
    case .graded(let mark):
      switch mark {
      case .right: styled("\(mark.rawValue) \(text)", "32")
      case .wrong: styled("\(mark.rawValue) \(text)", "31")
      case .missing: styled("\(mark.rawValue) \(text)", "33")
      case .none: "\(mark.rawValue) \(text)"
      }
    }
  }

  private func styled(_ text: String, _ style: String) -> String {
    usesColor && !text.isEmpty ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
  }
}

/// The file with a learner's progress, next to the history.
struct ProgressFile {
  let path: String

  /// Uses `$FRC_PROGRESS`, or else `lessons.json` in the program's state folder.
  ///
  /// Nil if the variable is empty or the user has no home; then progress ends with the process.
  ///
  /// - Parameter variable: Returns the value of an environment variable.
  init?(_ variable: (String) -> String? = { ProcessEnvironment[$0] }) {
    if let path = variable("FRC_PROGRESS") {
      guard !path.isEmpty else { return nil }
      self.path = path
      return
    }
    guard let folder = StateFolder.path(variable) else { return nil }
    path = folder + "/lessons.json"
  }

  /// Returns the contents of the file; no progress if there is no file, or if it is empty.
  ///
  /// - Throws: The reason why the file cannot be read. It must stay as it is then, because it may
  ///   have the progress in other courses.
  func read() throws(UnreadableSource) -> LearnerProgress {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try OpenFile.contents(of: path)
    } catch {
      if error == .missing { return LearnerProgress() }
      throw error == .invalid
        ? UnreadableSource(reason: "it is not a regular file") : UnreadableSource(error)
    }
    if bytes.isEmpty { return LearnerProgress() }
    guard let progress = try? JSONDecoder().decode(LearnerProgress.self, from: Data(bytes)) else {
      throw UnreadableSource(reason: "it is damaged, or a newer frc wrote it")
    }
    return progress
  }

  /// Changes the progress in one course.
  ///
  /// Processes that run at the same time do this one after the other. The progress in other courses
  /// stays as it is in the file now.
  ///
  /// - Returns: The progress in the course, with what other processes have changed.
  @discardableResult
  func change(
    in course: Course, _ change: (inout CourseProgress) -> Void
  ) throws(UnwritableFile) -> CourseProgress {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    // If the folder still does not exist, the lock gives the error.
    try? NewFolder.makeWithParents(folder.path, permissions: 0o700)
    let lock = try FileEnvironment.lock(folder.path)
    defer { withExtendedLifetime(lock) {} }
    var all: LearnerProgress
    do throws(UnreadableSource) {
      all = try read()
    } catch {
      throw UnwritableFile(reason: error.reason)
    }
    var progress = all[course]
    change(&progress)
    all[course] = progress
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(all) else { return progress }
    try FileEnvironment.replace(path, with: Array(bytes) + [UInt8(ascii: "\n")])
    return progress
  }
}
