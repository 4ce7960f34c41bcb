import Basics
package import ScriptSyntax

/// A parser that reads a lesson from its file.
package struct LessonReader {
  private let script: ParsedScript
  private var lesson: Lesson
  private var seen: Set<LessonWord> = []
  private var problems: [Diagnostic] = []
  /// The lines of texts and answers below directives, which are not part of the script.
  private var textLines: Set<Int> = []
  /// The lines where parts of the script begin, ascending.
  private var marks: [(word: LessonWord, line: Int)] = []

  private var source: SourceText { script.source }

  /// The result of reading a file.
  package struct Result: Sendable {
    /// Nil if the file is not a lesson, or if its script does not parse.
    package let lesson: Lesson?
    package let problems: [Diagnostic]
    /// Where the file seals the lesson; nil if it does not.
    ///
    /// The lesson has the sealed text as its source. Problems are at this place.
    package var seal: Range<Int>?

    package var hasErrors: Bool { lesson == nil || problems.contains { $0.severity == .error } }
  }

  /// Reads a file.
  ///
  /// - Parameter name: The lesson's name, such as `01-an-object-appears`.
  package static func read(_ source: SourceText, named name: String) -> Result {
    let script = ScriptParser.parse(source)
    guard let seal = script.directives.first(where: { LessonWord.read($0)?.word == .sealed }) else {
      return read(script, named: name)
    }
    let lines = (seal.line + 1..<source.lineCount + 1).map(source.text(ofLine:))
      .prefix { $0.hasPrefix("# ") }.map { String($0.dropFirst(2)) }
    guard let opened = LessonHandout.opened(Array(lines), named: source.name) else {
      let message = "the sealed lesson is damaged; ask for the file again"
      return Result(
        lesson: nil, problems: [Diagnostic(message: message, range: seal.range)],
        seal: seal.range)
    }
    let inner = read(ScriptParser.parse(opened), named: name)
    return Result(
      lesson: inner.lesson,
      problems: inner.problems.map {
        Diagnostic(
          severity: $0.severity, message: "in the sealed lesson: \($0.message)", range: seal.range)
      }, seal: seal.range)
  }

  private static func read(_ script: ParsedScript, named name: String) -> Result {
    guard !script.hasErrors else { return Result(lesson: nil, problems: script.diagnostics) }
    var reader = LessonReader(script, name)
    guard reader.readHead() else { return Result(lesson: nil, problems: reader.problems) }
    reader.readDirectives()
    reader.readParts()
    reader.checkParts()
    return Result(
      lesson: reader.lesson,
      problems: script.diagnostics
        + reader.problems.sorted { $0.range.lowerBound < $1.range.lowerBound })
  }

  private init(_ script: ParsedScript, _ name: String) {
    self.script = script
    lesson = Lesson(name: name, kind: .predict, title: "", script: script)
  }

  private mutating func refuse(_ message: String, _ range: Range<Int>) {
    problems.append(Diagnostic(message: message, range: range))
  }

  // MARK: Directives

  /// Reads `lesson KIND TITLE`.
  ///
  /// - Returns: Whether the file is a lesson of a known kind.
  private mutating func readHead() -> Bool {
    let kinds = Lesson.Kind.allCases.map(\.rawValue)
    guard
      let (directive, argument) = script.directives.lazy.compactMap({ directive in
        LessonWord.read(directive).flatMap { $0 == .lesson ? (directive, $1) : nil }
      }).first
    else {
      refuse(
        "a lesson begins with '#@ lesson KIND TITLE'; write one of \(kinds.joined(separator: ", "))",
        source.range(ofLine: 1))
      return false
    }
    let word = String(argument.prefix { !$0.isWhitespace })
    guard let kind = Lesson.Kind(rawValue: word) else {
      let near = nearestName(to: word, among: kinds)
      refuse(
        "unknown kind of lesson '\(word)'; "
          + (near.map { "did you mean '\($0)'?" } ?? "there are \(kinds.joined(separator: ", "))"),
        directive.range)
      return false
    }
    lesson.kind = kind
    lesson.title = argument.dropFirst(word.count).trimmed
    if lesson.title.isEmpty {
      refuse("expected the lesson's title after '\(word)'", directive.range)
    }
    return true
  }

  private mutating func readDirectives() {
    for directive in script.directives {
      guard let (word, argument) = LessonWord.read(directive) else { continue }
      if word != .wrong, word != .hint, !seen.insert(word).inserted {
        refuse("'\(word.rawValue)' is repeated here", directive.range)
        continue
      }
      read(word, argument, directive)
    }
  }

  private mutating func read(_ word: LessonWord, _ argument: String, _ directive: Directive) {
    switch word {
    case .lesson: lesson.text = text("", under: directive)
    case .covers:
      lesson.covers = argument.split(separator: " ").map(String.init)
    case .see: lesson.see = argument.isEmpty ? nil : argument
    case .broken: marks.append((word, directive.line))
    case .task:
      marks.append((word, directive.line))
      lesson.question = text(argument, under: directive)
      if lesson.question.isEmpty { refuse("expected a question after 'task'", directive.range) }
    case .answer:
      marks.append((word, directive.line))
      lesson.answerWords = argument
    case .goal: marks.append((word, directive.line))
    case .without:
      lesson.without = argument.split(separator: " ").map(String.init)
      for word in lesson.without where !ScriptParser.statementWords.contains(word) {
        refuse("no statement begins with '\(word)'", directive.range)
      }
    case .choices: lesson.offersChoices = true
    case .wrong: readWrong(argument, directive)
    case .hint:
      let lines = text(argument, under: directive)
      if lines.isEmpty { refuse("expected a hint after 'hint'", directive.range) }
      lesson.hints.append(lines.joined(separator: "\n"))
    case .why: lesson.why = text(argument, under: directive)
    // The seal of a file that was handed out is already opened; a second one inside has no meaning.
    case .sealed: break
    }
  }

  /// Reads `wrong REASON TEXT` and the lines `#| ANSWER` below.
  private mutating func readWrong(_ argument: String, _ directive: Directive) {
    let reason = String(argument.prefix { !$0.isWhitespace })
    var lines: [String] = []
    var line = directive.line + 1
    while let answer = answerLine(line) {
      lines.append(answer)
      textLines.insert(line)
      line += 1
    }
    guard !reason.isEmpty, !lines.isEmpty else {
      return refuse(
        "expected a reason after 'wrong', and the answer below it in lines that begin with '#|'",
        directive.range)
    }
    lesson.wrong.append(
      Lesson.WrongAnswer(
        reason: reason, text: argument.dropFirst(reason.count).trimmed, lines: lines,
        range: directive.range))
  }

  private func answerLine(_ line: Int) -> String? {
    let text = source.text(ofLine: line)
    guard text.hasPrefix("#|") else { return nil }
    return String(text.dropFirst(text.hasPrefix("#| ") ? 3 : 2))
  }

  /// Returns the text on a directive's line and in the comments directly below it.
  private mutating func text(_ first: String, under directive: Directive) -> [String] {
    var lines = first.isEmpty ? [] : [first]
    var line = directive.line + 1
    while line <= source.lineCount {
      let text = source.text(ofLine: line)
      guard text == "#" || text.hasPrefix("# ") else {
        // Other directives of the head may be between the title and the text.
        guard first.isEmpty, lines.isEmpty, text.hasPrefix("#@") else { break }
        line += 1
        continue
      }
      textLines.insert(line)
      lines.append(text.dropFirst().trimmed)
      line += 1
    }
    while lines.first == "" { lines.removeFirst() }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  // MARK: Parts

  private mutating func readParts() {
    for (word, line) in marks {
      let end = marks.first { $0.line > line }?.line ?? Int.max
      let part = part(from: line + 1, to: end)
      switch word {
      case .broken: lesson.broken = part
      case .task: lesson.task = part
      case .answer: lesson.answer = part
      case .goal: lesson.goal = part
      case .lesson, .covers, .see, .without, .choices, .wrong, .hint, .why, .sealed: break
      }
    }
    lesson.world = part(from: 1, to: marks.first?.line ?? Int.max)
  }

  private func part(from start: Int, to end: Int) -> Lesson.Part {
    let groups = script.groups.filter { start <= $0.lines.lowerBound && $0.lines.lowerBound < end }
    var part = Lesson.Part()
    if let first = groups.first, let last = groups.last {
      part.statements = first.statements.lowerBound..<last.statements.upperBound
    }
    part.expected = groups.flatMap { $0.expected.map(\.text) }
    let expectedLines = Set(groups.flatMap { $0.expected.map(\.line) })
    for line in start..<min(end, source.lineCount + 1) {
      let text = source.text(ofLine: line)
      guard !textLines.contains(line), !expectedLines.contains(line), !text.hasPrefix("#@") else {
        continue
      }
      if text.allSatisfy(\.isWhitespace), part.lines.last?.isEmpty ?? true { continue }
      part.lines.append(text)
    }
    while part.lines.last?.isEmpty == true { part.lines.removeLast() }
    return part
  }

  private mutating func checkParts() {
    let head = source.range(ofLine: 1)
    func need(_ isThere: Bool, _ what: String) {
      if !isThere { problems.append(Diagnostic(message: what, range: head)) }
    }
    need(!lesson.text.isEmpty, "expected the lesson's text in comments below '#@ lesson'")
    need(!lesson.question.isEmpty, "expected '#@ task' and a question")
    need(!lesson.why.isEmpty, "expected '#@ why' and a sentence that says why the answer is right")
    need(!lesson.wrong.isEmpty, "expected '#@ wrong' and an answer that is not right")
    need(
      lesson.without.isEmpty || lesson.kind == .reach, "'without' is for lessons of 'reach' only")
    need(
      lesson.hints.count == 3, "expected three hints, found \(lesson.hints.count); write '#@ hint'")
    switch lesson.kind {
    case .predict:
      need(!lesson.task.statements.isEmpty, "expected the statements to predict below '#@ task'")
    case .reach:
      need(!lesson.answer.statements.isEmpty, "expected statements below '#@ answer'")
      need(
        !lesson.goal.expected.isEmpty,
        "expected statements that show the state to reach below '#@ goal', with what they print")
    case .mend:
      need(!lesson.broken.statements.isEmpty, "expected the broken statements below '#@ broken'")
      need(!lesson.answer.statements.isEmpty, "expected statements below '#@ answer'")
    case .find:
      need(!lesson.task.statements.isEmpty, "expected the statements to search below '#@ task'")
      need(
        FindAnswer(lesson.answerWords) != nil,
        "expected '#@ answer NUMBER REACTION', such as '#@ answer 2 sectionDelete'")
    }
    need(
      !lesson.offersChoices || lesson.kind == .predict, "'choices' is for lessons of 'predict' only"
    )
  }
}

extension StringProtocol {
  /// The text without blanks around it.
  var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
