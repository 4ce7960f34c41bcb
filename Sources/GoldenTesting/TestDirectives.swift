import Basics
package import ScriptSyntax

/// The instructions to the runner in a script's `#@` lines.
package struct TestDirectives: Sendable {
  /// A reason, with the line that contains it.
  package struct Reason: Hashable, Sendable {
    package let text: String
    package let line: Int
    /// The bytes of the line.
    let range: Range<Int>
    /// The only store that it applies to; nil for all.
    package var store: TestStore?

    /// Whether it applies to runs on a store.
    package func concerns(_ other: TestStore) -> Bool { store == nil || store == other }
  }

  /// The reason to skip the script.
  package private(set) var skip: Reason?
  /// The reason why the script is expected to fail.
  package private(set) var xfail: Reason?
  package private(set) var tags: Set<String> = []
  /// The stores to run on, in order.
  package private(set) var stores: [TestStore] = [.memory]
  /// Whether the script names its stores.
  package private(set) var namesStores = false
  /// The longest time that a run may take.
  package private(set) var timeout = TestDirectives.defaultTimeout
  /// The first lines of the blocks whose output may come in any order.
  package private(set) var unorderedBlocks: Set<Int> = []
  /// The reasons to skip blocks, by the blocks' first lines.
  package private(set) var skippedBlocks: [Int: Reason] = [:]
  /// The reasons why blocks are expected to fail, by the blocks' first lines.
  package private(set) var xfailBlocks: [Int: Reason] = [:]
  /// The store that the script requires, with its directive.
  private var required: (store: TestStore, directive: Directive)?
  private var matrix: Directive?
  /// The errors and warnings in the directives.
  package private(set) var diagnostics: [Diagnostic] = []

  /// Whether the script has a time limit of its own.
  package private(set) var namesTimeout = false

  /// The time limit of scripts without their own.
  package static let defaultTimeout = Duration.seconds(10)

  /// Returns the time limit of a run: the script's own, but not more than the ceiling.
  ///
  /// The ceiling is also the limit of scripts without one.
  package func timeout(atMost ceiling: TimeLimit?) -> TimeLimit {
    let own = TimeLimit(timeout, setBy: "'#@ timeout'")
    guard let ceiling else { return own }
    return namesTimeout && timeout <= ceiling.duration ? own : ceiling
  }

  /// Returns the lines of a script's blocks that are skipped.
  package func skippedLines(in script: ParsedScript) -> [ClosedRange<Int>] {
    script.groups.map(\.lines).filter { skippedBlocks[$0.lowerBound] != nil }
  }

  private enum Name: String, CaseIterable {
    case skip, xfail, tag, requires, matrix, timeout, unordered

    var summary: String {
      switch self {
      case .skip: "does not run the script, or the block below; give the reason"
      case .xfail: "expects the script, or the block below, to fail; give the reason"
      case .tag: "words by which 'frc test --tag' chooses scripts"
      case .requires: "the store that the script needs"
      case .matrix: "the stores on which the script runs: store=memory,sqlite"
      case .timeout: "how long the script may run, such as 500ms or 5s"
      case .unordered: "the output of the block below may be in any order"
      }
    }
  }

  /// Reads a script's directives.
  ///
  /// `unordered` applies to the block under it. So do `skip` and `xfail` below the first statement.
  /// All others apply to the script and come before its first statement, each at most once except
  /// for `tag`. Directives of lessons are ignored.
  ///
  /// - Parameter firstLine: The number of the script's first line in messages.
  package init(_ script: ParsedScript, firstLine: Int = 1) {
    var seen: Set<Name> = []
    let split = SplitExpectations(script)
    let isLesson = script.isLesson
    for directive in script.directives where !(isLesson && LessonWord.read(directive) != nil) {
      let word = directive.text.prefix { !$0.isWhitespace }
      let argument = String(
        directive.text.dropFirst(word.count).drop(while: \.isWhitespace))
      guard let name = Name(rawValue: String(word)) else {
        refuse(unknown: String(word), directive)
        continue
      }
      if let statement = split.statement(around: directive) {
        let line = statement + firstLine - 1
        refuse(
          "'\(word)' splits the expected output; write it above the statement on line \(line)",
          directive)
        continue
      }
      let isInScript = script.groups.first.map { $0.lines.lowerBound < directive.line } ?? false
      switch name {
      case .unordered: readUnordered(argument, directive, script)
      case .skip where isInScript, .xfail where isInScript:
        readReason(name, argument, directive, script)
      case _ where isInScript:
        refuse(
          "'\(word)' applies to the whole script; write it before the first statement", directive)
      case .tag: read(name, argument, directive)
      case _ where !seen.insert(name).inserted: refuse("'\(word)' is repeated here", directive)
      case .skip, .xfail, .requires, .matrix, .timeout: read(name, argument, directive)
      }
    }
    checkStores()
    noteIndented(script)
  }
}

