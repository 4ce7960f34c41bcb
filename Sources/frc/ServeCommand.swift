import ArgumentParser
import Foundation
import Lessons
import LineEditor
import Platform
import PlaygroundServer
import ScriptRuntime
import ScriptSyntax

/// `frc serve [FOLDER]`, `frc serve --class FOLDER`.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve a playground and the course to browsers.",
    usage: """
      frc serve [FOLDER]
      frc serve --class [FOLDER]
      frc serve [FOLDER] --host ADDRESS --public [--name HOST]
      """,
    discussion: """
      The command prints an address with a token, and opens it in the browser. Anyone who \
      knows the address can use the playground. Ctrl-C ends the server with all its sessions. \
      FOLDER is a folder of scripts to open. Nothing is ever written to it.

      Each session runs its script in a process of its own, with the limits of 'frc test'. \
      The limit of time is one of processor time, because sessions wait for one another; by the \
      clock, it is 30 times as long. A script reads and writes files only in a temporary folder \
      of its session.

      With --class, students join with a name and the code that is printed. If FOLDER has lessons, \
      they are the course. Documentation/Serving.md has every step for a teacher.

      Only this computer can reach the server. With --host ADDRESS --public, all computers on that \
      network can reach it too, if they have the address. Nothing is encrypted. \
      Use --name for each name by which a proxy or a browser calls the server.
      """)

  @Argument(help: .value("folder", "A folder of scripts."))
  var folder: String?

  @Flag(
    name: .customLong("class"), help: "Let students join, and show the teacher how they get on.")
  var isClass = false

  @Option(help: "The address to listen at.")
  var host = "127.0.0.1"

  @Option(help: "The port; 0 lets the system choose.")
  var port = 8765

  @Flag(
    name: .customLong("public"),
    help: "Let other computers reach the server, if they have the address. Nothing is encrypted.")
  var isPublic = false

  @Option(
    help: .value(
      "host", "A further name of the server, such as class.example.org; may be repeated."))
  var name: [String] = []

  @Flag(name: .customLong("no-open"), help: "Do not open the browser.")
  var staysClosed = false

  @Option(help: .value("number", "The most sessions at a time."))
  var sessions = ServerLimits().sessions

  @OptionGroup(title: "Limits") var limits: LimitOptions

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port \(port): a port is a number from 0 to 65535")
    }
    guard sessions > 0 else {
      throw ValidationError("--sessions \(sessions): at least 1 is needed")
    }
    guard isPublic || Self.isLoopback(host) else {
      throw ValidationError(
        "--host \(host): other computers could reach the server, and nothing is encrypted; "
          + "add --public if you want that")
    }
    let isHost = { (name: String) in
      !name.isEmpty && !name.contains { $0.isWhitespace || "/?#@".contains($0) }
    }
    if let wrong = name.first(where: { !isHost($0) }) {
      throw ValidationError(
        "--name '\(wrong)': only the name of a host is needed, such as class.example.org")
    }
    // The message does not show it, because it opens the server.
    guard Self.givenToken.map(Self.isUsable) != false else {
      throw ValidationError("FRC_SERVE_TOKEN needs at least 16 small letters and digits")
    }
  }

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  func run() throws {
    // A browser may go away while it is written to.
    Signal.brokenPipe.ignore()
    let output = Output()
    let folder = try scriptFolder(output)
    let listener = try listener(output)
    let limits = self.serverLimits
    let token = Self.givenToken ?? Admission.newToken()
    let code = isClass ? Admission.newToken(length: 6) : nil
    let address = Self.address(of: listener, isPublic: isPublic)
    let loop = PlaygroundLoop(
      listener, admission: admission(listener, token, code),
      files: PlaygroundFiles(folder: folder, isClass: isClass), limits: limits,
      classroom: code.map(Classroom.init)
    ) { [limits = self.limits, lessons = try lessons(output), course = coursePlace] learner in
      PlaygroundSettings(
        scratchName: ScratchFolder.newName, limits: limits, lessons: lessons,
        course: course, learner: learner)
    }
    let page = "http://\(address)/\(token)/" + (isClass ? "class/" : "")
    output.write("frc serves \(page)")
    if let code {
      // At the loopback address, students come by the proxy, which needs --public.
      let place = isPublic && Self.isLoopback(host) ? name.first.map { "https://\($0)/" } : nil
      output.write(
        "Students open \(place ?? "http://\(address)/") and join with the code \(code)")
    }
    if isPublic {
      output.write(
        "Anyone who can reach this computer and knows the address can use it. "
          + "Nothing is encrypted.")
    }
    output.write("Press Ctrl-C to end the server and all its sessions.")
    output.flush()
    if !staysClosed { Self.open(page) }
    loop.run()
    throw ExitCode(InterruptFlag.exitStatus ?? 0)
  }

  // MARK: Parts

  private func listener(_ output: Output) throws -> ListeningSocket {
    let host = host == "localhost" ? "127.0.0.1" : host
    do throws(SystemError) {
      return try ListeningSocket(host: host, port: port)
    } catch {
      let hint =
        error.code == SystemError.addressInUse.code ? "; choose another one with --port" : ""
      let reason = error == .invalid ? "it is not a numeric address" : error.words
      throw output.failure("cannot listen at \(host), port \(port): \(reason)\(hint)", status: 1)
    }
  }

  private var serverLimits: ServerLimits {
    var limits = ServerLimits()
    limits.sessions = sessions
    return limits.fitting(openFiles: ProcessLimits.raiseOpenFiles())
  }

  /// The token of the environment, which keeps an address the same; nil if there is none.
  private static var givenToken: String? {
    ProcessEnvironment["FRC_SERVE_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func isUsable(_ token: String) -> Bool {
    token.utf8.count >= 16
      && token.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
          || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
      }
  }

  private func admission(
    _ listener: ListeningSocket, _ token: String, _ code: String?
  ) -> Admission {
    let port = listener.port
    let hosts = ["127.0.0.1", "localhost", "[::1]", Self.bracketed(listener.host)] + name
    return Admission(
      owner: token, student: code,
      hosts: hosts.map { "\($0):\(port)" } + (isPublic ? name : []),
      // A proxy in front of the server may encrypt.
      origins: name.map { "https://\($0)" }, addressPort: isPublic ? port : nil)
  }

  private static func address(of listener: ListeningSocket, isPublic: Bool) -> String {
    var host = listener.host
    if host == "0.0.0.0" || host == "::" { host = NetworkAddress.own ?? "127.0.0.1" }
    return bracketed(host) + ":\(listener.port)"
  }

  /// Returns a host as it is written before a port.
  private static func bracketed(_ host: String) -> String {
    host.contains(":") ? "[\(host)]" : host
  }

  private func scriptFolder(_ output: Output) throws -> PlaygroundFiles.Folder? {
    guard let folder else { return nil }
    guard FileStatus.isFolder(folder) else {
      throw output.failure("there is no folder '\(folder)'", status: 2)
    }
    let scripts = ServedFolder(folder)
    return PlaygroundFiles.Folder(paths: { scripts.paths }, text: { scripts.text(of: $0) })
  }

  /// The path of the folder, whatever is written for it, such as `.`; empty if there is none.
  private var coursePlace: String { folder.map(RealPath.ofMissing) ?? "" }

  /// The lessons of the folder; none for the course of the program.
  private func lessons(_ output: Output) throws -> [(name: String, text: String)] {
    guard let folder, isClass else { return [] }
    let permissions = Permissions(roots: [RealPath.ofMissing(folder)])
    let texts = CourseFolder.lessonFiles(in: folder).compactMap { file -> (String, String)? in
      guard let source = try? permissions.script(at: folder + "/" + file, named: file),
        ScriptParser.parse(source).isLesson
      else { return nil }
      return (String(file.dropLast(".frc".count)), String(decoding: source.bytes, as: UTF8.self))
    }
    guard !texts.isEmpty else { return [] }
    // Reports what is wrong with them.
    let course = CourseFolder(path: folder, permissions: permissions).course(
      tellingTo: output, renderer: DiagnosticRenderer())
    guard let course else {
      throw output.failure("each lesson in '\(folder)' has an error", status: 2)
    }
    let names = Set(course.lessons.map(\.name))
    return texts.filter { names.contains($0.0) }.map { (name: $0.0, text: $0.1) }
  }

  /// Opens an address in the user's browser, if there is one.
  private static func open(_ address: String) {
    let openers = ["/usr/bin/open", "/usr/bin/xdg-open", "/usr/local/bin/xdg-open"]
    guard let opener = openers.first(where: { FileStatus.exists($0) }) else { return }
    Thread.detachNewThread {
      if let child = try? ChildProcess(opener, [address]) { _ = child.end() }
    }
  }
}

