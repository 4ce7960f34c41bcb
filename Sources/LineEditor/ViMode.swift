/// Which of vi's modes is on.
///
/// libedit tells nobody. But one key can have a function in each mode, so the key is given to
/// libedit like a typed one, and the function that runs gives the answer.
final class ViMode {
  private let bindings: KeyBindings
  /// Whether vi's commands are typed, as far as is known.
  private(set) var isCommand = false
  /// Whether the mode may have changed since libedit was asked.
  private var isStale = false
  /// Whether the next character belongs to a command, as that after `f` does.
  private var isArgument = false
  /// What libedit is given once the mode is known.
  private var held: [Unicode.Scalar] = []

  /// The key that has a function in each mode.
  static let question: Unicode.Scalar = "\u{1E}"

  init(_ bindings: KeyBindings) { self.bindings = bindings }

  /// Begins another line, which is always typed into.
  func begin() {
    isCommand = false
    isStale = false
    isArgument = false
    held = []
  }

  /// Takes libedit's answer.
  ///
  /// - Returns: Whether it was asked for; else the key itself was typed.
  func answer(isCommand: Bool) -> Bool {
    self.isCommand = isCommand
    return !isStale
  }

  /// Returns what asks libedit for the mode; nil if the mode is known, or if libedit would take
  /// the question for a part of a command.
  func ask() -> [Unicode.Scalar]? {
    guard isStale, !isArgument else { return nil }
    isStale = false
    return [Self.question]
  }

  /// Returns what was held back until the mode was known.
  func takeHeld() -> [Unicode.Scalar]? {
    guard !held.isEmpty else { return nil }
    defer { held = [] }
    isArgument = isCommand
    isStale = true
    return held
  }

  /// Takes note of a key.
  ///
  /// - Returns: What libedit is given now: the key, or the question where the key's meaning
  ///   depends on a mode that is not known.
  func pass(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    guard bindings.areVi, let first = scalars.first else { return scalars }
    let takesNext = !isArgument && bindings.takesNext(first)
    if takesNext, let question = ask() {
      held = scalars
      return question
    }
    isArgument = takesNext && isCommand
    isStale = true
    return scalars
  }
}
