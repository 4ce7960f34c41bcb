/// A form of Swift, Core Data, SQL or a shell, and what to write instead.
///
/// The parser and the interpreter find the error. A form only improves the message; it never
/// becomes valid.
package struct ForeignForm: Sendable {
  /// Texts in lower case; each match contains one of them.
  ///
  /// Searching for them is faster than matching the pattern.
  let needles: [Needle]
  /// Matches a line that contains the form.
  let pattern: @Sendable (Substring) -> Match?
  /// The message.
  ///
  /// `$1` is the first group of the pattern, and `$^1` the same in capitals. `$0` is the message
  /// without the form, up to a semicolon. A message that begins with "write" is appended to that one.
  let message: String

  struct Needle: Sendable {
    let text: String
    let pairs: [Int]
  }

  /// A match: the range of the form in a line, and its groups.
  struct Match {
    let range: Range<Substring.Index>
    let groups: [Substring?]
  }

  /// Creates a form with any number of groups.
  ///
  /// Bars separate the needles.
  static func form<Output>(
    _ needles: String, _ pattern: @autoclosure @escaping @Sendable () -> Regex<Output>,
    _ message: String
  ) -> ForeignForm {
    ForeignForm(
      needles: needles.split(separator: "|").map {
        Needle(text: String($0), pairs: LinePairs.hashes(of: String($0)))
      },
      pattern: { line in
        guard let match = try? Regex<AnyRegexOutput>(pattern()).firstMatch(in: line)
        else { return nil }
        return Match(
          range: match.range, groups: (1..<match.output.count).map { match.output[$0].substring })
      }, message: message)
  }

  private static let all: [ForeignForm] = coreData + swift + sql + shell + frc

  /// Returns the diagnostic with a message that says what to write, if there is a foreign form at
  /// its place.
  ///
  /// Warnings are not changed.
  ///
  /// - Complexity: O(*n*) in the length of the line.
  package static func improved(_ diagnostic: Diagnostic, in source: SourceText) -> Diagnostic {
    // A missing feature has its own message, and so has a file with errors.
    guard diagnostic.severity == .error, !diagnostic.message.hasPrefix("frc has no "),
      !diagnostic.message.contains(" has errors: "),
      // An index in a predicate says itself what to write.
      !diagnostic.message.contains(" a list, so it has no ["),
      diagnostic.range.lowerBound <= source.bytes.count
    else {
      return diagnostic
    }
    let lineRange = source.range(ofLine: source.line(of: diagnostic.range.lowerBound))
    guard lineRange.count <= longestLine else { return diagnostic }
    let line = Substring(source.text(in: lineRange))
    let lowercased = line.lowercased()
    let pairs = LinePairs(line)
    func isThere(_ needle: Needle) -> Bool {
      pairs.mayContain(needle.pairs) && lowercased.contains(needle.text)
    }
    for form in all where form.needles.contains(where: isThere) {
      guard let match = form.pattern(line) else { continue }
      let start =
        lineRange.lowerBound + line.utf8.distance(from: line.startIndex, to: match.range.lowerBound)
      let end = start + line[match.range].utf8.count
      // The error must touch the form, so that it is about the form.
      guard diagnostic.range.lowerBound <= end, diagnostic.range.upperBound >= start else {
        continue
      }
      var improved = diagnostic
      improved.message = form.text(of: match, besides: diagnostic.message)
      improved.replacement = nil
      return improved
    }
    return diagnostic
  }

  /// The longest line that is searched.
  ///
  /// Nobody writes longer lines by hand.
  private static let longestLine = 400

  private func text(of match: Match, besides original: String) -> String {
    let head = original.prefix(upTo: original.firstRange(of: "; ")?.lowerBound ?? original.endIndex)
    // These errors are about what the parser took the form for.
    let isMisread = ["a value is not a statement", "comparisons cannot be chained"].contains(
      where: head.hasPrefix)
    var text = message.hasPrefix("write ") ? "$0; " + message : message
    for (index, group) in match.groups.enumerated().reversed() {
      text = text.replacing("$^\(index + 1)", with: group?.uppercased() ?? "")
      text = text.replacing("$\(index + 1)", with: group ?? "")
    }
    return text.replacing("$0", with: isMisread ? "frc does not have this form" : head)
  }
}
