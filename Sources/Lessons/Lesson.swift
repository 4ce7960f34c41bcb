package import ScriptSyntax

/// One lesson: a script whose `#@` lines say what the learner is asked.
///
/// The script itself is the answer played through, so it is a test like any other.
package struct Lesson: Sendable {
  /// What the learner is asked to do; the raw value is the word in a file.
  package enum Kind: String, Sendable, CaseIterable {
    /// Says what a turn prints before it runs.
    case predict
    /// Brings the results to a state.
    case reach
    /// Mends reactions of a table, until random turns leave the table right.
    case mend
    /// Finds the statement and the reaction that make a table crash.
    case find
  }

  /// Statements of the script that belong together.
  package struct Part: Sendable {
    /// Indices into the script's statements.
    package var statements: Range<Int> = 0..<0
    /// What a learner is shown of them: without expected output and directives.
    package var lines: [String] = []
    /// What they print, as the file says.
    package var expected: [String] = []
  }

  /// An answer that is not right.
  package struct WrongAnswer: Sendable {
    /// By which word a grade has to fail it.
    package var reason: String
    /// What someone who answers so thinks.
    package var text: String
    package var lines: [String]
    package var range: Range<Int>
  }

  /// The file's name without its ending.
  package var name: String
  package var kind: Kind
  package var title: String
  /// The text above the world, a line each; empty lines part paragraphs.
  package var text: [String] = []
  package var covers: [String] = []
  /// Where to read on.
  package var see: String?
  package var world = Part()
  /// What must be mended; empty in other lessons.
  package var broken = Part()
  package var question: [String] = []
  /// What the question is about.
  package var task = Part()
  /// The statements of a right answer.
  package var answer = Part()
  /// The words after `#@ answer`.
  package var answerWords = ""
  package var goal = Part()
  /// The words of statements that the learner may not use.
  package var without: [String] = []
  package var offersChoices = false
  package var wrong: [WrongAnswer] = []
  package var hints: [String] = []
  package var why: [String] = []
  package var script: ParsedScript

  /// The right answer, as a learner would type it.
  package var solution: [String] {
    switch kind {
    case .predict: task.expected.isEmpty ? ["nothing"] : task.expected
    case .reach, .mend: answer.lines
    case .find: [answerWords]
    }
  }

  /// The answers to choose from, in an order that follows from the lesson alone.
  package var choices: [[String]] {
    guard offersChoices else { return [] }
    var answers = wrong.map(\.lines)
    let place = name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 9973 } % (answers.count + 1)
    answers.insert(solution, at: place)
    return answers
  }

  /// How many statements that do more than look the answer has.
  package var fewestStatements: Int {
    script.statements[answer.statements].count { !$0.traits.onlyLooks }
  }
}
