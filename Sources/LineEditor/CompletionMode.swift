/// Tab and its menu: the candidates under the line.
final class CompletionMode {
  private let buffer: LineBuffer
  private let assistance: LineAssistance
  /// The list that Tab opened, while a candidate may be chosen.
  private var menu: CompletionMenu?
  /// The text before the cursor after a completion, as long as no other key was pressed.
  private var completed: String?

  init(_ buffer: LineBuffer, assistance: LineAssistance) {
    self.buffer = buffer
    self.assistance = assistance
  }

  /// Whether there is a menu, even one for an older line.
  var isOpen: Bool { menu != nil }

  /// The visible rows of the menu.
  var rows: [LineView.MenuRow] { menu?.rows ?? [] }

  /// Whether one of the listed candidates is in the line now.
  var hasChosen: Bool { isChoosing && menu?.chosen != nil }

  /// Closes the menu, and leaves the line as it is.
  func close() { menu = nil }

  /// Completes the text before the cursor as far as it is unique, and lists the candidates.
  ///
  /// If the list is open, chooses the next candidate.
  func complete() -> KeyResult {
    if isChoosing {
      defer { if menu?.candidates.count == 1 { menu = nil } }
      return choose(1)
    }
    guard let completions = assistance.completions else { return .refused }
    let line = buffer.line
    let completion = completions(line.text, line.before.utf8.count)
    guard let typed = typed(in: line, from: completion) else { return .refused }
    switch completion.step(from: typed) {
    case .nothing: return .refused
    case .replace(let text):
      replace(typed, with: text)
      if completion.candidates.count > 1 { open(completion, typed: text) }
    case .list: open(completion, typed: typed)
    }
    return .done
  }

  /// Chooses the previous candidate.
  func completeBackward() -> KeyResult { isChoosing ? choose(-1) : complete() }

  /// Whether the listed candidates are those of the present line.
  var isChoosing: Bool {
    refresh()
    return menu != nil
  }

  /// Puts another candidate into the line.
  func choose(_ distance: Int) -> KeyResult {
    guard var menu else { return .refused }
    let old = menu.text
    menu.step(by: distance)
    replace(old, with: menu.text)
    let line = buffer.line
    menu.shown = (line.before, line.text)
    self.menu = menu
    return .done
  }

  /// Closes the menu, and removes a candidate that was only tried.
  func cancel() -> KeyResult {
    guard isChoosing, let menu else { return .refused }
    replace(menu.text, with: menu.typed)
    self.menu = nil
    return .done
  }

  /// Updates the menu after the line was edited.
  func refresh() {
    guard let menu else { return }
    let line = buffer.line
    guard menu.shown != (line.before, line.text) else { return }
    self.menu = nil
    guard menu.chosen == nil, line.before.utf8.count > menu.start, menu.shown.text != line.text,
      let completion = assistance.completions?(line.text, line.before.utf8.count),
      completion.replacementStart == menu.start, !completion.candidates.isEmpty,
      let typed = typed(in: line, from: completion),
      completion.candidates.count > 1 || completion.candidates[0].text != typed
    else { return }
    open(completion, typed: typed)
  }

  private func open(_ completion: Completion, typed: String) {
    let line = buffer.line
    menu = CompletionMenu(completion, typed: typed, shown: (line.before, line.text))
  }

  private func replace(_ old: String, with new: String) {
    buffer.deleteBackward(old)
    buffer.insert(new)
    completed = buffer.line.before
  }

  /// Whether a completion has just written a bracket that is now typed, so that the typed one is
  /// not inserted.
  func typesOver(_ key: TerminalKey) -> Bool {
    defer { completed = nil }
    guard let completed, key == .character("("), completed.hasSuffix("(") else { return false }
    return completed == buffer.line.before
  }

  /// Returns the text that a completion replaces; nil if it is not before the cursor.
  private func typed(in line: EditedLine, from completion: Completion) -> String? {
    let start = completion.replacementStart
    guard (0...line.before.utf8.count).contains(start) else { return nil }
    return String(decoding: line.before.utf8.dropFirst(start), as: UTF8.self)
  }
}
