import ScriptRuntime
import Testing

@testable import frc

@Suite("The bar of an import")
struct ProgressBarTests {
  @Test(
    "it says how much of the file is read, and what was made of it",
    arguments: [
      (0, "[                              ]   0 % of books.csv, 1 object"),
      (500, "[###############               ]  50 % of books.csv, 1 object"),
      (1000, "[##############################] 100 % of books.csv, 1 object"),
    ])
  func line(bytesRead: Int, line: String) {
    let progress = ImportProgress(
      file: "books.csv", bytesRead: bytesRead, byteCount: 1000, objects: 1)
    #expect(ProgressBar.line(progress) == line)
  }

  @Test("without a length it counts")
  func unknownLength() {
    let progress = ImportProgress(file: "a.json", bytesRead: 1, byteCount: nil, objects: 1200)
    #expect(ProgressBar.line(progress) == "a.json: 1200 objects")
  }

  @Test("where standard error is no terminal, nothing is shown")
  func noTerminal() throws {
    let frc = try FRCProgram()
    let rows = (1...60_000).map { "Book \($0)" }.joined(separator: "\n")
    try frc.write("title\n\(rows)\n", to: "books.csv")
    let result = try frc.run(
      "-e", "entity Book { title: String }; import \"books.csv\" into Book; print count(Book)")
    #expect(result.output == "60000\n")
    #expect(result.errors == "")
  }
}
