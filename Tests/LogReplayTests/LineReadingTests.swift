import FetchedResults
import LogReplay
import Testing

/// What a line is taken for, and what follows from it.
@Suite("What lines are taken for")
struct LineReadingTests {
  private func log(_ text: String) throws -> DelegateLog {
    var options = LogReader.Options()
    options.keepsReadings = true
    return try LogReader.read(Array(text.utf8), named: "log", options)
  }

  private func diagnosis(_ text: String) throws -> Diagnosis { Diagnosis(try log(text)) }

  private func kinds(_ text: String) throws -> [LogMistake.Kind] {
    try diagnosis(text).mistakes.map(\.kind)
  }

  private func batch(_ lines: String...) -> String {
    (["controllerWillChangeContent"] + lines + ["controllerDidChangeContent"])
      .joined(separator: "\n")
  }

  // MARK: Quoted text

  @Test(
    "Quoted text is never read",
    arguments: [
      "\"Exception report\"", "\"Invalid update: x\"", "\"must be equal to\"", "\"Delete mail\"",
      "\"see [1, 2]\"", "“insert (0, 9)”", "'move it'", "\"path = 3 - 4\"", "«update»",
    ])
  func quotes(_ title: String) throws {
    let events = try log(batch("didChange anObject: \(title), for: insert, newIndexPath: [0, 1]"))
      .entries.map(\.event)
    guard events.count == 3, case .object(_, let change) = events[1] else {
      Issue.record("\(events)")
      return
    }
    #expect(change.type == .insert)
    #expect(change.old == nil)
    #expect(change.new == ResultsIndexPath(section: 0, row: 1))
  }

  @Test(
    "A number or a method before the callback is no argument of it",
    arguments: [
      "default\t04:15:00.123456+0100\tMyApp\t", "04:15:00.123456+0100\tBob's App\t",
      "FeedVC.log():4 - ", "FeedVC.update(): ", "Sprint 4: ", "4 ", "for user 4: ",
      "10:00:00 [Debug] [FeedVC.swift:41] update(_:with:) > ",
    ])
  func before(_ prefix: String) throws {
    let lines = [
      "didChange 2 Optional([0, 3]) nil", "didChange: 2 [0, 2]", "didChange delete [0, 1]",
    ]
    let text = (["controllerWillChangeContent"] + lines).map { prefix + $0 }
    let events = try log(text.joined(separator: "\n")).entries.dropFirst().map(\.event)
    let wanted = (1...3).reversed().map { row in
      LogEvent.object(
        controller: "controller",
        LogReplay.ObjectChange(
          type: .delete, object: nil, old: ResultsIndexPath(section: 0, row: row), new: nil))
    }
    #expect(events == wanted)
  }

  @Test("A callback in brackets after a level and a label is not the module of SwiftLog")
  func bracketsAfterLabel() throws {
    let lines = [
      "[controllerWillChangeContent]", "[didChange] delete [0, 3]", "[controllerDidChangeContent]",
    ].map { "2026-01-02T10:00:00+0000 info FeedVC: " + $0 }

    #expect(try log(lines.joined(separator: "\n")).entries.count == 3)
  }

  private static let prefixes = [
    "default\t11:48:18.027379+0200\tMyApp\t", "[12345] ", "MyApp[12345]: ", "12. ", "   12\t",
    "2023-06-09 11:48:18.027379+0200 Bob's App[95805:10650944] ", "10:00:00 AM ",
    "2023-06-09 11:48:18 CEST ", "Sat Jun  9 11:48:18 2023 ", "1709287200.123 ",
    "[1709287200.123] ", "[   12.345678] ", "-> ", "(lldb) ", "FeedVC.update(): ",
    "2023-06-09 11:48:18.027 [Debug] [FeedVC.swift:41] update(_:with:) > ",
    "11:48:18.027 VERBOSE FeedVC.controllerWork():12 - ", "{number = 1, name = main} ",
    "\u{1B}[;m", "\u{1B}[;31m",
    "\u{1B}[fg255,0,0;", "\u{1B}[bg1,2,3;\u{1B}[fg;10:00:00 \u{1B}[;",
    "2026-01-02T10:00:00+0000 info com.example.app : [Module] ",
    "2026-01-02T10:00:00+0000 info com.example.my-app: id=4 user=ann [My_Module] ",
  ]

