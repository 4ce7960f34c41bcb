import Basics
package import ScriptSyntax

/// A test for a worker.
package struct WorkerTask {
  package let number: Int
  package let test: GoldenTest

  package init(number: Int, test: GoldenTest) {
    self.number = number
    self.test = test
  }

  package init(_ reader: inout WireReader) throws(WireReader.Malformed) {
    number = try reader.number()
    let source = try reader.source()
    let golden = try reader.optional { reader throws(WireReader.Malformed) in try reader.source() }
    let lines = try reader.optional { reader throws(WireReader.Malformed) in
      Set(try reader.list { reader throws(WireReader.Malformed) in try reader.number() })
    }
    test = GoldenTest(source: source, golden: golden, lines: lines)
  }

  package func write(to writer: inout WireWriter) {
    writer.write(number)
    writer.write(test.file)
    writer.write(test.golden) { $0.write($1) }
    writer.write(test.lines?.sorted()) { $0.write($1) { $0.write($1) } }
  }
}

/// An answer of a worker.
package enum WorkerAnswer {
  /// The runs of a test.
  case result(number: Int, runs: [GoldenRun])
  /// The worker crashed in a test; the runs contain the output until then.
  case crash(number: Int, runs: [GoldenRun])

  /// The first byte of a message, which is its kind.
  private enum Kind: UInt8 {
    case result = 1
    case crash = 2
  }

  /// The first byte of a step in a running test, as it is written after a crash.
  fileprivate enum Step: UInt8 {
    case run = 1
    case block = 2
    case lines = 3
  }

  /// - Parameter script: The text of a test, which is not sent back.
  package init(
    _ reader: inout WireReader, script: (Int) -> SourceText?
  ) throws(WireReader.Malformed) {
    guard let kind = Kind(rawValue: try reader.byte()) else { throw WireReader.Malformed() }
    let number = try reader.number()
    switch kind {
    case .result:
      let text = script(number)
      self = .result(
        number: number,
        runs: try reader.list { reader throws(WireReader.Malformed) in try reader.run(text) })
    case .crash: self = .crash(number: number, runs: reader.steps())
    }
  }

  /// Returns the message with the runs of a test.
  ///
  /// - Parameter script: The text of the test, which is not sent back.
  package static func message(
    result runs: [GoldenRun], of number: Int, script: SourceText
  ) -> [UInt8] {
    var writer = WireWriter()
    writer.write(Kind.result.rawValue)
    writer.write(number)
    writer.write(runs) { $0.write($1, script) }
    return writer.framed()
  }

  /// Returns the beginning of the message that a process leaves if it crashes in a test.
  ///
  /// The steps follow it. Its length is unknown, so it extends to the end of the stream.
  package static func crashMessage(of number: Int) -> [UInt8] {
    var writer = WireWriter()
    writer.write(Kind.crash.rawValue)
    writer.write(number)
    return [UInt8](repeating: 0xFF, count: 4) + writer.bytes
  }

  /// Returns the bytes of a step in a message about a crash.
  package static func bytes(of step: GoldenRunner.Step) -> [UInt8] {
    var writer = WireWriter()
    switch step {
    case .run(let store):
      writer.write(Step.run.rawValue)
      writer.write(store.rawValue)
    case .block: writer.write(Step.block.rawValue)
    case .lines(let lines):
      writer.write(Step.lines.rawValue)
      writer.write(lines) { $0.write($1) }
    }
    return writer.bytes
  }
}

// MARK: - Parts

extension WireWriter {
  package mutating func write(_ source: SourceText) {
    write(source.name)
    write(source.bytes)
    write(source.isQuotable)
  }

  package mutating func write(_ limit: TimeLimit) {
    write(limit.duration)
    write(limit.setting)
  }

  package mutating func write(_ limit: ByteLimit) {
    write(limit.resource.rawValue)
    write(limit.bytes)
    write(limit.setting)
  }

  package mutating func write(_ duration: Duration) {
    let (seconds, rest) = duration.components
    write(Int(seconds))
    write(Int(rest / 1_000_000_000))
  }

