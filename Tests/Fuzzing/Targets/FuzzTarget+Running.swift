import Foundation
import GoldenTesting
import Lessons
import LineEditor
import LogReplay
import Platform
import ScriptRuntime
import ScriptSyntax

/// Inputs that do something: they run, are graded, or are shown.
extension FuzzTarget {
  /// Runs a script as a test, in memory.
  func runTest(_ bytes: [UInt8], _ files: FuzzFiles = FuzzFiles()) {
    let test = PreparedTest(GoldenTest(source: SourceText(name: "fuzz.frc", bytes: bytes)))
    _ = GoldenRunner(
      environment: files, timeout: TimeLimit(.seconds(1), setBy: "--timeout"),
      limits: [
        ByteLimit(.memory, bytes: 64 << 20, setBy: "--max-memory"),
        ByteLimit(.output, bytes: 1 << 20, setBy: "--max-output"),
      ], takesTooMuch: { (OwnMemory.bytes ?? 0) > 2 << 30 }
    ).runs(of: test)
  }

  /// Imports a file: the first byte says whether it is JSON.
  func importRows(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let name = first == UInt8(ascii: "j") ? "rows.json" : "rows.csv"
    let script = """
      entity Author { name: String, books: [Book] inverse author, unique name }
      entity Book {
        title: String, pages: Int = 0, price: Decimal?, rating: Double?, isRead: Bool = NO
        published: Date?, code: UUID?, link: URI?, cover: Data?, author: Author? inverse books
      }
      try import "\(name)" into Book
      objects Book
      try save
      """
    runTest(Array(script.utf8), FuzzFiles(Array(bytes.dropFirst()), named: name))
  }

  /// Reads a log, explains it, and writes a script for it, which has to be valid.
  func readLog(_ bytes: [UInt8]) {
    var options = LogReader.Options()
    options.keepsReadings = true
    guard let log = try? LogReader.read(bytes, named: "fuzz.log", options) else { return }
    let diagnosis = Diagnosis(log)
    _ = diagnosis.lines
    _ = diagnosis.log.readingLines
    guard let script = try? ReproducingScript(diagnosis).text else { return }
    let parsed = ScriptParser.parse(SourceText(name: "fuzz.frc", text: script))
    precondition(!parsed.hasErrors, "the script of a log has errors:\n\(script)")
  }

  private var examiner: LessonExaminer {
    LessonExaminer(environment: { FuzzFiles() }, evaluation: FuzzFiles.evaluation)
  }

  func checkLesson(_ bytes: [UInt8]) {
    let source = SourceText(name: "fuzz.frc", bytes: bytes)
    let problems = LessonCheck(examiner).problems(in: source, named: "fuzz")
    _ = DiagnosticRenderer().render(problems, in: source)
  }

  private static let course = Course.builtIn

  /// Types lines in a lesson, whose number is the first byte.
  func answer(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let course = Self.course
    let dialog = CourseDialog(
      course, progress: CourseProgress(), examiner: examiner,
      index: Int(first) % course.lessons.count)
    _ = dialog.open()
    var entry = ""
    // `learn` reads lines that are text.
    for line in String(decoding: bytes.dropFirst(), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).prefix(40) {
      entry += entry.isEmpty ? line : "\n" + line
      guard dialog.isComplete(entry) else { continue }
      if dialog.take(entry).isOver { return }
      entry = ""
    }
  }

  /// Reads a learner's progress, and shows it.
  func readProgress(_ bytes: [UInt8]) {
    guard let progress = try? JSONDecoder().decode(LearnerProgress.self, from: Data(bytes)) else {
      return
    }
    let report = CourseReport(Self.course, progress[Self.course])
    _ = report.list
    _ = report.json
    _ = progress[Self.course].next(in: Self.course)
  }

  /// Reads a history as two sessions do, one after the other, and writes to it.
  func readHistory(_ bytes: [UInt8]) {
    let path =
      TemporaryFolder.parent + "/frc-fuzz-history-\(ProcessInfo.processInfo.processIdentifier)"
    guard (try? AtomicFile.write(bytes, to: path)) != nil else { return }
    let history = LineHistory(path: path)
    history.add("print 1")
    let entries = history.entries
    precondition(entries.last == "print 1", "an entry is not in the history")
    let again = LineHistory(path: path)
    precondition(again.entries.last == "print 1", "an entry is not in the history's file")
  }
}
