import Foundation
import Testing

@Suite("Imports of files")
struct ImportTests {
  private let frc: FRCProgram

  init() throws { frc = try FRCProgram() }

  private static let entity =
    "entity Book { title: String, pages: Int = 1, price: Double?, date: Date?, isNew: Bool? }"

  @Test("CSV: an object for each row; what does not fit is left out and named by its line")
  func csv() throws {
    try frc.write(
      "title,pages,date,isNew\r\nEmma,10,2026-01-02,YES\r\n\"A \"\"b\"\",\nc\",,,\nBad,x,,\n"
        + "Short\n\"\",2,2026-02-30,no\nLast,5,,true",
      to: "b.csv")
    let result = try frc.run(
      "-e", "\(Self.entity)\ntry import \"b.csv\" into Book\nfetch Book")
    #expect(
      result.output == #"""
        error: 3 of 6 rows of 'b.csv' were left out: line 5: 'pages' needs Int, found 'x'; line 6: 4 fields are needed, found 1; line 7: 'date' needs Date, found '2026-02-30'
        Book/1 title: "Emma", pages: 10, price: nil, date: 2026-01-02T00:00:00Z, isNew: true
        Book/2 title: "A \"b\",\nc", pages: 1, price: nil, date: nil, isNew: nil
        Book/3 title: "Last", pages: 5, price: nil, date: nil, isNew: true

        """#)
  }

  @Test("CSV that frc prints is imported as what it was")
  func roundTrip() throws {
    let entity = """
      entity Book {
        title: String? = "none", pages: Int?, price: Decimal?, date: Date?, isNew: Bool?
        id: UUID?, cover: Data?, rating: Double?
      }

      """
    let rows = "fetch Book values title, pages, price, date, isNew, id, cover, rating"
    try frc.write(
      """
      insert Book(title: "z")
      insert Book(title: "", pages: 0, isNew: false)
      insert Book(title: " a,\\n\\"b\\" ", price: decimal("0.10"), date: @2026-01-02T03:04:05Z)
      insert Book(title: "x", rating: 1e300, isNew: true)

      """, to: "made.frc")
    let made = try frc.run(
      "-e", entity + "include \"made.frc\"\nsave\n" + rows, "--format", "csv")
    try frc.write(made.output, to: "b.csv")

    let read = try frc.run(
      "-e", entity + "import \"b.csv\" into Book\nsave\n" + rows, "--format", "csv")

    #expect(made.errors == "")
    #expect(read == .init(status: 0, output: made.output, errors: ""))
    #expect(made.output.contains("rating\nz,,,,,,,\n\"\",0,"))
  }

  @Test("JSON: an object for each of an array's")
  func json() throws {
    try frc.write(
      """
      [{"title": "A", "pages": 3, "isNew": true, "price": 2},
       {"title": "B", "date": "2026-01-02T03:04:05Z", "price": null, "isNew": 0},
       {"title": 1}, {"titel": "x"},
       {"pages": {"n": 1}}, {"price": 1e400}, {"price": []},
       {"title": "\\ud800"}]
      """, to: "b.json")
    let result = try frc.run(
      "-e", "\(Self.entity)\ntry import \"b.json\" into Book\nfetch Book")
    #expect(
      result.output == #"""
        error: 6 of 8 rows of 'b.json' were left out: line 3: 'title' needs String, found 1; line 3: Book has no attribute 'titel' to import; did you mean 'title'?; line 4: it is not a JSON object of strings, numbers, truth values and null; line 4: 'price' needs Double, found a number that is out of range or not written as in JSON; line 4: it is not a JSON object of strings, numbers, truth values and null; line 5: it is not a JSON object of strings, numbers, truth values and null
        Book/1 title: "A", pages: 3, price: 2.0, date: nil, isNew: true
        Book/2 title: "B", pages: 1, price: nil, date: 2026-01-02T03:04:05Z, isNew: false

        """#)
  }

  @Test(
    "a number that is not JSON is not called too large", arguments: ["01", "1.", "-", "1e-999"])
  func brokenNumber(_ number: String) throws {
    try frc.write("[{\"pages\": \(number)}]", to: "b.json")
    let result = try frc.run("-e", "\(Self.entity)\ntry import \"b.json\" into Book")
    let words = "found a number that is out of range or not written as in JSON"
    #expect(
      result.output
        == "error: 1 of 1 rows of 'b.json' were left out: line 1: 'pages' needs Int, \(words)\n")
  }

  @Test("a key that a JSON object has twice is told, however it is written")
  func repeatedKeys() throws {
    try frc.write(
      """
      [{"title": "a", "title": "b"}, {"title": "A: \\"B\\": {\\"", "pages": 2},
       {"pages": 1, "title": "c",
        "\\u0070ages": 1}, {"title": ":"}]
      """, to: "b.json")
    let result = try frc.run(
      "-e", "\(Self.entity)\ntry import \"b.json\" into Book\nfor b in fetch Book { print b.title }"
    )
    #expect(
      result.output == #"""
        error: 2 of 4 rows of 'b.json' were left out: line 1: 'title' is repeated; line 2: 'pages' is repeated
        A: "B": {"
        :

        """#)
  }

  @Test("what a file has is imported as it is written, or not at all")
  func exact() throws {
    try frc.write(
      "\u{FEFF}[{\"title\": \"A\", \"cost\": 12345678901234567.89}, 5,\n{\"title\": \"B\"}",
      to: "a.json")
    try frc.write(
      Array("title,cost\nA,19.99\nCaf".utf8) + [0xE9] + Array(",1\nB,12 euros\nC,1e3\n".utf8),
      to: "b.csv")
    let result = try frc.run(
      "-e",
      "entity Book { title: String, cost: Decimal? }\ntry import \"a.json\" into Book\ntry import \"b.csv\" into Book\nfetch Book"
    )
    #expect(
      result.output == #"""
        error: 2 of 4 rows of 'a.json' were left out: line 1: it is not a JSON object of strings, numbers, truth values and null; line 2: the array does not end
        error: 2 of 4 rows of 'b.csv' were left out: line 3: it is not written in UTF-8; line 4: 'cost' needs Decimal, found '12 euros'
        Book/1 title: "A", cost: 12345678901234567.89
        Book/2 title: "B", cost: nil
        Book/3 title: "A", cost: 19.99
        Book/4 title: "C", cost: 1000

        """#)
  }

  @Test(
    "a file that is wrong as a whole imports nothing",
    arguments: [
      (
        "a.csv", "titel\nx\n",
        "cannot read 'a.csv': line 1: Book has no attribute 'titel' to import"
      ),
      (
        "semicolons.csv", "\u{FEFF}title;pages\nx;1\n",
        "cannot read 'semicolons.csv': line 1: its columns are separated by semicolons, "
          + "commas are needed"
      ),
      (
        "tabs.csv", "title\tpages\nx\t1\n",
        "cannot read 'tabs.csv': line 1: its columns are separated by tabs, commas are needed"
      ),
      ("b.csv", "title,title\n", "cannot read 'b.csv': line 1: 'title' is repeated in the header"),
      (
        "c.json", "{\"title\": \"a\"}",
        "cannot read 'c.json': line 1: the file is not an array of objects"
      ),
      ("d.txt", "", "expected a .csv or .json file, found 'd.txt'"),
    ])
  func whole(name: String, text: String, message: String) throws {
    try frc.write(text, to: name)
    let result = try frc.run("-e", "\(Self.entity)\nimport \"\(name)\" into Book\ncount Book")
    #expect(result.errors.contains("-e:2:8: error: \(message)"))
    #expect(result.output == "")
  }
}
