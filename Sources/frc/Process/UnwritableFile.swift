import Platform
import ScriptRuntime

/// A file that cannot be written, with the reason.
struct UnwritableFile: Error, Equatable {
  let reason: String
}

extension UnwritableFile {
  /// Creates the error from that of the system.
  init(_ error: SystemError) { self.init(reason: error.words) }
}

extension UnreadableSource {
  /// Creates the error from that of the system.
  init(_ error: SystemError) { self.init(reason: error.words) }
}
