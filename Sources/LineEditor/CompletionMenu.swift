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
