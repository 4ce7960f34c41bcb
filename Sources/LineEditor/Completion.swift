/// What can be written where the cursor is.
package struct Completion: Equatable {
  /// Where the text begins that a candidate replaces; it ends at the cursor.
  ///
  /// An offset in UTF-8 bytes in the text that was asked about.
  package var replacementStart: Int

  /// The texts to choose from, in the order in which they are to be listed.
  ///
  /// A single candidate is inserted as it is, a blank at its end
  /// included; the blank does not show in a list.
  package var candidates: [Candidate]

  /// How many more candidates there are, which are not listed.
  package var omitted = 0

  /// What those begin with.
  package var omittedStart: String?

  /// A text to choose.
  package struct Candidate: Equatable, ExpressibleByStringLiteral {
    package var text: String
    private let words: () -> String

    /// What it is, in a few words; computed when it is first used.
    package var detail: String { words() }

    package init(_ text: String, detail: @autoclosure @escaping () -> String = "") {
      self.text = text
      words = detail
    }

    package static func == (left: Candidate, right: Candidate) -> Bool {
      left.text == right.text && left.detail == right.detail
    }

    package init(stringLiteral text: String) { self.init(text) }
  }

  /// Creates a completion.
  ///
  /// - Parameters:
  ///   - replacementStart: Where the replaced text begins, in UTF-8 bytes.
  ///   - candidates: The texts to choose from.
  ///   - omitted: How many more there are.
  ///   - omittedStart: What those begin with.
  package init(
    replacementStart: Int, candidates: [Candidate], omitted: Int = 0, omittedStart: String? = nil
  ) {
    self.replacementStart = replacementStart
    self.candidates = candidates
    self.omitted = omitted
    self.omittedStart = omittedStart
  }

  /// Asks for what can be written at a place.
  ///
  /// - Parameters:
  ///   - text: The statement so far, all lines of it, joined by `\n`.
  ///   - cursorOffset: Where the cursor is in it, in UTF-8 bytes.
  package typealias Provider = (_ text: String, _ cursorOffset: Int) -> Completion

  /// What Tab does.
  enum Step: Equatable {
    /// Puts a text in the place of the replaced one.
    case replace(with: String)
    /// Shows the candidates.
    case list
    case nothing
  }

  /// Decides what Tab does.
  ///
  /// - Parameter typed: The text to be replaced.
  /// - Returns: What is to be done.
  func step(from typed: String) -> Step {
    let texts = candidates.map(\.text)
    guard let first = texts.first else { return .nothing }
    if candidates.count == 1, omitted == 0 {
      return first == typed ? .nothing : .replace(with: first)
    }
    var common = texts.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    if omitted > 0 { common = common.commonPrefix(with: omittedStart ?? "") }
    // A common part shorter than what was typed would take something away, and one that goes on
    // otherwise would rule something out: the candidates only resemble what was typed.
    let goesOn = common.lowercased().hasPrefix(typed.lowercased())
    return goesOn && common != typed ? .replace(with: common) : .list
  }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
