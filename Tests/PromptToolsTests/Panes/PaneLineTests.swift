import PromptTools
import Testing

@Suite struct PaneLineTests {
  private func lines(_ count: Int, changed: [Int: PaneLine.Mark] = [:]) -> [PaneLine] {
    [PaneLine(.none, .section, "SF (\(count))")]
      + (0..<count).map { PaneLine(changed[$0] ?? .none, .row, "row \($0)") }
  }

  @Test("what fits is shown whole")
  func whole() {
    #expect(lines(3).fitting(4) == lines(3))
  }

  @Test("of a long list the changed rows and those beside them are shown, and the rest counted")
  func long() {
    let fitting = lines(100, changed: [50: .updated]).fitting(8)

    #expect(fitting.count <= 8)
    #expect(fitting.first?.text == "SF (100)")
    #expect(fitting.contains(PaneLine(.updated, .row, "row 50")))
    #expect(fitting.contains(PaneLine(.none, .row, "row 49")))
    let hidden = fitting.filter { $0.kind == .gap }.compactMap {
      Int($0.text.split(separator: " ")[1])
    }
    #expect(hidden.reduce(0, +) + fitting.count { $0.kind == .row } == 100)
  }

  @Test("more changes than rows are cut at the end", arguments: 1...9)
  func many(_ height: Int) {
    let changed = Dictionary(uniqueKeysWithValues: (0..<40).map { ($0, PaneLine.Mark.inserted) })

    #expect(lines(40, changed: changed).fitting(height).count == height)
  }
}