  @Test("An exception and the numbers of rows are found after any prefix", arguments: prefixes)
  func prefixed(_ prefix: String) throws {
    let reason =
      "attempt to delete row 3 from section 0 which only contains 3 rows before the update"
    let terminating = "Terminating app due to uncaught exception 'NSRangeException', reason: "
    for text in [
      "*** \(terminating)'\(reason)'",
      "CoreData: error: Serious application error.  An exception was caught from the delegate of "
        + "NSFetchedResultsController during a call to -controllerDidChangeContent:.  \(reason) "
        + "with userInfo (null)",
    ] {
      guard case .exception(let exception)? = try log(prefix + text).entries.first?.event else {
        Issue.record("no exception in \(prefix + text)")
        continue
      }
      #expect(exception.error != nil)
      #expect(exception.name == (text.hasPrefix("***") ? "NSRangeException" : nil))
    }
    let lines = ["sections: [3]", "controllerWillChangeContent", "didChange 2 [0, 3]"]
    let events = try log(lines.map { prefix + $0 }.joined(separator: "\n")).entries.map(\.event)
    #expect(events.count == 3)
    guard case .sections(_, .printed, let sections)? = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(sections.sections.map(\.count) == [3])
  }

  @Test(
    "An opening in a quoted text, and a list after other words, are not read",
    arguments: [
      "title \"*** Terminating app due to uncaught exception 'X', reason: 'y'\"",
      "the new sections: [1, 2]", "tabs, sections: [1, 2]", "titles(sections: [1, 2])",
    ])
  func inText(_ line: String) throws {
    #expect(try log(batch("didChange: insert [0, 1]") + "\n" + line).entries.count == 3)
  }

  @Test(
    "An insert after a name has a new index path",
    arguments: ["books ", "10:00:00 AM ", "2023-06-09 11:48:18 CEST books "])
  func named(_ prefix: String) throws {
    let lines = [
      "sections: [2]", "willChangeContent", "didChange object insert [0, 2]", "didChangeContent",
      "sections: [3]",
    ]
    let text = lines.map { prefix + $0 }.joined(separator: "\n")
    let diagnosis = try diagnosis(text)
    #expect(diagnosis.mistakes.isEmpty)
    #expect(diagnosis.batches.count == 1)
    #expect(diagnosis.log.counts.notUnderstood == 0)
    let controllers = Set(diagnosis.batches.map(\.controller))
    #expect(controllers == [prefix.hasSuffix("books ") ? "books" : "controller"])
  }

  @Test("A title without quotation marks that names a change is not guessed at")
  func unquoted() throws {
    let log = try log(batch("didChangeObject Delete mail insert [0, 3]"))
    #expect(log.unread.map(\.line) == [2])
    #expect(log.counts.notUnderstood == 1)
  }

  // MARK: Formats

  @Test(
    "A callback is read in formats of logging libraries",
    arguments: [
      "2026-01-02 10:00:00.123456+0100 App[123:456] [FRC] delete [0, 3]",
      "2026-01-02T10:00:00Z DEBUG: delete [0, 3]", "\u{1B}[31mERROR\u{1B}[0m | delete [0, 3]",
      "🔴 [BooksVC.swift:42] deleted [0, 3]", "Jan  2 10:00:00 host App[12]: Deletion at [0, 3]",
      "D/Books: deleting row [0, 3]", "[main] > .delete [0, 3]", "Removed [section: 0, row: 3]",
      "row [0, 3] deleted", "Deleted row 3 in section 0", "type: Delete, indexPath: (0, 3)",
      "0x1f2e: didChange(.delete, at: [0, 3])", "BooksVC: delete [row: 3, section: 0]",
    ])
  func formats(_ line: String) throws {
    let events = try log(batch(line)).entries.map(\.event)
    guard events.count == 3, case .object(_, let change) = events[1] else {
      Issue.record("\(events)")
      return
    }
    #expect(change.type == .delete)
    #expect(change.old == ResultsIndexPath(section: 0, row: 3))
    #expect(change.new == nil)
  }

