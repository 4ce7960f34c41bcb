import GoldenTesting
import Testing

struct LineDiffTests {
  @Test("a difference shows common lines once, expected ones behind -, actual ones behind +")
  func difference() {
    #expect(
      LineDiff.lines(from: ["a", "b", "c"], to: ["a", "x", "c", "d"]) == [
        "    a", "  - b", "  + x", "    c", "  + d",
      ])
    #expect(LineDiff.lines(from: [], to: ["a"]) == ["  + a"])
    #expect(LineDiff.lines(from: ["a"], to: []) == ["  - a"])
  }

  @Test("lines that only look alike differ")
  func scalars() {
    #expect(LineDiff.lines(from: ["\u{E9}"], to: ["e\u{301}"]).count == 2)
  }
}
