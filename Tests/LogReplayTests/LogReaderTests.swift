import Basics
import FetchedResults
import Foundation
import LogReplay
import Testing

/// Which files count as logs, and how callbacks are read in the formats that people print.
@Suite("Reading logs")
struct LogReaderTests {
  private func read(_ text: String, _ pattern: String? = nil) throws -> [LogEvent] {
    var options = LogReader.Options()
    options.patterns = try pattern.map { [try CallbackPattern($0)] } ?? []
    return try LogReader.read(Array(text.utf8), named: "log", options).entries.map(\.event)
  }

  private func path(_ section: Int, _ row: Int) -> ResultsIndexPath {
    ResultsIndexPath(section: section, row: row)
  }

  @Test(
    "A move is read in the usual ways",
    arguments: [
      "didChange: move [0, 1] -> [0, 3]",
      "didChangeObject type=3 indexPath=<NSIndexPath: 0x8> {length = 2, path = 0 - 1} newIndexPath=<NSIndexPath: 0x9> {length = 2, path = 0 - 3}",
      "2024-01-02 10:00:00.1 App[12:34] move from [0, 1] to [0, 3]",
      "Change type NSFetchedResultsChangeType(rawValue: 3) for indexPath Optional([0, 1]), newIndexPath Optional([0, 3])",
      "controller(_:didChange:at:for:newIndexPath:) .move (0, 1) (0, 3)",
      "Moved [section: 0, row: 1] => [section: 0, row: 3]",
      "NSFetchedResultsChangeMove didChangeObject NSFetchedResultsChangeMove 2 indexes [0, 1] newIndexPath 2 indexes [0, 3]",
      "books didChange object move Book/7 [0, 1] -> [0, 3]",
      #"{"event":"didChangeObject","controller":"c","type":"move","indexPath":[0,1],"newIndexPath":[0,3]}"#,
    ])
  func moves(_ line: String) throws {
    guard case .object(_, let change)? = try read(line).first else {
      Issue.record("no callback")
      return
    }
    #expect(change.type == .move)
    #expect(change.old == path(0, 1))
    #expect(change.new == path(0, 3))
  }

