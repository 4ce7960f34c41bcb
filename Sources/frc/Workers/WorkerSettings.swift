import GoldenTesting

/// The settings that a worker receives before its first test.
struct WorkerSettings: Sendable {
  let locale: String
  let stores: [TestStore]
  let timeout: TimeLimit?
  let limits: [ByteLimit]
  /// The files that scripts may read.
  let permissions: Permissions

  init(_ options: GoldenSuite.Options, _ permissions: Permissions) {
    self.permissions = permissions
    locale = options.locale
    stores = options.stores
    timeout = options.timeout
    limits = options.limits
  }

  init(_ reader: inout WireReader) throws(WireReader.Malformed) {
    locale = try reader.text()
    stores = try reader.list { reader throws(WireReader.Malformed) in try reader.store() }
    timeout = try reader.optional { reader throws(WireReader.Malformed) in try reader.timeLimit() }
    limits = try reader.list { reader throws(WireReader.Malformed) in try reader.byteLimit() }
    permissions = Permissions(
      roots: try reader.texts(), reads: try reader.texts(), writes: try reader.texts())
  }

  /// - Parameter scratchName: The start of the names of the worker's temporary folders, so that
  ///   they can be removed after it.
  func write(scratchName: String, to writer: inout WireWriter) {
    writer.write(scratchName)
    writer.write(locale)
    writer.write(stores) { $0.write($1.rawValue) }
    writer.write(timeout) { $0.write($1) }
    writer.write(limits) { $0.write($1) }
    for paths in [permissions.roots, permissions.reads, permissions.writes] {
      writer.write(paths) { $0.write($1) }
    }
  }
}
