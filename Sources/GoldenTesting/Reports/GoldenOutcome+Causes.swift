/// Separates the failures that have to be fixed from those that follow from them.
extension GoldenOutcome {
  /// The failures that do not follow from another one.
  var causes: [GoldenFailure] {
    guard let end = failures.first(where: \.endsScript) else { return failures }
    return failures.filter { !$0.follows(from: end) }
  }
}

extension GoldenFailure {
  /// Whether the failure ended the script.
  fileprivate var endsScript: Bool {
    switch kind {
    case .uncaught, .timedOut, .exceeded, .crashed: true
    case .output, .strayExpectation, .replay, .unreached, .unstable, .diagnostic,
      .conflictMarker, .empty, .missingGolden, .unexpectedPass, .update:
      false
    }
  }

  /// Whether the failure only says that the script ended too early: blocks were not reached, or the
  /// last lines are missing.
  fileprivate func follows(from end: GoldenFailure) -> Bool {
    switch kind {
    case .unreached: true
    case .output(let mismatch):
      (lines == end.lines || file != end.file)
        && mismatch.expectation.commonPrefix(with: mismatch.actual) == mismatch.actual.count
    case .uncaught, .timedOut, .exceeded, .crashed, .strayExpectation, .replay, .unstable,
      .diagnostic,
      .conflictMarker, .empty, .missingGolden, .unexpectedPass, .update:
      false
    }
  }
}
