import CLibEdit

/// The result of a key's function, for libedit.
enum KeyResult {
  /// The text or the cursor may have changed.
  case done
  /// The key has no effect here; the bell rings.
  case refused
  /// Reading is over, and the reader knows the result.
  case finished
  /// Nothing happened; a count that is being typed is kept.
  case nothing

  var code: UInt8 {
    switch self {
    // libedit's drawing is not visible, but libedit has to keep track of it from key to key.
    case .done: UInt8(CC_REFRESH)
    case .refused: UInt8(CC_ERROR)
    case .finished: UInt8(CC_EOF)
    case .nothing: UInt8(CC_ARGHACK)
    }
  }
}
