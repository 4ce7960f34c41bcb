import FetchedResults
import Foundation
import ScriptSyntax

/// `expect EXPRESSION`: fails if it is false, and shows the values of both sides.
struct ExpectCommand {
  let frames: FrameStack
  let evaluator: Evaluator

  func expect(_ condition: PreparedCondition) throws(ScriptError) {
    switch condition.form {
    case .comparison(let left, let sign, let right):
      let a = try evaluator.scalar(left)
      let b = try evaluator.scalar(right)
      if try evaluator.compare(a, sign, b, condition.range) { return }
      throw frames.failure(
        .unequal(text(of: condition.range), left: a.excerpt, right: b.excerpt), condition.range)
    case .truth(let expression):
      if try evaluator.truth(of: expression) { return }
      throw frames.failure(.untrue(text(of: condition.range)), condition.range)
    }
  }

  /// Returns the text of a part of the source, on one line.
  private func text(of range: Range<Int>) -> String {
    frames.source.formattedText(in: range, after: "expect ").split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ").shortened()
  }
}
