import ArgumentParser
import Foundation
import LanguageServer
import Platform

/// `frc lsp`: the language server for editors, over standard input and output.
struct LanguageServerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp", abstract: "Serve an editor, by the Language Server Protocol.",
    discussion: """
      An editor starts this command, and talks with it over standard input and output. \
      Editors/README.md says how to set up an editor.

      Scripts read files by the rules of 'frc test', and frc.toml counts. They run in the \
      background after each edit, with the limits of 'frc test', in processes of their own.
      """)

  @OptionGroup var access: PermissionOptions

  func run() throws {
    // A worker may die while it is written to.
    Signal.brokenPipe.ignore()
    let queue = MessageQueue()
    let access = access.paths
    Thread { Self.read(into: queue) }.start()
    let worker = Thread { Self.serve(access, queue) }
    // Scripts may be nested deeply.
    worker.stackSize = 64 << 20
    worker.start()
    while true { Thread.sleep(forTimeInterval: 3600) }
  }

  private static func read(into queue: MessageQueue) {
    var reader = MessageReader()
    while let piece = try? FileDescriptor.standardInput.read(upTo: 1 << 16), !piece.isEmpty {
      reader.append(piece)
      while let message = reader.next() { queue.add(.message(message)) }
    }
    queue.add(.end)
  }

  /// Answers messages until the client says `exit` or goes away.
  private static func serve(_ access: AllowedPaths, _ queue: MessageQueue) -> Never {
    let host = EditorHost(access, queue)
    func end(_ status: Int32) -> Never {
      host.endAll()
      TemporaryFolder.removeAll()
      ProcessCalls.endAtOnce(status: status)
    }
    let server = LanguageServer(
      host: host, version: FRC.version, isCancelled: { queue.begin($0) },
      output: { body in
        // If this fails, the editor is gone.
        let bytes = MessageFrames.framed(body)
        if (try? FileDescriptor.standardOutput.write(bytes)) == nil { end(1) }
      })
    while true {
      switch queue.next(whenEmpty: server.idle) {
      case .message(let message): server.receive(message)
      case .result(let result): server.take(result)
      case .page(let result): server.take(page: result)
      case .end: end(1)
      }
      if let status = server.exitStatus { end(status) }
    }
  }
}
