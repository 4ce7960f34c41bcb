import LineEditor
import Platform
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// Decides what is shown around the line: a pane, a strip, the timeline, explanations, and what a
/// statement would send.
final class PromptPanes: LinePanes {
  /// Whether anything may be drawn around the line.
  ///
  /// This is the single switch for users who want only text that stays.
  var isAllowed = true
  var styles = PaneStyles()
  /// The controller whose sections are shown; nil for none.
  var paneName: String?

  private unowned let session: PromptSession
  private var mode = Mode.line
  /// What the statement on the line would send.
  private var would: (text: String, line: WouldLine)?
  /// The height of the window when it was last drawn.
  private var height = 24
  /// The drawn rows of the pane, which are valid until something runs.
  private var drawn: (size: TerminalSize, pane: [StyledRow], strip: StyledRow)?

  private enum Mode {
    case line
    /// The timeline, with the chosen point.
    case timeline(Int)
    /// The explanations of the last turn, from a line on.
    case explanation(ExplanationPane, start: Int)
  }

  /// The smallest width of a window with a pane.
  static let widthOfPanes = 100
  /// The longest time for trying a statement on the line.
  private static let trialTime = Duration.milliseconds(20)
  /// The largest number of rows that say what the statement on the line would send.
  private static let mostWouldRows = 4
  /// The longest statement that is tried, in bytes.
  private static let longestTried = 1 << 12

  init(_ session: PromptSession) { self.session = session }

  private var timeline: SessionTimeline { session.timeline }

  // MARK: Drawing

  func surroundings(of text: String, in size: TerminalSize) -> LineSurroundings {
    var result = LineSurroundings()
    guard isAllowed else { return result }
    height = size.rows
    let hasRoom = size.columns >= Self.widthOfPanes
    let half = max(4, size.rows / 2)
    var strip: StyledRow?
    if hasRoom { result.besideColumns = min(60, size.columns * 2 / 5) }
    if let paneName {
      let drawn = drawnPane(paneName, size, height: half)
      if hasRoom { result.beside = drawn.pane } else { strip = drawn.strip }
    }
    switch mode {
    case .line:
      if let would, would.text == text {
        // A pane leaves less room than most callbacks need.
        let width = size.columns - (result.beside.isEmpty ? 0 : result.besideColumns) - 1
        let rows = FlowedText([would.line.text], width: width - 4).lines.prefix(Self.mostWouldRows)
        result.below += rows.enumerated().map { index, row in
          StyledRow((index == 0 ? "" : "#   ") + row, styles.dim)
        }
      }
      if text.isEmpty, let correction = session.correction {
        let first = correction.linesOfText.first ?? ""
        result.below.append(StyledRow("# Alt-C writes: \(first)", styles.dim))
      }
    case .timeline(let chosen):
      let points = hasRoom ? half : min(6, half)
      result.below += TimelinePane(titles: titles, chosen: chosen, current: timeline.position)
        .rows(height: points, styles)
      let title = chosen == timeline.position ? "now" : "point \(chosen), compared with now"
      let difference = DifferencePane(
        SeenDifference(from: timeline.seen(at: timeline.position), to: timeline.seen(at: chosen)))
      let rows = difference.rows(
        title: title, height: hasRoom ? half : max(3, size.rows - points - 2), styles)
      if hasRoom { result.beside = rows } else { result.below += rows }
    case .explanation(let pane, let start):
      result.below += pane.rows(from: start, height: explanationHeight, styles)
    }
    if let strip { result.below.append(strip) }
    return result
  }

  private var explanationHeight: Int { max(4, height - 4) }

  private var titles: [String] {
    timeline.points.map { point in
      let lines = point.text.linesOfText
      return (lines.first ?? "") + (lines.count > 1 ? " …" : "")
        + (point.failure == nil ? "" : "  # failed")
    }
  }

