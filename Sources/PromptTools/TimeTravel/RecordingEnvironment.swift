import FetchedResults
import ScriptRuntime
import ScriptSyntax
import Synchronization

/// An environment that records its answers, or repeats recorded ones.
final class RecordingEnvironment: ScriptEnvironment {
  private let base: any ScriptEnvironment
  /// The answers since `record()`.
  private(set) var answers: [StatementInputs.Answer] = []
  private var replayed: ArraySlice<StatementInputs.Answer>?

  /// Whether the session must stop, even without Ctrl-C.
  private let isStopped: () -> Bool

  init(_ base: any ScriptEnvironment, isStopped: @escaping () -> Bool = { false }) {
    self.base = base
    self.isStopped = isStopped
  }

  func record() {
    answers = []
    replayed = nil
  }

  func replay(_ inputs: StatementInputs) {
    answers = []
    replayed = inputs.answers[...]
  }

  /// Whether Ctrl-C is ignored, as it is while a state is restored.
  var ignoresInterrupts = false

  var isInterrupted: Bool { isStopped() || !ignoresInterrupts && base.isInterrupted }

  /// A turn that runs again waits for no key press.
  func awaitStep(_ step: Int) -> Bool { replayed == nil && base.awaitStep(step) }

  var measuresTime: Bool { base.measuresTime }

  var memoryInUse: Int? { base.memoryInUse }

  func showProgress(_ progress: ImportProgress) {
    if replayed == nil { base.showProgress(progress) }
  }

  func endProgress() {
    if replayed == nil { base.endProgress() }
  }

  func source(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> SourceText {
    if case .source(let result)? = replayed?.popFirst() { return try result.get() }
    let result = Result { () throws(UnreadableSource) in
      try base.source(at: path, includedFrom: includer)
    }
    answers.append(.source(result))
    return try result.get()
  }

  func contents(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> [UInt8] {
    if case .contents(let result)? = replayed?.popFirst() { return try result.get() }
    let result = Result { () throws(UnreadableSource) in
      try base.contents(at: path, includedFrom: includer)
    }
    answers.append(.contents(result))
    return try result.get()
  }

  func reader(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> any PieceReader {
    if case .pieces(let result)? = replayed?.popFirst() {
      return ReplayedPieces(try result.get())
    }
    let reader: any PieceReader
    do {
      reader = try base.reader(at: path, includedFrom: includer)
    } catch {
      answers.append(.pieces(.failure(error)))
      throw error
    }
    let pieces = RecordedPieces()
    answers.append(.pieces(.success(pieces)))
    return PieceRecorder(reader, pieces)
  }

  func names(inFolder path: String, includedFrom includer: String) -> [String]? {
    if case .names(let names)? = replayed?.popFirst() { return names }
    let names = base.names(inFolder: path, includedFrom: includer)
    answers.append(.names(names))
    return names
  }

  /// The contents of a file cannot be restored, so nothing is recorded.
  func store(
    at path: String, includedFrom includer: String, isReadOnly: Bool,
    for model: ManagedObjectModel, migration: ScriptMigration?
  ) throws(StoreError) -> any PersistentStore {
    try base.store(
      at: path, includedFrom: includer, isReadOnly: isReadOnly, for: model, migration: migration)
  }

  func fits(
    of models: [ManagedObjectModel], storeAt path: String, includedFrom includer: String,
    isReadOnly: Bool
  ) -> [Int?] {
    base.fits(of: models, storeAt: path, includedFrom: includer, isReadOnly: isReadOnly)
  }

  func sectionCaches(for store: any PersistentStore) -> (any SectionCaches)? {
    base.sectionCaches(for: store)
  }
}

private final class PieceRecorder: PieceReader {
  private let base: any PieceReader
  private let pieces: RecordedPieces

  init(_ base: any PieceReader, _ pieces: RecordedPieces) {
    self.base = base
    self.pieces = pieces
  }

  var byteCount: Int? { base.byteCount }

  func read() throws(UnreadableSource) -> [UInt8]? {
    let result = Result { () throws(UnreadableSource) in try base.read() }
    pieces.results.withLock { $0.append(result) }
    return try result.get()
  }
}

private final class ReplayedPieces: PieceReader {
  private var rest: ArraySlice<Result<[UInt8]?, UnreadableSource>>

  init(_ pieces: RecordedPieces) { rest = pieces.results.withLock { $0[...] } }

  func read() throws(UnreadableSource) -> [UInt8]? { try rest.popFirst()?.get() }
}
