/// A form of Swift, Core Data, SQL or a shell, and what to write here instead.
///
/// The parser and the interpreter find that something is wrong. A form only improves the message:
/// none of these forms is understood.
package struct ForeignForm: Sendable {
  /// Texts in lower case, one of which each match contains.
  ///
  /// Searching for them costs less than the pattern.
  let needles: [Needle]
  /// What the line looks like.
  let pattern: @Sendable (Substring) -> Match?
  /// The message.
  ///
  /// `$1` is the first group of the pattern, and `$0` is the message without the form,
  /// up to a semicolon. A message that begins with "write" follows that one.
  let message: String

  struct Needle: Sendable {
    let text: String
    let pairs: [Int]
  }

  /// The place of a form in a line, and its groups.
  struct Match {
    let range: Range<Substring.Index>
    let groups: [Substring?]
  }

  /// A form of any number of groups.
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

  /// A diagnostic whose message says what to write, if its place has a foreign form.
  ///
  /// Warnings stay as they are.
  /// - Complexity: O(*n*) in the length of the line.
  package static func improved(_ diagnostic: Diagnostic, in source: SourceText) -> Diagnostic {
    // A feature that is not there has its own message, and so has a file with errors.
    guard diagnostic.severity == .error, !diagnostic.message.hasPrefix("frc has no "),
      !diagnostic.message.contains(" has errors: "),
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
      // The error has to be about the form, which it touches.
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

  /// No person writes longer lines by hand.
  private static let longestLine = 400

  private func text(of match: Match, besides original: String) -> String {
    let head = original.prefix(upTo: original.firstRange(of: "; ")?.lowerBound ?? original.endIndex)
    // These are about what the parser took the form for.
    let isMisread = ["a value alone is", "comparisons cannot be chained"].contains(
      where: head.hasPrefix)
    var text = message.hasPrefix("write ") ? "$0; " + message : message
    for (index, group) in match.groups.enumerated().reversed() {
      text = text.replacing("$\(index + 1)", with: group ?? "")
    }
    return text.replacing("$0", with: isMisread ? "frc does not have this form" : head)
  }
}
