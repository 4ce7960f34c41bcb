package import ScriptSyntax

/// One lesson: a script whose `#@` lines ask the learner something.
///
/// The script also contains the answer and its output, so it is a test like any other.
package struct Lesson: Sendable {
  /// The kind of task; the raw value is the word in a file.
  package enum Kind: String, Sendable, CaseIterable {
    /// Predict what a turn prints before it runs.
    case predict
    /// Bring the results to a given state.
    case reach
    /// Fix a table's reactions until the table is right after random turns.
    case mend
    /// Find the statement and the reaction that make a table crash.
    case find
  }

  /// A group of the script's statements.
  package struct Part: Sendable {
    /// The indices of the statements in the script.
    package var statements: Range<Int> = 0..<0
    /// The lines that the learner sees: without expected output and directives.
    package var lines: [String] = []
    /// The expected output in the file.
    package var expected: [String] = []
  }

  /// A typical wrong answer.
  package struct WrongAnswer: Sendable {
    /// The reason for which its grade must fail.
    package var reason: String
    /// The misconception that leads to this answer.
    package var text: String
    package var lines: [String]
    package var range: Range<Int>
  }

  /// The file's name without its extension.
  package var name: String
  package var kind: Kind
  package var title: String
  /// The lines of the text above the world; empty lines separate paragraphs.
  package var text: [String] = []
  package var covers: [String] = []
  /// Where to read more.
  package var see: String?
  package var world = Part()
  /// The statements to fix; empty in other kinds of lesson.
  package var broken = Part()
  package var question: [String] = []
  /// The statements that the question is about.
  package var task = Part()
  /// The statements of a right answer.
  package var answer = Part()
  /// The words after `#@ answer`.
  package var answerWords = ""
  package var goal = Part()
  /// The first words of statements that the learner may not use.
  package var without: [String] = []
  package var offersChoices = false
  package var wrong: [WrongAnswer] = []
  package var hints: [String] = []
  package var why: [String] = []
  package var script: ParsedScript

  /// The right answer as a learner would type it.
  package var solution: [String] {
    switch kind {
    case .predict: task.expected.isEmpty ? ["nothing"] : task.expected
    case .reach, .mend: answer.lines
    case .find: [answerWords]
    }
  }

  /// The answers to choose from.
  ///
  /// Their order depends on the lesson only.
  package var choices: [[String]] {
    guard offersChoices else { return [] }
    var answers = wrong.map(\.lines)
    let place = name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 9973 } % (answers.count + 1)
    answers.insert(solution, at: place)
    return answers
  }

  /// The number of the answer's statements that change something.
  package var fewestStatements: Int {
    script.statements[answer.statements].count { !$0.traits.onlyLooks }
  }
}