/// The scripts of the folder that the user serves.
///
/// Nothing is written to it.
private final class ServedFolder {
  private let folder: String
  private let permissions: Permissions
  private var known: [String] = []
  private var looked: ContinuousClock.Instant?

  /// The time for which a list of the folder is used again.
  private static let age = Duration.seconds(5)
  private static let mostPaths = 2000

  init(_ folder: String) {
    self.folder = folder
    permissions = Permissions(roots: [RealPath.ofMissing(folder)])
  }

  /// The paths of the scripts, relative to the folder.
  var paths: [String] {
    if let looked, .now - looked < Self.age { return known }
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    known = TestSearch([folder]).scripts.map(\.path)
      .filter { $0.hasPrefix(start) && $0.hasSuffix(".frc") }
      .map { String($0.dropFirst(start.count)) }
    known = Array(known.prefix(Self.mostPaths))
    looked = .now
    return known
  }

  func text(of path: String) -> String? {
    let source = try? permissions.script(at: folder + "/" + path, named: path)
    guard let source, source.bytes.count <= Self.mostBytes else { return nil }
    // With other letters, the page would show and save another script.
    return String(validating: source.bytes, as: UTF8.self)
  }

  private static let mostBytes = 2 << 20
}

/// `frc serve-worker`: the process of one session of `frc serve`, which communicates with it through
/// pipes.
struct PlaygroundWorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve-worker", abstract: "Run a session of 'frc serve'; nothing for people.",
    shouldDisplay: false)

  func run() throws {
    // The parent process decides when this one ends, by the end of the input or by SIGKILL.
    for signal in [Signal.interrupt, .terminate, .hangUp, .brokenPipe] { signal.ignore() }
    PlaygroundWorker(version: FRC.version).read()
  }
}
