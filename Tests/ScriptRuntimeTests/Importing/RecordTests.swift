import Basics
import Testing

@testable import ScriptRuntime

@Suite("Records of files")
struct RecordTests {
  private func csv(_ text: String, pieces: Int = 1) -> [String] {
    var records = CSVRecords()
    var lines: [String] = []
    for piece in Array(text.utf8).cut(pieces) { lines += records.records(in: piece).map(\.shown) }
    return lines + records.last().map(\.shown)
  }

  @Test(
    "fields, quotes and line ends",
    arguments: [
      ("a,b\n1,2\n", ["1: a|b", "2: 1|2"]),
      ("a,b\r\n1,2", ["1: a|b", "2: 1|2"]),
      ("a\r1\r", ["1: a", "2: 1"]),
      ("a,\n,\n", ["1: a|", "2: |"]),
      ("\n\na\n\n\nb\n", ["3: a", "6: b"]),
      ("\"a,\"\"b\"\"\",\"\"\n", ["1: 'a,\"b\"'|''"]),
      ("\"over\r\ntwo\nlines\",x\ny", ["1: 'over\r\ntwo\nlines'|x", "4: y"]),
      ("名,é\n", ["1: 名|é"]),
      ("a\"b,c\n", ["1: a\"b|c"]),
      ("\u{FEFF}a,b\n1,\u{FEFF}", ["1: a|b", "2: 1|\u{FEFF}"]),
      ("\u{FEFF}\"a\",b\n", ["1: 'a'|b"]),
      ("\u{FEFF}\na\n", ["2: a"]),
      ("", []),
    ])
  func fields(text: String, expected: [String]) {
    #expect(csv(text) == expected)
  }

  @Test("wherever a file is cut, its records are the same", arguments: 0..<20)
  func pieces(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let parts = ["a", "名", ",", "\"", "\"\"", "\r\n", "\n", "\"x,\n\"", " "]
    let text = "\u{FEFF}" + (0..<60).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
    let whole = csv(text)
    for pieces in [2, 3, 7, text.utf8.count] {
      #expect(csv(text, pieces: pieces) == whole, "\(text.debugDescription) in \(pieces)")
    }
  }

  @Test("a JSON array is cut into its objects, with the line of each")
  func json() {
    let text = "[ {\"a\": \"}\\\"]\", \"b\": [1, {}]},\n\n{}\n]\n"
    for pieces in [1, 2, 5, text.utf8.count] {
      var records = JSONRecords()
      var found: [String] = []
      for piece in Array(text.utf8).cut(pieces) {
        found += records.records(in: piece).map {
          "\($0.line): \(String(decoding: $0.text, as: UTF8.self))"
        }
      }
      #expect(found == ["1: {\"a\": \"}\\\"]\", \"b\": [1, {}]}", "3: {}"])
      #expect(records.problem == nil)
    }
  }

  @Test(
    "elements that are no objects are cut out, too",
    arguments: [
      ("[1]", ["1"]), ("[1, {\"a\": 2}]", ["1", "{\"a\": 2}"]), ("[[1, 2],{}]", ["[1, 2]", "{}"]),
      ("[\"a,]\\\"\",null,{}]", ["\"a,]\\\"\"", "null", "{}"]), ("[}]", ["}"]),
      ("\u{FEFF}[{}]", ["{}"]),
    ])
  func elements(text: String, expected: [String]) {
    for pieces in [1, 2, text.utf8.count] {
      var records = JSONRecords()
      let found = Array(text.utf8).cut(pieces).flatMap { records.records(in: $0) }
      #expect(found.map { String(decoding: $0.text, as: UTF8.self) } == expected)
      #expect(records.problem == nil)
    }
  }

  @Test(
    "what is not an array of objects is known",
    arguments: [
      ("{}", JSONRecords.Problem.noArray), ("[", .arrayDoesNotEnd), ("[{}", .arrayDoesNotEnd),
      ("[{", .arrayDoesNotEnd), ("[1", .arrayDoesNotEnd), ("", .noArray), ("null", .noArray),
      ("\u{FEFF}", .noArray), ("x[]", .noArray), ("[] x", .somethingFollows),
      ("[] []", .somethingFollows),
    ])
  func noArray(text: String, problem: JSONRecords.Problem) {
    var records = JSONRecords()
    _ = records.records(in: text.utf8)
    #expect(records.problem?.problem == problem)
  }
}

extension CSVRecords.Record {
  fileprivate var shown: String {
    "\(line): " + fields.map { $0.isQuoted ? "'\($0.text)'" : $0.text }.joined(separator: "|")
  }
}

extension [UInt8] {
  fileprivate func cut(_ pieces: Int) -> [ArraySlice<UInt8>] {
    let size = Swift.max(1, (count + pieces - 1) / Swift.max(1, pieces))
    return stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