extension TestDirectives {
  /// The words that can follow `#@`, each with what it does, for editors.
  package static var descriptions: [(word: String, summary: String)] {
    Name.allCases.map { ($0.rawValue, $0.summary) }
  }

  private mutating func read(_ name: Name, _ argument: String, _ directive: Directive) {
    guard !argument.isEmpty else { return refuse(Self.need(of: name), directive) }
    switch name {
    case .skip: skip = reason(name, argument, directive)
    case .xfail: xfail = reason(name, argument, directive)
    case .tag: tags.formUnion(Self.words(argument))
    case .requires: readRequired(argument, directive)
    case .matrix: readMatrix(argument, directive)
    case .timeout:
      guard let limit = Duration(words: argument) else {
        return refuse(Self.need(of: .timeout), directive)
      }
      timeout = limit
      namesTimeout = true
    case .unordered: break
    }
  }

  // MARK: Reasons

  /// Parses `REASON`, or `store=STORE REASON` for an expected failure.
  private mutating func reason(
    _ name: Name, _ argument: String, _ directive: Directive
  ) -> Reason? {
    guard name == .xfail, argument.hasPrefix("store=") else {
      return Reason(text: argument, line: directive.line, range: directive.range)
    }
    let word = argument.prefix { !$0.isWhitespace }
    let text = argument.dropFirst(word.count).drop(while: \.isWhitespace)
    guard let store = stores([String(word.dropFirst("store=".count))], directive).first else {
      return nil
    }
    guard !text.isEmpty else {
      refuse(Self.need(of: name), directive)
      return nil
    }
    return Reason(
      text: String(text), line: directive.line, range: directive.range, store: store)
  }

  /// Parses the reason why a block is skipped or expected to fail.
  private mutating func readReason(
    _ name: Name, _ argument: String, _ directive: Directive, _ script: ParsedScript
  ) {
    guard !argument.isEmpty else { return refuse(Self.need(of: name), directive) }
    guard let reason = reason(name, argument, directive),
      let block = block(under: directive, name, script)
    else { return }
    let line = block.lines.lowerBound
    guard (name == .skip ? skippedBlocks : xfailBlocks)[line] == nil else {
      return refuse("'\(name.rawValue)' is repeated here", directive)
    }
    if name == .skip { skippedBlocks[line] = reason } else { xfailBlocks[line] = reason }
  }

  /// Returns the block below a directive.
  private mutating func block(
    under directive: Directive, _ name: Name, _ script: ParsedScript
  ) -> StatementGroup? {
    let index = script.groups.partitioningIndex { $0.lines.upperBound > directive.line }
    guard index < script.groups.count else {
      refuse(
        "'\(name.rawValue)' applies to one statement; write it above that statement", directive)
      return nil
    }
    guard script.groups[index].lines.lowerBound > directive.line else {
      refuse(
        "'\(name.rawValue)' applies to a top-level statement; write it above that statement",
        directive)
      return nil
    }
    return script.groups[index]
  }

  // MARK: Stores

  private mutating func readRequired(_ argument: String, _ directive: Directive) {
    let found = stores(Self.words(argument), directive)
    guard found.count <= 1 else {
      return refuse(
        "'requires' takes one store; 'matrix store=memory,sqlite' runs a script on both",
        directive)
    }
    required = found.first.map { ($0, directive) }
  }

