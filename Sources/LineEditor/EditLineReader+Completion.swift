/// Tab, its menu, and the hint behind the text.
extension EditLineReader {
  /// Completes the text before the cursor as far as it is certain, and lists
  /// what can stand there; in the list, chooses the next candidate.
  func complete() -> KeyResult {
    if isChoosing {
      defer { if menu?.candidates.count == 1 { menu = nil } }
      return choose(1)
    }
    guard let completions = assistance.completions else { return .refused }
    let line = line
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

  /// Chooses the candidate before.
  func completeBackward() -> KeyResult { isChoosing ? choose(-1) : complete() }

  /// Whether candidates of the line as it is now are listed.
  var isChoosing: Bool {
    refreshMenu()
    return menu != nil
  }

  /// Puts another candidate into the line.
  func choose(_ distance: Int) -> KeyResult {
    guard var menu else { return .refused }
    let old = menu.text
    menu.step(by: distance)
    replace(old, with: menu.text)
    menu.shown = (line.before, line.text)
    self.menu = menu
    return .done
  }

  /// Closes what stands under the line; a candidate that was only tried is
  /// taken out again.
  func cancel() -> KeyResult {
    guard isChoosing, let menu else { return .refused }
    replace(menu.text, with: menu.typed)
    self.menu = nil
    return .done
  }

  /// Brings the menu in step with a line that was typed on in.
  func refreshMenu() {
    guard let menu else { return }
    let line = line
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
    let line = line
    menu = CompletionMenu(completion, typed: typed, shown: (line.before, line.text))
  }

  private func replace(_ old: String, with new: String) {
    deleteBackward(old)
    insert(new)
  }

  /// What a completion is to replace; nil where it is not before the cursor.
  private func typed(in line: Line, from completion: Completion) -> String? {
    let start = completion.replacementStart
    guard (0...line.before.utf8.count).contains(start) else { return nil }
    return String(decoding: line.before.utf8.dropFirst(start), as: UTF8.self)
  }
}

// MARK: - The hint

extension EditLineReader {
  /// How a line may go on: as the newest entry that begins so, else as the
  /// language does.
  func hint(for line: Line) -> String {
    guard line.after.isEmpty, menu == nil, search == nil,
      line.before.contains(where: { !$0.isWhitespace })
    else { return "" }
    let text = line.before
    if let entry = history.newest(beginningWith: text) {
      return String(entry.dropFirst(text.count))
    }
    return assistance.hint(text) ?? ""
  }

  /// Inserts the hint, or a first part of it.
  ///
  /// - Returns: Whether there was one.
  func takeHint(_ part: (String) -> String = { $0 }) -> Bool {
    let line = line
    guard line.after.isEmpty else { return false }
    let hint = part(hint(for: line))
    insert(hint)
    return !hint.isEmpty
  }
}
