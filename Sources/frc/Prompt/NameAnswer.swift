import FetchedResults
import PromptTools
import ScriptRuntime
import ScriptSyntax

extension NameAnswer {
  /// Returns nil if the name is unknown.
  init?(_ name: String, timeline: SessionTimeline) {
    let word = name.hasPrefix("$") ? String(name.dropFirst()) : name
    let first = word.split(separator: ".").first.map(String.init)
    self.init(
      name, session: timeline.session,
      definition: Definition(of: first ?? word, in: timeline))
  }
}

extension NameAnswer.Definition {
  /// Finds the last definition of a name.
  fileprivate init?(of name: String, in timeline: SessionTimeline) {
    let points = timeline.points[..<timeline.position]
    guard
      let index = points.lastIndex(where: { point in
        point.failure == nil
          && (point.statement.traits.definitions.contains { $0.name?.text == name }
            || point.result.map { name == "_\($0)" || name == "_" } ?? false)
      })
    else { return nil }
    let point = points[index]
    let source = point.source
    self.init(
      text: point.text,
      place: source.name == PromptSession.sourceName
        ? "defined by statement \(index + 1) of :timeline"
        : "defined at \(source.name):\(source.position(of: point.statement.range.lowerBound).line), "
          + "statement \(index + 1) of :timeline")
  }
}

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

  /// Returns the lines that print a result, and those that follow its output.
  ///
  /// They also define a variable. For a fetch, that is done last: the first of two fetches prints
  /// what the second one does not, such as the output of `awakeFromFetch`.
  func text(
    of number: Int, in point: SessionTimeline.Point, statement: String
  ) -> (printing: String, following: String) {
    let name = "_\(number)"
    let isValue = point.tried.bareValue != nil
    // What has a result did not fail, so a variable's definition needs no `try`.
    let length = point.tried.range.lowerBound - point.statement.range.lowerBound
    let value = Substring(statement.utf8.dropFirst(length + (isValue ? "print ".utf8.count : 0)))
    let definition =
      "let \(name) = \(value)\n" + (latest.contains(number) ? "let _ = \(name)\n" : "")
    return isValue ? (definition + "print \(name)\n", "") : (statement + "\n", definition)
  }
}
