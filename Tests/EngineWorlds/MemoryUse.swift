import AllocatedMemory

/// How much memory this process has allocated and not freed.
///
/// Other tests of the process change it too, so measure in a test that has a process of its own.
package enum MemoryUse {
  /// Whether the system can say it.
  package static var isKnown: Bool { bytes > 0 }

  /// The bytes in use.
  package static var bytes: Int { Int(allocated_memory()) }
}
