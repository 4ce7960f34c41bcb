import Foundation
import FuzzTargets
import RepositoryFiles
import Testing

/// Inputs for which fuzzing reached different code, and those that once crashed the program.
@Suite("Inputs of the fuzzer")
struct CorpusTests {
  @Test("every target reads its inputs", arguments: FuzzTarget.allCases)
  func corpus(target: FuzzTarget) throws {
    let folder = RepositoryFiles.url("Tests/Fuzzing/Corpus/\(target.rawValue)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)

    #expect(!names.isEmpty)
    for name in names.sorted() {
      target.read(Array(try Data(contentsOf: folder.appendingPathComponent(name))))
    }
  }
}
