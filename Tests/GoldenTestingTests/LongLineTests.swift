import GoldenTesting
import Testing

/// Lines that are too long to be compared word by word.
@Suite("Long lines that differ")
struct LongLineTests {
  @Test("what is around the first difference is compared and shown")
  func excerpt() {
    let same = String(repeating: "a b ", count: 500_000)
    let diff = OutputDiff(
      OutputMismatch(expected: [same + "Dune " + same], actual: [same + "Emma " + same]))

    let lines = DiffRenderer().lines(of: diff)

    #expect(lines.count == 4)
    #expect(lines.allSatisfy { $0.count < 2_000 })
    #expect(lines[0].contains("Dune") && lines[2].contains("Emma"))
    #expect(lines[1].contains("^^^^") && lines[1].count { $0 == "^" } == 4)
  }

  @Test("a line that goes on, and one that is all different")
  func ends() {
    let long = String(repeating: "x", count: 20_000)

    for (old, new) in [(long, long + "y"), (long, ""), ("", long), (long, "é" + long)] {
      let diff = OutputDiff(OutputMismatch(expected: [old], actual: [new]))
      #expect(DiffRenderer().lines(of: diff).allSatisfy { $0.count < 3_000 })
    }
  }
}
