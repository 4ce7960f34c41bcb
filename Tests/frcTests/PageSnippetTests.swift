import ArgumentParser
import Foundation
import RepositoryFiles
import Testing

@testable import frc

/// Every block of code of every page is run or compiled by a test, or has a reason why not.
@Suite("Snippets of pages")
struct PageSnippetTests {
  @Test("each block names a language whose blocks are tested, or is listed as text")
  func languages() throws {
    let fences = try PageFence.all()
    var texts: [String: Int] = [:]
    var unknown: [String] = []
    for fence in fences {
      switch fence.language {
      // `DocumentationTests` runs these. `frc ignore` marks a script that is only for reading.
      case "frc", "frc continued", "frc ignore": break
      // Tests/Guides/check compiles these, and runs them.
      case "swift": break
      // The tests of log replay read these.
      case "log", "said": if fence.page != "Documentation/Replay.md" { unknown.append(fence.place) }
      // The tests below check these.
      case "sh", "toml", "json", "ebnf", "lesson": break
      case "text": texts[fence.page, default: 0] += 1
      default: unknown.append("\(fence.place): '\(fence.language)'")
      }
    }

    #expect(fences.count > 250)
    #expect(unknown == [])
    #expect(
      texts == Dictionary(uniqueKeysWithValues: ShownText.all.map { ($0.page, $0.count) }))
    #expect(ShownText.all.allSatisfy { !$0.reason.isEmpty })
  }

  @Test("each command of a shell exists, and takes its options and arguments")
  func commands() throws {
    let fences = try PageFence.all().filter { $0.language == "sh" }
    var count = 0
    var problems: [String] = []
    for fence in fences {
      for command in ShellLine.commands(in: fence.lines) {
        count += 1
        if let problem = command.problem { problems.append("\(fence.place): \(problem)") }
      }
    }

    #expect(count > 40)
    #expect(problems == [])
  }

  @Test("each command in a sentence exists, and so do its options")
  func commandsInSentences() throws {
    var count = 0
    var problems: [String] = []
    for page in RepositoryFiles.pages where page != "CHANGELOG.md" {
      for match in try RepositoryFiles.text(page).matches(of: #/`(frc [^`\n]+)`/#)
      where !["frc continued", "frc ignore"].contains(match.output.1) {
        count += 1
        if let problem = ShellLine(String(match.output.1)).unknownName {
          problems.append("\(page): \(match.output.1): \(problem)")
        }
      }
    }

    #expect(count > 50)
    #expect(problems == [])
  }

  @Test("wrong commands are found")
  func planted() {
    let commands = ShellLine.commands(in: [
      "frc tset a.frc   # a comment", "frc test --nosuch", "$ frc test 'a b' > out",
      "Scripts/nosuch",
      "nosuch", "frc test a.frc \\", "  --jobs 2", "",
    ])

    #expect(commands.map { $0.problem == nil } == [false, false, true, false, false, true])
    #expect(ShellLine("frc tset PAGE").unknownName != nil)
    #expect(ShellLine("frc test --nosuch=1").unknownName != nil)
    #expect(ShellLine("frc test --jobs N").unknownName == nil)
  }

  @Test("each file of settings can be read")
  func settings() throws {
    let fences = try PageFence.all().filter { $0.language == "toml" }

    #expect(!fences.isEmpty)
    for fence in fences {
      _ = try ProjectSettings(fence.lines.joined(separator: "\n"), name: fence.place)
    }
  }

  @Test("each JSON value can be read")
  func json() throws {
    for fence in try PageFence.all().filter({ $0.language == "json" }) {
      let data = Data(fence.lines.joined(separator: "\n").utf8)
      #expect(throws: Never.self, "\(fence.place)") { try JSONSerialization.jsonObject(with: data) }
    }
  }

  @Test("each rule of the grammar that is named is also defined")
  func grammar() throws {
    let text = try PageFence.all().filter { $0.language == "ebnf" }.flatMap(\.lines)
      .map { $0.replacing(#/ -- .*/#, with: "") }
    let defined = Set(text.compactMap { $0.prefixMatch(of: #/(\w+) +=/#)?.output.1 })
    let isProse = [
      "NAME", "ENTITY", "NUMBER", "DATE", "OBJECT", "STRING", "OLDNAME", "escape", "END",
      "TIME",
    ]
    var rule = ""
    var undefined: [String] = []
    for line in text {
      if let name = line.prefixMatch(of: #/(\w+) +=/#)?.output.1 { rule = String(name) }
      if isProse.contains(rule) { continue }
      let right = line.replacing(#/^\w+ +=/#, with: "")
        .replacing(#/"(?:\\"|[^"])*"|'[^']*'/#, with: "")
      for name in right.matches(of: #/[A-Za-z]+/#).map(\.output) where !defined.contains(name) {
        undefined.append("\(name) in \(rule)")
      }
    }

    #expect(defined.count > 50)
    #expect(undefined.filter { !Self.toldInProse.contains(String($0.prefix { $0 != " " })) } == [])
  }

  @Test("each lesson is right")
  func lessons() throws {
    let fences = try PageFence.all().filter { $0.language == "lesson" }
    let program = try FRCProgram()

    #expect(!fences.isEmpty)
    for (number, fence) in fences.enumerated() {
      let name = "lesson\(number).frc"
      try program.write(fence.lines.joined(separator: "\n") + "\n", to: name)
      let result = try program.run("lesson", "check", name)
      #expect(result.status == 0, "\(fence.place): \(result.output)\(result.errors)")
    }
  }

  /// The tokens that the page describes in a sentence.
  private static let toldInProse: Set = [
    "PREDICATE", "LOCALE", "TEXT", "TITLE", "PATH", "WORD", "REASON",
  ]
}

/// Blocks of a page that are shown and not run.
private struct ShownText {
  let page: String
  let count: Int
  let reason: String

  static let all = [
    ShownText(
      page: "ARCHITECTURE.md", count: 1,
      reason: "it draws the targets, which Package.swift and ArchitectureTests hold"),
    ShownText(
      page: "README.md", count: 2,
      reason: "they are a crash text and its answer, which ReplayCommandTests compares"),
    ShownText(
      page: "GRAMMAR.md", count: 1,
      reason: "it shows lines of a report, which ReportTests record"),
    ShownText(
      page: "Documentation/Apps.md", count: 1,
      reason: "it follows an app's own store"),
    ShownText(
      page: "Documentation/CI.md", count: 2,
      reason: "they are output with paths and counts of a reader's own project"),
    ShownText(
      page: "Documentation/Conformance.md", count: 2,
      reason: "they are output for scripts of a reader's own project"),
    ShownText(
      page: "Documentation/Learning.md", count: 2,
      reason: "they show a dialogue and a table of a class"),
    ShownText(
      page: "Documentation/Replay.md", count: 1,
      reason: "it shows one line of each form of log; LogReaderTests read these forms"),
    ShownText(
      page: "Documentation/Serving.md", count: 3,
      reason: "the addresses and codes of a run, and commands of a container's tool"),
    ShownText(
      page: "Documentation/Testing.md", count: 1,
      reason: "it is output of a failing test, whose lines and paths are a reader's own"),
    ShownText(
      page: "Sources/FetchedResults/FetchedResults.docc/GettingStarted.md", count: 2,
      reason: "they are what the programs above print, the second one as it ends"),
    ShownText(
      page: "Sources/FetchedResultsMacros/FetchedResultsMacros.docc/WithoutMacros.md", count: 1,
      reason: "it names a dependency in a reader's own manifest"),
    ShownText(
      page: "Sources/ScriptRuntime/README.md", count: 1,
      reason: "it draws who reads the form of an event"),
  ]
}

/// A command of a shell, as a page shows it.
private struct ShellLine {
  private let words: [String]

  init(_ line: String) {
    var words: [String] = []
    var word: String?
    var quote: Character?
    scan: for character in line {
      switch character {
      case quote: quote = nil
      case _ where quote != nil: word?.append(character)
      case "'", "\"":
        quote = character
        word = word ?? ""
      case "#" where word == nil, ">" where word == nil, "|": break scan
      case " ":
        if let finished = word { words.append(finished) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    if words.first == "$" { words.removeFirst() }
    // Variables of the environment.
    while let first = words.first, first.firstMatch(of: /^[A-Z_]+=/) != nil { words.removeFirst() }
    self.words = words
  }

  /// The commands of a block, without comments, and with the lines that a backslash continues.
  static func commands(in lines: [String]) -> [ShellLine] {
    lines.joined(separator: "\n").replacing("\\\n", with: " ").split(separator: "\n")
      .map { ShellLine(String($0)) }.filter { !$0.words.isEmpty }
  }

  /// What is wrong with the command, or nil.
  var problem: String? {
    let name = words[0]
    if name == "frc" || name == "Scripts/frc" { return parseError }
    // Files that a build creates do not exist before it.
    let others = ["cd", "ls", "pip", "pipx", "pytest", "swift", "uvx"]
    if others.contains(name) || name.hasPrefix(".build/") { return nil }
    let file = RepositoryFiles.url(name).path
    return FileManager.default.isExecutableFile(atPath: file) ? nil : "'\(name)' is not a command"
  }

  private var parseError: String? {
    do {
      _ = try FRC.parseAsRoot(OptionalValues.separated(words.dropFirst()) { _ in false })
      return nil
    } catch {
      return FRC.exitCode(for: error) == .success ? nil : FRC.fullMessage(for: error)
    }
  }

  /// The unknown subcommand or option; nil if there is none.
  ///
  /// Other words are placeholders for values.
  var unknownName: String? {
    guard words.count > 1, let first = words.dropFirst().first else { return nil }
    var commands: [any ParsableCommand.Type] = [FRC.self, SessionCommand.self]
    if first.wholeMatch(of: #/[a-z]+/#) != nil, first != "help" {
      guard
        let command = FRC.configuration.subcommands.first(where: {
          $0.configuration.commandName == first
        })
      else { return "'\(first)' is not a subcommand" }
      commands = [command] + command.configuration.subcommands
    }
    let help = commands.map { FRC.helpMessage(for: $0, includeHidden: true, columns: 500) }
      .joined(separator: "\n")
    let options = Set(help.matches(of: #/--?[A-Za-z][\w-]*/#).map { String($0.output) })
    return words.dropFirst().filter { $0.hasPrefix("-") && $0 != "-" && $0 != "--" }
      .map { String($0.prefix { $0 != "=" && $0 != "," && $0 != "…" }) }
      .first { !options.contains($0) }.map { "'\($0)' is not an option" }
  }
}
