/// The candidates under the line, while one of them is being chosen.
struct CompletionMenu {
  /// The most candidates that are seen at a time.
  static let height = 8

  let candidates: [Completion.Candidate]
  /// How many more there are, which cannot be chosen.
  private let omitted: Int

  /// Where what is replaced begins, in UTF-8 bytes of the line.
  let start: Int

  /// What was typed before the menu came.
  let typed: String

  /// Which candidate is in the line now.
  private(set) var chosen: Int?

  /// The text before the cursor and all of it, as the menu left them; what
  /// differs was changed by something else.
  var shown: (before: String, text: String)

  private var first = 0

  init(_ completion: Completion, typed: String, shown: (before: String, text: String)) {
    candidates = completion.candidates
    omitted = completion.omitted
    start = completion.replacementStart
    self.typed = typed
    self.shown = shown
  }

  /// What is in the line for the choice made so far.
  var text: String { chosen.map { candidates[$0].text } ?? typed }

  /// Goes to the next or the candidate before, from the last to none at all.
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

  /// What is to be seen.
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
