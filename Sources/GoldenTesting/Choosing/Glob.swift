import Foundation

/// A pattern for paths.
///
/// `*` matches any text and `?` one character within one folder, `**` matches any folders, and
/// `[a-c]` one character of a set.
///
/// A pattern may match from any folder on: `cache/*` matches `t/cache/a.frc`.
package struct Glob: Sendable {
  /// The program that matches, as for expected output; nil for a pattern that is longer than any
  /// path.
  private let program: TextProgram?

  package init(_ pattern: String) {
    var parts: [TextExpression] = pattern.hasPrefix("/") ? [] : [.folders]
    var rest = pattern.precomposedStringWithCanonicalMapping.unicodeScalars[...]
    var isAtStart = true
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*" where isAtStart && rest.starts(with: "*/".unicodeScalars):
        rest.removeFirst(2)
        parts.append(.folders)
        continue
      case "*" where rest.first == "*":
        rest.removeFirst()
        parts.append(.anyText)
      case "*": parts.append(.repeated(.withinFolder, 0, nil, isLazy: true))
      case "?": parts.append(.withinFolder)
      case "[":
        guard let end = rest.dropFirst().firstIndex(of: "]") else {
          parts.append(.scalar(scalar))
          break
        }
        parts.append(.set(Self.set(rest[..<end])))
        rest = rest[rest.index(after: end)...]
      default: parts.append(.scalar(scalar))
      }
      isAtStart = scalar == "/"
    }
    program = try? TextProgram([.expression(.sequence(parts))])
  }

  /// Whether a text contains a character with a meaning in patterns.
  package static func isPattern(_ text: String) -> Bool {
    text.contains { "*?[".contains($0) }
  }

  /// Parses the text between the brackets of a set, which never contains `/`.
  private static func set(_ text: Substring.UnicodeScalarView) -> ScalarSet {
    var rest = text
    let isInverted = rest.first == "!" || rest.first == "^"
    if isInverted { rest.removeFirst() }
    var ranges: [ClosedRange<UInt32>] = isInverted ? [slash...slash] : []
    while let first = rest.popFirst() {
      var last = first
      if rest.first == "-", let end = rest.dropFirst().first, first <= end {
        rest.removeFirst(2)
        last = end
      }
      let range = first.value...last.value
      guard !isInverted, range.contains(slash) else {
        ranges.append(range)
        continue
      }
      if first.value < slash { ranges.append(first.value...slash - 1) }
      if last.value > slash { ranges.append(slash + 1...last.value) }
    }
    return ScalarSet(ranges: ranges, isInverted: isInverted)
  }

  fileprivate static let slash = Unicode.Scalar("/").value

  /// Whether a path matches the pattern.
  ///
  /// - Complexity: O(*n* · *m*) for a path of *n* characters and a pattern of *m*.
  package func matches(_ path: String) -> Bool {
    guard let program else { return false }
    let match = try? TextMatcher(program).match(
      path.precomposedStringWithCanonicalMapping, until: ComparisonBudget())
    return match != nil
  }
}

extension TextExpression {
  /// One character in the name of a folder or a file.
  fileprivate static let withinFolder = TextExpression.set(
    ScalarSet(ranges: [Glob.slash...Glob.slash], isInverted: true))

  /// Any number of folders, each with its `/`.
  fileprivate static let folders = TextExpression.repeated(
    .sequence([.anyText, .scalar("/")]), 0, 1, isLazy: true)
}

/// Selects paths by texts and patterns.
///
/// One that begins with `!` excludes paths.
package struct PathFilter: Sendable {
  private enum Test {
    /// The path contains the text.
    case text(String)
    case glob(Glob)

    init(_ pattern: some StringProtocol) {
      let pattern = String(pattern)
      self = Glob.isPattern(pattern) ? .glob(Glob(pattern)) : .text(pattern)
    }

    func matches(_ path: String) -> Bool {
      switch self {
      // Every path contains the empty text.
      case .text(let text): text.isEmpty || path.contains(text)
      case .glob(let glob): glob.matches(path)
      }
    }
  }

  private let wanted: [Test]
  private let unwanted: [Test]

  package init(_ patterns: [String]) {
    wanted = patterns.filter { !$0.hasPrefix("!") }.map { Test($0) }
    unwanted = patterns.filter { $0.hasPrefix("!") }.map { Test($0.dropFirst()) }
  }

  /// Whether a path is selected and not excluded.
  package func accepts(_ path: String) -> Bool {
    (wanted.isEmpty || wanted.contains { $0.matches(path) })
      && !unwanted.contains { $0.matches(path) }
  }
}
