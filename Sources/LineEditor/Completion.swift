import Basics

/// The texts that can be written at the cursor.
package struct Completion: Equatable {
  /// The start of the text that a candidate replaces.
  ///
  /// That text ends at the cursor.
  ///
  /// An offset in UTF-8 bytes in the text that was passed.
  package var replacementStart: Int

  /// The texts to choose from, in the order of the list.
  ///
  /// A single candidate is inserted unchanged, including a blank at its end. The list does not show
  /// that blank.
  package var candidates: [Candidate]

  /// The number of further candidates, which are not listed.
  package var omitted = 0

  /// The common start of the further candidates.
  package var omittedStart: String?

  /// A text to choose from.
  package struct Candidate: Equatable, ExpressibleByStringLiteral {
    package var text: String
    private let words: () -> String

    /// A short description of the text, computed when it is first read.
    package var detail: String { words() }

    package init(_ text: String, detail: @autoclosure @escaping () -> String = "") {
      self.text = text
      words = detail
    }

    package static func == (left: Candidate, right: Candidate) -> Bool {
      left.text == right.text && left.detail == right.detail
    }

    package init(stringLiteral text: String) { self.init(text) }
  }

  /// Creates a completion.
  ///
  /// - Parameters:
  ///   - replacementStart: The start of the replaced text, in UTF-8 bytes.
  ///   - candidates: The texts to choose from.
  ///   - omitted: The number of further candidates.
  ///   - omittedStart: The common start of the further candidates.
  package init(
    replacementStart: Int, candidates: [Candidate], omitted: Int = 0, omittedStart: String? = nil
  ) {
    self.replacementStart = replacementStart
    self.candidates = candidates
    self.omitted = omitted
    self.omittedStart = omittedStart
  }

  /// A function that returns the texts that can be written at a place.
  ///
  /// - Parameters:
  ///   - text: All lines of the statement so far, joined by `\n`.
  ///   - cursorOffset: The cursor's position in it, in UTF-8 bytes.
  package typealias Provider = (_ text: String, _ cursorOffset: Int) -> Completion

  /// What Tab does.
  enum Step: Equatable {
    /// Replaces the typed text by another one.
    case replace(with: String)
    /// Shows the candidates.
    case list
    case nothing
  }

  /// Returns what Tab does.
  ///
  /// - Parameter typed: The text to be replaced.
  func step(from typed: String) -> Step {
    let texts = candidates.map(\.text)
    guard let first = texts.first else { return .nothing }
    if candidates.count == 1, omitted == 0 {
      return first == typed ? .nothing : .replace(with: first)
    }
    var common = texts.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    if omitted > 0 { common = common.commonPrefix(with: omittedStart ?? "") }
    // The common start is inserted only if it continues the typed text. Otherwise it would remove
    // typed letters or exclude candidates that only resemble them.
    let goesOn = common.lowercased().hasPrefix(typed.lowercased())
    return goesOn && common != typed ? .replace(with: common) : .list
  }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}

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

/// The candidates under the line, while the user chooses one.
struct CompletionMenu {
  /// The largest number of candidates that are shown at a time.
  static let height = 8

  let candidates: [Completion.Candidate]
  /// The number of further candidates, which cannot be chosen.
  private let omitted: Int

  /// The start of the replaced text, in UTF-8 bytes of the line.
  let start: Int

  /// The text that was typed before the menu opened.
  let typed: String

  /// The index of the candidate that is in the line now.
  private(set) var chosen: Int?

  /// The text before the cursor and the whole text, as the menu left them.
  ///
  /// If they differ now, something else changed the line.
  var shown: (before: String, text: String)

  private var first = 0

  init(_ completion: Completion, typed: String, shown: (before: String, text: String)) {
    candidates = completion.candidates
    omitted = completion.omitted
    start = completion.replacementStart
    self.typed = typed
    self.shown = shown
  }

  /// The text for the present choice.
  var text: String { chosen.map { candidates[$0].text } ?? typed }

  /// Moves to the next or the previous candidate.
  ///
  /// After the last one, no candidate is chosen.
  mutating func step(by distance: Int) {
    let count = candidates.count + 1
    let place = ((chosen ?? -1) + 1 + distance + count) % count
    chosen = place == 0 ? nil : place - 1
    guard let chosen else {
      first = 0
      return
    }
    first = min(max(first, chosen - Self.height + 1), chosen)
  }

  /// The visible rows.
  var rows: [LineView.MenuRow] {
    let end = min(candidates.count, first + Self.height)
    var rows = (first..<end).map { index in
      LineView.MenuRow(
        candidates[index].text.trimmedAtEnd, detail: candidates[index].detail,
        isChosen: index == chosen)
    }
    let count = candidates.count + omitted
    if count > Self.height {
      rows.append(LineView.MenuRow("\(first + 1) to \(end) of \(count)"))
    }
    return rows
  }
}

extension String {
  fileprivate var trimmedAtEnd: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}

/// The rows of a menu: names, each with a description.
struct MenuLayout {
  private(set) var rows: [Frame.Row] = []

  /// Lays out a menu in rows that leave the terminal's last column empty.
  ///
  /// Longer texts are cut.
  init(_ menu: [LineView.MenuRow], _ styles: EditorStyles, columns: Int) {
    let longest =
      menu.filter { !$0.detail.isEmpty }.map { DisplayWidth.width(of: $0.text) }.max() ?? 0
    // In a narrow window, descriptions get half of the width.
    let width = min(longest, max(8, columns / 2))
    for row in menu {
      let style = row.isChosen ? styles.chosen : styles.candidate
      // Without colours, the mark shows which candidate is chosen.
      var cells = Self.cells(row.isChosen ? "> " : "  ", style)
      if row.detail.isEmpty {
        cells += Self.cells(row.text, style)
      } else {
        let name = Self.cut(Self.cells(row.text, style), to: width)
        let gap = width - name.reduce(0) { $0 + $1.width } + 2
        cells += name + Self.cells(String(repeating: " ", count: gap), style)
        cells += Self.cells(row.detail, row.isChosen ? styles.chosen : styles.detail)
      }
      rows.append(Frame.Row(cells: Self.cut(cells, to: max(1, columns - 1))))
    }
  }

  static func cells(_ text: String, _ style: TextStyle) -> [Frame.Cell] {
    text.flatMap { character in
      character.isNewline
        ? [Frame.Cell(text: "⏎", width: 1, style: style)] : Frame.cells(for: character, style)
    }
  }

  /// Returns the cells that fit; if not all do, the last one is an ellipsis.
  static func cut(_ cells: [Frame.Cell], to width: Int) -> [Frame.Cell] {
    var rest = width
    guard cells.reduce(0, { $0 + $1.width }) > width else { return cells }
    rest -= 1
    let kept = cells.prefix { cell in
      rest -= cell.width
      return rest >= 0
    }
    return kept + [Frame.Cell(text: "…", width: 1, style: cells[kept.count].style)]
  }
}
