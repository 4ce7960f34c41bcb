import FetchedResults
import Foundation
import Lessons
import RepositoryFiles
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds

/// The lessons of the repository.
enum LessonFiles {
  /// The names of the lessons' files without their endings, sorted.
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".frc") }.map { String($0.dropLast(4)) }.sorted()

  private static let folder = RepositoryFiles.url("Examples/Lessons")

  static func text(_ name: String) throws -> String {
    String(
      decoding: try Data(contentsOf: folder.appendingPathComponent(name + ".frc")), as: UTF8.self)
  }

  /// An examiner whose sessions start like tests, with stores in a temporary folder.
  static var examiner: LessonExaminer { examiner(randomTurns: 1_000) }

  /// - Parameter randomTurns: The number of random turns that a fixed table has to follow.
  static func examiner(randomTurns: Int) -> LessonExaminer {
    var evaluation = EvaluationEnvironment(
      now: { Date(timeIntervalSince1970: 1_767_225_600) })
    evaluation.random = { 0.5 }
    return LessonExaminer(
      environment: { StoreFiles() }, evaluation: evaluation, randomTurns: randomTurns)
  }
}
