import CLibrary

/// A socket that waits for connections of the system's network.
///
/// No call waits, and the socket is closed when the last reference ends.
package final class ListeningSocket {
  package let descriptor: FileDescriptor
  /// The port that the system gave, or the one that was asked for.
  package let port: Int
  /// The numeric address.
  package let host: String

  /// Listens at a numeric address, such as `127.0.0.1` or `::1`.
  ///
  /// - Parameter port: 0 lets the system choose.
  /// - Throws: The system's error, for example if another program listens there.
  package init(host: String, port: Int) throws(SystemError) {
    let address = try NumericAddress(host: host, port: port)
    let number = socket(address.family, SystemCalls.streamSocket, 0)
    guard number >= 0 else { throw .last }
    descriptor = FileDescriptor(number)
    var yes: Int32 = 1
    // A port whose last connections are still closing can be used again.
    setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    descriptor.neverWaits()
    guard address.use({ bind(number, $0, $1) }) == 0, listen(number, SOMAXCONN) == 0 else {
      let error = SystemError.last
      close(number)
      throw error
    }
    let name = SocketNames.own(of: number)
    self.host = name.host.isEmpty ? host : name.host
    self.port = Int(name.port) ?? port
  }

  deinit { close(descriptor.number) }

  /// Returns the next waiting connection; nil if there is none.
  ///
  /// - Throws: The system's error, for example if the process has too many open files.
  package func nextConnection() throws(SystemError) -> Connection? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let number = withUnsafeMutableBytes(of: &address) { bytes in
      accept(
        descriptor.number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    guard number >= 0 else {
      let error = SystemError.last
      // A client that has gone before it was accepted is no error of ours.
      if error.mayPass || error.code == ECONNABORTED { return nil }
      throw error
    }
    let name = SocketNames.names(of: &address, length)
    return Connection(FileDescriptor(number), peer: name.host)
  }
}

/// A numeric address with a port, as the system's calls take it.
private struct NumericAddress {
  let family: Int32
  private let bytes: [UInt8]

  init(host: String, port: Int) throws(SystemError) {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = SystemCalls.streamSocket
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let first = found else {
      throw .invalid
    }
    defer { freeaddrinfo(found) }
    family = first.pointee.ai_family
    bytes = Array(
      UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(first.pointee.ai_addrlen)))
  }

  func use(_ call: (UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Int32 {
    bytes.withUnsafeBytes {
      call($0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
  }
}

/// The numeric names of the ends of sockets.
private enum SocketNames {
  static func own(of number: Int32) -> (host: String, port: String) {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      getsockname(number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    return status == 0 ? names(of: &address, length) : ("", "")
  }

  static func names(
    of address: inout sockaddr_storage, _ length: socklen_t
  ) -> (host: String, port: String) {
    var host = [CChar](repeating: 0, count: 256)
    var port = [CChar](repeating: 0, count: 32)
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      getnameinfo(
        bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), length, &host, 256, &port, 32,
        NI_NUMERICHOST | NI_NUMERICSERV)
    }
    guard status == 0 else { return ("", "") }
    let text = { (bytes: [CChar]) in
      String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return (text(host), text(port))
  }
}

/// A connection that was accepted.
///
/// No call waits, and it is closed when the last reference ends.
package final class Connection {
  package let descriptor: FileDescriptor
  /// The numeric address of the other end.
  package let peer: String

  fileprivate init(_ descriptor: FileDescriptor, peer: String) {
    self.descriptor = descriptor
    self.peer = peer
    descriptor.neverWaits()
    // Small answers are sent at once.
    set(TCP_NODELAY, 1)
    noticeLoss()
  }

  /// Makes the connection fail within a minute after the other end is gone without closing it, as
  /// after a loss of the network.
  private func noticeLoss() {
    set(SO_KEEPALIVE, of: SOL_SOCKET, 1)
    // After 15 seconds of silence the system asks every 5 seconds, six times.
    set(TCP_KEEPINTVL, 5)
    set(TCP_KEEPCNT, 6)
    // It does not ask while it repeats what was not received, so that has a limit, too.
    #if canImport(Darwin)
    set(TCP_KEEPALIVE, 15)
    set(TCP_RXT_CONNDROPTIME, 45)
    #else
    set(TCP_KEEPIDLE, 15)
    set(TCP_USER_TIMEOUT, 45_000)
    #endif
  }

  private func set(_ option: Int32, of level: Int32 = Int32(IPPROTO_TCP), _ value: Int32) {
    var value = value
    setsockopt(
      descriptor.number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor.number) }

  /// Says that nothing more will be written.
  package func endOutput() { shutdown(descriptor.number, Int32(SHUT_WR)) }
}

extension FileDescriptor {
  /// Makes reads and writes fail instead of waiting, and closes the descriptor in new programs.
  package func neverWaits() {
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }

  /// Writes as many bytes as is possible without waiting, and returns their number.
  ///
  /// - Throws: The system's error, for example if the other end has closed.
  package func writeSome(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
    let count = bytes.withUnsafeBytes { SystemCalls.write(number, $0.baseAddress, $0.count) }
    if count >= 0 { return count }
    let error = SystemError.last
    if error.mayPass { return 0 }
    throw error
  }

  /// What a wait for a descriptor is for.
  package struct Watch {
    package let descriptor: FileDescriptor
    package let reads: Bool
    package let writes: Bool

    package init(_ descriptor: FileDescriptor, reads: Bool, writes: Bool) {
      self.descriptor = descriptor
      self.reads = reads
      self.writes = writes
    }
  }

  /// What can be done with a descriptor now.
  package struct Readiness {
    package let canRead: Bool
    package let canWrite: Bool
    /// Whether the other end is gone, or the descriptor is not open.
    package let isBroken: Bool
  }

  /// Waits until something can be done with one of the descriptors.
  ///
  /// - Returns: The readiness of each, in the same order; none if nothing happened in time.
  package static func wait(for watches: [Watch], milliseconds: Int) -> [Readiness] {
    var requests = watches.map { watch in
      pollfd(
        fd: watch.descriptor.number,
        events: Int16(watch.reads ? POLLIN : 0) | Int16(watch.writes ? POLLOUT : 0), revents: 0)
    }
    let time = Int32(clamping: milliseconds)
    guard poll(&requests, nfds_t(requests.count), time) > 0 else { return [] }
    return requests.map { request in
      let events = Int32(request.revents)
      return Readiness(
        canRead: events & Int32(POLLIN | POLLHUP) != 0, canWrite: events & Int32(POLLOUT) != 0,
        isBroken: events & Int32(POLLERR | POLLNVAL) != 0)
    }
  }
}

/// The address of this computer.
package enum NetworkAddress {
  /// The numeric address at which the local network reaches this computer; nil if it has none.
  package static var own: String? {
    let number = socket(AF_INET, SystemCalls.packetSocket, 0)
    guard number >= 0 else { return nil }
    defer { close(number) }
    // Nothing is sent: this only makes the system choose the network.
    guard let target = try? NumericAddress(host: "192.0.2.1", port: 9),
      target.use({ connect(number, $0, $1) }) == 0
    else { return nil }
    let name = SocketNames.own(of: number)
    return name.host.isEmpty ? nil : name.host
  }
}

/// The limits of the process.
package enum ProcessLimits {
  /// Raises the number of files that the process may open as far as the system allows.
  ///
  /// - Returns: The number.
  package static func raiseOpenFiles() -> Int {
    var limit = rlimit()
    guard SystemCalls.getOpenFiles(&limit) == 0 else { return 256 }
    let wanted = min(limit.rlim_max, 65_536)
    if limit.rlim_cur < wanted {
      var raised = limit
      raised.rlim_cur = wanted
      if SystemCalls.setOpenFiles(&raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// How much of the processor a thread leaves to others.
  package enum Courtesy: Int32, Comparable, Sendable {
    case none = 0
    /// About a third of what another thread gets.
    case some = 5
    case much = 15

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// Lets other threads and processes run before the calling thread.
  ///
  /// There is no way back for the thread, and a thread that it starts begins with the same courtesy.
  ///
  /// - Parameter before: The thread's courtesy so far.
  package static func giveWay(_ courtesy: Courtesy, before: Courtesy = .none) {
    #if canImport(Darwin)
    // The whole process would be nice there.
    pthread_set_qos_class_self_np(
      courtesy == .much ? QOS_CLASS_BACKGROUND : QOS_CLASS_UTILITY, 0)
    #else
    _ = nice(courtesy.rawValue - before.rawValue)
    #endif
  }

  /// The time for which the calling thread has had a processor.
  package static var threadTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
