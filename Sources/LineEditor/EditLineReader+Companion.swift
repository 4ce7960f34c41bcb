extension EditLineReader {
  /// The pause in typing after which the companion is told, in milliseconds.
  private static let pause: Int32 = 80

  var patience: Int32? {
    assistance.companion == nil || hasRested ? nil : Self.pause
  }

  var companionHasKeys: Bool { assistance.companion?.takesKeys ?? false }

  /// Tells the companion that the user paused.
  func rest() {
    hasRested = true
    // No key was pressed, so nothing else needs drawing.
    if assistance.companion?.rest(at: buffer.line.text) == true { draw() }
  }

  /// Handles one of the companion's keys.
  func press(_ key: CompanionKey) -> KeyResult {
    guard let companion = assistance.companion else { return .refused }
    completion.close()
    guard perform(companion.press(key, at: buffer.line.text)) else { return .refused }
    return result == nil ? .done : .finished
  }

  /// Offers a key to the companion.
  ///
  /// - Returns: Whether the companion handled it.
  func takesForCompanion(_ key: TerminalKey) -> Bool {
    guard let companion = assistance.companion else { return false }
    let answer = companion.take(CompanionMove(key))
    if answer == .passed { return false }
    // The bell does not ring, because an open list answers each of its keys itself.
    _ = perform(answer)
    return true
  }

  /// - Returns: Whether the key had an effect.
  private func perform(_ answer: CompanionAnswer) -> Bool {
    switch answer {
    case .refused, .passed: return false
    case .done: return true
    case .replaces(let text):
      buffer.replace(with: EditedLine(before: text, after: ""))
      return true
    case .runs(let text):
      let typed = buffer.line.text
      if !typed.isEmpty { draft = typed }
      finishLine(showing: text)
      result = .text(text)
      return true
    }
  }
}

extension CompanionMove {
  init(_ key: TerminalKey) {
    self =
      switch key {
      case .escape, .character("\u{7}"): .escape
      case .character("\n"), .character("\r"): .enter
      case .character("\u{F}"): .key(.timeline)
      case .alt("e"), .alt("E"): .key(.explanation)
      case .alt("c"), .alt("C"): .key(.correction)
      case .sequence("[D"), .sequence("OD"), .character("\u{2}"): .left
      case .sequence("[C"), .sequence("OC"), .character("\u{6}"): .right
      case .sequence("[A"), .sequence("OA"), .character("\u{10}"): .up
      case .sequence("[B"), .sequence("OB"), .character("\u{E}"): .down
      case .sequence("[5~"): .pageUp
      case .sequence("[6~"): .pageDown
      case .sequence("[H"), .sequence("OH"), .sequence("[1~"), .character("\u{1}"): .first
      case .sequence("[F"), .sequence("OF"), .sequence("[4~"), .character("\u{5}"): .last
      case .character, .alt, .sequence, .report, .paste: .other
      }
  }
}
