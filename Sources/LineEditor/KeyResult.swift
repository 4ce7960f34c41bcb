import CLibEdit

/// What the function of a key tells libedit.
enum KeyResult {
  /// The text or the cursor may have changed.
  case done
  /// The key can do nothing here; the bell rings.
  case refused
  /// The reading is over, and the reader knows how.
  case finished
  /// Nothing happened; a count that is being typed stays.
  case nothing

  var code: UInt8 {
    switch self {
    // What libedit draws is not seen, but it keeps count of it from key to key.
    case .done: UInt8(CC_REFRESH)
    case .refused: UInt8(CC_ERROR)
    case .finished: UInt8(CC_EOF)
    case .nothing: UInt8(CC_ARGHACK)
    }
  }
}
