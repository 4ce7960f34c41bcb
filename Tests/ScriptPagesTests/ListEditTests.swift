import Basics
import Testing

@testable import ScriptPages

@Suite("edits: the way from a list's old items to its new ones")
struct ListEditTests {
  private func rows(_ numbers: [Int64]) -> [ListItem] {
    numbers.map { .row(RowKey(number: $0)) }
  }

  @Test("equal lists need none")
  func equal() {
    #expect([ListEdit](from: rows([1, 2]), to: rows([1, 2])).isEmpty)
  }

  @Test("a row that moves is taken out and put in, and the others stay")
  func moves() {
    let old = rows([1, 2, 3, 4, 5])

    #expect(
      [ListEdit](from: old, to: rows([2, 3, 4, 1, 5]))
        == [.keep(0), .delete(1), .keep(3), .insert(rows([1])), .keep(1)])
    #expect(
      [ListEdit](from: old, to: rows([1, 5, 2, 3, 4]))
        == [.keep(1), .insert(rows([5])), .keep(3), .delete(1), .keep(0)])
  }

  @Test("two rows that pass many cost two edits, not many")
  func fewEdits() {
    let many = rows(Array(10...5_000))

    let edits = [ListEdit](from: rows([1, 2]) + many, to: many + rows([1, 2]))

    #expect(edits.count <= 5)
  }

  @Test("names of sections that Swift treats as equal are two")
  func scalars() {
    let composed: [ListItem] = [.section("\u{E9}")]
    let decomposed: [ListItem] = [.section("e\u{301}")]

    #expect([ListEdit](from: composed, to: composed).isEmpty)
    #expect(
      [ListEdit](from: composed, to: decomposed)
        == [.keep(0), .delete(1), .insert(decomposed), .keep(0)])
    #expect(Set(composed + decomposed).count == 2)
    #expect(composed[0] != rows([1])[0])
  }

  @Test("the edits of random lists give the new lists")
  func random() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let old = rows((0..<Int64.random(in: 0...12, using: &generator)).shuffled(using: &generator))
      let new = rows((3..<Int64.random(in: 3...15, using: &generator)).shuffled(using: &generator))
      #expect(old.applying([ListEdit](from: old, to: new)) == new)
    }
  }
}
