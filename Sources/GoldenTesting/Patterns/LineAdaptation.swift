/// A line with patterns in which one text may become another.
struct LineAdaptation {
  private let elements: [LinePattern.Element]
  /// The text that may change.
  private let index: Int
  private let old: String
  private let names: CapturedTexts
  private let comparison: LineComparison

  /// A name that no line has.
  private static let name = "?"

  /// - Parameters:
  ///   - elements: The parts of the line.
  ///   - index: The part that may change; nil is returned if it is not a text.
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

  /// Returns the line as it fits a line of output; nil if it cannot be made to fit.
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
