/// The grade of an answer.
package struct Grade: Equatable, Sendable {
  package enum Verdict: String, Sendable {
    case right
    /// The answer is partly right.
    case partly
    case wrong
  }

  /// A line of the grade, as a person reads it.
  package struct Line: Equatable, Sendable {
    package enum Mark: String, Sendable {
      case right = "✓"
      case wrong = "✗"
      /// Something that is missing in the answer.
      case missing = "+"
      case none = " "
    }

    package var mark: Mark
    package var text: String

    package init(_ mark: Mark, _ text: String) {
      self.mark = mark
      self.text = text
    }

    /// The line with its mark in front.
    package var description: String { "\(mark.rawValue) \(text)" }
  }

  package var verdict: Verdict
  package var lines: [Line]
  /// The reasons why the answer fails: names of rules, and words such as `order` or `crash`.
  package var reasons: Set<String>

  package init(_ verdict: Verdict, _ lines: [Line] = [], reasons: Set<String> = []) {
    self.verdict = verdict
    self.lines = lines
    self.reasons = reasons
  }
}