  package mutating func write(_ run: GoldenRun, _ script: SourceText) {
    write(run.store.rawValue)
    write(run.blocks) { writer, block in
      writer.write(block.output) { $0.write($1) }
      writer.write(block.breaches) { $0.write($1) }
      writer.write(block.reasons) { $0.write($1) }
      writer.write(block.isPredicted)
      writer.write(block.isSkipped)
      writer.write(block.error) { $0.write($1, script) }
    }
    switch run.end {
    case .finished: write(0 as UInt8)
    case .uncaught(let error):
      write(1 as UInt8)
      write(error, script)
    case .timedOut(let limit):
      write(2 as UInt8)
      write(limit)
    case .exceeded(let limit):
      write(3 as UInt8)
      write(limit)
    case .crashed(let reason):
      write(4 as UInt8)
      write(reason)
    case .stopped: write(5 as UInt8)
    }
    write(run.limit)
    write(run.duration)
  }

  private mutating func write(_ error: GoldenRun.UncaughtError, _ script: SourceText) {
    let diagnostic = error.diagnostic
    write(diagnostic.severity.rawValue)
    write(diagnostic.message)
    write(diagnostic.range.lowerBound)
    write(diagnostic.range.upperBound)
    write(diagnostic.replacement) { $0.write($1) }
    // The receiver already has the script itself.
    write(error.source == script ? nil : error.source) { $0.write($1) }
  }
}

extension WireReader {
  package mutating func source() throws(Malformed) -> SourceText {
    SourceText(name: try text(), bytes: try data(), isQuotable: try truth())
  }

  package mutating func texts() throws(Malformed) -> [String] {
    try list { reader throws(Malformed) in try reader.text() }
  }

  package mutating func store() throws(Malformed) -> TestStore {
    guard let store = TestStore(rawValue: try text()) else { throw Malformed() }
    return store
  }

  package mutating func timeLimit() throws(Malformed) -> TimeLimit {
    TimeLimit(try duration(), setBy: try text())
  }

  package mutating func byteLimit() throws(Malformed) -> ByteLimit {
    guard let resource = ByteLimit.Resource(rawValue: try text()) else { throw Malformed() }
    return ByteLimit(resource, bytes: try number(), setBy: try text())
  }

  private mutating func duration() throws(Malformed) -> Duration {
    let seconds = try number()
    return .seconds(seconds) + .nanoseconds(try number())
  }

  package mutating func run(_ script: SourceText?) throws(Malformed) -> GoldenRun {
    var run = GoldenRun(store: try store())
    run.blocks = try list { reader throws(Malformed) in
      var block = GoldenRun.Block(
        output: try reader.list { reader throws(Malformed) in try reader.text() },
        breaches: try reader.list { reader throws(Malformed) in try reader.text() })
      block.reasons = try reader.list { reader throws(Malformed) in try reader.text() }
      block.isPredicted = try reader.truth()
      block.isSkipped = try reader.truth()
      block.error = try reader.optional { reader throws(Malformed) in try reader.error(script) }
      return block
    }
    switch try byte() {
    case 0: run.end = .finished
    case 1: run.end = .uncaught(try error(script))
    case 2: run.end = .timedOut(try timeLimit())
    case 3: run.end = .exceeded(try byteLimit())
    case 4: run.end = .crashed(try text())
    case 5: run.end = .stopped
    default: throw Malformed()
    }
    run.limit = try timeLimit()
    run.duration = try duration()
    return run
  }

  private mutating func error(_ script: SourceText?) throws(Malformed) -> GoldenRun.UncaughtError {
    guard let severity = Diagnostic.Severity(rawValue: try text()) else { throw Malformed() }
    let message = try text()
    let start = try number()
    let end = try number()
    guard start <= end else { throw Malformed() }
    let replacement = try optional { reader throws(Malformed) in try reader.text() }
    let source = try optional { reader throws(Malformed) in try reader.source() }
    guard let source = source ?? script else { throw Malformed() }
    return GoldenRun.UncaughtError(
      diagnostic: Diagnostic(
        severity: severity, message: message, range: start..<end, replacement: replacement),
      source: source)
  }

  /// Reads the runs of a test as far as they came; the last step may be incomplete.
  package mutating func steps() -> [GoldenRun] {
    var runs: [GoldenRun] = []
    do {
      while !isAtEnd {
        switch WorkerAnswer.Step(rawValue: try byte()) {
        case .run: runs.append(GoldenRun(store: try store()))
        case .block where !runs.isEmpty: runs[runs.count - 1].blocks.append(GoldenRun.Block())
        case .lines where runs.last?.blocks.isEmpty == false:
          let lines = try list { reader throws(Malformed) in try reader.text() }
          let block = runs[runs.count - 1].blocks.count - 1
          runs[runs.count - 1].blocks[block].output += lines
        case .block, .lines, nil: return runs
        }
      }
    } catch {
      // An incomplete step is dropped.
    }
    return runs
  }
}

