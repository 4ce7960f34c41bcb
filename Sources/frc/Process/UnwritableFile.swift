import Platform
import ScriptRuntime

/// A file that cannot be written, and why, in words.
struct UnwritableFile: Error, Equatable {
  let reason: String
}

extension UnwritableFile {
  /// Says why the system refused.
  init(_ error: SystemError) { self.init(reason: error.words) }
}

extension UnreadableSource {
  /// Says why the system refused.
  init(_ error: SystemError) { self.init(reason: error.words) }
}
