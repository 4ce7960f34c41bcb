/// A LIKE pattern.
///
/// `*` matches any text and `?` one character; `\` makes the next one literal.
///
/// A character is a Unicode scalar. The pattern matches the whole string.
struct LikePattern {
  private enum Step {
    case byte(UInt8)
    case anyScalar
    case anyRun
  }

  private let steps: [Step]

  /// Reads a pattern that is folded in the same way as the strings will be.
  init(_ pattern: String) {
    var steps: [Step] = []
    var isEscaped = false
    for byte in pattern.utf8 {
      switch byte {
      case UInt8(ascii: "\\") where !isEscaped:
        isEscaped = true
        continue
      case UInt8(ascii: "*") where !isEscaped:
        if case .anyRun = steps.last { continue }
        steps.append(.anyRun)
      case UInt8(ascii: "?") where !isEscaped: steps.append(.anyScalar)
      default: steps.append(.byte(byte))
      }
      isEscaped = false
    }
    if isEscaped { steps.append(.byte(UInt8(ascii: "\\"))) }
    self.steps = steps
  }

  /// Returns whether the whole text matches.
  ///
  /// - Complexity: O(*n* · *m*) at worst. No pattern takes exponential time, because only the last
  ///   `*` is ever tried again.
  func matches(_ text: UnsafeBufferPointer<UInt8>, lowers: Bool) -> Bool {
    var offset = 0
    var step = 0
    var retry: (step: Int, offset: Int)?
    var effort = ByteSearch.Effort()
    while offset < text.count {
      if step < steps.count {
        switch steps[step] {
        case .anyRun:
          retry = (step + 1, offset)
          step += 1
          continue
        case .anyScalar:
          offset = Self.endOfScalar(text, offset)
          step += 1
          continue
        case .byte(let byte):
          if (lowers ? ByteSearch.lowered(text[offset]) : text[offset]) == byte {
            offset += 1
            step += 1
            continue
          }
        }
      }
      guard let (again, start) = retry else { return false }
      if effort.isTooMuch(adding: step - again + 1) { return false }
      step = again
      offset = Self.endOfScalar(text, start)
      retry = (again, offset)
    }
    return steps[step...].allSatisfy { if case .anyRun = $0 { true } else { false } }
  }

  @inline(__always)
  private static func endOfScalar(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
    var end = start + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }
}
