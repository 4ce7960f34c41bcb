import Foundation
import Platform

/// The memory that the process uses, as the system counts it.
enum ResidentMemory {
  /// The number of bytes; nil if the system does not give it.
  static var bytes: Int? {
    guard let file = try? OpenFile("/proc/self/statm", .reading),
      let text = try? file.descriptor.readOnce(upTo: 128),
      let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first
        .flatMap({ Int($0) })
    else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
