public import FetchedResultsMacros
public import Terminal

/// The app: one loop that takes events, changes the screen, and carries out commands.
@MainActor
public final class Bookshelf {
  /// What the loop takes, one after the other.
  public enum Event: Sendable {
    case key(Key)
    case resize(TerminalSize)
    case changed(SectionedDifference)
    /// So many books of a file are saved.
    case imported(Int)
    /// The import ended; the text says how.
    case importEnded(String)
    case stop
  }

  /// What is on the screen.
  public private(set) var screen: Screen
  /// Sends an event to the loop, from any thread.
  public let send: AsyncStream<Event>.Continuation
  private let library: Library
  private let events: AsyncStream<Event>
  private var importing: Task<Void, Never>?
  private var following: Task<Void, Never>?

  /// Creates the app.
  public init(_ library: Library, size: TerminalSize) {
    self.library = library
    screen = Screen(size: size)
    (events, send) = AsyncStream.makeStream()
  }

  /// Runs until someone quits.
  ///
  /// - Parameter draw: Shows the lines of the screen; called after each event.
  /// - Throws: The error of the first fetch.
  public func run(draw: @MainActor ([TerminalLine]) -> Void) async throws {
    let changes = try library.follow()
    // The differences go through the loop as well, so the screen has one order of events.
    following = Task { [send] in
      for await difference in changes { send.yield(.changed(difference)) }
    }
    for await event in events {
      guard await handle(event) else { break }
      draw(lines)
    }
    following?.cancel()
    importing?.cancel()
    await importing?.value
  }

  /// The lines of the screen.
  public var lines: [TerminalLine] { screen.lines(draft: library.draft) }

  /// - Returns: Whether the loop goes on.
  private func handle(_ event: Event) async -> Bool {
    switch event {
    case .key(let key):
      guard let command = screen.press(key) else { return true }
      if command == .quit { return false }
      await carryOut(command)
    case .resize(let size): screen.resize(to: size)
    case .changed(let difference):
      do {
        try screen.apply(difference)
      } catch {
        // The list is not what the difference begins with. A fetch sends the whole list.
        await carryOut(.search(screen.search))
      }
    case .imported(let count): screen.message = "Importing: \(count) books. x cancels"
    case .importEnded(let text):
      importing = nil
      screen.message = text
    case .stop: return false
    }
    return true
  }

  private func carryOut(_ command: Screen.Command) async {
    do {
      try await perform(command)
    } catch {
      screen.message = error.localizedDescription
    }
  }

  private func perform(_ command: Screen.Command) async throws {
    switch command {
    case .search(let text): try library.search(text)
    case .add(let draft):
      screen.select(try await library.add(draft))
      screen.message = "Added \(draft.title)"
    case .edit(let id, let draft):
      try await library.edit(id, to: draft)
      screen.message = "Changed \(draft.title)"
    case .delete(let id):
      let title = library.draft(of: id)?.title
      try await library.delete(id)
      screen.message = title.map { "Deleted \($0). u brings it back" } ?? ""
    case .open(let id):
      if let draft = library.draft(of: id) { screen.mode = .editing(id, BookForm(draft)) }
    case .undo: screen.message = try await library.undo() ? "Undone" : "Nothing to undo"
    case .redo: screen.message = try await library.redo() ? "Done again" : "Nothing to redo"
    case .importBooks(let path): startImport(path)
    case .cancelImport: importing?.cancel()
    case .quit: break
    }
  }

  private func startImport(_ path: String) {
    guard importing == nil else {
      screen.message = "An import is running. x cancels it"
      return
    }
    importing = Task { [library, send] in
      let text: String
      do {
        let count = try await library.importBooks(from: path) { send.yield(.imported($0)) }
        text = "Imported \(count) books"
      } catch is CancellationError {
        text = "The import was cancelled"
      } catch {
        text = "The import failed: \(error.localizedDescription)"
      }
      send.yield(.importEnded(text))
    }
  }
}
