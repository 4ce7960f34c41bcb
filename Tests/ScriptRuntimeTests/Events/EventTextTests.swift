import Basics
import RandomLaws
import Testing

/// The lines of the documented text format.
struct EventTextTests {
  @Test("a date is printed as it was written, also before the Gregorian calendar")
  func dates() {
    for seed in LawSeeds(seconds: 0.6, atLeast: 4) {
      var random = SeededGenerator(seed: seed)
      func digits(_ range: ClosedRange<Int>, _ count: Int = 2) -> String {
        let number = String(random.number(range))
        return String(repeating: "0", count: count - number.count) + number
      }
      let texts = (0..<250).map { _ in
        let year = random.chance(4) ? digits(1575...1590, 4) : digits(1...9999, 4)
        let day = year == "1582" ? digits(15...28) : digits(1...28)
        return "\(year)-\(digits(1...12))-\(day)T\(digits(0...23)):\(digits(0...59)):"
          + "\(digits(0...59))Z"
      }
      let playback = Playback(texts.map { "print @\($0)\n" }.joined())
      #expect(playback.failure == nil, "seed \(seed)")
      #expect(playback.lines == texts, "seed \(seed)")
    }
  }

  @Test(
    "a day that only one of the two calendars has is printed as it was written",
    arguments: [
      "0001-01-01", "0004-02-29", "1500-02-29", "1582-10-04", "1582-10-15", "1600-02-29",
      "9999-12-31",
    ])
  func days(day: String) {
    let playback = Playback(
      "let day = @\(day)\nprint day\nprint day + 86399 - 86399\nprint day - 1 + 1")

    let lines = playback.lines
    #expect(lines.first == "\(day)T00:00:00Z")
    #expect(day == "0001-01-01" ? lines.count == 2 : lines.count == 3)
    #expect(Set(lines).count == 1)
  }

  @Test("quotes, backslashes and line ends in a display text are escaped")
  func escapes() {
    let playback = Playback(
      #"""
      entity Book { title: String }
      controller books = Book sort by title section by title
      controller plain = Book sort by title
      delegate books none
      fetch books; fetch plain
      insert Book(title: "a \"b\" \\ c\nd\t\u{1}")
      """#)

    #expect(
      playback.lines[1]
        == #"plain didChange object insert Book/1 "a \"b\" \\ c\nd\t\u{1}" -> [0, 0]"#)
  }

  @Test("Core Data's console lines are prefixed, line by line")
  func console() {
    let playback = Playback(
      """
      entity Book { title: String, publisher: String? }
      insert Book(title: "Dune")
      controller books = Book sort by publisher section by publisher
      fetch books
      """)

    #expect(
      playback.lines == [
        "console: CoreData: error: (NSFetchedResultsController) A section returned nil value for "
          + "section name key path 'publisher'. Objects will be placed in unnamed section"
      ])
    #expect(playback.json == [], "under --format json they go to standard error")
  }
}
