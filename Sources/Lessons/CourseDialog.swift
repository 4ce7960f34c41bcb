package import GoldenTesting
package import ScriptRuntime
package import ScriptSyntax

/// A line that is shown to a learner.
package struct DialogLine: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case title
    /// Prose, which may be wrapped.
    case text
    /// Statements and their output, which are not wrapped.
    case code
    case graded(Grade.Line.Mark)
    /// A note on what to do next.
    case note
  }

  package var kind: Kind
  package var text: String

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}

/// A learner's dialog with a course: it takes what is typed and returns what to show.
///
/// It does no input or output. Statements run in sessions that the examiner makes.
package final class CourseDialog {
  /// The reply to an entry.
  package struct Reply {
    package var lines: [DialogLine] = []
    /// The diagnostics for typed statements.
    package var diagnostics: [(Diagnostic, SourceText)] = []
    /// Whether the dialog is over.
    package var isOver = false
  }

  package let course: Course
  package private(set) var progress: CourseProgress
  private let examiner: LessonExaminer
  /// The command that opens the course.
  private let shell: String
  private let now: () -> Double
  /// When the learner last did something.
  private var lastEntry: Double
  private var index: Int
  /// Whether the lesson is finished, so that Enter leads to the next one.
  private var isDone = false
  private var attempt: ReachAttempt?
  /// Why the lesson cannot run, such as a file that is missing beside it; nil if it can.
  private var fault: DialogLine?
  /// The lines of an answer that a command interrupted.
  private var draft: [String] = []

  /// Starts at a lesson.
  ///
  /// - Parameters:
  ///   - index: The index of the lesson; nil for the one with which the learner continues.
  ///   - shell: The command that opens the course, for notes to the learner.
  ///   - now: Returns the seconds since some moment.
  package init(
    _ course: Course, progress: CourseProgress, examiner: LessonExaminer, index: Int? = nil,
    shell: String = "frc learn", now: @escaping () -> Double = { 0 }
  ) {
    self.shell = shell
    self.now = now
    lastEntry = now()
    self.course = course
    self.progress = progress
    self.examiner = examiner
    self.index = index ?? progress.next(in: course) ?? 0
  }

  private var lesson: Lesson { course.lessons[index] }

  /// The prompt in front of what the learner types.
  package var prompt: String {
    if isDone { return "next> " }
    if !draft.isEmpty { return "...> " }
    return switch lesson.kind {
    case .predict: "guess> "
    case .reach: "frc> "
    case .mend: "mend> "
    case .find: "find> "
    }
  }

  /// The session of typed statements; nil if the lesson takes none.
  package var session: Session? { attempt?.world.interpreter.session }

  /// Whether an entry is complete, so that no further line is needed.
  ///
  /// A command is complete, also below the first lines of an answer.
  package func isComplete(_ entry: String) -> Bool {
    if isDone || Self.commandLine(of: entry) != nil { return true }
    let entry = whole(entry)
    let lines = entry.linesOfText
    let endsEmpty = lines.count > 1 && lines.last?.trimmed.isEmpty == true
    switch lesson.kind {
    case .predict: return endsEmpty || lines == [""] || lesson.isChoice(entry)
    case .reach, .mend:
      return ScriptParser.completeness(of: entry) == .complete || endsEmpty
    case .find: return true
    }
  }

  /// Returns an entry with the lines of the answer that were typed before it.
  private func whole(_ entry: String) -> String {
    (draft + [entry]).joined(separator: "\n")
  }

  /// Returns the command in the last line of an entry; nil if there is none.
  private static func commandLine(of entry: String) -> String? {
    guard let last = entry.linesOfText.last(where: { !$0.trimmed.isEmpty }),
      last.trimmed.hasPrefix(":")
    else { return nil }
    return last
  }

  /// Forgets the lines of an unfinished answer.
  package func dropDraft() { draft = [] }

  /// Returns the lines that are shown first.
  package func open() -> [DialogLine] {
    isDone = false
    draft = []
    progress.current = lesson.name
    attempt = lesson.kind == .reach ? ReachAttempt(lesson, examiner.world(of: lesson)) : nil
    let log = lesson.kind == .find ? examiner.crashLog(of: lesson) : []
    if progress.lessons[lesson.name] == nil { progress[lesson] = CourseProgress.Record() }
    fault = examiner.fault(in: lesson).map {
      DialogLine(.note, "This lesson cannot run, so no answer is graded: \($0.kind)")
    }
    let lines = LessonText(lesson).introduction(
      place: "Lesson \(index + 1) of \(course.lessons.count):", log: log)
    return lines + [fault].compactMap(\.self)
  }

  /// Handles what the learner typed.
  package func take(_ entry: String) -> Reply {
    noteTime()
    if let line = Self.commandLine(of: entry) { return interrupt(entry, by: line.trimmed) }
    if isDone { return goOn() }
    let text = whole(entry).trimmed
    draft = []
    if let fault { return Reply(lines: [fault]) }
    guard !text.isEmpty else { return Reply(lines: [DialogLine(.note, LessonText(lesson).way)]) }
    return lesson.kind == .reach ? reach(text) : answer(text)
  }

  /// A pause that is longer counts as this number of seconds.
  package static let longestPause = 600.0

  /// Adds the time since the last entry to the lesson.
  private func noteTime() {
    let time = now()
    if !isDone {
      let pause = min(max(0, time - lastEntry), Self.longestPause)
      progress[lesson].seconds = ((progress[lesson].seconds + pause) * 10).rounded() / 10
    }
    lastEntry = time
  }

  // MARK: Answers

  private func answer(_ text: String) -> Reply {
    let grade = examiner.grade(text, to: lesson)
    return Reply(lines: examiner.isInterrupted ? [Self.notJudged] : graded(grade, of: text))
  }

  /// The reply to an answer whose statements were stopped: what they did says nothing about it.
  private static let notJudged = DialogLine(
    .note, "Your answer was not judged, because statements were stopped.")

  private func reach(_ text: String) -> Reply {
    guard let attempt else { return Reply() }
    let step = attempt.take(text)
    var reply = Reply()
    reply.diagnostics = step.diagnostics.map { ($0, step.source) }
    reply.lines = step.lines.map { DialogLine(.code, $0) }
    guard !examiner.isInterrupted else {
      reply.lines.append(Self.notJudged)
      return reply
    }
    guard let grade = step.grade else {
      if attempt.count >= lesson.fewestStatements {
        let count = attempt.count == 1 ? "1 statement" : "\(attempt.count) statements"
        reply.lines.append(
          DialogLine(.note, "Not there yet after \(count). :again restarts the lesson."))
        progress[lesson].note(wrong: attempt.entries.joined(separator: "\n"))
        reply.lines += attempt.differences.map { DialogLine(.graded($0.mark), $0.text) }
      }
      return reply
    }
    // An answer that failed to run does not count as a try.
    guard grade.verdict == .right || !grade.reasons.isSubset(of: ["error", "without"]) else {
      reply.lines += grade.lines.map { DialogLine(.graded($0.mark), $0.text) }
      return reply
    }
    reply.lines += graded(grade, of: attempt.entries.joined(separator: "\n"))
    if !isDone {
      self.attempt = ReachAttempt(lesson, examiner.world(of: lesson))
      reply.lines.append(DialogLine(.note, "The lesson was reset. Try again."))
    }
    return reply
  }

  private func graded(_ grade: Grade, of answer: String) -> [DialogLine] {
    progress[lesson].tries += 1
    if grade.verdict != .right { progress[lesson].note(wrong: answer) }
    var lines = grade.lines.map { DialogLine(.graded($0.mark), $0.text) }
    switch grade.verdict {
    case .right:
      isDone = true
      // A solution that was shown later takes nothing from a lesson that was solved without it.
      if progress[lesson].state != .solved {
        progress[lesson].state = progress[lesson].sawSolution ? .shown : .solved
      }
      lines.append(DialogLine(.text, "Right. \(lesson.why.joined(separator: " "))"))
      if let see = lesson.see { lines.append(DialogLine(.note, "Read on in \(see).")) }
      lines.append(DialogLine(.note, ending))
    case .partly: lines.append(DialogLine(.note, "Partly right. Try again; :hint helps."))
    case .wrong: lines.append(DialogLine(.note, "Not yet. Try again; :hint helps."))
    }
    return lines
  }

  private var ending: String {
    guard index + 1 < course.lessons.count else {
      return CourseReport(course, progress).summary + ". This was the last lesson."
    }
    return "Press Enter for lesson \(index + 2); :quit leaves."
  }

  private func goOn() -> Reply {
    guard index + 1 < course.lessons.count else { return Reply(isOver: true) }
    index += 1
    return Reply(lines: [DialogLine(.text, "")] + open())
  }

  // MARK: Commands

  /// The commands of a dialog; the raw value is the word.
  package enum Command: String, CaseIterable {
    case hint, solution, undo, again, skip, back, list, help, quit

    /// Returns a description of the command in a course that a command of the shell opens.
    fileprivate func summary(_ shell: String) -> String {
      switch self {
      case .hint: "gives a hint; there are three for each lesson"
      case .solution: "shows an answer that is right"
      case .undo: "takes back the last line of your answer, or your last statement"
      case .again: "shows the lesson again, and restarts it"
      case .skip: "continues with the next lesson"
      case .back: "goes to the lesson before"
      case .list: "lists the lessons"
      case .help: "lists the commands"
      case .quit: "leaves; '\(shell)' continues here"
      }
    }

    /// Reads a command's word; nil if there is none of this name.
    fileprivate init?(word: String) {
      self.init(rawValue: word == "q" ? "quit" : word.lowercased())
    }
  }

  /// Handles a command, which may be below the first lines of an answer.
  private func interrupt(_ entry: String, by line: String) -> Reply {
    let isLine = { (text: String) in !text.trimmed.isEmpty && text.trimmed != line }
    if !isDone { draft += entry.linesOfText.filter(isLine) }
    let number = index
    var reply = command(String(line.dropFirst()).trimmed)
    guard !draft.isEmpty, !reply.isOver, number == index else { return reply }
    reply.lines.append(DialogLine(.note, "Your answer so far; an empty line ends it:"))
    reply.lines += draft.map { DialogLine(.code, $0) }
    return reply
  }

  private func command(_ word: String) -> Reply {
    let found = Command(word: word)
    switch found {
    case .hint: return Reply(lines: [hint()])
    case .solution: return Reply(lines: solution())
    case .undo: return Reply(lines: [undo()])
    case .again: return Reply(lines: open())
    case .skip:
      if !isDone, !progress.isOver(lesson) { progress[lesson].state = .skipped }
      return goOn()
    case .back:
      guard index > 0 else { return Reply(lines: [DialogLine(.note, "This is the first lesson.")]) }
      index -= 1
      return Reply(lines: [DialogLine(.text, "")] + open())
    case .list:
      return Reply(lines: CourseReport(course, progress).list.map { DialogLine(.code, $0) })
    case .help, nil:
      let unknown = found == nil ? [DialogLine(.note, "unknown command ':\(word)'")] : []
      return Reply(
        lines: unknown
          + Command.allCases.map { DialogLine(.code, ":\($0.rawValue)  \($0.summary(shell))") })
    case .quit: return Reply(isOver: true)
    }
  }

  /// Takes back the last line of an unfinished answer, or the last statement of a lesson of `reach`.
  private func undo() -> DialogLine {
    if let line = draft.popLast() { return DialogLine(.note, "Undone: \(line)") }
    guard !isDone, let attempt, let last = attempt.entries.last else {
      return DialogLine(.note, "There is nothing to take back.")
    }
    let again = ReachAttempt(lesson, examiner.world(of: lesson))
    for entry in attempt.entries.dropLast() { _ = again.take(entry) }
    self.attempt = again
    return DialogLine(.note, "Undone: \(last)")
  }

  private func hint() -> DialogLine {
    let count = progress[lesson].hints
    let hints = lesson.hints
    guard !hints.isEmpty else { return DialogLine(.note, "This lesson has no hints.") }
    guard count < hints.count else {
      return DialogLine(
        .text,
        "Hint \(hints.count) of \(hints.count): \(hints[hints.count - 1]) (:solution shows an answer.)"
      )
    }
    progress[lesson].hints = count + 1
    return DialogLine(.text, "Hint \(count + 1) of \(hints.count): \(hints[count])")
  }

  private func solution() -> [DialogLine] {
    if !isDone { progress[lesson].sawSolution = true }
    return lesson.solution.map { DialogLine(.code, $0) }
      + [DialogLine(.note, "Type it yourself to go on, or :skip.")]
  }
}
