import Foundation

/// A message of the compiler.
///
/// Places are offsets in a file's UTF-8.
struct CompilerDiagnostic: Sendable {
  var isError = false
  var message = ""
  /// The name of the file; empty if the message is about no file.
  var file = ""
  var place = 0
  /// The code that the message is about, from its place on.
  var range: Range<Int>?
  var edits: [Edit] = []
  var notes: [CompilerDiagnostic] = []

  /// A part of a fix.
  struct Edit: Sendable {
    let range: Range<Int>
    let text: String
  }

  /// The first fix that is offered.
  var fix: [Edit]? {
    ([self] + notes).map(\.edits).first { !$0.isEmpty }
  }
}

/// Reads the file of the option `-serialize-diagnostics-path`, which is a bitstream of LLVM.
///
/// A bitstream is a tree of blocks with records, which are lists of numbers. A record may be
/// abbreviated: the layout of its numbers was given before. See
/// <https://llvm.org/docs/BitCodeFormat.html>.
struct DiagnosticsFile {
  private var bits: Bits
  /// The abbreviations that each kind of block begins with.
  private var abbreviations: [Int: [[Layout]]] = [:]
  private var files: [Int: String] = [:]

  /// Returns the diagnostics of a file.
  ///
  /// - Throws: ``Malformed`` if the file has another format.
  static func read(_ data: Data) throws -> [CompilerDiagnostic] {
    guard data.starts(with: Data("DIAG".utf8)) else { throw Malformed() }
    var file = DiagnosticsFile(bits: Bits(bytes: Array(data), position: 32))
    var found: [CompilerDiagnostic] = []
    while file.bits.position < data.count * 8 {
      guard try file.bits.fixed(2) == 1 else { throw Malformed() }
      found += try file.enterBlock()
    }
    return found
  }

  struct Malformed: Error {}

  /// How a number of an abbreviated record is written.
  private enum Layout {
    case literal(Int)
    case fixed(Int)
    case variable(Int)
    case bytes
  }

  private struct Record {
    let code: Int
    var numbers: [Int] = []
    var text = ""
  }

  /// The kinds of blocks that are read.
  private enum Block {
    static let information = 0
    static let diagnostic = 9
  }

  /// Reads a block, and returns the diagnostics in it.
  private mutating func enterBlock() throws -> [CompilerDiagnostic] {
    let kind = try bits.variable(8)
    let width = try bits.variable(4)
    bits.align()
    _ = try bits.fixed(32)
    return try block(kind, width: width)
  }

  private mutating func block(_ kind: Int, width: Int) throws -> [CompilerDiagnostic] {
    var own = abbreviations[kind] ?? []
    var diagnostic = CompilerDiagnostic()
    var inner: [CompilerDiagnostic] = []
    var described = 0
    while true {
      switch try bits.fixed(width) {
      case 0:
        bits.align()
        guard kind == Block.diagnostic else { return inner }
        diagnostic.notes = inner
        return [diagnostic]
      case 1:
        inner += try enterBlock()
      case 2:
        let layout = try abbreviation()
        if kind == Block.information {
          abbreviations[described, default: []].append(layout)
        } else {
          own.append(layout)
        }
      case 3:
        let record = try fullRecord()
        if kind == Block.information, record.code == 1, let other = record.numbers.first {
          described = other
        }
      case let number:
        guard own.indices.contains(number - 4) else { throw Malformed() }
        try add(record(own[number - 4]), to: &diagnostic)
      }
    }
  }

  /// Adds what a record says.
  ///
  /// Each place is four numbers: file, line, column and offset.
  private mutating func add(_ record: Record, to diagnostic: inout CompilerDiagnostic) throws {
    let numbers = record.numbers
    switch record.code {
    case 2:
      guard numbers.count >= 5 else { throw Malformed() }
      diagnostic.isError = numbers[0] >= 3
      diagnostic.file = files[numbers[1]] ?? ""
      diagnostic.place = numbers[4]
      diagnostic.message = record.text
    case 3:
      diagnostic.range = try range(numbers)
    case 6:
      guard let number = numbers.first else { throw Malformed() }
      files[number] = record.text
    case 7:
      diagnostic.edits.append(.init(range: try range(numbers), text: record.text))
    default:
      break
    }
  }

  private func range(_ numbers: [Int]) throws -> Range<Int> {
    guard numbers.count >= 8, numbers[3] <= numbers[7] else { throw Malformed() }
    return numbers[3]..<numbers[7]
  }

  private mutating func abbreviation() throws -> [Layout] {
    let count = try bits.variable(5)
    return try (0..<count).map { _ in
      guard try bits.fixed(1) == 0 else { return .literal(try bits.variable(8)) }
      switch try bits.fixed(3) {
      case 1: return .fixed(try bits.variable(5))
      case 2: return .variable(try bits.variable(5))
      case 5: return .bytes
      // Lists and characters of six bits are not used in these files.
      default: throw Malformed()
      }
    }
  }

  private mutating func fullRecord() throws -> Record {
    let code = try bits.variable(6)
    let count = try bits.variable(6)
    return Record(code: code, numbers: try (0..<count).map { _ in try bits.variable(6) })
  }

  private mutating func record(_ layouts: [Layout]) throws -> Record {
    var numbers: [Int] = []
    var text = ""
    for layout in layouts {
      switch layout {
      case .literal(let number): numbers.append(number)
      case .fixed(let width): numbers.append(try bits.fixed(width))
      case .variable(let width): numbers.append(try bits.variable(width))
      case .bytes: text = try bits.text()
      }
    }
    guard let code = numbers.first else { throw Malformed() }
    return Record(code: code, numbers: Array(numbers.dropFirst()), text: text)
  }
}

/// Bytes that are read bit by bit, the lowest bit first.
private struct Bits {
  let bytes: [UInt8]
  var position: Int

  mutating func fixed(_ width: Int) throws -> Int {
    guard width < Int.bitWidth, position + width <= bytes.count * 8 else {
      throw DiagnosticsFile.Malformed()
    }
    var value = 0
    for bit in 0..<width {
      let place = position + bit
      value |= Int(bytes[place / 8] >> (place % 8) & 1) << bit
    }
    position += width
    return value
  }

  /// Reads a number that is written in parts.
  ///
  /// The highest bit of a part says whether another one follows.
  mutating func variable(_ width: Int) throws -> Int {
    var (value, shift, part) = (0, 0, 0)
    let more = 1 << (width - 1)
    repeat {
      part = try fixed(width)
      value |= (part & (more - 1)) << shift
      shift += width - 1
    } while part & more != 0
    return value
  }

  /// Moves to the next multiple of 32 bits.
  mutating func align() { position = (position + 31) / 32 * 32 }

  mutating func text() throws -> String {
    let count = try variable(6)
    align()
    guard count <= bytes.count - position / 8 else { throw DiagnosticsFile.Malformed() }
    let text = String(decoding: bytes[position / 8..<position / 8 + count], as: UTF8.self)
    position += count * 8
    align()
    return text
  }
}
