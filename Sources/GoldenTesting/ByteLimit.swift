/// A limit on the number of bytes that a run may use of a resource.
package struct ByteLimit: Hashable, Sendable {
  /// The resource that is limited.
  package enum Resource: String, CaseIterable, Sendable {
    /// The memory of objects and variables.
    case memory
    /// The output of the run.
    case output
  }

  package let resource: Resource
  package let bytes: Int
  /// The setting that raises the limit: an option, or a key of a file.
  package let setting: String

  /// - Parameter setting: The setting of the limit, as messages name it.
  package init(_ resource: Resource, bytes: Int, setBy setting: String) {
    self.resource = resource
    self.bytes = bytes
    self.setting = setting
  }

  /// The message: `takes more than 1 GB of memory; raise the limit with --max-memory`.
  package var words: String {
    let size = bytes.wordsOfBytes
    let fault =
      switch resource {
      case .memory: "takes more than \(size) of memory"
      case .output: "prints more than \(size)"
      }
    return "\(fault); raise the limit with \(setting)"
  }
}

extension ByteLimit.Resource {
  /// The default limit of a run, in bytes.
  package var standard: Int {
    switch self {
    case .memory: 1 << 30
    case .output: 100 << 20
    }
  }
}

extension Int {
  /// Parses a number of bytes: `500MB`, `2GB`, `64kB`.
  ///
  /// The units are powers of 1,024.
  package init?(wordsOfBytes words: String) {
    let digits = words.prefix { $0.isASCII && $0.isNumber }
    guard let count = Int(digits), count > 0 else { return nil }
    let unit: Int
    switch words.dropFirst(digits.count) {
    case "kB", "KB": unit = 1 << 10
    case "MB": unit = 1 << 20
    case "GB": unit = 1 << 30
    default: return nil
    }
    let (bytes, overflows) = count.multipliedReportingOverflow(by: unit)
    guard !overflows else { return nil }
    self = bytes
  }

  /// The number of bytes as text: `1 GB`, `100 MB`.
  fileprivate var wordsOfBytes: String {
    for (unit, name) in [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")]
    where self >= unit && self % unit == 0 {
      return "\(self / unit) \(name)"
    }
    return "\(self) bytes"
  }
}
