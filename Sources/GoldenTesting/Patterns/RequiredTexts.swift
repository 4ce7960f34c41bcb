/// The texts that every line has which fits a pattern, so that few lines have to
/// be compared with it.
///
/// What is side by side in the pattern is one text. ``LineIndex/end`` represents the ends of the
/// line.
struct RequiredTexts {
  private(set) var texts: [[UInt8]] = []
  /// The text that the next part may go on from.
  private var open = [LineIndex.end]

  init(_ parts: [LinePattern.Element]) {
    for part in parts {
      switch part {
      case .text(let text): open += Array(text.utf8)
      case .pattern(let kind, name: _): add(kind.expression)
      case .reuse: close()
      }
    }
    open.append(LineIndex.end)
    close()
  }

  private mutating func close() {
    if !open.isEmpty { texts.append(open) }
    open = []
  }

  private mutating func add(_ expression: TextExpression) {
    switch expression {
    case .scalar(let scalar): open += Array(String(scalar).utf8)
    case .set, .choice: close()
    case .sequence(let parts): for part in parts { add(part) }
    case .repeated(let part, let least, _, isLazy: _):
      // What comes after the first time is unknown.
      if least > 0 { add(part) }
      close()
    }
  }
}
