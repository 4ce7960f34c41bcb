import Foundation
import Platform
import Testing

@Suite("The memory of a process")
struct OwnMemoryTests {
  private static let size = 64 << 20

  /// Reads or writes one byte of each page.
  private func touch(_ memory: UnsafeMutableRawPointer, writing: Bool) -> Int {
    var sum = 0
    for offset in stride(from: 0, to: Self.size, by: 4_096) {
      if writing { memory.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self) }
      sum += Int(memory.load(fromByteOffset: offset, as: UInt8.self))
    }
    return sum
  }

  /// Returns how much the memory of the process grows while pages are used.
  private func growth(
    of memory: UnsafeMutableRawPointer, writing: Bool
  ) throws -> Int {
    let before = try #require(OwnMemory.bytes)
    let sum = touch(memory, writing: writing)
    let after = try #require(OwnMemory.bytes)
    #expect(sum == Self.size / 4_096)
    return after - before
  }

  @Test("memory of its own counts, and pages of a file that it reads do not")
  func pagesOfFiles() throws {
    let frc = try FRCProgram()
    try frc.write([UInt8](repeating: 1, count: Self.size), to: "file")
    let path = frc.folder.appendingPathComponent("file").path
    let file = open(path, O_RDONLY)
    defer { close(file) }
    let read = try #require(mmap(nil, Self.size, PROT_READ, MAP_PRIVATE, file, 0))
    let own = try #require(
      mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer {
      munmap(read, Self.size)
      munmap(own, Self.size)
    }

    // Other tests run in this process, and use and free memory meanwhile.
    #expect(try growth(of: read, writing: false) < Self.size / 2)
    #expect(try growth(of: own, writing: true) > Self.size / 2)
  }
}
