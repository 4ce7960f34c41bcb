/// The contents of a section cache's file: the cache, its name, and the state of the store that it
/// belongs to.
package struct SectionCacheFile {
  package var name: String
  package var stamp: StoreStamp
  package var cache: SectionCache
}

/// Turns section caches into bytes and back.
///
/// A file has a head of 32 bytes, a description, and 8 bytes for each row. The head has a mark, the
/// version, the length of the description, the number of rows, and a checksum of everything else.
/// Numbers are little-endian.
package enum SectionCacheCodec {
  /// Version 1 named sections of Floats by the digits that the number has as a Double.
  static let version: UInt32 = 2
  private static let mark = Array("frcCache".utf8)
  private static let headLength = 32
  private static let checksumOffset = 24

  // MARK: Writing

  /// Returns the bytes of a file.
  package static func encode(_ file: SectionCacheFile) -> [UInt8] {
    var description = ByteWriter()
    description.write(file)
    while description.bytes.count % 8 != 0 { description.bytes.append(0) }
    var head = ByteWriter()
    head.bytes += mark
    head.write(version)
    head.write(UInt32(description.bytes.count))
    head.write(UInt64(file.cache.numbers.count))
    var bytes: [UInt8] = []
    bytes.reserveCapacity(
      headLength + description.bytes.count + file.cache.numbers.count * 8)
    bytes += head.bytes
    bytes += Array(repeating: 0, count: 8)
    bytes += description.bytes
    for number in file.cache.numbers {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return withChecksum(bytes)
  }

  /// Returns the bytes with their checksum filled in; too few bytes are returned unchanged.
  package static func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= headLength else { return bytes }
    var bytes = bytes
    let sum = bytes.withUnsafeBytes(checksum)
    withUnsafeBytes(of: sum.littleEndian) {
      bytes.replaceSubrange(checksumOffset..<headLength, with: $0)
    }
    return bytes
  }

  /// The checksum of a file's bytes, without the bytes of the checksum itself.
  private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let head = XXHash64.hash(UnsafeRawBufferPointer(rebasing: bytes[..<checksumOffset]))
    return XXHash64.hash(UnsafeRawBufferPointer(rebasing: bytes[headLength...]), seed: head)
  }

  // MARK: Reading

  /// Reads a file, and checks everything in it that the checksum does not prove.
  package static func decode(
    _ bytes: UnsafeRawBufferPointer
  ) throws(UnusableSectionCache) -> SectionCacheFile {
    guard bytes.starts(with: mark) else { throw .foreign }
    guard bytes.count >= headLength else { throw .wrongLength }
    let version = number(UInt32.self, bytes, 8)
    let descriptionLength = Int(number(UInt32.self, bytes, 12))
    let count = number(UInt64.self, bytes, 16)
    guard version == Self.version else {
      throw version == 0 ? .damaged : .otherVersion(Int(version))
    }
    guard count <= UInt64(bytes.count) / 8,
      bytes.count == headLength + descriptionLength + Int(count) * 8
    else { throw .wrongLength }
    guard number(UInt64.self, bytes, checksumOffset) == checksum(bytes) else { throw .damaged }
    let rows = headLength + descriptionLength
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[headLength..<rows]))
    guard
      let file = reader.readFile(
        numbers: numbers(UnsafeRawBufferPointer(rebasing: bytes[rows...])))
    else { throw .damaged }
    return file
  }

  private static func numbers(_ bytes: UnsafeRawBufferPointer) -> [Int64] {
    [Int64](unsafeUninitializedCapacity: bytes.count / 8) { buffer, initialized in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
      for index in buffer.indices { buffer[index] = Int64(littleEndian: buffer[index]) }
      initialized = bytes.count / 8
    }
  }

  private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type, _ bytes: UnsafeRawBufferPointer, _ offset: Int
  ) -> Number {
    Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
  }
}

// MARK: - The description

private struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func write(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  mutating func write(_ text: String) {
    let text = Array(text.utf8)
    write(UInt64(text.count))
    bytes += text
  }

  mutating func write(_ text: String?) {
    write(UInt64(text == nil ? 0 : 1))
    if let text { write(text) }
  }

  mutating func write(_ flag: Bool) { write(UInt64(flag ? 1 : 0)) }

  mutating func write(_ file: SectionCacheFile) {
    let fingerprint = file.cache.fingerprint
    write(file.name)
    write(file.stamp.text)
    write(file.cache.storeIdentifier)
    write(fingerprint.entity)
    write(fingerprint.includesSubentities)
    write(fingerprint.modelVersion)
    write(fingerprint.predicate)
    write(UInt64(fingerprint.sortDescriptors.count))
    for descriptor in fingerprint.sortDescriptors {
      write(descriptor.key)
      write(descriptor.ascending)
      write(descriptor.selector.rawValue)
    }
    write(fingerprint.sectionNameKeyPath)
    write(UInt64(fingerprint.limit))
    write(UInt64(fingerprint.offset))
    write(fingerprint.locale)
    write(fingerprint.isUnrepeatable)
    write(UInt64(file.cache.runs.count))
    for run in file.cache.runs {
      write(UInt64(run.count))
      write(run.name)
    }
  }
}

/// Reads what ``ByteWriter`` wrote; nil if the bytes are something else.
private struct ByteReader {
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  private mutating func readNumber() -> UInt64? {
    guard rest.count >= 8 else { return nil }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(8)) }
    return UInt64(littleEndian: rest.loadUnaligned(as: UInt64.self))
  }

  private mutating func readInt() -> Int? { readNumber().flatMap { Int(exactly: $0) } }

  private mutating func readFlag() -> Bool? {
    switch readNumber() {
    case 0: false
    case 1: true
    default: nil
    }
  }

  private mutating func readText() -> String? {
    guard let count = readInt(), count <= rest.count else { return nil }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
    return String(validating: rest.prefix(count), as: UTF8.self)
  }

  /// An optional text; the outer nil means that the bytes are invalid.
  private mutating func readOptionalText() -> String?? {
    guard let isThere = readFlag() else { return nil }
    guard isThere else { return .some(nil) }
    return readText().map { .some($0) }
  }

  mutating func readFile(numbers: [Int64]) -> SectionCacheFile? {
    guard let name = readText(), let stamp = readText(), let store = readText(),
      let fingerprint = readFingerprint(), let runs = readRuns(),
      rest.count < 8, rest.allSatisfy({ $0 == 0 }), numbers.allSatisfy({ $0 > 0 }),
      fingerprint.sectionNameKeyPath == nil
        ? runs.isEmpty : Self.rowCount(of: runs) == numbers.count
    else { return nil }
    return SectionCacheFile(
      name: name, stamp: StoreStamp(text: stamp),
      cache: SectionCache(
        fingerprint: fingerprint, basis: .olderState, storeIdentifier: store, runs: runs,
        numbers: numbers))
  }

  /// The number of rows of all sections; nil if the sum is not a valid number.
  ///
  /// The checksum is not a secret, so a file with the right checksum may contain anything.
  private static func rowCount(of runs: [ResultRows.SectionRun]) -> Int? {
    var sum = 0
    for run in runs {
      let (next, overflows) = sum.addingReportingOverflow(run.count)
      if overflows { return nil }
      sum = next
    }
    return sum
  }

  private mutating func readFingerprint() -> CacheFingerprint? {
    guard let entity = readText(), let includesSubentities = readFlag(),
      let modelVersion = readNumber(), let predicate = readOptionalText(),
      let sorts = readSorts(), let section = readOptionalText(), let limit = readInt(),
      let offset = readInt(), let locale = readText(), let isUnrepeatable = readFlag()
    else { return nil }
    return CacheFingerprint(
      entity: entity, includesSubentities: includesSubentities, modelVersion: modelVersion,
      predicate: predicate, sortDescriptors: sorts, sectionNameKeyPath: section, limit: limit,
      offset: offset, locale: locale, isUnrepeatable: isUnrepeatable)
  }

  private mutating func readSorts() -> [FetchSortDescriptor]? {
    guard let count = readInt() else { return nil }
    var sorts: [FetchSortDescriptor] = []
    while sorts.count < count {
      guard let key = readText(), let ascending = readFlag(),
        let selector = readText().flatMap(FetchSortDescriptor.Selector.init)
      else { return nil }
      sorts.append(FetchSortDescriptor(key: key, ascending: ascending, selector: selector))
    }
    return sorts
  }

  private mutating func readRuns() -> [ResultRows.SectionRun]? {
    guard let count = readInt() else { return nil }
    var runs: [ResultRows.SectionRun] = []
    runs.reserveCapacity(min(count, rest.count / 16))
    while runs.count < count {
      guard let rows = readInt(), rows > 0, let name = readText() else { return nil }
      runs.append(ResultRows.SectionRun(name: name, count: rows))
    }
    return runs
  }
}

