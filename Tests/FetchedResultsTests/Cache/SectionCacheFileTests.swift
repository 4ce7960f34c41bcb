import Foundation
import Testing

@testable import FetchedResults

@Suite("section cache files")
struct SectionCacheFileTests {
  private static let file = SectionCacheFile(
    name: "Demo", stamp: StoreStamp(text: "1 2 3"),
    cache: SectionCache(
      fingerprint: CacheFingerprint(
        entity: "Book", includesSubentities: true, modelVersion: 7, predicate: "pages > 3",
        sortDescriptors: [
          FetchSortDescriptor(key: "publisher"),
          FetchSortDescriptor(key: "title", ascending: false, selector: .localizedStandardCompare),
        ], sectionNameKeyPath: "publisher", limit: 10, offset: 1, locale: "ja",
        isUnrepeatable: false),
      basis: .olderState, storeIdentifier: "F4C0",
      runs: [.init(name: "Ace", count: 2), .init(name: "日本", count: 1)],
      numbers: [2, 1, .max]))

  private static func decode(_ bytes: [UInt8]) -> Result<SectionCacheFile, UnusableSectionCache> {
    bytes.withUnsafeBytes { bytes in
      Result { () throws(UnusableSectionCache) in try SectionCacheCodec.decode(bytes) }
    }
  }

  @Test("what is written is read")
  func roundTrip() throws {
    let read = try Self.decode(SectionCacheCodec.encode(Self.file)).get()

    #expect(read.name == "Demo")
    #expect(read.stamp == Self.file.stamp)
    #expect(read.cache.fingerprint == Self.file.cache.fingerprint)
    #expect(read.cache.storeIdentifier == "F4C0")
    #expect(read.cache.runs == Self.file.cache.runs)
    #expect(read.cache.numbers == Self.file.cache.numbers)
  }

  @Test("a flipped bit, a missing end and bytes too many are never believed")
  func mutations() {
    let bytes = SectionCacheCodec.encode(Self.file)
    func isBelieved(_ bytes: [UInt8]) -> Bool {
      if case .success = Self.decode(bytes) { true } else { false }
    }
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        #expect(!isBelieved(changed), "byte \(index), bit \(bit)")
      }
      #expect(!isBelieved(Array(bytes[..<index])), "cut off at \(index)")
    }
    #expect(!isBelieved(bytes + [0]))
    #expect(!isBelieved(bytes + bytes))
    #expect(isBelieved(bytes))
  }

  @Test("sections whose rows do not add up are never believed, whatever the checksum says")
  func counts() {
    for (counts, section) in [
      ([.max, 4], "publisher"), ([1, 1], "publisher"), ([], "publisher"), ([3], nil),
    ] as [([Int], String?)] {
      var file = Self.file
      let made = file.cache.fingerprint
      file.cache = SectionCache(
        fingerprint: CacheFingerprint(
          entity: made.entity, includesSubentities: true, modelVersion: 7, predicate: nil,
          sortDescriptors: made.sortDescriptors, sectionNameKeyPath: section, limit: 0, offset: 0,
          locale: "en", isUnrepeatable: false),
        basis: .olderState, storeIdentifier: "F4C0",
        runs: counts.enumerated().map { .init(name: "\($0)", count: $1) }, numbers: [2, 1, 3])
      let read = Self.decode(SectionCacheCodec.encode(file))
      guard case .failure(.damaged) = read else {
        Issue.record("\(counts) \(section ?? "")")
        continue
      }
    }
  }

  @Test("blocks of zeros and blocks that changed places are never believed")
  func blocks() {
    let bytes = SectionCacheCodec.encode(Self.file)
    for start in stride(from: 0, to: bytes.count - 16, by: 8) {
      var zeroed = bytes
      zeroed.replaceSubrange(start..<(start + 8), with: Array(repeating: 0, count: 8))
      if zeroed != bytes, case .success = Self.decode(zeroed) { Issue.record("zeros at \(start)") }
      var swapped = bytes
      swapped.replaceSubrange(
        start..<(start + 16), with: bytes[(start + 8)..<(start + 16)] + bytes[start..<(start + 8)])
      if swapped != bytes, case .success = Self.decode(swapped) {
        Issue.record("swapped at \(start)")
      }
    }
  }

  @Test("a fault says what is wrong with the file")
  func faults() {
    func fault(_ bytes: [UInt8]) -> UnusableSectionCache? {
      if case .failure(let fault) = Self.decode(bytes) { fault } else { nil }
    }
    let bytes = SectionCacheCodec.encode(Self.file)
    var newer = bytes
    newer[8] = 9
    // It may have other names of sections.
    var older = bytes
    older[8] = 1
    #expect(fault([]) == .foreign)
    #expect(fault(Array("store sqlite \"a.sqlite\"".utf8)) == .foreign)
    #expect(fault(newer) == .otherVersion(9))
    #expect(fault(older) == .otherVersion(1))
    #expect(fault(Array(bytes.dropLast())) == .wrongLength)
    #expect(fault(Array(bytes.prefix(20))) == .wrongLength)
    #expect(fault(Array(bytes.dropLast()) + [1]) == .damaged)
  }

  @Test(
    "a name is found in its file's name",
    arguments: ["Demo", "", "a/b", "..", "日本 %", "a.b", "x\0y"])
  func names(name: String) {
    let file = CacheFileName.file(of: name)
    #expect(CacheFileName.name(of: file) == name)
    #expect(!file.contains("/") && !file.contains("\0"))
  }

  @Test(
    "what is no cache's file is none",
    arguments: ["Demo", "a%.frccache", "a%2.frccache", "%41.frccache"])
  func otherNames(file: String) {
    #expect(CacheFileName.name(of: file) == nil)
  }

  @Test(
    "the checksum is XXH64",
    arguments: [
      ("", 0, 0xEF46_DB37_51D8_E999), ("a", 0, 0xD24E_C4F1_A98C_6E5B),
      ("abc", 0, 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0, 0xFBCE_A83C_8A37_8BF1),
      ("xxhash", 20_141_025, 0xB559_B98D_844E_0635),
    ] as [(String, UInt64, UInt64)])
  func checksum(text: String, seed: UInt64, sum: UInt64) {
    #expect(XXHash64.hash(Array(text.utf8), seed: seed) == sum)
  }
}
