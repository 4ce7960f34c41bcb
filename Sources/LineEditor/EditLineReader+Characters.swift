/// Moving and deleting by characters as a person sees them. libedit's own
/// functions would part a letter from its accents.
extension EditLineReader {
  func moveLeft() -> KeyResult {
    guard let character = line.before.last else { return .refused }
    moveCursor(by: -character.unicodeScalars.count)
    return .refresh
  }

  func moveRight() -> KeyResult {
    guard let character = line.after.first else { return .refused }
    moveCursor(by: character.unicodeScalars.count)
    return .refresh
  }

  func deleteLeft() -> KeyResult {
    guard let character = line.before.last else { return .refused }
    deleteBackward(String(character))
    return .refresh
  }

  func deleteRight() -> KeyResult {
    guard let character = line.after.first else { return .refused }
    moveCursor(by: character.unicodeScalars.count)
    deleteBackward(String(character))
    return .refresh
  }

  func deleteRightOrLeave() -> KeyResult {
    guard line.text.isEmpty else { return deleteRight() }
    write("^D")
    return .endOfInput
  }
}
