import Foundation
import PseudoTerminal
import Testing

/// The program, run as a shell would run it.
struct FRCProgram {
  /// The result of one run.
  struct Result: Equatable {
    let status: Int32
    let output: String
    let errors: String
  }

  /// A temporary folder, which is the program's working folder.
  ///
  /// It is removed with the last copy of this value.
  var folder: URL { temporary.url }
  private let temporary: TemporaryFolder

  /// Creates the folder with the texts of these files, by name.
  init(_ files: KeyValuePairs<String, String> = [:]) throws {
    temporary = try TemporaryFolder()
    for (name, text) in files { try write(text, to: name) }
  }

  /// Writes a file into the folder.
  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  func write(_ bytes: [UInt8], to name: String) throws {
    let file = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  /// Returns the text of a file in the folder.
  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
  }

  /// The folder's name.
  var name: String { folder.lastPathComponent }

  func setPermissions(_ mode: Int, of name: String) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: folder.appendingPathComponent(name).path)
  }

  func permissions(of name: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(
      atPath: folder.appendingPathComponent(name).path)
    return attributes[.posixPermissions] as? Int
  }

  /// Runs the program with only the given environment, and nothing of the test's own.
  func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) throws -> Result {
    try run(arguments, input: input, environment: environment)
  }

  func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> Result {
    try run(process(arguments, environment: environment), input: input)
  }

  /// Runs the program, and expects exactly this status and this output.
  func expect(
    _ arguments: String..., input: String = "", status: Int32 = 0, output: String = "",
    errors: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expect(
      arguments, input: input, status: status, output: output, errors: errors,
      sourceLocation: sourceLocation)
  }

  func expect(
    _ arguments: [String], input: String = "", environment: [String: String] = [:],
    status: Int32 = 0, output: String = "", errors: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try run(arguments, input: input, environment: environment)
    let expected = Result(status: status, output: output, errors: errors)
    #expect(result == expected, "frc \(arguments)", sourceLocation: sourceLocation)
  }

  /// Runs a shell command, and expects exactly this status and this output.
  func expect(
    shell line: String, environment: [String: String] = [:], status: Int32 = 0,
    output: String = "", errors: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = Result(status: status, output: output, errors: errors)
    let result = try shell(line, environment: environment)
    #expect(result == expected, "\(line)", sourceLocation: sourceLocation)
  }

  /// Runs a shell command, in which `frc` is the program.
  func shell(_ line: String, environment: [String: String] = [:]) throws -> Result {
    let process = process(["-c", line], environment: environment)
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // It comes first, because another one may be installed.
    let path = Self.program.deletingLastPathComponent().path
    var variables = process.environment ?? [:]
    variables["PATH"] = path + ":" + (variables["PATH"] ?? "")
    process.environment = variables
    return try run(process, input: "")
  }

  private func run(_ process: Process, input: String) throws -> Result {
    let inputFile = folder.appendingPathComponent(".stdin")
    try Data(input.utf8).write(to: inputFile)
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    let output = try Capture(in: folder, name: ".stdout")
    let errors = try Capture(in: folder, name: ".stderr")
    process.standardOutput = output.handle
    process.standardError = errors.handle
    try Self.start(process)
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: try output.text(), errors: try errors.text())
  }

  /// Starts a process that receives all signals.
  ///
  /// The threads of tests block signals, and a process begins with the signals of the thread that
  /// starts it. A shell without SIGCHLD waits forever for a child that has ended.
  static func start(_ process: Process) throws {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_UNBLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  /// Returns the program as a process that is ready to start in the folder.
  func process(_ arguments: [String], environment: [String: String] = [:]) -> Process {
    let process = Process()
    process.executableURL = Self.program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    var variables = ["PATH": "/usr/bin:/bin"]
    // Where the tests' own temporary files are.
    variables["TMPDIR"] = ProcessInfo.processInfo.environment["TMPDIR"]
    process.environment = variables.merging(environment) { _, given in given }
    return process
  }

  /// A file that receives one of the program's streams, so that no stream blocks because it is
  /// full.
  private struct Capture {
    let file: URL
    let handle: FileHandle

    init(in folder: URL, name: String) throws {
      file = folder.appendingPathComponent(name)
      try Data().write(to: file)
      handle = try FileHandle(forWritingTo: file)
    }

    func text() throws -> String {
      try handle.close()
      return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
  }

  static let program = URL(fileURLWithPath: PseudoTerminal.builtProgram("frc"))
}

/// A folder that is removed with its last reference.
private final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
