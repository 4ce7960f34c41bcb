/// Finds out which of vi's modes is on.
///
/// libedit does not tell. But a key can have a different function in each mode. So that key is sent
/// to libedit as if it were typed, and the function that runs gives the answer.
final class ViMode {
  private let bindings: KeyBindings
  /// Whether command mode is on, as far as is known.
  private(set) var isCommand = false
  /// Whether the mode may have changed since the last question.
  private var isStale = false
  /// Whether the next character is the argument of a command, as after `f`.
  private var isArgument = false
  /// The input that libedit gets once the mode is known.
  private var held: [Unicode.Scalar] = []

  /// The key with a different function in each mode.
  static let question: Unicode.Scalar = "\u{1E}"

  init(_ bindings: KeyBindings) { self.bindings = bindings }

  /// Starts another line, which always begins in insert mode.
  func begin() {
    isCommand = false
    isStale = false
    isArgument = false
    held = []
  }

  /// Handles libedit's answer.
  ///
  /// - Returns: Whether it was asked for; if not, the user typed the key.
  func answer(isCommand: Bool) -> Bool {
    self.isCommand = isCommand
    return !isStale
  }

  /// Returns the key that asks libedit for the mode; nil if the mode is known, or if libedit would
  /// take the key for a part of a command.
  func ask() -> [Unicode.Scalar]? {
    guard isStale, !isArgument else { return nil }
    isStale = false
    return [Self.question]
  }

  /// Returns the input that was held back until the mode was known.
  func takeHeld() -> [Unicode.Scalar]? {
    guard !held.isEmpty else { return nil }
    defer { held = [] }
    isArgument = isCommand
    isStale = true
    return held
  }

  /// Tracks a key.
  ///
  /// - Returns: The input that libedit gets now: the key, or the question if the key's meaning
  ///   depends on an unknown mode.
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