  /// Runs the script on the store that it requires, unless its matrix has others.
  private mutating func checkStores() {
    if let required {
      if let matrix, stores != [required.store] {
        return refuse(
          "'\(required.directive.text)' contradicts '\(matrix.text)'", required.directive)
      }
      stores = [required.store]
      namesStores = true
    }
    for reason in [xfail].compactMap(\.self) + xfailBlocks.values.ordered(by: { $0.line < $1.line })
    {
      guard namesStores, let store = reason.store, !stores.contains(store) else { continue }
      let names = stores.map(\.rawValue).joined(separator: " and ")
      diagnostics.append(
        Diagnostic(
          message: "'xfail store=\(store)' never applies: the script runs on \(names)",
          range: reason.range))
    }
  }

  /// Returns what a directive needs and does not have.
  private static func need(of name: Name) -> String {
    switch name {
    case .skip, .xfail: "'\(name.rawValue)' needs a reason"
    case .tag: "'tag' needs a name"
    case .requires: "'requires' needs a store: \(storeNames)"
    case .matrix: "'matrix' needs stores: store=memory,sqlite"
    case .timeout: "'timeout' needs a time such as 500ms, 5s or 2min"
    case .unordered: "'unordered' takes nothing"
    }
  }

  private mutating func readMatrix(_ argument: String, _ directive: Directive) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "store" else {
      return refuse(Self.need(of: .matrix), directive)
    }
    stores = []
    namesStores = true
    matrix = directive
    let found = stores(Self.words(String(parts[1])), directive)
    for store in found {
      if stores.contains(store) {
        refuse("'\(store)' is repeated in the matrix", directive)
      } else {
        stores.append(store)
      }
    }
    if found.isEmpty { refuse(Self.need(of: .matrix), directive) }
  }

  private mutating func stores(_ words: [String], _ directive: Directive) -> [TestStore] {
    words.compactMap { word in
      if let store = TestStore(rawValue: word) { return store }
      let near = nearestName(to: word, among: TestStore.allCases.map(\.rawValue))
      refuse(
        "unknown store '\(word)'"
          + (near.map { "; did you mean '\($0)'?" } ?? "; there are \(Self.storeNames)"),
        directive)
      return nil
    }
  }

  private static var storeNames: String {
    TestStore.allCases.map(\.rawValue).joined(separator: " and ")
  }

  private static func words(_ text: String) -> [String] {
    text.split { $0.isWhitespace || $0 == "," }.map(String.init)
  }

  private mutating func readUnordered(
    _ argument: String, _ directive: Directive, _ script: ParsedScript
  ) {
    guard argument.isEmpty else { return refuse(Self.need(of: .unordered), directive) }
    guard let block = block(under: directive, .unordered, script) else { return }
    unorderedBlocks.insert(block.lines.lowerBound)
  }

  private mutating func refuse(unknown word: String, _ directive: Directive) {
    let names = Name.allCases.map(\.rawValue)
    let near = nearestName(to: word, among: names)
    let hint = near.map { "did you mean '\($0)'?" } ?? "there are \(names.joined(separator: ", "))"
    refuse("unknown directive '\(word)'; \(hint)", directive)
  }

  private mutating func refuse(_ message: String, _ directive: Directive) {
    diagnostics.append(Diagnostic(message: message, range: directive.range))
  }

  /// Warns about lines that look like a directive or expected output, but are comments because a
  /// blank comes before them.
  private mutating func noteIndented(_ script: ParsedScript) {
    let source = script.source
    for line in 1...source.lineCount {
      let range = source.range(ofLine: line)
      guard let first = source.bytes[range].firstVisible, first > range.lowerBound,
        source.bytes[first] == UInt8(ascii: "#"), first + 1 < range.upperBound
      else { continue }
      let message: String
      switch source.bytes[first + 1] {
      case UInt8(ascii: "@"):
        message = "this is a comment, not a directive; remove the blank before it"
      case UInt8(ascii: ">"), UInt8(ascii: "?"):
        message = "this is a comment, not expected output; remove the blank before it"
      default: continue
      }
      diagnostics.append(
        Diagnostic(severity: .warning, message: message, range: first..<range.upperBound))
    }
  }
}

