import Foundation
import Platform

/// How much memory the process has in use, as the system counts it.
enum ResidentMemory {
  /// Nil if the system does not say.
  static var bytes: Int? {
    guard let file = try? OpenFile("/proc/self/statm", .reading),
      let text = try? file.descriptor.readOnce(upTo: 128),
      let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first
        .flatMap({ Int($0) })
    else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
