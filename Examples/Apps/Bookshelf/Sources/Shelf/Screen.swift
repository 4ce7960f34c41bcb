public import FetchedResultsMacros
public import Terminal

/// All that is on the screen, as a value: the list, what is typed, and a message.
///
/// A key changes the screen, and may ask for a command. The screen carries nothing out itself.
public struct Screen: Hashable, Sendable {
  /// What keys mean at present.
  public enum Mode: Hashable, Sendable {
    /// They move the selection, and letters are commands.
    case browsing
    /// They are the text that is searched for.
    case searching
    /// They fill in the fields of a book; nil is a new one.
    case editing(ObjectID?, BookForm)
    /// They are the name of a file.
    case importing(path: String)
  }

  /// What a key asks for.
  public enum Command: Hashable, Sendable {
    case search(String)
    case add(BookDraft)
    case edit(ObjectID, BookDraft)
    case delete(ObjectID)
    /// Begins to edit; the fields need the book's values.
    case open(ObjectID)
    case undo
    case redo
    case importBooks(path: String)
    case cancelImport
    case quit
  }

  /// The list.
  public internal(set) var list = BookList()
  /// What keys mean at present.
  public internal(set) var mode = Mode.browsing
  /// The text that books are searched for; empty for all books.
  public internal(set) var search = ""
  /// What happened last, in a sentence.
  public internal(set) var message = ""
  /// The size of the window.
  public private(set) var size: TerminalSize

  /// Creates a screen without books.
  public init(size: TerminalSize) { self.size = size }

  /// Adapts the screen to another size of the window.
  public mutating func resize(to size: TerminalSize) {
    self.size = size
    list.scroll(height: listHeight)
  }

  /// Applies what one batch changed in the list.
  public mutating func apply(_ difference: SectionedDifference) throws {
    try list.apply(difference)
    list.scroll(height: listHeight)
  }

  /// Selects a book, at once or when a difference brings it.
  public mutating func select(_ id: ObjectID) {
    list.select(id)
    list.scroll(height: listHeight)
  }

  /// Takes a key.
  ///
  /// - Returns: What is to be done; nil where the screen itself is all that changes.
  public mutating func press(_ key: Key) -> Command? {
    if key == .control("C") { return .quit }
    defer { list.scroll(height: listHeight) }
    if moves(key) { return nil }
    switch mode {
    case .browsing: return browse(key)
    case .searching: return type(key, in: search)
    case .editing(let id, var form):
      guard let draft = form.press(key) else {
        mode = key == .escape ? .browsing : .editing(id, form)
        return nil
      }
      mode = .browsing
      return id.map { .edit($0, draft) } ?? .add(draft)
    case .importing(let path): return type(key, asPath: path)
    }
  }
}

extension Screen {
  /// Moves the selection where the key does that.
  private mutating func moves(_ key: Key) -> Bool {
    switch mode {
    case .browsing, .searching: break
    case .editing, .importing: return false
    }
    let distance =
      switch key {
      case .up: -1
      case .down: 1
      case .pageUp: -listHeight
      case .pageDown: listHeight
      case .home: -list.count
      case .end: list.count
      default: 0
      }
    list.moveSelection(by: distance)
    return distance != 0
  }

  private mutating func browse(_ key: Key) -> Command? {
    message = ""
    switch key {
    case .character("/"): mode = .searching
    case .character("a"): mode = .editing(nil, BookForm())
    case .character("e"), .enter: return list.selectedID.map(Command.open)
    case .character("d"): return list.selectedID.map(Command.delete)
    case .character("u"): return .undo
    case .character("r"): return .redo
    case .character("i"): mode = .importing(path: "")
    case .character("x"): return .cancelImport
    case .character("q"): return .quit
    case .escape where !search.isEmpty:
      search = ""
      return .search("")
    default: break
    }
    return nil
  }

  /// Searches as you type.
  private mutating func type(_ key: Key, in text: String) -> Command? {
    switch key {
    case .character(let character): search = text + String(character)
    case .backspace: search = String(text.dropLast())
    case .enter: mode = .browsing
    case .escape:
      mode = .browsing
      search = ""
    default: break
    }
    return search == text ? nil : .search(search)
  }

  private mutating func type(_ key: Key, asPath path: String) -> Command? {
    switch key {
    case .character(let character): mode = .importing(path: path + String(character))
    case .backspace: mode = .importing(path: String(path.dropLast()))
    case .enter:
      mode = .browsing
      return path.isEmpty ? nil : .importBooks(path: path)
    case .escape: mode = .browsing
    default: break
    }
    return nil
  }
}