/// The directives that stand between the lines of one statement's expected output.
///
/// The lines after them would be expected of no statement, and the statement would seem to print
/// too much.
private struct SplitExpectations {
  /// The first line of the statement, by the line of a directive.
  private var statements: [Int: Int] = [:]

  init(_ script: ParsedScript) {
    let strays = Set(script.strayExpectations.map(\.line))
    guard !strays.isEmpty else { return }
    let directives = Set(script.directives.map(\.line))
    for group in script.groups {
      guard let last = group.expected.last?.line else { continue }
      var line = last + 1
      var open: [Int] = []
      while directives.contains(line) || strays.contains(line) {
        if directives.contains(line) {
          open.append(line)
        } else {
          for directive in open { statements[directive] = group.lines.lowerBound }
          open = []
        }
        line += 1
      }
    }
  }

  /// Returns the first line of the statement whose expected output a directive splits; nil if it
  /// splits none.
  func statement(around directive: Directive) -> Int? { statements[directive.line] }
}

extension Duration {
  /// Parses `500ms`, `5s` or `2min`.
  package init?(words: String) {
    let digits = words.prefix { $0.isASCII && $0.isNumber }
    guard let count = Int(digits), count > 0, count <= 1_000_000 else { return nil }
    switch words.dropFirst(digits.count) {
    case "ms": self = .milliseconds(count)
    case "s": self = .seconds(count)
    case "min": self = .seconds(60 * count)
    default: return nil
    }
  }
}

/// The longest time that a run may take.
package struct TimeLimit: Hashable, Sendable {
  package let duration: Duration
  /// The setting that raises the limit: `#@ timeout`, an option, or a key of a file.
  package let setting: String

  /// - Parameter setting: The setting of the limit, as messages name it.
  package init(_ duration: Duration, setBy setting: String) {
    self.duration = duration
    self.setting = setting
  }

  /// The message: `timed out after 10 s; raise the limit with --timeout`.
  package var words: String {
    "timed out after \(duration.words); raise the limit with \(setting)"
  }
}

/// A limit on the number of bytes that a run may use of a resource.
package struct ByteLimit: Hashable, Sendable {
  /// The resource that is limited.
  package enum Resource: String, CaseIterable, Sendable {
    /// The memory of objects and variables.
    case memory
    /// The output of the run.
    case output
  }

  package let resource: Resource
  package let bytes: Int
  /// The setting that raises the limit: an option, or a key of a file.
  package let setting: String

  /// - Parameter setting: The setting of the limit, as messages name it.
  package init(_ resource: Resource, bytes: Int, setBy setting: String) {
    self.resource = resource
    self.bytes = bytes
    self.setting = setting
  }

  /// The message: `takes more than 1 GB of memory; raise the limit with --max-memory`.
  package var words: String {
    let size = bytes.wordsOfBytes
    let fault =
      switch resource {
      case .memory: "takes more than \(size) of memory"
      case .output: "prints more than \(size)"
      }
    return "\(fault); raise the limit with \(setting)"
  }
}

extension ByteLimit.Resource {
  /// The default limit of a run, in bytes.
  package var standard: Int {
    switch self {
    case .memory: 1 << 30
    case .output: 100 << 20
    }
  }
}

extension Int {
  private static let unitsOfBytes = [("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)]

  /// Parses a number of bytes: `500MB`, `2GB`, `64kB`.
  ///
  /// The units are powers of 1,024.
  package init?(wordsOfBytes words: String) {
    let digits = words.prefix { $0.isASCII && $0.isNumber }
    guard let count = Int(digits), count > 0 else { return nil }
    let name = words.dropFirst(digits.count)
    let known = name == "KB" ? "kB" : name
    guard let (_, unit) = Self.unitsOfBytes.first(where: { $0.0 == known }) else { return nil }
    let (bytes, overflows) = count.multipliedReportingOverflow(by: unit)
    guard !overflows else { return nil }
    self = bytes
  }

  /// The number of bytes as text: `1 GB`, `100 MB`.
  fileprivate var wordsOfBytes: String {
    for (name, unit) in Self.unitsOfBytes
    where self >= unit && self % unit == 0 {
      return "\(self / unit) \(name)"
    }
    return "\(self) bytes"
  }
}
