import Glibc
import LineEditor
import Testing

@Suite struct LineHistoryTests {
  @Test("entries come back as they were, whatever is in them")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    let entries = [
      "one", "a {\n  b\n}", "back\\slash", "\\n is no line end", "日本語 e\u{301} 😀",
      "tab\tand \u{7F}", "ends with \\", "a\r\nb", "a\\\nb",
    ]
    let history = LineHistory(path: folder.file("h"))

    for entry in entries { #expect(history.add(entry)) }

    #expect(history.entries == entries)
    #expect(LineHistory(path: folder.file("h")).entries == entries)
    #expect(history.failure == nil)
  }

  @Test("repeats, what begins with a blank, and nothing are not kept")
  func notKept() throws {
    let folder = try TemporaryFolder()
    let history = LineHistory(path: folder.file("h"))

    for entry in ["a", "a", "b", "a", " secret", "\tsecret", "", "\n", "a\n", "n\0ul"] {
      history.add(entry)
    }

    #expect(history.entries == ["b", "a"])
    #expect(folder.read("h") == "a\nb\na\n")
  }

  @Test("the oldest entries go when there are too many, here and in the file")
  func capacity() throws {
    let folder = try TemporaryFolder()
    let history = LineHistory(path: folder.file("h"), capacity: 3)

    for number in 1...5 { history.add("\(number)") }
    #expect(history.entries == ["3", "4", "5"])
    let next = LineHistory(path: folder.file("h"), capacity: 3)

    #expect(next.entries == ["3", "4", "5"])
    #expect(folder.read("h") == "3\n4\n5\n")
  }

  @Test("an older session goes on writing after another has cut the file down")
  func replacedFile() throws {
    let folder = try TemporaryFolder()
    let first = LineHistory(path: folder.file("h"), capacity: 2)
    for number in 1...5 { first.add("\(number)") }

    let second = LineHistory(path: folder.file("h"), capacity: 2)
    first.add("from the first")
    second.add("from the second")

    #expect(folder.read("h") == "4\n5\nfrom the first\nfrom the second\n")
  }

  @Test("many writers at once lose nothing")
  func manyWriters() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("h")

    await withTaskGroup(of: Void.self) { group in
      for writer in 1...4 {
        group.addTask {
          let history = LineHistory(path: path)
          for number in 1...100 { history.add("\(writer) {\n\(number)}") }
        }
      }
    }

    let entries = LineHistory(path: path).entries
    #expect(entries.count == 400)
    #expect(Set(entries).count == 400)
    for writer in 1...4 {
      #expect(entries.filter { $0.hasPrefix("\(writer) ") }.count == 100)
    }
  }

  @Test("what is damaged is passed over, what is whole is kept")
  func damaged() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      Array("good\n".utf8) + [0xFF, 0xFE, 0x0A] + Array("with \\q and \\\n".utf8)
        + [0, 0, 0, 0x0A] + Array("\n\ncut off".utf8), to: "h")
    let history = LineHistory(path: folder.file("h"))

    #expect(history.entries == ["good", "with \\q and \\", "cut off"])
    history.add("next")

    #expect(
      LineHistory(path: folder.file("h")).entries == [
        "good", "with \\q and \\", "cut off", "next",
      ])
  }

  @Test("a file that is a folder, a FIFO or out of reach is a failure, and entries go on")
  func unusable() throws {
    let folder = try TemporaryFolder()
    mkdir(folder.file("folder"), 0o700)
    mkfifo(folder.file("fifo"), 0o600)

    for path in [folder.file("folder"), folder.file("fifo"), folder.file("none/h"), "/dev/zero"] {
      let history = LineHistory(path: path)
      #expect(history.add("a"), "\(path)")
      #expect(history.entries == ["a"], "\(path)")
      #expect(history.failure?.path == path, "\(path)")
    }
  }

  @Test("a new file is for its owner only; a link and its file's mode stay when it is cut")
  func modes() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("h")
    LineHistory(path: path).add("a")
    var status = stat()
    stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o600)

    chmod(path, 0o640)
    symlink(path, folder.file("link"))
    let history = LineHistory(path: folder.file("link"))
    for number in 1...5 { history.add("\(number)") }
    _ = LineHistory(path: folder.file("link"), capacity: 2)

    lstat(folder.file("link"), &status)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
    stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(folder.read("h") == "4\n5\n")
  }

  @Test("of a file of many megabytes the newest entries are read")
  func large() throws {
    let folder = try TemporaryFolder()
    let line = String(repeating: "x", count: 1 << 20)
    try folder.write(
      (1...20).map { "\($0) \(line)\n" }.joined().utf8, to: "h")

    let entries = LineHistory(path: folder.file("h")).entries

    #expect(entries.count == 15)
    #expect(entries.last?.hasPrefix("20 x") == true)
  }

  @Test("an entry of many megabytes hides none before it, and none is written")
  func hugeEntry() throws {
    let folder = try TemporaryFolder()
    let huge = [UInt8](repeating: 0x61, count: 17 << 20)
    try folder.write(Array("one\ntwo\n".utf8) + huge + Array("\nthree\n".utf8), to: "h")
    let history = LineHistory(path: folder.file("h"))
    #expect(history.entries == ["one", "two", "three"])

    #expect(history.add(String(repeating: "b", count: 5 << 20)))
    #expect(history.add("four"))

    #expect(LineHistory(path: folder.file("h")).entries == ["one", "two", "three", "four"])
  }

  @Test("a file of many pieces is read whole, its last line without an end, too")
  func pieces() throws {
    let folder = try TemporaryFolder()
    let entries = (1...20_000).map { "entry \($0)" }
    try folder.write(entries.joined(separator: "\n").utf8, to: "h")

    #expect(LineHistory(path: folder.file("h"), capacity: 30_000).entries == entries)
    #expect(LineHistory(path: folder.file("h"), capacity: 10).entries == entries.suffix(10))
  }
}
