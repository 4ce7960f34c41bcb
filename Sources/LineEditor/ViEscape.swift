/// Tells Escape from the keys whose sequences begin with it.
///
/// In vi's insert mode libedit takes every Escape for the key. A terminal
/// sends a sequence in one piece, though, while a person's next key takes a
/// while.
enum ViEscape {
  typealias Function = (EditLineReader) -> KeyResult

  /// Reads what follows Escape.
  ///
  /// - Returns: What the key does; nil for Escape itself, and then what was read is
  ///   given back.
  static func function(from input: TerminalInput) -> Function? {
    var read = ""
    while case .scalar(let next) = input.next(within: 30) {
      read.unicodeScalars.append(next)
      if let function = functions[read] { return function }
      guard functions.keys.contains(where: { $0.hasPrefix(read) }) else { break }
    }
    for scalar in read.unicodeScalars.reversed() { input.unread(scalar) }
    return nil
  }

  private static var functions: [String: Function] {
    [
      "[200~": { $0.paste.insertPaste() },
      "[Z": { $0.completion.completeBackward() },
      "[3~": { $0.text.deleteRight() },
      "[A": { $0.entries.moveUp() }, "OA": { $0.entries.moveUp() },
      "[B": { $0.entries.moveDown() }, "OB": { $0.entries.moveDown() },
      "[C": { $0.text.moveRight() }, "OC": { $0.text.moveRight() },
      "[D": { $0.text.moveLeft() }, "OD": { $0.text.moveLeft() },
      "\n": { $0.text.breakLine() },
    ]
  }
}
