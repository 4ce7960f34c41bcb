import Basics
import Foundation
import RandomLaws
import Testing

@testable import FetchedResults

/// Decimals are created from texts and floating-point numbers without Foundation's parser, with the
/// same result.
@Suite("Decimals as texts and as floating-point numbers")
struct DecimalTextTests {
  private static func foundation(_ text: String) -> Decimal? {
    let number = /[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/
    return text.wholeMatch(of: number) == nil ? nil : Decimal(string: text)
  }

  @Test(
    "a text is a number as a whole or none",
    arguments: [
      "0", "-0", "+0.0", "1", "-1", "+1", "1.", ".5", "-.5", ".", "", "-", "+", "e1", "1e", "1e+",
      "1e5", "1E-5", "-1.25e+3", "1.5x", " 1", "1 ", "1,5", "NaN", "nan", "inf", "0x10", "1e300",
      "1e-300", "00012.500", "0.000000000000000001", "123456789012345678", "1234567890123456789",
      "12345678901234567890123456789012345678901234567890", "1e127", "1e128", "1e-127", "1.1.1",
      "1e5.5", "--1", "١", "1e99999999999999999999",
    ])
  func texts(text: String) {
    #expect(Decimal(wholeText: text) == Self.foundation(text))
    #expect(Decimal(wholeText: text)?.description == Self.foundation(text)?.description)
  }

  @Test("random texts and floating-point numbers are what Foundation reads")
  func law() {
    for seed in LawSeeds(seconds: 0.3, atLeast: 100) {
      var random = SeededGenerator(seed: seed)
      let digits = Int.random(in: 1...22, using: &random)
      var text = ["", "-", "+"].randomElement(using: &random) ?? ""
      let point = Int.random(in: 0...digits, using: &random)
      for place in 0..<digits {
        if place == point { text += "." }
        text += String(Int.random(in: 0...9, using: &random))
      }
      if Bool.random(using: &random) { text += "e\(Int.random(in: -110...110, using: &random))" }
      #expect(Decimal(wholeText: text) == Self.foundation(text), "\(text), seed \(seed)")

      let power = pow(10, Double(Int.random(in: -8...8, using: &random)))
      let whole = Double(Int64.random(in: -10_000_000...10_000_000, using: &random))
      let bits = UInt64.random(in: (0x1p-12).bitPattern...(0x1p56).bitPattern, using: &random)
      // Such a number may lie halfway between two decimals.
      let binary = whole / Double(1 << Int.random(in: 0...40, using: &random))
      for number in [
        whole / power, whole * power, whole / 7, binary, Double(bitPattern: bits),
        Double.random(in: -1e6...1e6, using: &random),
      ] {
        let expected = Decimal(string: number.description)
        #expect(Decimal(shortest: number) == expected, "\(number), seed \(seed)")
        #expect(Decimal(shortest: number)?.nearestDouble == number, "\(number), seed \(seed)")
      }
    }
    #expect(Decimal(shortest: -0.0) == 0)
    #expect(Decimal(shortest: .nan) == nil)
    #expect(Decimal(shortest: .infinity) == nil)
    #expect(Decimal(shortest: 1e300) == nil)
  }
}
