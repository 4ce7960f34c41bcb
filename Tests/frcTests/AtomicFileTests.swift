import Foundation
import Platform
import Testing

@Suite("Files that are replaced at once")
struct AtomicFileTests {
  private let frc: FRCProgram

  init() throws { frc = try FRCProgram() }

  private var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: frc.folder.path).sorted()
    }
  }

  private func path(_ name: String) -> String { frc.folder.appendingPathComponent(name).path }

  @Test("a file is made, and replaced with its permissions")
  func permissions() throws {
    try AtomicFile.write("one".utf8, to: path("a"))
    try frc.setPermissions(0o640, of: "a")
    try AtomicFile.write("two".utf8, to: path("a"))

    #expect(try frc.read("a") == "two")
    #expect(try frc.permissions(of: "a") == 0o640)
    #expect(try names == ["a"])
  }

  @Test("what a process that was killed left beside a file goes when the file is written")
  func leftover() throws {
    try frc.write("old", to: "a")
    try frc.write("half", to: "a.frc~")

    try AtomicFile.write("new".utf8, to: path("a"))

    #expect(try frc.read("a") == "new")
    #expect(try names == ["a"])
  }

  @Test("a path that leads elsewhere by the time of writing changes no file there")
  func exchanged() throws {
    for name in ["inside", "outside"] { try NewFolder.make(path(name)) }
    try frc.write("inside", to: "inside/a")
    try frc.write("outside", to: "outside/a")
    let folder = try FileLocation(path("inside/a"))
    let file = try FileLocation(path("inside/a"))
    let manager = FileManager.default

    try manager.moveItem(atPath: path("inside/a"), toPath: path("kept"))
    try manager.createSymbolicLink(atPath: path("inside/a"), withDestinationPath: path("outside/a"))
    try AtomicFile.write("one".utf8, to: file)
    #expect(throws: SystemError.link) {
      try manager.removeItem(atPath: path("inside/a"))
      try manager.createSymbolicLink(
        atPath: path("inside/a"), withDestinationPath: path("outside/a"))
      _ = try file.open(.emptying)
    }
    try manager.moveItem(atPath: path("inside"), toPath: path("moved"))
    try manager.createSymbolicLink(atPath: path("inside"), withDestinationPath: path("outside"))
    try AtomicFile.write("two".utf8, to: folder)

    #expect(try frc.read("outside/a") == "outside")
    #expect(try frc.read("moved/a") == "two")
  }

  @Test("a file is written in a folder that may be entered, but not listed")
  func hiddenFolder() throws {
    try NewFolder.make(path("hidden"))
    try frc.setPermissions(0o300, of: "hidden")
    defer { try? frc.setPermissions(0o700, of: "hidden") }

    try AtomicFile.write("one".utf8, to: path("hidden/a"))

    #expect(try frc.read("hidden/a") == "one")
  }

  @Test("a lock on a folder is held by one at a time, and ends with its last reference")
  func lock() throws {
    let path = path("shared")
    try NewFolder.make(path)
    try NewFolder.make(path)
    var lock: FolderLock? = try FolderLock(path)

    #expect(lock != nil)
    #expect(throws: SystemError.locked) {
      try FolderLock(path, patience: .milliseconds(20))
    }
    lock = nil
    _ = try FolderLock(path, patience: .milliseconds(20))
    try frc.write("", to: "file")
    #expect(throws: SystemError.exists) { try NewFolder.make(self.path("file")) }
    #expect(throws: SystemError.missing) { try NewFolder.make(self.path("no/folder")) }
    #expect(throws: SystemError.missing) { try FolderLock(self.path("no")) }
  }

  @Test("changes under a lock are made one after the other")
  func changes() throws {
    let folder = frc.folder.path
    let file = path("count")
    try frc.write("0", to: "count")

    DispatchQueue.concurrentPerform(iterations: 200) { _ in
      guard let lock = try? FolderLock(folder) else { return }
      defer { withExtendedLifetime(lock) {} }
      guard let text = try? String(contentsOfFile: file, encoding: .utf8), let count = Int(text)
      else { return }
      try? AtomicFile.write("\(count + 1)".utf8, to: file)
    }

    #expect(try frc.read("count") == "200")
  }

  @Test("of writers at the same time each writes the whole file, and none leaves another")
  func together() throws {
    let texts = (0..<4).map { String(repeating: "\($0)", count: 20_000) }
    try AtomicFile.write(texts[0].utf8, to: path("a"))
    let path = path("a")

    DispatchQueue.concurrentPerform(iterations: 400) { number in
      try? AtomicFile.write(texts[number % 4].utf8, to: path)
      let read = FileManager.default.contents(atPath: path).map {
        String(decoding: $0, as: UTF8.self)
      }
      if !texts.contains(read ?? "") { Issue.record("the file is torn") }
    }

    #expect(try names == ["a"])
  }
}
