import ScriptSyntax

/// What is compared to find failures with the same cause.
///
/// It has two strengths. Two failures are the same if a reader would learn nothing from the second.
/// They are similar if they differ only in numbers and quoted texts.
struct FailureLikeness: Hashable {
  /// The kind of failure, in words.
  private let words: String
  /// The place of an error in a file that several scripts include.
  private let place: String?
  /// The statement, or the line of a golden file.
  private let statement: [String]
  private let removed: [String]
  private let added: [String]

  /// The similar failures.
  struct Form: Hashable {
    fileprivate let words: String
    fileprivate let place: String?
    fileprivate let changes: Set<String>
  }

  /// - Complexity: That of a comparison of the expected with the actual output.
  init(_ failure: GoldenFailure, in outcome: GoldenOutcome) {
    var failure = failure
    failure.store = nil
    let changes: (removed: [String], added: [String])
    var place: String?
    var isItsPlace = false
    var source = outcome.source
    var lines = failure.lines
    switch failure.kind {
    case .output(let mismatch), .unstable(let mismatch): changes = OutputDiff.changes(mismatch)
    case .strayExpectation(let text): changes = ([text], [])
    case .uncaught(let error):
      changes = ([], [])
      // A mistake in an included file may have another message in each script.
      if error.source.name != source.name {
        source = error.source
        let line = source.line(of: error.diagnostic.range.lowerBound)
        place = "\(source.name):\(line)"
        lines = line...line
      }
    case .replay, .timedOut, .exceeded, .crashed, .unreached, .diagnostic: changes = ([], [])
    case .conflictMarker, .empty, .missingGolden, .unexpectedPass, .update:
      // A reader has to go to each of these places.
      changes = ([], [])
      isItsPlace = true
    }
    words = place == nil ? failure.description : failure.code
    self.place = place
    if failure.file != outcome.source.name, let golden = outcome.prepared.test.golden {
      source = golden
    }
    statement =
      isItsPlace
      ? ["\(failure.file):\(lines.lowerBound)"]
      : lines.filter { $0 <= source.lineCount }.map(source.text(ofLine:))
    (removed, added) = changes
  }

  /// The form, which similar failures share.
  var form: Form {
    let changes = removed.map { "-" + $0.withoutValues } + added.map { "+" + $0.withoutValues }
    return Form(
      words: place == nil ? words.withoutValues : words, place: place, changes: Set(changes))
  }
}

extension OutputDiff {
  /// Returns the lines that were only expected, and those that were only printed.
  static func changes(_ mismatch: OutputMismatch) -> (removed: [String], added: [String]) {
    let hunks = hunks(mismatch)
    return (hunks.flatMap(\.removed).map(\.text), hunks.flatMap(\.added).map(\.text))
  }
}

extension String {
  /// The text without its numbers and without what is between double quotes.
  fileprivate var withoutValues: String {
    var result = ""
    var isInNumber = false
    var isInText = false
    for scalar in unicodeScalars {
      if scalar == "\"" { isInText.toggle() } else if isInText { continue }
      let isDigit = ("0"..."9").contains(scalar)
      if !isDigit { result.unicodeScalars.append(scalar) } else if !isInNumber { result += "0" }
      isInNumber = isDigit
    }
    return result
  }
}