  @Test("A pattern reads what an app prints")
  func pattern() throws {
    let line = "FRC| kind=2 obj=Dune was (3;4) now -"
    #expect(throws: UnreadableLog.self) { try read(line) }
    let events = try read(
      "FRC| kind=2 obj=Dune was (3, 4) now -", "kind={type} obj={object} was {old} now {new}")
    #expect(
      events == [
        .object(
          controller: "controller",
          ObjectChange(type: .delete, object: "Dune", old: path(3, 4), new: nil))
      ])
    #expect(
      try read("section #2 'A' came: insert", "section #{index} '{name}' came: {type}") == [
        .section(controller: "controller", SectionChange(type: .insert, index: 2, name: "A"))
      ])
  }

  @Test(
    "The updates that an exception lists are no callbacks of the app, with and without quotes",
    arguments: [
      "Fatal Exception: NSInternalInconsistencyException\n",
      "Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: '",
      "NSInternalInconsistencyException: ", "",
    ], ["\n", " "])
  func listedUpdates(_ opening: String, _ separator: String) throws {
    let text = [
      "Invalid batch updates detected: the number of sections and/or items returned by the data "
        + "source before and/or after performing the batch updates are inconsistent with the "
        + "updates.",
      "Data source before updates = { 2 sections with item counts: [4, 2] }",
      "Data source after updates = { 2 sections with item counts: [4, 2] }",
      "Updates = [\n\tInsert item (0 - 1),\n\tDelete item (1 - 0),\n\tDelete section (1)\n]",
    ].joined(separator: separator)
    let end = opening.hasSuffix("'") ? "'\n" : "\n"
    let events = try read(opening + text + end + "controllerWillChangeContent\ndelete [1, 0]\n")

    #expect(events.count == 3)
    guard case .exception(let exception)? = events.first else {
      Issue.record("no exception")
      return
    }
    #expect(
      exception.reason.hasSuffix(
        "[ Insert item (0 - 1), Delete item (1 - 0), Delete section (1) ]"))
  }

  @Test("A mail may wrap an exception anywhere, and quote it", arguments: ["", "> ", ">> "])
  func wrapped(_ mark: String) throws {
    let words: [String] = [
      "*** Terminating app due", "to", "uncaught", "exception", "'NSRangeException',", "reason:",
      "'attempt to delete row 3", "from section 0 which only contains 3 rows before the update'",
    ]
    for first in 1..<words.count {
      for second in first..<words.count {
        let ends = [first, second]
        let text = words.indices.map { (ends.contains($0) ? "\n\(mark)" : " ") + words[$0] }
        let log = text.joined().dropFirst()
        let events = try read("\(mark)\(log)\ncontrollerWillChangeContent\n")

        guard events.count == 2, case .exception(let exception)? = events.first else {
          Issue.record("\(first), \(second): \(events)")
          continue
        }
        #expect(exception.name == "NSRangeException", "\(first), \(second)")
        #expect(exception.reason.hasPrefix("attempt to delete row 3 from section 0 which"))
        #expect(exception.meaning != .unknown && exception.meaning != .cut)
      }
    }
  }

  @Test("A pattern that cannot be used says why", arguments: ["{kind}", "{type}", "at {old}", ""])
  func wrongPatterns(_ text: String) {
    #expect(throws: CallbackPattern.Problem.self) { try CallbackPattern(text) }
  }

  @Test(
    "What is no log gives one message",
    arguments: [
      ("", "it is empty"), ("\n \n", "it is empty"), ("\u{0}abc", "it is not a text"),
      ("hello\nworld\n", "no callback and no exception was found in its 2 lines"),
      (#"{"a":1}"#, #"line 1 is JSON, but not an event: it has no "event""#),
      (#"[1,2]"#, "no callback and no exception was found in its one line"),
      (
        #"{"event":"didChangeOb"# + "\n" + #"{"event":"willChangeContent","controller":"c"}"#,
        "line 1 looks like JSON, but is not valid"
      ),
    ])
  func wrongInput(_ text: String, _ reason: String) {
    do {
      _ = try read(text)
      Issue.record("no error")
    } catch let error as UnreadableLog {
      #expect(error.reason.hasPrefix(reason), "\(error.reason)")
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test("Bytes that are not UTF-8 are named by their line")
  func encoding() {
    let bytes = Array("books willChangeContent\n".utf8) + [0xFF, 0xFE, 0x0A]
    #expect(throws: UnreadableLog(reason: "line 2 is not UTF-8")) {
      try LogReader.read(bytes, named: "log")
    }
  }

  @Test(
    "JSON of the system's log and of crash reports is read, on one line and on several",
    arguments: [
      #"{"eventMessage":"*** TEXT\n*** First throw call stack:\n(0x1 0x2)","processID":12}"#,
      "[{\n  \"traceID\" : 12,\n  \"eventMessage\" : \"*** TEXT\",\n  \"source\" : null\n}]",
      #"{"exception":{"values":[{"type":"NSRangeException","value":"REASON"}]}}"#,
      "{\n \"type\": \"NSRangeException\",\n \"value\": \"REASON\"\n}",
      #""asi" : {"CoreFoundation":["*** TEXT","terminating"],"libsystem_c.dylib":["abort()"]},"#,
      "\"CoreFoundation\" : [\n  \"*** TEXT\",\n  \"abort() called\"\n]",
    ])
  func foreignJSON(_ json: String) throws {
    let reason = "no section at index 3"
    let text = "Terminating app due to uncaught exception 'NSRangeException', reason: '\(reason)'"
    let events = try read(json.replacing("TEXT", with: text).replacing("REASON", with: reason))

    guard events.count == 1, case .exception(let exception)? = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(exception.reason == reason)
    // Other programs may log JSON with any words.
    #expect(throws: UnreadableLog.self) { try read(#"{"message":"reason: cancelled"}"#) }
  }

  @Test("Text that was copied from a web page may have blanks that do not break")
  func pageBlanks() throws {
    let text = """
      controllerWillChangeContent
      2024-01-02 10:00:00.1 App[12:34] didChange: move from [0, 1] to [0, 3]
      *** Terminating app due to uncaught exception 'NSRangeException', reason: 'no section at index 3'
      """
    #expect(try read(text.replacing(" ", with: "\u{A0}")) == (try read(text)))
    #expect(try read(text).count == 3)
  }

  @Test("A message of the system's log is read like a line of the console")
  func systemLog() throws {
    let lines = ["books willChangeContent", #"{"event":"didChangeContent","controller":"books"}"#]
    let log = try ([" \n"] + lines).map { line in
      String(decoding: try JSONEncoder().encode(["eventMessage": line]), as: UTF8.self)
    }
    #expect(try read(log.joined(separator: "\n")) == (try read(lines.joined(separator: "\n"))))
    // Other entries have no message.
    #expect(throws: UnreadableLog.self) { try read(log[0]) }
  }

  @Test("A file in UTF-16 is read if it begins with a byte order mark", arguments: [true, false])
  func utf16(_ isLittle: Bool) throws {
    let text = "\u{FEFF}books willChangeContent\r\nbooks didChange object insert \"😀\" -> [0, 1]"
    let bytes = text.utf16.flatMap { unit -> [UInt8] in
      let pair = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
      return isLittle ? pair : pair.reversed()
    }

    let log = try LogReader.read(bytes, named: "log")

    #expect(log.lineCount == 2)
    #expect(log.entries.map(\.event) == (try read(text)))
    #expect(log.entries.count == 2)
    var options = LogReader.Options()
    options.limit = bytes.count - 3
    #expect(try LogReader.read(bytes, named: "log", options).stop?.line == 2)
  }

  @Test("The last line may be a part of an event")
  func lastLine() throws {
    let text = #"{"event":"willChangeContent","controller":"c"}"# + "\n" + #"{"event":"didCh"#
    let diagnosis = Diagnosis(try LogReader.read(Array(text.utf8), named: "log"))
    #expect(diagnosis.mistakes.isEmpty)
    #expect(diagnosis.notes.contains(.endsInPart))
    #expect(diagnosis.notes.contains(.endsInBatch(line: 1)))
  }

  @Test("A log that ends before endUpdates shows no mistake, one that goes on without it does")
  func endsInUpdates() throws {
    let begun = """
      books willChangeContent
      {"event":"sections","controller":"books","moment":"willChange",\
      "sections":[{"name":"A","objects":["Book/1","Book/2"]}]}
      books beginUpdates
      books didChange object move Book/1 [0, 0] -> [0, 1]
      books moveRow [0, 0] -> [0, 1]
      books didChangeContent

      """
    func diagnosis(_ text: String) throws -> Diagnosis {
      Diagnosis(try LogReader.read(Array(text.utf8), named: "log"))
    }
    let sections = """
      {"event":"sections","controller":"books","moment":"didChange",\
      "sections":[{"name":"A","objects":["Book/2","Book/1"]}]}

      """
    let recorded = #"{"event":"controller","controller":"books","request":"Book"}"# + "\n"
    let ends = [
      (begun, 6), (begun + "books moveRow [0, 0] -> [0, 1]\n", 7), (begun + #"{"event":"#, 6),
      (recorded + begun + sections, 7),
    ]
    for (text, line) in ends {
      let end = try diagnosis(text)
      #expect(end.mistakes.isEmpty)
      #expect(end.verdict == .notEnough)
      #expect(end.notes.contains(.endsInUpdates(line: line)), "\(end.lines)")
    }
    let returned = #"{"event":"returned","controller":"books"}"# + "\n"
    for rest in ["books willChangeContent\n", sections, returned] {
      let kinds = try diagnosis(begun + rest).mistakes.map(\.kind)
      #expect(kinds == [.unfinishedUpdates], "\(rest)")
    }
    #expect(try diagnosis(begun + "books endUpdates\n").verdict == .consistent)
  }

  @Test(
    "A log that lacks beginnings or ends of turns has no mistake",
    arguments: [
      "didChange: insert [0, 0]\ncontrollerDidChangeContent\ndidChange: delete [0, 1]\n"
        + "controllerDidChangeContent",
      "controllerWillChangeContent\ndidChange: insert [0, 0]\ncontrollerWillChangeContent\n"
        + "didChange: insert [0, 0]",
      "didChange: insert [0, 0]\ndidChange: insert [0, 0]",
      "didChange: insert [0, 0]\ncontrollerDidChangeContent\ncontrollerWillChangeContent\n"
        + "didChange: insert [0, 0]",
      "didChange: insert [0, 0]\ncontrollerWillChangeContent\ndidChange: insert [0, 0]\n"
        + "controllerDidChangeContent",
    ])
  func cutLogs(_ text: String) throws {
    let diagnosis = Diagnosis(try LogReader.read(Array(text.utf8), named: "log"))
    #expect(diagnosis.mistakes.isEmpty, "\(diagnosis.lines)")
  }

  @Test("A log that begins within a batch does not lack controllerWillChangeContent")
  func beginsInBatch() throws {
    let stray = "didChange: insert [0, 0]\n"
    let batch = "controllerWillChangeContent\n" + stray + "controllerDidChangeContent\n"
    let begun = Diagnosis(try LogReader.read(Array((stray + batch).utf8), named: "log"))
    #expect(begun.notes.contains(.noBeginning(line: 1)))
    #expect(!begun.notes.contains(.noBeginnings))
    #expect(begun.verdict == .notEnough)
    #expect(begun.lines.contains { $0.contains("line 1: the log does not have the beginning") })
    let other = Diagnosis(try LogReader.read(Array(stray.utf8), named: "log"))
    #expect(other.notes.contains(.noBeginnings))
  }

  /// Logs that end in a batch, each with its mistake.
  private static let beginnings: [(String, LogMistake.Kind?)] = [
    ("didChange: update [0, 0]\ndidChange: update [0, 0]\n", .repeatedCallback),
    ("didChange: insert [0, 0] -> [0, 1]\n", .wrongPaths),
    ("didChange: delete [0, 5]\ndidChange: insert [0, 0]\n", .wrongNumbers),
    ("didChange: move [1, 0] -> [0, 0]\n", .wrongNumbers),
    ("didChange: delete [0, 0]\ndidChange: move [0, 1] -> [0, 2]\n", nil),
    // A part of the last line may be missing.
    ("didChange: update [0, 0]\ndidChange: update [0, 0]", nil),
    ("didChange: update [0, 0]\ndidChange: delete [0, 5]", nil),
  ]

  @Test("A log that ends in a batch has the mistakes of its callbacks", arguments: beginnings)
  func endsInBatch(_ callbacks: String, _ kind: LogMistake.Kind?) throws {
    let text = "controllerWillChangeContent:\nsections: [2]\n" + callbacks
    // Without the sections after the batch, its end changes nothing.
    let ends = callbacks.hasSuffix("\n") ? ["", "controllerDidChangeContent:\n"] : [""]
    for end in ends {
      let diagnosis = Diagnosis(try LogReader.read(Array((text + end).utf8), named: "log"))
      #expect(diagnosis.mistakes.map(\.kind) == [kind].compactMap(\.self), "\(diagnosis.lines)")
    }
  }

  @Test("A log that ends in a batch has its old rows, and may lack the rows of a new section")
  func beginningsWithRows() throws {
    let begun = """
      books willChangeContent
      {"event":"sections","controller":"books","moment":"willChange",\
      "sections":[{"name":"A","objects":["Book/1","Book/2"]}]}
      books didChange section insert 1 "B"
      books didChange object update Book/2 [0, 1]

      """
    func kinds(_ text: String) throws -> [LogMistake.Kind] {
      Diagnosis(try LogReader.read(Array(text.utf8), named: "log")).mistakes.map(\.kind)
    }
    #expect(try kinds(begun) == [])
    #expect(try kinds(begun + "books didChange object delete Book/1 [0, 0]\n") == [])
    #expect(
      try kinds(begun + "books didChange object delete Book/1 [0, 1]\n") == [.repeatedCallback])
    #expect(
      try kinds(begun + "books didChange object delete Book/1 [0, 2]\n") == [.staleIndexPath])
  }

  /// Damaged logs, which give an error or a diagnosis.
  @Test("No damage of a log stops the program")
  func damage() throws {
    let names = PublicLogTests.names
    var random = SeededGenerator(seed: 5)
    for round in 0..<400 {
      guard let name = random.one(of: names) else { return }
      var bytes = try PublicLogTests.bytes(of: name)
      for _ in 0..<random.number(1...8) where !bytes.isEmpty {
        let place = random.number(0...bytes.count - 1)
        switch random.number(0...3) {
        case 0: bytes.remove(at: place)
        case 1: bytes[place] = UInt8(random.number(0x20...0x7E))
        case 2: bytes.insert(UInt8(random.number(0x30...0x39)), at: place)
        default: bytes.removeSubrange(place..<min(bytes.count, place + random.number(1...60)))
        }
      }
      guard let log = try? LogReader.read(bytes, named: "round \(round)") else { continue }
      let diagnosis = Diagnosis(log)
      #expect(!diagnosis.lines.isEmpty)
      _ = try? ReproducingScript(diagnosis)
    }
  }

  @Test("Numbers beyond all bounds end in a diagnosis")
  func extremes() throws {
    let paths = "[999999999, 999999999]"
    for text in [
      "didChange: insert \(paths)", "didChange: move \(paths) -> [0, 0]",
      "books willChangeContent\nbooks didChange section delete 888888888 \"A\"\n"
        + "books didChange object delete Book/1 [0, 0]\nbooks didChangeContent\n"
        + "attempt to delete row 9223372036854775807 from section 9223372036854775807 which only "
        + "contains 9223372036854775807 rows before the update",
      "Invalid update: invalid number of sections. The number of sections contained in the table "
        + "view after the update (9223372036854775807) must be equal to the number of sections "
        + "contained in the table view before the update (-9223372036854775808), plus or minus the "
        + "number of sections inserted or deleted (9223372036854775807 inserted, 5 deleted).",
      #"{"event":"didChangeObject","type":"insert","object":"a","newIndexPath":[-5,9e99]}"#,
      #"{"event":"sections","controller":"c","moment":"willChange","sections":[{"name":"a","count":-5}]}"#,
    ] {
      guard let log = try? LogReader.read(Array(text.utf8), named: "log") else { continue }
      let diagnosis = Diagnosis(log)
      #expect(!diagnosis.lines.isEmpty)
      _ = try? ReproducingScript(diagnosis)
    }
  }
  /// Places, names and orders that no controller has.
  @Test(
    "Callbacks that contradict each other end in a diagnosis",
    arguments: [
      // An update's new index path names a section that does not exist.
      "controllerWillChangeContent:\ndidChange: update [0, 0] -> [1, 0]\n"
        + "controllerDidChangeContent:\nNSInternalInconsistencyException: attempt to delete row 1 "
        + "from section 0 which only contains 1 rows before the update",
      // Two sections have one name.
      #"{"event":"sections","controller":"books","moment":"fetch","sections":"#
        + #"[{"name":"A","objects":["Book/1"]},{"name":"A","objects":["Book/2"]}]}"#
        + "\nbooks willChangeContent\nbooks didChange object update Book/1 [0, 0]\n"
        + "books didChangeContent",
      // One row is listed twice.
      #"{"event":"sections","controller":"books","moment":"fetch","sections":"#
        + #"[{"name":"A","objects":["Book/1","Book/1"]}]}"#
        + "\nbooks willChangeContent\nbooks didChange object move Book/1 [0, 1] -> [0, 0]\n"
        + "books didChangeContent",
      // An inserted section has the name of one that stays.
      #"{"event":"sections","controller":"books","moment":"fetch","sections":"#
        + #"[{"name":"A","count":1},{"name":"B","count":1}]}"#
        + "\nbooks willChangeContent\nbooks didChange section insert 0 \"B\"\n"
        + "books didChange object insert Book/3 -> [0, 0]\nbooks didChangeContent",
    ])
  func contradictions(_ text: String) throws {
    let diagnosis = Diagnosis(try LogReader.read(Array(text.utf8), named: "log"))
    #expect(!diagnosis.lines.isEmpty)
    _ = try? ReproducingScript(diagnosis)
  }
}
