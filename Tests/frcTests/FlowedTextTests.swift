import Testing

@testable import frc

@Suite struct FlowedTextTests {
  @Test("what fits stays as it is")
  func fits() {
    let lines = ["one two", "three", "", "  a  four"]

    #expect(FlowedText(lines, width: 9).lines == lines)
  }

  @Test("a paragraph with a line that is too long flows as a whole")
  func paragraph() {
    let lines = ["one two three", "four five", "", "six"]

    #expect(FlowedText(lines, width: 10).lines == ["one two", "three four", "five", "", "six"])
  }

  @Test("a row goes on under its last column")
  func row() {
    let lines = ["  ab   one two three", "  abcd  x"]

    #expect(
      FlowedText(lines, width: 15).lines == [
        "  ab   one two", "       three", "  abcd  x",
      ])
  }

  @Test("a word that is too long for a row has one of its own, and wide letters count twice")
  func longWord() {
    #expect(FlowedText(["a 日本語の b"], width: 6).lines == ["a", "日本語の", "b"])
  }

  @Test("a window without room for a column has a word in each row", arguments: -5...1)
  func noRoom(_ width: Int) {
    #expect(
      FlowedText(["one two", "", "  a  four"], width: width).lines == [
        "one", "two", "", "  a", "four",
      ])
  }

  @Test("no line of the lists of commands and keys is too long for 100 columns")
  func lists() {
    for line in CommandList.lines + KeyList.lines { #expect(line.count <= 100, "\(line)") }
  }
}