/// Encodes messages between two processes of the program as bytes.
package struct WireWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ byte: UInt8) { bytes.append(byte) }

  /// Writes a number; small numbers take few bytes.
  package mutating func write(_ number: Int) {
    var rest = UInt64(bitPattern: Int64(number))
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func write(_ bytes: [UInt8]) {
    write(bytes.count)
    self.bytes += bytes
  }

  package mutating func write(_ text: String) {
    write(text.utf8.count)
    bytes.append(utf8: text)
  }

  package mutating func write(_ truth: Bool) { bytes.append(truth ? 1 : 0) }

  package mutating func write<Element>(
    _ elements: some Collection<Element>, _ body: (inout WireWriter, Element) -> Void
  ) {
    write(elements.count)
    for element in elements { body(&self, element) }
  }

  package mutating func write<Wrapped>(
    _ value: Wrapped?, _ body: (inout WireWriter, Wrapped) -> Void
  ) {
    write(value != nil)
    if let value { body(&self, value) }
  }

  /// Returns a message: the length of the written bytes, followed by the bytes.
  package func framed() -> [UInt8] {
    withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { Array($0) } + bytes
  }
}

/// Decodes what a ``WireWriter`` wrote.
package struct WireReader {
  /// The bytes are not a message.
  package struct Malformed: Error {}

  private let bytes: ArraySlice<UInt8>
  private var place: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    place = bytes.startIndex
  }

  /// Whether everything was read.
  package var isAtEnd: Bool { place == bytes.endIndex }

  package mutating func byte() throws(Malformed) -> UInt8 {
    guard place < bytes.endIndex else { throw Malformed() }
    defer { place += 1 }
    return bytes[place]
  }

  package mutating func number() throws(Malformed) -> Int {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      guard shift < 64 else { throw Malformed() }
      result |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return Int(Int64(bitPattern: result)) }
      shift += 7
    }
  }

  private mutating func piece() throws(Malformed) -> ArraySlice<UInt8> {
    let count = try number()
    guard count >= 0, count <= bytes.endIndex - place else { throw Malformed() }
    defer { place += count }
    return bytes[place..<place + count]
  }

  package mutating func data() throws(Malformed) -> [UInt8] { Array(try piece()) }

  package mutating func text() throws(Malformed) -> String {
    String(decoding: try piece(), as: UTF8.self)
  }

  package mutating func truth() throws(Malformed) -> Bool { try byte() != 0 }

  package mutating func list<Element>(
    _ body: (inout WireReader) throws(Malformed) -> Element
  ) throws(Malformed) -> [Element] {
    var elements: [Element] = []
    for _ in 0..<max(0, try number()) { elements.append(try body(&self)) }
    return elements
  }

  package mutating func optional<Wrapped>(
    _ body: (inout WireReader) throws(Malformed) -> Wrapped
  ) throws(Malformed) -> Wrapped? {
    try truth() ? try body(&self) : nil
  }
}

/// Assembles complete messages from pieces of a stream.
package struct FrameBuffer {
  private var bytes: [UInt8] = []
  private var start = 0

  package init() {}

  package mutating func append(_ piece: [UInt8]) {
    if start > 1 << 16 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += piece
  }

  /// Returns the next message; nil if it is incomplete.
  package mutating func next() -> ArraySlice<UInt8>? {
    guard bytes.count - start >= 4 else { return nil }
    var length = 0
    for offset in (0..<4).reversed() { length = length << 8 | Int(bytes[start + offset]) }
    guard bytes.count - start - 4 >= length else { return nil }
    defer { start += 4 + length }
    return bytes[start + 4..<start + 4 + length]
  }

  /// Returns a message of unknown length, which extends to the end of the stream.
  ///
  /// It begins with four bytes 0xFF. Returns nil if there is none.
  package mutating func takeRest() -> ArraySlice<UInt8>? {
    let rest = bytes[start...]
    bytes = []
    start = 0
    guard rest.count > 4, rest.prefix(4).allSatisfy({ $0 == 0xFF }) else { return nil }
    return rest.dropFirst(4)
  }
}
