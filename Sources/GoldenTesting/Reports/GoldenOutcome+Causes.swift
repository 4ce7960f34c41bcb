/// Which failures have to be mended, and which go with them.
extension GoldenOutcome {
  /// The failures without those that follow from another one.
  var causes: [GoldenFailure] {
    guard let end = failures.first(where: \.endsScript) else { return failures }
    return failures.filter { !$0.follows(from: end) }
  }
}

extension GoldenFailure {
  /// Whether the script ended here.
  fileprivate var endsScript: Bool {
    switch kind {
    case .uncaught, .timedOut, .exceeded, .crashed: true
    case .output, .strayExpectation, .replay, .unreached, .unstable, .diagnostic,
      .conflictMarker, .empty, .unexpectedPass, .update:
      false
    }
  }

  /// Whether all that is wrong here is that the script ended there: blocks were not
  /// reached, or the last lines are missing.
  fileprivate func follows(from end: GoldenFailure) -> Bool {
    switch kind {
    case .unreached: true
    case .output(let mismatch):
      (lines == end.lines || file != end.file)
        && mismatch.expectation.commonPrefix(with: mismatch.actual) == mismatch.actual.count
    case .uncaught, .timedOut, .exceeded, .crashed, .strayExpectation, .replay, .unstable,
      .diagnostic,
      .conflictMarker, .empty, .unexpectedPass, .update:
      false
    }
  }
}
