import LineEditor
import Platform
import Testing

@Suite struct LineDisplayTests {
  private func view(_ text: String) -> LineView {
    var view = LineView(before: text, after: "")
    view.prompt = Prompt("frc> ")
    return view
  }

  @Test(
    "where the terminal wraps rows again, all of ours are drawn anew, in no other place",
    arguments: [
      (20, 5, 2), (20, 1, 13), (5, 20, 0), (1, 80, 0), (80, 13, 1), (80, 14, 0), (6, 4, 3),
    ])
  func reflow(_ old: Int, _ new: Int, _ rows: Int) {
    var display = LineDisplay(reflows: true)
    _ = display.show(view("abcdefgh"), in: TerminalSize(columns: old, rows: 24))

    let output = display.showResized(view("abcdefgh"), in: TerminalSize(columns: new, rows: 24))

    let start = "\r\u{1B}[K" + String(repeating: "\u{1B}[A\u{1B}[K", count: rows)
    #expect(output.hasPrefix(start + "\r\u{1B}[J"), "\(output.debugDescription)")
  }

  @Test("lines of several rows are wrapped each for itself")
  func lines() {
    var display = LineDisplay(reflows: true)
    let text = view("abcdefgh\n\nij")
    _ = display.show(text, in: TerminalSize(columns: 80, rows: 24))

    // Three rows for 13 cells, one empty row, and one for the cursor.
    let output = display.showResized(text, in: TerminalSize(columns: 5, rows: 24))

    let start = "\r\u{1B}[K" + String(repeating: "\u{1B}[A\u{1B}[K", count: 4)
    #expect(output.hasPrefix(start + "\r\u{1B}[J"), "\(output.debugDescription)")
  }

  @Test("where that is not known, nothing above the line is erased")
  func unknown() {
    var display = LineDisplay()
    _ = display.show(view("abcdefgh"), in: TerminalSize(columns: 80, rows: 24))

    let output = display.showResized(view("abcdefgh"), in: TerminalSize(columns: 5, rows: 24))

    #expect(output.hasPrefix("\r\u{1B}[K\r\u{1B}[J"))
  }
}
