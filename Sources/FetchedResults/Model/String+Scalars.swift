import Foundation

extension String {
  /// Whether both have the same Unicode scalars, without normalisation.
  ///
  /// - Complexity: O(*n*) in the shorter string's UTF-8 length.
  @inline(__always)
  package func hasSameScalars(as other: String) -> Bool {
    utf8.count == other.utf8.count && compareScalars(with: other) == 0
  }

  /// Compares by Unicode scalars, which gives the order of the UTF-8 bytes.
  ///
  /// - Returns: A negative number, 0 or a positive number, like `memcmp`.
  /// - Complexity: O(*n*) in the length of the common prefix.
  @inline(__always)
  package func compareScalars(with other: String) -> Int {
    let fast = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        left.comparedBytes(with: right)
      }
    }
    if let result = fast ?? nil { return result }
    return Array(utf8).withUnsafeBufferPointer { left in
      Array(other.utf8).withUnsafeBufferPointer { right in left.comparedBytes(with: right) }
    }
  }
}

/// A string that is equal to another only if it has the same Unicode scalars.
///
/// For `String`, é as one scalar equals e followed by an accent. A store and section names treat
/// the two as different.
///
/// The bytes are hashed only once, so that several tables can look it up, grow and shrink without
/// reading them again.
package struct ScalarString: Hashable, Sendable {
  package let string: String
  private let code: Int

  package init(_ string: String) {
    self.string = string
    var copy = string
    var hasher = Hasher()
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    code = hasher.finalize()
  }

  package static let empty = Self("")

  package static func == (left: Self, right: Self) -> Bool {
    left.code == right.code && left.string.hasSameScalars(as: right.string)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension UnsafeBufferPointer<UInt8> {
  /// Compares like `memcmp`, with a prefix before longer strings.
  @inline(__always)
  package func comparedBytes(with other: UnsafeBufferPointer<UInt8>) -> Int {
    let common = Swift.min(count, other.count)
    if common > 0, let left = baseAddress, let right = other.baseAddress {
      let result = memcmp(left, right, common)
      if result != 0 { return Int(result) }
    }
    return count - other.count
  }
}