  @Test(
    "A line in a batch that names a change is counted if it cannot be read",
    arguments: [
      "a row was put at [0, 3]", "didChangeObject type=0 indexPath=[0, 1]", "insert",
      "didChangeObject: move [0, 3]", "insert [0, 1] [0, 2] [0, 3]",
    ])
  func unread(_ line: String) throws {
    let log = try log(batch(line))
    #expect(log.unread.map(\.line) == [2])
    #expect(log.counts.read == 2 && log.counts.notUnderstood == 1)
    #expect(Diagnosis(log).verdict == .notEnough)
  }

  @Test("What a line may be that was not understood is not called missing")
  func mayBeMissing() throws {
    let text = batch("sections: [2]", "didChange: insert [0, 2]", "a row went from [0, 0]")
    let diagnosis = try diagnosis(text + "\nsections: [2]")
    #expect(diagnosis.mistakes.isEmpty)
    #expect(diagnosis.verdict == .notEnough)
    #expect(
      try kinds(batch("sections: [2]", "didChange: insert [0, 2]") + "\nsections: [2]") == [
        .wrongNumbers
      ])
  }

  @Test("Messages of the app beside callbacks are not callbacks")
  func messages() throws {
    let log = try log(
      batch(
        "didChangeObject type=1 newIndexPath=[0, 2]", "inserting row [0, 2]",
        "Updated the label of the cell")
        + "\nDeleted [0, 9] from the cache")
    #expect(log.entries.count == 3)
    #expect(log.readings[2] == .ignored(.echo(of: 2)))
    #expect(log.readings[5] == .ignored(.message))
    let moves = try self.log(
      batch(
        "didChange: move [0, 1] -> [0, 3]", "moved row [0, 1] to [0, 3]",
        "didChange: insert [0, 1]", "inserting [0, 1]"))
    #expect(moves.readings[2] == .ignored(.echo(of: 2)))
    #expect(moves.readings[4] == .ignored(.echo(of: 4)))
  }

  @Test("An object's description may take several lines")
  func description() throws {
    let log = try log(
      batch(
        "didChangeObject: <Book: 0x6> (entity: Book; id: 0x8 <x-coredata://S/Book/p7>; data: {",
        "    kind = insert;", "    title = \"delete [4, 5]\";", "}) type: 4 indexPath: [0, 1]"))
    guard case .object(_, let change) = log.entries[1].event else {
      Issue.record("\(log.entries)")
      return
    }
    #expect(
      change
        == LogReplay.ObjectChange(
          type: .update, object: "Book/p7", old: ResultsIndexPath(section: 0, row: 1), new: nil))
    #expect(log.readings[2] == .part(of: 2))
  }

  @Test("What frc explains and shows is no callback")
  func explained() throws {
    let log = try log(
      """
      books willChangeContent
      books didChange object insert Book/2 "b" -> [0, 1]
      books didChangeContent
      turn: insert Book(title: "b")
      books didChange object insert Book/2 "b" -> [0, 1]
        rule created: the object is new
        after: [0, 1], last, after Book/1
      not called: books didChange section insert 0 "A"
        rule section-filled: it has its first row
      section 0 "Italian" 1 object
        [0, 0] Book/1 "a"
      section 1 "Swiss" 2 objects
        [1, 0] Book/2 "b"
      section 0 "" 0 objects
      rule created: this line follows no callback
      """)
    #expect(log.entries.map(\.line) == [1, 2, 3, 10, 14])
    #expect(log.unread.isEmpty)
    guard case .sections(_, .other, let sections) = log.entries[3].event else {
      Issue.record("\(log.entries)")
      return
    }
    #expect(sections.counts == [1, 2])
    #expect(sections.sections.map(\.name) == ["Italian", "Swiss"])
    #expect(log.readings[11] == .part(of: 10))
    #expect(Diagnosis(log).mistakes.isEmpty)
    let other = try self.log(
      """
      controllerWillChangeContent
      didChange object A at [0, 1] for insert newIndexPath nil
      rule engine: evaluated 3 conditions
      controllerDidChangeContent
      """)
    #expect(other.entries.map(\.line) == [1, 2, 4])
    let counts = try self.log("books counts inserts 1, deletes 0, moves 0, updates 0")
    #expect(counts.entries.map(\.event) == [.whole(controller: "books")])
  }

  // MARK: Exceptions

  @Test(
    "An exception is always named",
    arguments: [
      "*** Terminating app due to uncaught exception 'AppException', reason: 'x'",
      "Fatal Exception: AppException\nx", "AppException: x", "Uncaught exception: AppException: x",
      "2026-01-02 10:00:00.1 App[1:2] *** Terminating app due to uncaught exception "
        + "'AppException', reason: 'x'\n*** First throw call stack:\n(0x1 0x2)",
      "failed: caught \"AppException\", \"x\"",
    ])
  func names(_ text: String) throws {
    let log = try log(text)
    guard case .exception(let exception) = log.entries.first?.event else {
      Issue.record("no exception")
      return
    }
    #expect(exception.name == "AppException")
    #expect(exception.reason == "x")
    #expect(exception.meaning == .unknown)
    #expect(log.entries.count == 1)
  }

  @Test(
    "An exception of frc itself is known",
    arguments: [
      "to-many key not allowed here", "no section at index 4",
      "cannot access fetched objects before -performFetch:",
      "no object at index 2 in section at index 0",
    ])
  func ownExceptions(_ reason: String) throws {
    let log = try log("error: NSInvalidArgumentException: \(reason)")
    guard case .exception(let exception) = log.entries.first?.event else {
      Issue.record("no exception")
      return
    }
    #expect(exception.meaning != .unknown)
  }

  @Test(
    "An error event of frc is read like the line of its text output",
    arguments: [
      "NSInvalidArgumentException: to-many key not allowed here",
      "NSInternalInconsistencyException: frc does not know this",
      "NSCocoaErrorDomain 134060: The fetched object at index 2 has an out of order section name "
        + "'B. Objects must be sorted by section name'",
      "unknown name 'boks'",
    ])
  func errorEvents(_ message: String) throws {
    let show = #"{"event":"show","controller":"books","sections":[]}"#
    let event = #"{"event":"error","message":"\#(message)","file":"a.frc","line":1}"#
    let text = try log("books willChangeContent\nerror: \(message)\nbooks didChangeContent")
    let json = try log("books willChangeContent\n\(event)\nbooks didChangeContent\n\(show)")
    #expect(text.entries == json.entries.dropLast())
    // The console prints an exception of a fetch as well.
    let both = try log("console: \(message)\n\(event)\n\(event)\n\(show)")
    #expect(both.entries.count == (message.hasPrefix("unknown") ? 1 : 2))
  }

  @Test("What an observer publishes is no callback beside those of a controller")
  func published() throws {
    let insert = #""event":"didChangeObject","type":"insert","object":"A/1","newIndexPath":[0,0]"#
    let published = #"{\#(insert),"controller":"seen","published":true}"#
    let lines = ["books willChangeContent", "books didChangeContent"]
    #expect(try kinds(([published] + lines + [published]).joined(separator: "\n")) == [])
    let beside = try log((lines + [published]).joined(separator: "\n"))
    #expect(beside.entries.count == 2)
    #expect(beside.readings.last == .ignored(.message))
    #expect(try log(published).entries.count == 1)
  }

  @Test(
    "A sentence is found after a label, at the end of a name, and without its beginning",
    arguments: [
      "Application Specific Information: *** Terminating app due to uncaught exception 'X', reason: "
        + "'attempt to delete row 3 from section 0 which only contains 3 rows before the update'",
      "Fatal Exception: NSInternalInconsistencyExceptionattempt",
      "Fatal Exception: NSInternalInconsistencyExceptionInvalid update: invalid number of sections.",
      "ws contained in that section before the update (1), plus or minus the number of rows inserted "
        + "or deleted from that section (602 inserted, 0 deleted)",
      "Thread : Fatal Exception: NSRangeException\nindex 3 beyond bounds [0 .. 2]",
    ])
  func labels(_ text: String) throws {
    guard case .exception(let exception) = try log(text).entries.first?.event else {
      Issue.record("no exception in \(text)")
      return
    }
    let isUnknown = exception.meaning == .unknown
    #expect(isUnknown == text.hasSuffix("Exceptionattempt"), "\(exception)")
    if text.hasPrefix("Fatal Exception: NSInternal"), !isUnknown {
      #expect(exception.name == "NSInternalInconsistencyException")
      #expect(exception.reason.hasPrefix("Invalid update"))
    }
  }

  @Test("The lines after an exception are read again")
  func afterException() throws {
    let log = try log(
      "Fatal Exception: AppException\nthe first line\nand the second\n"
        + "0  CoreFoundation 0x185b63d38 __exceptionPreprocess\n\n"
        + batch("didChange: insert [0, 1]"))
    #expect(log.entries.count == 4)
    guard case .exception(let exception) = log.entries[0].event else { return }
    #expect(exception.reason == "the first line and the second")
  }

  @Test("A second exception is not a part of the first")
  func twoExceptions() throws {
    let log = try log(
      "Invalid update: invalid number of rows in section 0.\n"
        + "attempt to delete row 3 from section 0 which only contains 3 rows before the update")
    #expect(log.entries.map(\.line) == [1, 2])
  }

  // MARK: Without sections

  @Test(
    "Index paths are checked without sections",
    arguments: [
      "books didChange object insert Book/1 [0, 3] -> [0, 3]",
      "books didChange object delete Book/1 [0, 3] -> [0, 3]",
      "didChange type: 4 indexPath: nil newIndexPath: nil",
      "books didChange object update Book/1", "books didChange object insert Book/1 \"Dune\"",
    ])
  func paths(_ line: String) throws {
    let name = line.hasPrefix("books") ? "books " : "controller"
    let first = name == "books " ? "books willChangeContent" : "controllerWillChangeContent"
    let last = name == "books " ? "books didChangeContent" : "controllerDidChangeContent"
    let diagnosis = try diagnosis("\(first)\n\(line)\n\(last)")
    #expect(diagnosis.mistakes.map(\.kind) == [.wrongPaths])
    #expect(!diagnosis.lines.contains { $0.hasSuffix(" ") }, "\(diagnosis.lines)")
  }

  @Test("Two callbacks about one place are found without sections")
  func places() throws {
    #expect(
      try kinds(batch("didChange: delete [0, 1]", "didChange: update [0, 1]")) == [
        .repeatedCallback
      ])
    #expect(
      try kinds(batch("didChange: insert [0, 1]", "didChange: move [0, 0] -> [0, 1]"))
        == [.repeatedCallback])
  }

  @Test("Only an update and a move of one row are explained as a move that old systems report")
  func explainedPlaces() throws {
    let moved = try diagnosis(batch("didChange: update [0, 1]", "didChange: move [0, 1] -> [0, 3]"))
    #expect(moved.lines.contains { $0.contains("rule update-and-move") }, "\(moved.lines)")
    let deleted = try diagnosis(batch("didChange: delete [0, 1]", "didChange: update [0, 1]"))
    let said = deleted.lines.joined(separator: "\n")
    #expect(said.contains("\n    Ignore the update of a row that is deleted.\n"), "\(said)")
    #expect(!said.contains("move"), "\(said)")
  }

  @Test("Operations are compared with callbacks without sections")
  func operations() throws {
    func log(_ operations: String...) -> String {
      ([
        "books willChangeContent", "books beginUpdates",
        "books didChange object insert Book/1 -> [0, 3]",
      ]
        + operations + ["books didChangeContent", "books endUpdates"]).joined(separator: "\n")
    }
    #expect(try kinds(log()) == [.missingOperation])
    #expect(try kinds(log("books insertRows [0, 3]")) == [])
    #expect(
      try kinds(log("books insertRows [0, 3]", "books deleteRows [0, 0]")) == [.unaskedOperation])
    #expect(try diagnosis(log()).mistakes.first?.consequence == nil)
  }

  @Test("Operations after a crash are not called missing")
  func operationsAfterCrash() throws {
    func turn(_ row: Int, _ operation: String) -> String {
      """
      books willChangeContent
      books beginUpdates
      books didChange object insert Book/\(row) -> [0, \(row)]
      \(operation)
      books didChangeContent
      books endUpdates
      attempt to delete row \(row + 5) from section 0 which only contains 3 rows before the update

      """
    }
    let text = turn(3, "") + turn(4, "books insertRows [0, 4]")
    let said = try diagnosis(text).lines.joined(separator: "\n")
    #expect(said.contains("The app's operations were not checked, because the table"), "\(said)")
    #expect(!said.contains("does not show which operations"), "\(said)")
    let first = try diagnosis(turn(4, "books insertRows [0, 4]")).lines.joined(separator: "\n")
    #expect(first.contains("found no mistake in the operations that the log shows"), "\(first)")
    let none = turn(4, "").replacing("books beginUpdates\n", with: "")
      .replacing("books endUpdates\n", with: "")
    #expect(
      try diagnosis(none).lines.contains { $0.contains("does not show which operations the app") })
  }

  @Test("Callbacks are called consistent only if they were compared with sections")
  func verdict() throws {
    let text = batch("sections: [1]", "didChange: insert [0, 1]")
    #expect(try diagnosis(batch("didChange: insert [0, 1]")).verdict == .notEnough)
    #expect(
      try diagnosis("controllerWillChangeContent\ndidChange insert [0, 3]").verdict == .notEnough)
    #expect(try diagnosis(text + "\nsections: [2]").mistakes.isEmpty)
    #expect(try diagnosis(text + "\nsections: [3]").verdict == .inconsistent)
  }

  // MARK: Controllers

  @Test("Lines with two threads or levels are of one controller")
  func oneController() throws {
    let log = try log(
      "[main] DEBUG: controllerWillChangeContent\n[Thread 3] INFO: insert [0, 1]\n"
        + "[Table] update [0, 0]\n[main] ERROR: controllerDidChangeContent")
    #expect(Diagnosis(log).batches.map(\.controller) == ["controller"])
    #expect(Diagnosis(log).batches.first?.callbacks.count == 2)
  }

  @Test("A plain name before each line tells two controllers apart")
  func plainNames() throws {
    func log(_ names: [String]) -> String {
      [
        "controllerWillChangeContent\nsections: [2]", "didChange delete [0, 0]",
        "didChange section insert 1", "didChange insert [1, 0]",
        "controllerDidChangeContent\nsections: [1, 1]",
      ].flatMap { lines in names.map { $0 + lines.replacing("\n", with: "\n" + $0) } }
        .joined(separator: "\n")
    }
    let two = try diagnosis(log(["BooksVC ", "NotesVC "]))
    #expect(two.batches.map(\.controller) == ["BooksVC", "NotesVC"])
    #expect(two.batches.map(\.callbacks.count) == [3, 3])
    #expect(two.batches.allSatisfy { $0.before?.counts == [2] && $0.after?.counts == [1, 1] })
    #expect(two.mistakes.isEmpty, "\(two.lines)")
    let one = try diagnosis(log(["BooksVC "]))
    #expect(one.batches.map(\.callbacks.count) == [3])
    #expect(one.mistakes.isEmpty, "\(one.lines)")
    // A level and a thread name no controller.
    let levels = try diagnosis(log([""]).replacing("controllerDid", with: "main controllerDid"))
    #expect(levels.batches.map(\.controller) == ["controller"])
    // Nor does a word before a list of other sections.
    let more = try diagnosis(log([""]) + "\ncollapsed sections: [1]\n" + log([""]))
    #expect(more.batches.allSatisfy { $0.before?.counts == [2] && $0.after?.counts == [1, 1] })
  }

  @Test("Operations of two tables belong to their own controllers")
  func tables() throws {
    let lines = [
      "a willChangeContent", "a beginUpdates", "b willChangeContent", "b beginUpdates",
      "a didChange object insert A/1 -> [0, 0]", "a insertRows [0, 0]",
      "b didChange object delete B/1 [0, 0]", "b deleteRows [0, 0]", "a didChangeContent",
      "a endUpdates", "b didChangeContent", "b endUpdates",
    ]
    let diagnosis = try diagnosis(lines.joined(separator: "\n"))
    #expect(diagnosis.mistakes.isEmpty)
    #expect(diagnosis.batches.map(\.operations.count) == [3, 3])
  }

  // MARK: Limits

  @Test("Reading stops at the limit")
  func limit() throws {
    var options = LogReader.Options()
    options.limit = 50
    let text = "books willChangeContent\nbooks didChange object insert Book/1 -> [0, 0]\n"
    let log = try LogReader.read(Array(text.utf8), named: "log", options)
    #expect(log.stop?.line == 2 && log.stop?.limit == 50)
    #expect(log.entries.count == 1)
    let lines = Diagnosis(log).lines.joined(separator: "\n")
    #expect(lines.contains("Reading stopped before line 2"))
    #expect(lines.contains("line 1: reading stopped at the limit before controllerDidChange"))
    #expect(!lines.contains("the log ends before"))
  }

  private func cut(_ text: String, before end: String) throws -> Diagnosis {
    var options = LogReader.Options()
    let place = try #require(text.firstRange(of: end)).lowerBound
    options.limit = text.utf8.distance(from: text.startIndex, to: place)
    return Diagnosis(try LogReader.read(Array(text.utf8), named: "log", options))
  }

  @Test("What may come after the limit is not called missing")
  func afterLimit() throws {
    let collected = "a willChangeContent\na didChange object insert A/1 -> [0, 0]\n"
    let operations = "a beginUpdates\na insertRows [0, 0]\na endUpdates\n"
    let text = collected + "a didChangeContent\n" + operations
    #expect(try cut(text, before: "a beginUpdates").mistakes.isEmpty)
    #expect(try cut(text, before: "a insertRows").mistakes.isEmpty)
    #expect(try cut(text, before: "a endUpdates").mistakes.isEmpty)
    // The outer batch ends after the limit.
    let nested = collected + text + "b willChangeContent\na didChangeContent\n"
    #expect(try cut(nested, before: "b will").mistakes.isEmpty)
  }

  @Test("An exception whose numbers come after the limit is not called cut")
  func exceptionAtLimit() throws {
    let text =
      "a willChangeContent\n*** Terminating app due to uncaught exception 'X', reason: 'Invalid update: "
      + "invalid number of rows in section 0.\nThe number of rows contained\n"
    let lines = try cut(text, before: "The number").lines.joined(separator: "\n")
    #expect(
      lines.contains("line 2: reading stopped at the limit, before the end of this exception"))
    #expect(!lines.contains("Copy the whole sentence"))
  }

  @Test("A log without events before the limit says so")
  func nothingBeforeLimit() throws {
    #expect(
      throws: UnreadableLog(
        reason:
          "no callback and no exception was found before line 2, where reading stopped at the "
          + "limit of 6 bytes; --limit raises it")
    ) { try cut("hello\na willChangeContent\n", before: "a will") }
  }
}