/// The name of a section cache's file: the cache's name.
///
/// Characters that a file name cannot hold are written as `%` and two hexadecimal digits.
enum CacheFileName {
  private static let suffix = ".frccache"

  static func file(of name: String) -> String {
    var file = name.isEmpty ? "%" : ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: " "):
        file.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        file += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return file + suffix
  }

  /// Returns the name of the cache in a file; nil if the file does not belong to a cache.
  static func name(of file: String) -> String? {
    guard file.hasSuffix(suffix) else { return nil }
    let encoded = file.dropLast(suffix.count)
    if encoded == "%" { return "" }
    var bytes: [UInt8] = []
    var rest = Substring(encoded).utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let code = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
        rest = rest.dropFirst(2)
        bytes.append(code)
      } else {
        bytes.append(byte)
      }
    }
    guard let name = String(validating: bytes, as: UTF8.self), self.file(of: name) == file else {
      return nil
    }
    return name
  }
}

/// The hash XXH64: a checksum that anyone can compute.
///
/// Two inputs that differ in only one group of eight bytes always have different hashes.
struct XXHash64 {
  private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63,
    0x27D4_EB2F_1656_67C5
  )

  /// Returns the hash of some bytes.
  ///
  /// - Complexity: O(*n*), 32 bytes at a time.
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    let (prime1, prime2, _, prime4, prime5) = primes
    var offset = 0
    var sum: UInt64
    if bytes.count >= 32 {
      var lane1 = seed &+ prime1 &+ prime2
      var lane2 = seed &+ prime2
      var lane3 = seed
      var lane4 = seed &- prime1
      while offset <= bytes.count - 32 {
        lane1 = round(lane1, word(bytes, offset))
        lane2 = round(lane2, word(bytes, offset + 8))
        lane3 = round(lane3, word(bytes, offset + 16))
        lane4 = round(lane4, word(bytes, offset + 24))
        offset += 32
      }
      sum = rotated(lane1, 1) &+ rotated(lane2, 7) &+ rotated(lane3, 12) &+ rotated(lane4, 18)
      for lane in [lane1, lane2, lane3, lane4] {
        sum = (sum ^ round(0, lane)) &* prime1 &+ prime4
      }
    } else {
      sum = seed &+ prime5
    }
    sum = sum &+ UInt64(bytes.count)
    return finished(sum, bytes, from: offset)
  }

  static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes { hash($0, seed: seed) }
  }

  /// Mixes in the bytes after the last 32-byte block.
  private static func finished(
    _ initial: UInt64, _ bytes: UnsafeRawBufferPointer, from start: Int
  ) -> UInt64 {
    let (prime1, prime2, prime3, prime4, prime5) = primes
    var sum = initial
    var offset = start
    while offset <= bytes.count - 8 {
      sum = rotated(sum ^ round(0, word(bytes, offset)), 27) &* prime1 &+ prime4
      offset += 8
    }
    if offset <= bytes.count - 4 {
      let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      sum = rotated(sum ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
      offset += 4
    }
    while offset < bytes.count {
      sum = rotated(sum ^ (UInt64(bytes[offset]) &* prime5), 11) &* prime1
      offset += 1
    }
    sum = (sum ^ (sum >> 33)) &* prime2
    sum = (sum ^ (sum >> 29)) &* prime3
    return sum ^ (sum >> 32)
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotated(lane &+ input &* primes.1, 31) &* primes.0
  }

  @inline(__always)
  private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value &<< count | value &>> (64 - count)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
