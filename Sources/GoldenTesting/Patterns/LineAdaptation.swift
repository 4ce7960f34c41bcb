/// A line with patterns of which one text may be replaced.
struct LineAdaptation {
  private let elements: [LinePattern.Element]
  /// The index of the text that may be replaced.
  private let index: Int
  private let old: String
  private let names: CapturedTexts
  private let comparison: LineComparison

  /// A name that no line contains.
  private static let name = "?"

  /// - Parameters:
  ///   - elements: The parts of the line.
  ///   - index: The part that may be replaced; if it is not a text, the result is nil.
  ///   - text: The whole line.
  init?(
    of elements: [LinePattern.Element], at index: Int, in text: String, names: CapturedTexts
  ) {
    guard case .text(let old) = elements[index] else { return nil }
    var elements = elements
    elements[index] = .pattern(.anyText, name: Self.name)
    self.elements = elements
    self.index = index
    self.old = old
    self.names = names
    comparison = LineComparison(text: text, elements, names: names)
  }

  /// Returns the line changed so that it matches a line of output; nil if that is not possible.
  func line(
    for actual: String, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> String? {
    let fit = try comparison.fit(actual, until: budget)
    guard let new = fit?.captures.first(where: { $0.name == Self.name })?.text,
      !new.isEmpty || old.isEmpty
    else { return nil }
    var changed = elements
    changed[index] = .text(new)
    let line = LinePattern.source(of: changed, names: names)
    let again = try LineComparison(text: line, changed, names: names).fit(actual, until: budget)
    return again?.use == .used ? line : nil
  }
}
