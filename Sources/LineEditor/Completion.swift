/// The texts that can be written at the cursor.
package struct Completion: Equatable {
  /// The start of the text that a candidate replaces.
  ///
  /// That text ends at the cursor.
  ///
  /// An offset in UTF-8 bytes in the text that was passed.
  package var replacementStart: Int

  /// The texts to choose from, in the order of the list.
  ///
  /// A single candidate is inserted unchanged, including a blank at its end. The list does not show
  /// that blank.
  package var candidates: [Candidate]

  /// The number of further candidates, which are not listed.
  package var omitted = 0

  /// The common start of the further candidates.
  package var omittedStart: String?

  /// A text to choose from.
  package struct Candidate: Equatable, ExpressibleByStringLiteral {
    package var text: String
    private let words: () -> String

    /// A short description of the text, computed when it is first read.
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
  ///   - replacementStart: The start of the replaced text, in UTF-8 bytes.
  ///   - candidates: The texts to choose from.
  ///   - omitted: The number of further candidates.
  ///   - omittedStart: The common start of the further candidates.
  package init(
    replacementStart: Int, candidates: [Candidate], omitted: Int = 0, omittedStart: String? = nil
  ) {
    self.replacementStart = replacementStart
    self.candidates = candidates
    self.omitted = omitted
    self.omittedStart = omittedStart
  }

  /// A function that returns the texts that can be written at a place.
  ///
  /// - Parameters:
  ///   - text: All lines of the statement so far, joined by `\n`.
  ///   - cursorOffset: The cursor's position in it, in UTF-8 bytes.
  package typealias Provider = (_ text: String, _ cursorOffset: Int) -> Completion

  /// What Tab does.
  enum Step: Equatable {
    /// Replaces the typed text by another one.
    case replace(with: String)
    /// Shows the candidates.
    case list
    case nothing
  }

  /// Returns what Tab does.
  ///
  /// - Parameter typed: The text to be replaced.
  func step(from typed: String) -> Step {
    let texts = candidates.map(\.text)
    guard let first = texts.first else { return .nothing }
    if candidates.count == 1, omitted == 0 {
      return first == typed ? .nothing : .replace(with: first)
    }
    var common = texts.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    if omitted > 0 { common = common.commonPrefix(with: omittedStart ?? "") }
    // The common start is inserted only if it continues the typed text. Otherwise it would remove
    // typed letters or exclude candidates that only resemble them.
    let goesOn = common.lowercased().hasPrefix(typed.lowercased())
    return goesOn && common != typed ? .replace(with: common) : .list
  }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