  private func drawnPane(
    _ name: String, _ size: TerminalSize, height: Int
  ) -> (pane: [StyledRow], strip: StyledRow) {
    if let drawn, drawn.size == size { return (drawn.pane, drawn.strip) }
    let pane = SectionsPane(name: name, sections: timeline.interpreter.markedSections(of: name))
    let rows = (pane.rows(height: height, styles), pane.strip(styles))
    drawn = (size, rows.0, rows.1)
    return rows
  }

  // MARK: Keys

  func leave() {
    mode = .line
    would = nil
    drawn = nil
  }

  func rest(at text: String) -> Bool {
    guard isAllowed, case .line = mode, would?.text != text else { return false }
    would = nil
    guard let script = trialScript(text),
      let outcome = timeline.trial(of: script, within: Self.trialTime)
    else { return false }
    // A statement that fails while it is typed is probably incomplete.
    guard outcome.failure == nil else { return false }
    would = (text, WouldLine(callbacks: outcome.callbacks, failure: nil))
    return true
  }

  /// Returns the statement on the line, if it can be tried and a controller may report a change.
  private func trialScript(_ text: String) -> ParsedScript? {
    guard !session.prediction.isOn, text.utf8.count < Self.longestTried, !text.hasPrefix(":"),
      text.contains(where: { !$0.isWhitespace }),
      session.session.controllers.values.contains(where: { $0.sections != nil })
    else { return nil }
    let script = ScriptParser.parse(
      SourceText(name: PromptSession.sourceName, text: text), as: .prompt)
    return !script.hasErrors && script.changesSomething ? script : nil
  }

  var takesKeys: Bool {
    switch mode {
    case .line: false
    case .timeline, .explanation: true
    }
  }

  func press(_ key: PaneKey, at text: String) -> PaneKeyEffect {
    guard isAllowed else { return .refused }
    switch key {
    case .timeline:
      guard !timeline.points.isEmpty else { return .refused }
      mode = .timeline(timeline.position)
      return .done
    case .explanation:
      guard let turn = timeline.interpreter.lastTurn else { return .refused }
      mode = .explanation(
        ExplanationPane(statement: turn.statement, explanations: turn.explanations), start: 0)
      return .done
    case .correction: return session.correction.map(PaneKeyEffect.replaces) ?? .refused
    }
  }

  func take(_ move: PaneMove) -> PaneKeyEffect {
    switch mode {
    case .line: return .passed
    case .timeline(let chosen): return take(move, atPoint: chosen)
    case .explanation(let pane, let start): return take(move, in: pane, start)
    }
  }

  private func take(_ move: PaneMove, atPoint chosen: Int) -> PaneKeyEffect {
    let last = timeline.points.count
    let page = max(1, height / 2 - 1)
    switch move {
    case .left, .up: mode = .timeline(max(0, chosen - 1))
    case .right, .down: mode = .timeline(min(last, chosen + 1))
    case .pageUp: mode = .timeline(max(0, chosen - page))
    case .pageDown: mode = .timeline(min(last, chosen + page))
    case .first: mode = .timeline(0)
    case .last: mode = .timeline(last)
    case .enter:
      mode = .line
      return chosen == timeline.position ? .done : .runs(":goto \(chosen)")
    case .escape, .key(.timeline): mode = .line
    case .key, .other:
      mode = .line
      return .passed
    }
    return .done
  }

  private func take(
    _ move: PaneMove, in pane: ExplanationPane, _ start: Int
  ) -> PaneKeyEffect {
    let page = max(1, explanationHeight - 3)
    let last = pane.lastStart(height: explanationHeight)
    func show(_ start: Int) -> PaneKeyEffect {
      mode = .explanation(pane, start: min(last, max(0, start)))
      return .done
    }
    switch move {
    case .up: return show(start - 1)
    case .down: return show(start + 1)
    case .pageUp: return show(start - page)
    case .pageDown: return show(start + page)
    case .first: return show(0)
    case .last: return show(last)
    case .escape, .key(.explanation):
      mode = .line
      return .done
    case .left, .right, .enter, .key, .other:
      mode = .line
      return .passed
    }
  }
}
