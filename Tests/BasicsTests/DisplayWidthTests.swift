import Basics
import Testing

@Suite("Widths of texts in terminal columns")
struct DisplayWidthTests {
  @Test("a text that is too wide is cut, and its last column is a mark")
  func cutting() {
    #expect("books".cut(toColumns: 5) == "books")
    #expect("books".cut(toColumns: 4) == "boo…")
    #expect("本棚".cut(toColumns: 4) == "本棚")
    #expect("本棚".cut(toColumns: 3) == "本…")
  }

  @Test("blanks fill the columns after or before a text, and never cut it")
  func filling() {
    #expect("本".padded(toColumns: 4) == "本  ")
    #expect("本".rightAligned(toColumns: 4) == "  本")
    #expect("books".padded(toColumns: 3) == "books")
    #expect("books".rightAligned(toColumns: 3) == "books")
  }
}
