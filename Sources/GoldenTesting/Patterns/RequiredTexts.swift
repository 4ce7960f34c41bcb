/// The texts that each line matching a pattern must contain, so that few lines have to be compared
/// with it.
///
/// Adjacent parts of the pattern form one text. ``LineIndex/end`` stands for the ends of the line.
struct RequiredTexts {
  private(set) var texts: [[UInt8]] = []
  /// The text that the next part may continue.
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
      // The text after the first repetition is unknown.
      if least > 0 { add(part) }
      close()
    }
  }
}
