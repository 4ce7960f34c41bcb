import PromptTools
import ScriptSyntax

/// The saved results of statements that later statements use as `_` or `_3`.
///
/// A script saves no results by itself, so there these statements define variables.
struct UsedResults {
  /// The numbers of the results.
  private(set) var numbers: Set<Int> = []
  /// The numbers of the results that are used as `_`.
  private var latest: Set<Int> = []

  init(_ points: ArraySlice<SessionTimeline.Point>) {
    var last: Int?
    for point in points {
      for name in Self.names(in: point.text) {
        if name == "_", let last {
          numbers.insert(last)
          latest.insert(last)
        } else if let number = Int(name.dropFirst()) {
          numbers.insert(number)
        }
      }
      last = point.result ?? last
    }
  }

  /// Returns the words of a text that could name a result.
  ///
  /// This may include words in a string. Then a variable is defined that nothing uses.
  private static func names(in text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.filter { word in
      word.first == "_" && word.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }.map(String.init)
  }

  /// Returns the lines that define a variable for a result and print it.
  func text(of number: Int, in point: SessionTimeline.Point, statement: String) -> String {
    let name = "_\(number)"
    let isValue = point.statement.bareValue != nil
    let value = isValue ? String(statement.dropFirst("print ".count)) : statement
    return "let \(name) = \(value)\n"
      + (latest.contains(number) ? "let _ = \(name)\n" : "")
      + (isValue ? "print \(name)\n" : statement + "\n")
  }
}
