import Foundation
import ScriptSyntax

/// A lesson as it is handed to learners: without answers, wrong answers, hints and expected output.
///
/// The file still contains all of them, *sealed*: as Base64, so they are not read by accident.
/// `frc learn` opens the seal. It protects no secret: anyone can decode it.
package struct LessonHandout {
  private let lesson: Lesson

  package init(_ lesson: Lesson) { self.lesson = lesson }

  /// The lines that a learner may see.
  package var lines: [String] {
    var lines = ["#@ lesson \(lesson.kind.rawValue) \(lesson.title)"]
    lines += lesson.text.map(Self.comment)
    lines += [""] + lesson.world.lines
    if !lesson.broken.lines.isEmpty { lines += ["", "#@ broken"] + lesson.broken.lines }
    lines += ["", "#@ task " + (lesson.question.first ?? "")]
    lines += lesson.question.dropFirst().map(Self.comment)
    lines += lesson.kind == .mend || lesson.kind == .reach ? [] : lesson.task.lines
    if lesson.kind == .reach { lines += ["", "# The state to reach:"] + goal.map(Self.comment) }
    for (index, choice) in lesson.choices.enumerated() {
      let letter = String(UnicodeScalar(UInt8(97 + index % 26)))
      for (row, line) in choice.enumerated() {
        lines.append(Self.comment((row == 0 ? "\(letter)  " : "   ") + line))
      }
    }
    return lines
  }

  /// The text of a file for learners: what they may see, and the whole lesson sealed.
  package var sealedText: String {
    let source = lesson.script.source
    let text = Data((1...source.lineCount).map(source.text(ofLine:)).joined(separator: "\n").utf8)
    let seal = text.base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
    let sealed = seal.split(separator: "\n").map { "# " + $0 }
    let note = "# The rest of the lesson is for frc learn: answers and hints."
    return (lines + ["", note, "#@ sealed"] + sealed).joined(separator: "\n") + "\n"
  }

  private var goal: [String] {
    let script = lesson.script
    return script.groups.filter { lesson.goal.statements.contains($0.statements.lowerBound) }
      .flatMap { group in
        group.lines.map { "  " + script.source.text(ofLine: $0) }
          + group.expected.map { "    " + $0.text }
      }
  }

  private static func comment(_ line: String) -> String { line.isEmpty ? "#" : "# " + line }

  /// Returns the sealed lesson in a file; nil if there is none, or if it cannot be read.
  static func opened(_ lines: [String], named name: String) -> SourceText? {
    guard let data = Data(base64Encoded: lines.joined()),
      let text = String(data: data, encoding: .utf8)
    else { return nil }
    return SourceText(name: name, text: text)
  }
}
