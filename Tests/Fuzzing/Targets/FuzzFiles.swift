import FetchedResults
import Foundation
import Platform
import ScriptRuntime
import ScriptSyntax
import Synchronization

/// The only file that a script of the fuzzer may read, and its limits.
///
/// There are no stores in files.
final class FuzzFiles: ScriptEnvironment, Sendable {
  private let name: String
  private let bytes: [UInt8]

  init(_ bytes: [UInt8] = [], named name: String = "") {
    self.name = name
    self.bytes = bytes
  }

  func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
    SourceText(name: path, bytes: try contents(at: path, from: includer))
  }

  func contents(at path: String, from includer: String) throws(UnreadableSource) -> [UInt8] {
    guard path == name else { throw UnreadableSource(reason: "no such file") }
    return bytes
  }

  /// A clock that stands still, and statements that stop after some work or much memory.
  ///
  /// The limit is a number of questions and no time, so that an input always does the same.
  static var evaluation: EvaluationEnvironment {
    var evaluation = EvaluationEnvironment(now: { Date(timeIntervalSince1970: 1_767_225_600) })
    evaluation.random = { 0.5 }
    let questions = Mutex(0)
    evaluation.isCancelled = {
      let count = questions.withLock { count in
        count += 1
        return count
      }
      return count > 20_000 || count % 256 == 0 && (OwnMemory.bytes ?? 0) > 1 << 30
    }
    return evaluation
  }
}
