import CLibrary

/// The memory that belongs to this process alone.
///
/// Pages of files, such as those of the program itself, do not count. The system reads them when
/// they are needed and drops them when it needs memory, and a large program reads many of them
/// while it runs.
package enum OwnMemory {
  /// The number of bytes; nil if the system does not give it.
  ///
  /// - Complexity: O(1), with three system calls.
  package static var bytes: Int? { SystemCalls.ownMemory }
}
