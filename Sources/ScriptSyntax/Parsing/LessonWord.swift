/// The words of the `#@` lines that make a script a lesson.
package enum LessonWord: String, CaseIterable, Sendable {
  /// Begins the lesson: its kind and its title, then its text.
  case lesson
  /// The rules and topics that the lesson is about.
  case covers
  /// Where to read more.
  case see
  /// Above the statements that the learner must fix.
  case broken
  /// Above the statements that the question is about.
  case task
  /// Above the statements of a right answer.
  case answer
  /// Above statements that show the state to reach.
  case goal
  /// The words of statements that the learner may not use.
  case without
  /// Offers the answers as choices.
  case choices
  /// A wrong answer, and why it is wrong.
  case wrong
  case hint
  /// Why the answer is right.
  case why
  /// Above the whole lesson in a form that is not read by accident.
  case sealed

  /// Parses a directive's word and the text after it; nil for other directives.
  package static func read(_ directive: Directive) -> (word: LessonWord, argument: String)? {
    let word = directive.text.prefix { !$0.isWhitespace }
    guard let found = LessonWord(rawValue: String(word)) else { return nil }
    return (found, String(directive.text.dropFirst(word.count).drop(while: \.isWhitespace)))
  }
}

extension ParsedScript {
  /// Whether the script is a lesson.
  package var isLesson: Bool {
    directives.contains { LessonWord.read($0)?.word == .lesson }
  }
}
