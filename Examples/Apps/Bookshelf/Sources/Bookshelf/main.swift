import Foundation
import Shelf
import Terminal

let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first, arguments.count == 1, !path.hasPrefix("-") else {
  print("usage: Bookshelf FILE\n\nShows the books in FILE, which is made where there is none.")
  exit(arguments.first == "--help" ? 0 : 2)
}

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("Bookshelf: \(message)\n".utf8))
  exit(1)
}

let library: Library
do {
  library = try Library(file: URL(fileURLWithPath: path))
} catch {
  fail(error.localizedDescription)
}
guard let terminal = Terminal() else {
  fail("expected a terminal as input and output")
}

let app = Bookshelf(library, size: terminal.size)
let events = TerminalEvents { [send = app.send] event in
  switch event {
  case .key(let key): send.yield(.key(key))
  case .resize: Task { @MainActor in send.yield(.resize(terminal.size)) }
  case .stop: send.yield(.stop)
  }
}
var drawnSize = terminal.size
var failure: (any Error)?
do {
  try await app.run { lines in
    terminal.show(lines, all: app.screen.size != drawnSize)
    drawnSize = app.screen.size
  }
} catch {
  failure = error
}
events.cancel()
terminal.close()
if let failure { fail(failure.localizedDescription) }
