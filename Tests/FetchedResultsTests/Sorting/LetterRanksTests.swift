import Basics
import FetchedResults
import Testing

@Suite("Comparing the first letters agrees with ICU's sort keys")
struct LetterRanksTests {
  private static let locales = [
    "root", "en", "en_US_POSIX", "de", "de@collation=phonebook", "de-u-co-phonebk", "en-u-kf-upper",
    "fr_CA", "sv", "da", "cs", "es", "hr", "tr", "vi", "th", "ja",
  ]

  /// Parts that a comparison by letters could get wrong.
  private static let parts = [
    "a", "A", "b", "B", "z", "0", "00", "7", "10", "9", " ", "-", "_", ".", "'", "\"", "/", "$",
    "~", "é", "e\u{301}", "\u{301}", "ä", "Å", "ø", "đ", "ß", "ss", "æ", "þ", "ı", "ĳ", "ŀ", "l·",
    "·", "ch", "ll", "dž", "ſ", "\u{AD}", "\u{200D}", "\u{0}", "\t", "\u{7F}", "\u{A0}", "×",
    "٣", "²", "½", "ｆ", "中", "ก", "เ", "\u{1F600}", "\u{10FFFF}",
  ]

  private static func text(_ random: inout SeededGenerator) -> String {
    // Mostly letters, so that many texts have the same beginning.
    let few = Bool.random(using: &random) ? 10 : parts.count
    return (0..<Int.random(in: 0...6, using: &random)).map { _ in
      parts[Int.random(in: 0..<few, using: &random)]
    }.joined()
  }

  @Test("random texts", arguments: locales)
  func random(locale: String) {
    var random = SeededGenerator(seed: 25)
    for selector in FetchSortDescriptor.Selector.allCases {
      let order = StringOrder(selector, locale: locale)
      for _ in 0..<2000 {
        let left = Self.text(&random)
        let right = Self.text(&random)
        let (a, b) = (order.key(for: left), order.key(for: right))
        let byKeys = a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        #expect(
          order.compare(left, right).signum() == byKeys,
          "\(selector.rawValue): \(left.debugDescription) and \(right.debugDescription)")
      }
    }
  }

  @Test("numbers of any length compare as numbers")
  func numbers() {
    let order = StringOrder(.localizedStandardCompare, locale: "en")
    let long = String(repeating: "9", count: 300)
    for (left, right) in [
      ("file 9", "file 10"), ("a007b", "a7c"), ("1\(long)", "2\(long)"),
      ("0", "1"), ("x9 ", "x10"),
    ] {
      #expect(order.compare(left, right) < 0)
      #expect(order.compare(right, left) > 0)
      #expect(order.key(for: left).lexicographicallyPrecedes(order.key(for: right)))
    }
  }
}
