extension EditLineReader {
  /// Tells Escape from the keys whose sequences begin with it.
  ///
  /// In vi's insert mode libedit takes every Escape for the key. A terminal
  /// sends a sequence in one piece, though, while a person's next key takes a
  /// while.
  func viEscape() -> Unicode.Scalar {
    var read = ""
    while case .scalar(let next) = input.next(within: 30) {
      read.unicodeScalars.append(next)
      if let function = Self.viFunctions[read] {
        deferred = { function($0)() }
        return Self.deferredKey
      }
      guard Self.viFunctions.keys.contains(where: { $0.hasPrefix(read) }) else { break }
    }
    for scalar in read.unicodeScalars.reversed() { input.unread(scalar) }
    return "\u{1B}"
  }

  private static var viFunctions: [String: (EditLineReader) -> () -> KeyResult] {
    [
      "[200~": EditLineReader.insertPaste,
      "[Z": EditLineReader.completeBackward,
      "[3~": EditLineReader.deleteRight,
      "[A": EditLineReader.moveUp, "OA": EditLineReader.moveUp,
      "[B": EditLineReader.moveDown, "OB": EditLineReader.moveDown,
      "[C": EditLineReader.moveRight, "OC": EditLineReader.moveRight,
      "[D": EditLineReader.moveLeft, "OD": EditLineReader.moveLeft,
      "\n": EditLineReader.breakLine,
    ]
  }
}
